"""How a child begins that reads a file or draws a page of it: confined first."""

import importlib
import tempfile

from docqa.workers.helpers import HELPERS
from docqa.workers.sandbox import Confinement, confine


def run_confined(bounds: Confinement, module: str, helpers: int = 0) -> None:
    """Confine this process and so many helpers, for good, and serve what the child `module` serves; does not return."""
    tempfile.tempdir = bounds.temporary  # it would be tried by writing a file, which will be refused
    HELPERS.fork(helpers, bounds)
    confine(bounds)
    importlib.import_module(module).main()

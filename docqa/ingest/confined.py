"""How a child begins that reads a file or draws a page of it: confined first."""

import importlib
import tempfile

from docqa.workers.sandbox import Confinement, confine


def run_confined(bounds: Confinement, module: str) -> None:
    """Confine this process, for good, and serve what the child `module` serves; does not return."""
    tempfile.tempdir = bounds.temporary  # it would be tried by writing a file, which will be refused
    confine(bounds)
    importlib.import_module(module).main()

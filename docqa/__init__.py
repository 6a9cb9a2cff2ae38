"""DocQA: a self-hosted document question-answering service in one process tree and one SQLite file."""

import os
import sysconfig
from pathlib import Path

__version__ = "0.1.0"

ROOT = Path(__file__).resolve().parent.parent  # the checkout, or where pip put the package
IN_CHECKOUT = (ROOT / "run.py").is_file() and (ROOT / "pyproject.toml").is_file()
COMMAND = "python run.py" if IN_CHECKOUT else "docqa"  # how a person calls the command line here
HOME = ROOT if IN_CHECKOUT else Path.home() / "docqa"  # data/ and models/ are here, unless the settings say otherwise


def _shipped() -> Path:
    """What comes with DocQA in models/: the catalogue, and the parts that were trained here."""
    if IN_CHECKOUT:
        return ROOT / "models"
    schemes = sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")
    folders = [Path(sysconfig.get_path("data", scheme)) / "share" / "docqa" for scheme in schemes]
    return next((folder for folder in folders if folder.is_dir()), folders[0])


SHIPPED = _shipped()


def child_path(*before: Path) -> str:
    """The PYTHONPATH of a child: folders that come `before`, this program, and what is set already."""
    return os.pathsep.join(filter(None, (*map(str, before), str(ROOT), os.environ.get("PYTHONPATH"))))

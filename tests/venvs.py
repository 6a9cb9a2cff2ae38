"""A .venv that costs nothing to make, for tests of what is done with one."""

import os
import sys
from pathlib import Path

from docqa import ROOT
from docqa.setup.packages import Installer

PIP = ROOT / "build" / "pip"


def make_venv(installer: Installer) -> None:
    """Give a checkout a .venv with nothing but pip, the one of this environment. `python -m venv` takes four seconds of a
    processor, as it unpacks pip and compiles it."""
    installer.python.parent.mkdir(parents=True)
    installer.python.symlink_to(sys.executable)
    (installer.venv / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    packages = installer.venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "pip.pth").write_text(str(_pip_alone()))


def _pip_alone() -> Path:
    """A folder with nothing but pip, always the same one: what is compiled of it serves all checkouts and later runs."""
    pip = next(Path(sys.prefix).glob("lib/python*/site-packages/pip"))
    PIP.mkdir(parents=True, exist_ok=True)
    link = PIP / "pip"
    if link.resolve() != pip.resolve():
        part = PIP / f"pip.{os.getpid()}"
        part.symlink_to(pip)
        part.replace(link)
    return PIP

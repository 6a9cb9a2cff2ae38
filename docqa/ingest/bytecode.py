"""Python's bytecode of what the confined children import: `python -m docqa.ingest.bytecode`, not confined.

They may write no file, and packages are installed without bytecode. So each would compile anew all that it imports,
which took 0.2 s of the 0.9 s of a processor that a short text costs.
"""

import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from docqa import formats
from docqa.workers.environment import child_environment
from docqa.workers.sandbox import READING

_FURTHER = ("docqa.ingest.child", "docqa.ingest.drawing_child", "docqa.ingest.summary", "docqa.ingest.made_questions")
COMMAND = (sys.executable, "-P", "-m", "docqa.ingest.bytecode")


def environment() -> dict[str, str]:
    """That of the command: ours, but for the variable that has imports keep nothing. This is run to keep it."""
    return {name: value for name, value in child_environment({}).items() if name != "PYTHONDONTWRITEBYTECODE"}


@contextmanager
def kept() -> Iterator[None]:
    """Run the command meanwhile, beside everything else; what it has not done at the end stays undone."""
    with subprocess.Popen(COMMAND, env=environment(), stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            yield
        finally:
            process.kill()


def reading_modules() -> list[str]:
    """The names of all readers and of the children's own modules."""
    readers = [module.name for module in pkgutil.walk_packages(formats.__path__, "docqa.formats.") if not module.ispkg]
    return [*readers, *_FURTHER]


def import_all() -> None:
    """Import all of these."""
    for name in reading_modules():
        importlib.import_module(name)


def main() -> None:
    """Import all of it, at low priority; Python keeps what it compiles for that."""
    if hasattr(os, "nice"):
        os.nice(READING)
    import_all()


if __name__ == "__main__":
    main()

"""The data folder is its owner's alone: others on the machine neither read the documents nor look into the folder."""

import os
import stat
from pathlib import Path

FOLDER, FILE = 0o700, 0o600


def make_private(database: Path) -> None:
    """Make the folder of the database if there is none, close it to others, and so the files of SQLite in it.

    A folder that is somebody else's, or that all may write to (/tmp), stays as it is: it is no data folder alone.
    Raises OSError.
    """
    folder = database.parent
    folder.mkdir(mode=FOLDER, parents=True, exist_ok=True)
    database.touch(mode=FILE)  # SQLite gives -wal and -shm the mode of the database
    if os.name == "nt":  # there a user's folders are closed by inheritance
        return
    for path in (folder, *folder.glob(f"{database.name}*")):
        _close(path)


def _close(path: Path) -> None:
    try:
        status = path.stat()
    except FileNotFoundError:  # another process just closed the database
        return
    wanted = FOLDER if stat.S_ISDIR(status.st_mode) else FILE
    mine = status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX
    if mine and stat.S_IMODE(status.st_mode) & ~wanted:
        path.chmod(wanted)

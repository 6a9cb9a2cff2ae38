"""What `doctor` finds in the data folder and its database, and mends. It also runs where nothing is installed yet."""

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from docqa import COMMAND
from docqa.settings import Settings, environment_name
from docqa.setup.findings import Finding

WAL_RESET_BUG = ((3, 7, 0), (3, 51, 2))  # https://sqlite.org/wal.html#walresetbug
REPAIR = f"`{COMMAND} doctor --repair` mends that; stop the server first."
RESTORE = f"`{COMMAND} restore FILE` brings back the last backup."
ROUNDS = 3  # what is mended may show what was hidden behind it
LEFT_OVER = ("import-*", "*.part", "*.part-wal", "*.part-shm", "*.part-journal")  # of a copy that was killed


def sqlite() -> Iterator[Finding]:
    """Which SQLite there is, and whether it has what is needed."""
    if importlib.util.find_spec("aiosqlite") is None:
        return
    from docqa.errors import CannotStart
    from docqa.store.database import DRIVER, check_driver

    version = DRIVER.sqlite_version
    low, high = WAL_RESET_BUG
    buggy = low <= tuple(map(int, version.split("."))) <= high
    remedy = (
        "Two processes that write at once may damage the file: "
        "install pysqlite3, or a Python with SQLite 3.51.3 or newer."
    )
    state = f"{version} ({DRIVER.__name__.partition('.')[0]})" + (", which has the WAL-reset bug" if buggy else "")
    yield Finding("SQLite", state, remedy if buggy else "")
    try:
        check_driver()
    except CannotStart as error:
        yield Finding(
            "SQLite extensions",
            str(error),
            "Use a Python whose sqlite3 can load extensions, or for which pysqlite3 has a wheel.",
            needed=True,
        )
    else:
        yield Finding("SQLite extensions", "sqlite-vec and FTS5 work")


def data_folder(data: Path) -> Finding:
    """Whether the data folder can be written to."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data):
            pass
    except OSError as error:
        return Finding(
            "data folder",
            f"{data} is not writable: {error.strerror}",
            f"Make it writable for this user, or choose another ({environment_name('data')}).",
            True,
        )
    return Finding("data folder", f"{data} is writable")


def data_findings(settings: Settings, repair: bool) -> Iterator[Finding]:
    """What is wrong with what is stored; with `repair`, what has been mended, and what is left."""
    if importlib.util.find_spec("aiosqlite") is None or not settings.database.is_file():
        return
    yield from _modes(settings.data, repair)
    yield from _left_over(settings.data, repair)
    yield from _contents(settings.database, repair)


def _modes(data: Path, repair: bool) -> Iterator[Finding]:
    """The folder and files that others than their owner may read."""
    if os.name != "posix":
        return
    from docqa.store.modes import FILE, FOLDER

    private = ("docqa.sqlite", "api-key", "ballast")
    for path in [data, *(path for path in data.iterdir() if path.name.startswith(private))]:
        if path.stat().st_mode & 0o077:
            if repair:
                path.chmod(FOLDER if path.is_dir() else FILE)
            yield _handled("file modes", f"{path} could be read by others than its owner", repair)


def _left_over(data: Path, repair: bool) -> Iterator[Finding]:
    for path in [path for pattern in LEFT_OVER for path in data.glob(pattern)]:
        if repair and path.is_dir():
            shutil.rmtree(path)
        elif repair:
            path.unlink()
        yield _handled("left over", f"{path}, by a copy that was interrupted", repair)


def _handled(what: str, state: str, repair: bool) -> Finding:
    return Finding("mended", state) if repair else Finding(what, state, REPAIR)


def _contents(database: Path, repair: bool) -> Iterator[Finding]:
    from docqa.errors import CannotStart
    from docqa.store.database import Error
    from docqa.store.repair import brought_up_to_date, examine, interrupted, mend

    try:
        if not brought_up_to_date(database, repair):
            yield Finding("database", "of an earlier version; the next start of the server brings it up to date")
            return
    except (CannotStart, Error) as error:
        yield Finding("database", str(error), RESTORE, needed=True)
        return
    damages = examine(database)
    for _ in range(ROUNDS if repair else 0):
        for damage in damages:
            try:
                if damage.mend:
                    mend(database, damage)
                    yield Finding("mended", damage.what)
            except Error as error:
                yield Finding("not mended", f"{damage.what} {error}", RESTORE)
        damages = examine(database)
        if not any(damage.mend for damage in damages):
            break
    for damage in damages:
        yield Finding("database", damage.what, REPAIR if damage.mend else damage.remedy, needed=not damage.mend)
    if not damages:
        yield Finding("database", f"whole, {database.stat().st_size / 1e6:,.1f} MB")
        for sentence in interrupted(database):
            yield Finding("background work", sentence)

"""How fast each local model was on this machine when it last ran, kept in one file, so that a question knows before the
model is loaded whether its answer fits the time.

A copy of the file on another machine says nothing there: each entry names its processor and cores.
"""

import json
import logging
import platform
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from docqa.catalog.machine import find_machine, processor

log = logging.getLogger(__name__)

FILE = "model-speeds.json"
# A machine that was busy may be idle by now. Seconds after which a model is measured again, which its loading does.
VALID = 900.0
CHANGE = 0.2  # of a speed: what is worth writing down


@dataclass(frozen=True)
class Speed:
    """Prompt tokens `read` and answer tokens `written` a second, and the seconds that loading took; `measured` is in
    seconds since 1970."""

    read: float
    written: float
    loading: float
    measured: float = 0.0


class Speeds:
    """The speeds in a file; without one, of this life of the server only."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._speeds = _read(path) if path else {}

    def of(self, model: Path) -> Speed | None:
        """That of a model file here, None if it is not known or was measured too long ago."""
        speed = self._speeds.get(_key(model))
        return speed if speed and 0 <= time.time() - speed.measured < VALID else None

    def keep(self, model: Path, speed: Speed) -> None:
        """Remember what was measured now. A file that cannot be written is logged: the next start measures again."""
        key, known = _key(model), self.of(model)
        self._speeds[key] = Speed(speed.read, speed.written, speed.loading, time.time())
        if self._path is None or known and _is_close(known, speed) and time.time() - known.measured < VALID / 10:
            return
        try:
            partial = self._path.with_suffix(".partial")
            partial.write_text(json.dumps({key: asdict(kept) for key, kept in self._speeds.items()}, indent=1) + "\n")
            partial.replace(self._path)
        except OSError as error:
            log.warning("the speed of %s is not kept: %s", model.name, error)


def _is_close(known: Speed, speed: Speed) -> bool:
    return all(
        abs(new - old) <= CHANGE * old for old, new in ((known.read, speed.read), (known.written, speed.written))
    )


def _key(model: Path) -> str:
    size = model.stat().st_size if model.exists() else 0
    return f"{model.name}, {size} bytes, on {find_machine().cores} cores of {processor() or platform.machine()}"


def _read(path: Path) -> dict[str, Speed]:
    try:
        raw = json.loads(path.read_text("utf-8"))
        return {str(key): Speed(**{name: float(number) for name, number in kept.items()}) for key, kept in raw.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        log.warning("%s cannot be read, and is written anew: %s", path, error)
        return {}

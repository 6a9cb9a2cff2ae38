"""How far an installation is: one record a step, which travels as a line of JSON, and the line that a terminal shows.

Standard library only.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Self, TextIO

WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"
WIDTH = 20  # characters of the bar
CLEAR = "\r\x1b[K"


@dataclass(frozen=True)
class Progress:
    """One step: `what` is installed, its `state`, the `share` that is done, 0 to 1, and a `message`: what works
    meanwhile, or why it failed and what helps."""

    name: str
    what: str
    state: str = WAITING
    share: float = 0.0
    message: str = ""

    def to_line(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> Self:
        """What `to_line` made. Raises ValueError."""
        try:
            return cls(**json.loads(line))
        except TypeError as error:
            raise ValueError(f"{line!r} is no progress") from error

    def at(self, state: str, share: float, message: str | None = None) -> Self:
        """The same step, further on."""
        return replace(self, state=state, share=share, message=self.message if message is None else message)

    def sentence(self) -> str:
        """For a list of notes; "" for a step that is done."""
        if self.state == DONE:
            return ""
        if self.state == FAILED:
            return f"Not installed: {self.what}. {self.message}"
        doing = f"{self.share:.0%} done" if self.state == RUNNING else "waits for the steps before it"
        return f"Being installed: {self.what} ({doing}). Until then, {self.message}."


def current(steps: Sequence[Progress]) -> Progress | None:
    """The step that is being done, else the next; None if none is left."""
    left = [step for step in steps if step.state in (RUNNING, WAITING)]
    return next((step for step in left if step.state == RUNNING), left[0] if left else None)


class ProgressLine:
    """Shows progress on `stream`: a line with a bar that is drawn anew, or, where that is no terminal, a line for each
    step that begins, ends or fails."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._drawn = ""
        self._shown: dict[str, str] = {}  # the state of each step that was last shown

    def show(self, steps: Sequence[Progress]) -> None:
        """Show how far `steps` are."""
        for number, step in enumerate(steps, 1):
            before = self._shown.get(step.name, WAITING)
            if step.state == before:
                continue
            self._shown[step.name] = step.state
            if step.state == FAILED:
                self.print(step.sentence())
            elif step.state == DONE:
                self.print(f"Installed: {step.what}.")
            elif not self._live:
                self.print(f"Installing {step.what} (step {number} of {len(steps)}). Until then, {step.message}.")
        self._drawn = self._bar(steps)
        self.draw()

    def _bar(self, steps: Sequence[Progress]) -> str:
        step = current(steps)
        if step is None or not self._live:
            return ""
        full = round(step.share * WIDTH)
        number = [each.name for each in steps].index(step.name) + 1
        bar = f"[{'#' * full}{'.' * (WIDTH - full)}] {step.share:4.0%}  {number}/{len(steps)} {step.what}"
        return f"{bar}; until then, {step.message}"[: shutil.get_terminal_size().columns - 1]

    def print(self, sentence: str) -> None:
        """Print a line above the bar."""
        self.clear()
        print(sentence, file=self._stream, flush=True)
        self.draw()

    def clear(self) -> None:
        """Take the bar off the terminal, before something else is printed."""
        if self._live and self._drawn:
            self._stream.write(CLEAR)
            self._stream.flush()

    def draw(self) -> None:
        """Draw the bar again, after something else was printed."""
        if self._live and self._drawn:
            self._stream.write(CLEAR + self._drawn)
            self._stream.flush()

    def close(self) -> None:
        """Leave the terminal with nothing of the bar."""
        self.clear()
        self._drawn = ""

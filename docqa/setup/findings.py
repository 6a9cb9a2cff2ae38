"""What `python run.py doctor` finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of the report; `remedy` says how to fix a problem, `needed` that the server cannot run with it."""

    what: str
    state: str
    remedy: str = ""
    needed: bool = False

    def __str__(self) -> str:
        mark = "ok  " if not self.remedy else "MISS" if self.needed else "note"
        return f"{mark} {self.what}: {self.state}" + (f"\n     {self.remedy}" if self.remedy else "")

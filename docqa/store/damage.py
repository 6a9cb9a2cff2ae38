"""What is wrong with a database, and how it is mended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Mend = Callable[[Any], object]


@dataclass(frozen=True)
class Damage:
    """What is wrong, as a sentence; what mends it, given a connection of the driver, or what else helps."""

    what: str
    mend: Mend | None = None
    remedy: str = ""


def script(*statements: str) -> Mend:
    """Statements that mend a damage, in one transaction."""
    return lambda conn: conn.executescript("BEGIN IMMEDIATE;" + ";\n".join(statements) + ";COMMIT;")

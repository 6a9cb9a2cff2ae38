"""Which of some documents are meant: those of a language, a kind, a time, a tag."""

from dataclasses import dataclass
from typing import Final

# Its own date may be a month or a year, all days of which count; where it has none, the day it was added does.
DATE: Final = "coalesce(nullif(dated, ''), substr(created, 1, 10))"


@dataclass(frozen=True)
class Filters:
    """What a document must be, None where that does not matter. `language` is an ISO 639-1 code, `kind` a key of
    `formats.reading.READERS`; the dates are days in ISO 8601, both included; `tag` is in any case."""

    language: str | None = None
    kind: str | None = None
    date_from: str | None = None
    date_to: str | None = None
    tag: str | None = None

    def condition(self) -> tuple[str, list[str]]:
        """(what stands behind WHERE of a query of documents, its values)."""
        parts = {
            "language = ?": self.language,
            "kind = ?": self.kind,
            f"substr(?, 1, length({DATE})) <= {DATE}": self.date_from,
            f"{DATE} <= substr(?, 1, length({DATE}))": self.date_to,
            "EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)": self.tag and self.tag.casefold(),
        }
        chosen = {sql: value for sql, value in parts.items() if value is not None}
        return " AND ".join(chosen) or "1", list(chosen.values())


NONE: Final = Filters()

"""Which of the documents are searched: those of a language, a kind, a time."""

from collections.abc import Iterable
from dataclasses import dataclass

from docqa.store.documents import StoredDocument


@dataclass(frozen=True)
class Filters:
    """What a document must be, None where that does not matter. `language` is an ISO 639-1 code, `kind` a key of
    `formats.reading.READERS`; the dates are days in ISO 8601, both included."""

    language: str | None = None
    kind: str | None = None
    date_from: str | None = None
    date_to: str | None = None

    def choose(self, documents: Iterable[StoredDocument]) -> list[StoredDocument]:
        """Those that fit, in their order."""
        return [document for document in documents if self._fits(document)]

    def _fits(self, document: StoredDocument) -> bool:
        # Its own date may be a month or a year, all days of which count; where it has none, the day it was added does.
        date = document.dated or document.created[:10]
        return (
            self.language in (None, document.language)
            and self.kind in (None, document.kind)
            and (self.date_from is None or self.date_from[: len(date)] <= date)
            and (self.date_to is None or date <= self.date_to[: len(date)])
        )

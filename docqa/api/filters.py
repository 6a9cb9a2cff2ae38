"""By what documents are chosen, in every request that has to do with several: language, kind, date, tag."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from docqa.api.rules import Rule, bounded, checked, described, named, one_of, optional, record, short_text, text
from docqa.catalog import recognition
from docqa.formats.reading import READERS
from docqa.languages import BY_API_NAME
from docqa.store.filters import NONE, Filters

LONGEST_TAG: Final = 60  # characters
# Names of languages that we have no sentences in: a model answers in them, and what is quoted stays as it is.
CODES: Final = {
    **{entry.name.upper(): entry.iso for entry in recognition.languages().values() if entry.name.isalpha()},
    **BY_API_NAME,
}


def _code(language: str) -> str:
    code = language.lower() if len(language) == 2 and language.isalpha() else CODES.get(language.upper())
    if not code:
        raise ValueError("must be an ISO 639-1 code such as 'de', or the name of a language such as GERMAN")
    return code


def _day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError("must be a day such as 2027-03-31") from None


def _tag(value: str) -> str:
    tag = " ".join(value.split())
    if not tag or "," in tag:
        raise ValueError("a tag is a word or a few, without a comma")
    return tag


TAG: Final = bounded(checked(short_text(LONGEST_TAG), _tag), minLength=1)
DAY: Final = bounded(checked(text, _day), format="date")
FILTERS: Final[Mapping[str, Rule]] = {
    "language": described(
        optional(checked(text, _code)), "Only documents in this language: an ISO 639-1 code, or a name as for chats."
    ),
    "kind": described(optional(one_of(*sorted(READERS), fold=True)), "Only documents of this kind, in any case."),
    "date_from": described(
        optional(DAY), "Only documents of this day or later, by their own date or the day they were added."
    ),
    "date_to": described(optional(DAY), "Only documents of this day or earlier."),
    "tag": described(optional(TAG), "Only documents with this tag, in any case."),
}
FILTERED: Final = described(optional(named("Filters", record(FILTERS))), "Which of the documents are asked.")


def filters_of(given: Mapping[str, Any] | None) -> Filters:
    """The filters that a request has, as FILTERS reads them."""
    return Filters(**{name: given[name] for name in FILTERS}) if given else NONE

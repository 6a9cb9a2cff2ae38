"""How a statement becomes the question that it answers: each language's patterns for sentences, compiled.

They cover the commonest ways to define something, to state an amount and to date an event, and know no grammar: in
languages whose questions change the order of words, only statements that can be turned without reordering are taken.
"""

import re
from functools import cache

from docqa.languages import entry, every_pattern, words

DEFINITION, NUMBER, DATE, ROW, HEADING = "definition", "number", "date", "row", "heading"

# What a statement may say after its number to be understood alone: "in 2018", "am 1. Mai".
_PLACES = every_pattern("evaluation.places")
_ROUGHLY = every_pattern("evaluation.roughly")
_PARTS = {
    "S": r"(?P<subject>[^\W\d_][^,;:،؛()\n\t\"“”„«»]{1,90}?)",
    "V": r"(?P<value>[^\n\t]{10,300}?)[.!।؟]?",
    "N": rf"(?:(?:{_ROUGHLY})\s?)?"
    r"(?P<value>(?:[A-Z]{0,3}[$€£¥₹]\s?)?\d(?:[\d.,\u00a0\u202f']*\d)?(?: \d{3})*(?:\s?%)?)(?![\d-])",
    "D": r"(?P<value>[^\W\d_]+ \d{1,2},? \d{4}|\d{1,2}\.? (?:de )?[^\W\d_]+ (?:de )?\d{4}|\d{4})(?!\d)",
    # A unit, then where or when it holds (no number but a date), then whatever the sentence adds after a mark.
    "U": rf"(?:\s[^\W\d_]+(?:['’][^\W\d_]+)?){{0,3}}?(?P<tail>\s(?:{_PLACES})\s"
    r"(?:[^,;:.()\n\t\d]|\d{1,2}(?=,? \d{4}| [^\W\d]+ \d{4})|\d{4}){1,40}?(?:, \d{4})?)?(?:[,;.(](?!\d).*)?",
    "Z": r"(?P<value>\d(?:[\d.,]*\d)?)",
    "Y": r"(?P<value>\d{4})",
}

_NONE = "(?!)"


@cache
def forms(language: str) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """(kind, pattern for a whole sentence on one line, question) of a language; none where we have none.

    A pattern names `value`, what is asked for, and the groups that its question is filled with.
    """
    return tuple(
        (form["kind"], re.compile(_filled(form["statement"])), form["question"])
        for form in entry("evaluation.forms", language) or ()
    )


def _filled(pattern: str) -> str:
    for name, part in _PARTS.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern


@cache
def dependent(language: str) -> re.Pattern[str]:
    """Matches the beginning of a subject, from its start or after its article, that says nothing alone, and of one that
    is a sentence."""
    articles = "|".join(f"{word} " for word in sorted(words("evaluation.articles", language)))
    back = "|".join(rf"{word}\b" for word in sorted(words("evaluation.back", language)))
    back = back or entry("evaluation.back_pattern", language) or _NONE
    clauses = "|".join(rf".*\b{word}\b" for word in sorted(words("evaluation.clauses", language)))
    return re.compile(f"(?:{articles})?(?:{back})|{clauses or _NONE}", re.IGNORECASE)

"""What a document is made of: the titles of its parts, or the columns of its table."""

import re
from collections.abc import Sequence

from aiosqlite import Connection

from docqa.ingest.headings import role_of
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.store.documents import StoredDocument
from docqa.store.table_overview import column_overview

TITLES = {"SHORT": 12, "LONG": 30}  # that are named
FEWEST = 3  # titles that are an outline
LONGEST = 80  # characters of a title
_NUMBERED = re.compile(
    r"^(?P<label>[^\W\d_]{2,20} )?(?P<number>\d{1,2})(?:[.:)]|\s?[—–-])\s+(?P<title>[^\W\d_a-z][^\n\t]{2,80})",
    re.MULTILINE,
)
LETTERS = 0.5  # of a title: a row of figures is none


def numbered_titles(texts: Sequence[str]) -> list[str]:
    """The titles that a text numbers from 1 on, each with the word before its number: "3. Rent", "Day 3: Bergen"; of
    several such series the longest."""
    series: dict[str, list[str]] = {}
    for text in texts:
        for match in _NUMBERED.finditer(text):
            titles = series.setdefault(match["label"] or "", [])
            if int(match["number"]) == len(titles) + 1 and _is_title(match["title"]):
                label = f"{match['label']}{match['number']}: " if match["label"] else ""
                titles.append(f"{label}{' '.join(match['title'].split())}")
    return max(series.values(), key=len, default=[])


def outline_of(titles: Sequence[str], document: StoredDocument, question: Question) -> str:
    """A sentence that names the parts of a document, "" where too few are known."""
    kept = [title.strip(" .:") for title in dict.fromkeys(titles) if _is_title(title) and title != document.title]
    if len(kept) < FEWEST:
        return ""
    most = TITLES[question.options.length]
    shown = "; ".join(kept[:most]) + ("; …" if len(kept) > most else "")
    return phrase("phrases.about.outline", question.answer_language).format(titles=shown)


def _is_title(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return 3 <= len(text) <= LONGEST and letters >= LETTERS * len(text) and role_of(text) != "skipped"


async def table_of(conn: Connection, document: StoredDocument, language: str) -> str:
    """What a table holds: its rows and columns, from where to where dates and numbers go, and the values of columns
    with a few; "" where it was not understood as a table."""
    columns = await column_overview(conn, document.id)
    if not columns:
        return ""
    rows = max(column.rows for column in columns)
    names = ", ".join(column.name for column in columns)
    sentences = [phrase("phrases.about.rows", language).format(rows=f"{rows:,}", columns=len(columns), names=names)]
    for column in columns:
        if column.values:
            text = phrase("phrases.about.values", language).format(column=column.name, values=", ".join(column.values))
            sentences.append(text)
        elif column.low != column.high:
            text = phrase("phrases.about.spread", language)
            sentences.append(text.format(column=column.name, low=column.low, high=column.high))
    return " ".join(sentences)

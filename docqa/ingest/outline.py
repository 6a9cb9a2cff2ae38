"""The titles of the parts that a document is made of."""

import re
from collections.abc import Sequence

from docqa.ingest.chapters import FEWEST, Chapter, chapters
from docqa.ingest.headings import role_of
from docqa.languages import phrase
from docqa.store.documents import StoredDocument, StoredPage
from docqa.text.marks import begins_section

SLIDES = ("ppt", "pptx", "odp")
TITLED = ("epub", *SLIDES)  # formats whose sections are named by their makers
SPREAD = 0.4  # of a text, from the first of its numbered titles to the last
LONGEST = 80  # characters of a title
_NUMBERED = re.compile(
    r"^(?P<label>[^\W\d_]{2,20} )?(?P<number>\d{1,2})(?:[.:)]|\s?[—–-])\s+(?P<title>[^\W\d_a-z][^\n\t]{2,80})"
    r"(?![^\n\t]|\n[ \t]*[a-zß-ÿ])",  # a whole line, that is not continued
    re.MULTILINE,
)
_RUN_IN = re.compile(r"[.!?]\s+[^\W\d_]")
LETTERS = 0.5  # of a title: a row of figures is none


def numbered_titles(texts: Sequence[str]) -> list[str]:
    """The titles that a text numbers from 1 on, each with the word before its number: "3. Rent", "Day 3: Bergen"; of
    several such series the longest. Without such a word they stand far apart; the steps of an instruction do not."""
    series: dict[str, list[tuple[int, str]]] = {}
    passed = 0
    for text in texts:
        for match in _NUMBERED.finditer(text):
            titles = series.setdefault(match["label"] or "", [])
            if int(match["number"]) == len(titles) + 1 and _is_title(match["title"]):
                label = f"{match['label']}{match['number']}: " if match["label"] else ""
                titles.append((passed + match.start(), f"{label}{' '.join(match['title'].split())}"))
        passed += len(text)
    outlines = [
        titles
        for label, titles in series.items()
        if titles and (label or titles[-1][0] - titles[0][0] >= SPREAD * passed)
    ]
    return [title for _, title in max(outlines, key=len, default=[])]


def outline_of(titles: Sequence[str], language: str, most: int, own_title: str = "") -> str:
    """A sentence in this language that names up to `most` parts of a document, "" where too few are known."""
    kept = [title.strip(" .:;") for title in dict.fromkeys(titles) if _is_title(title) and title != own_title]
    if len(kept) < FEWEST:
        return ""
    shown = "; ".join(kept[:most]) + ("; …" if len(kept) > most else "")
    return phrase("phrases.about.outline", language).format(titles=shown)


def _is_title(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    if _RUN_IN.search(text):
        return False  # a sentence goes on behind it
    return 3 <= len(text) <= LONGEST and letters >= LETTERS * len(text) and role_of(text) != "skipped"


def outline_of_pages(
    document: StoredDocument, pages: Sequence[StoredPage], sections: Sequence[str], language: str, most: int
) -> str:
    """What a document that is no table is made of, in a sentence in this language, from its pages and the titles of its
    sections: its chapters, else the titles that its maker gave its parts, or those that its text numbers; "" where that
    is not known."""
    if not document.language and document.kind == "pdf":
        return ""  # its text is what the recognition of pictures left
    if known := chapters(pages):
        titles = [titled(chapter) for chapter in known]
    elif document.kind in TITLED:
        titles = list(sections)
    else:
        titles = numbered_titles([page.text for page in pages])
    return outline_of(titles, language, most, document.title)


def titled(chapter: Chapter) -> str:
    """The title of a chapter without a number that only counts: "Rent", but "Day 3: Bergen"."""
    return chapter.title if chapter.label and not begins_section(chapter.title) else chapter.bare

"""What a document says of itself where that usually stands: by-lines, authors and dates at its beginning and end.

Names are known by their capitals, in scripts without them by the label before them. A name alone on a line is not
taken for an author: it may as well be a firm or a place.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from docqa.languages import every_pattern, every_word
from docqa.store.chunks import StoredChunk
from docqa.text.sentences import sentences
from docqa.text.values import date_places

BEGINNING, END = 2500, 1500  # characters in which a title page and an imprint stand
LONGEST_SENTENCE = 400
LONGEST_LINE = 200  # characters; a longer one is running text
FEW_WORDS = 16  # of a line that says no more than such a thing
TOP = 400  # characters: a title with what stands below it
SHORT_LINE = 30  # characters: a line with a year that says when
LEAST = 2.5  # of a date's score
_IN_NAME = re.compile(r"(?:[^\W\d_]|[.'’*†‡-])+")
_TOKEN = r"(?:[^\W\d_][\w'’.\-]*|&)"
_NAMES = rf"(?P<names>{_TOKEN}(?:[ \t]+{_TOKEN}){{0,6}}(?:,[ \t]+(?:{_TOKEN}[ \t]+){{1,8}}{_TOKEN}){{0,10}})"
_PARTICLES = every_word("text.name_particles")
_JOINING = every_word("questions.words.joining") | {"&"}
_EMAIL_AFTER = re.compile(rf"^{_NAMES}[ \t]*[<(\[]?[\w.+-]+@[\w.-]+", re.MULTILINE)
_MONTH_YEAR = re.compile(r"(?<![\d.,/-])(?:0?[1-9]|1[0-2])[./](?:19|20)\d\d(?![\d./-])")
_YEAR = re.compile(r"(?<![\w.,/-])(?:(?:19|20)\d\d ?[–-] ?)?(?:19|20)\d\d(?![\w/-]|[.,]\d)")
_WITH_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER_BEFORE = re.compile(r"\d{1,2}, (?=[^\W\d_])")  # "version 3, October 2024"
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{3})[.;](?=\s)")
_NOTE_SIGNS = re.compile(r"(?:\s?[\d*†‡§¶¹²³⁰⁴-⁹])+$")


@dataclass(frozen=True)
class Stated:
    """A value and the line it stands in, `chunk.text[start:end]`."""

    value: str
    chunk: StoredChunk
    start: int
    end: int

    @property
    def line(self) -> str:
        """The line with its spaces joined, without what leads on to the next."""
        return " ".join(self.chunk.text[self.start : self.end].split()).rstrip(" :：,")

    @property
    def says_more(self) -> bool:
        """Whether the line is worth quoting: it has words beside the value, and is no row of figures."""
        rest = self.line.replace(self.value, " ")
        digits = sum(map(str.isdigit, rest))
        return bool(_WORD.search(rest)) and digits < len(self.line) / 4 and len(self.line) <= LONGEST_LINE


def author(chunks: Sequence[StoredChunk]) -> Stated | None:
    """Who is named as the author; `chunks` are those of the first and the last pages in order."""
    patterns = (_labelled(), _byline(), _EMAIL_AFTER, _bracketed(), _speaking())
    for pattern in patterns:
        for chunk, begin, end in (*_beginning(chunks), *_end(chunks)):
            for match in pattern.finditer(chunk.text, begin, end):
                if names := _names(match["names"], alone=pattern is not _byline()):
                    return Stated(names, chunk, *_line_around(chunk.text, match.start("names"), match.end()))
    return _listed(chunks)


def date(chunks: Sequence[StoredChunk]) -> Stated | None:
    """The date that the document gives itself; `chunks` as for `author`."""
    best: tuple[float, Stated] | None = None
    for weight, parts in ((2.0, _beginning(chunks)), (0.0, _end(chunks))):
        for chunk, begin, end in parts:
            for start, stop in _dates(chunk.text[begin:end]):
                start, stop = start + begin, stop + begin
                line = _line_around(chunk.text, start, stop)
                at_top = 1.5 if weight and begin == 0 and start < TOP and chunk is chunks[0] else 0.0
                score = weight + at_top + _likely(chunk.text, line, start, stop)
                if score >= LEAST and (best is None or score > best[0]):
                    value = chunk.text[start:stop]
                    whole = chunk.text[slice(*line)]
                    if _YEAR.fullmatch(value) and len(whole) <= SHORT_LINE:
                        value = whole  # "16-17 February 2006", "Spring 2011"
                    best = score, Stated(" ".join(value.split()), chunk, *line)
    return best[1] if best else None


def audience(chunks: Sequence[StoredChunk]) -> Stated | None:
    """The sentence that says for whom the document is; `chunks` as for `author`."""
    for chunk in chunks:
        for start, end in sentences(chunk.text):
            if end - start <= LONGEST_SENTENCE and _intended().search(chunk.text, start, end):
                return Stated("", chunk, start, end)
    return None


def in_head(label: str, chunks: Sequence[StoredChunk]) -> Stated | None:
    """What stands behind a label in the head of a message, such as "From"; `chunks` as for `author`."""
    if chunks and (match := re.search(rf"^{label}: (.+)$", chunks[0].text, re.MULTILINE)):
        return Stated(" ".join(match[1].split()), chunks[0], match.start(1), match.end(1))
    return None


def first_line(chunks: Sequence[StoredChunk]) -> Stated | None:
    """The first line with two words at least: in most documents, their title."""
    for chunk, begin, end in _beginning(chunks):
        for line in re.finditer(r"[^\n]+", chunk.text[begin:end]):
            text = line[0].strip()
            if len(text) <= LONGEST_LINE and (len(_WORD.findall(text)) > 1 or not text.isascii()):
                return Stated(" ".join(text.split()), chunk, begin + line.start(), begin + line.end())
    return None


def _beginning(chunks: Sequence[StoredChunk]) -> Iterator[tuple[StoredChunk, int, int]]:
    left = BEGINNING
    for chunk in chunks:
        if left <= 0:
            return
        yield chunk, 0, min(left, len(chunk.text))
        left -= len(chunk.text)


def _end(chunks: Sequence[StoredChunk]) -> Iterator[tuple[StoredChunk, int, int]]:
    left = END
    for chunk in reversed(chunks):
        if left <= 0:
            return
        yield chunk, max(0, len(chunk.text) - left), len(chunk.text)
        left -= len(chunk.text)


@cache
def _labelled() -> re.Pattern[str]:
    return re.compile(
        rf"(?:^[^\S\n]*|[.;][^\S\n]+)(?i:{every_pattern('text.credits')})[^\S\n]*[:：][^\S\n]*\n?[^\S\n]*{_NAMES}",
        re.MULTILINE,
    )


@cache
def _byline() -> re.Pattern[str]:
    return re.compile(
        rf"(?:^|[,;.–—-][^\S\n]*)[^\S\n]*(?i:{every_pattern('text.bylines')})(?:[^\S\n]+|[^\S\n]*[:：]\s*){_NAMES}",
        re.MULTILINE,
    )


@cache
def _intended() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_\u3040-\u9fff])(?:{every_pattern('text.audience')})", re.IGNORECASE)


@cache
def _speaking() -> re.Pattern[str]:
    """ "GRANT, Circuit Judge:" above the text of a judge."""
    return re.compile(
        rf"^[ \t]*(?P<names>{_TOKEN}(?:[ \t]+{_TOKEN}){{0,3}}), (?i:{every_pattern('text.offices')})[:.]?[ \t]*$",
        re.MULTILINE,
    )


@cache
def _bracketed() -> re.Pattern[str]:
    return re.compile(rf"{_NAMES}[ \t]*\((?i:{every_pattern('text.credits')})\)")


def _names(text: str, *, alone: bool) -> str:
    """The names at the beginning of a text; "" where there are none. `alone`: one word is enough."""
    kept: list[str] = []
    names: list[str] = []
    for token in re.findall(rf"{_TOKEN},?", text):
        word = token.rstrip(",")
        if word in _JOINING or token.endswith(",") and _is_part(word):
            kept += [word] if word not in _JOINING and _is_part(word) else []
            names += [" ".join(kept)] if kept else []
            kept = []
        elif _is_part(word) or kept and word in _PARTICLES:
            kept.append(word)
            if word.endswith(".") and len(word) > 3:  # a sentence ends
                break
        else:
            break
    names += [" ".join(kept)] if kept else []
    whole = [name.rstrip(".") for name in names if " " in name or not name.isascii()]
    return ", ".join(whole or (names[:1] if alone and names and len(names[0]) > 2 else []))


def _is_part(word: str) -> bool:
    """Whether a word may be a part of a name: it has a capital, or is in a script that has none."""
    return word[0].isupper() or not (word[0].islower() or word[0] == "&")


def _listed(chunks: Sequence[StoredChunk]) -> Stated | None:
    """A line near the top that is nothing but two names or more, as in papers, or begins with them as a sentence before
    where they work; they may have signs of notes behind them."""
    for chunk, _, end in _beginning(chunks):
        for line in re.finditer(r"[^\n]+", chunk.text[: min(end, BEGINNING // 3)]):
            begun = _SENTENCE_END.split(line[0], maxsplit=1)[0]
            names = [_NOTE_SIGNS.sub("", part).strip() for part in _between_names().split(begun)]
            names = [name for name in names if name]
            if len(names) > 2 and not _is_person(names[-1]):
                names.pop()  # the list goes on in the next line
            if len(names) > 1 and all(_is_person(name) for name in names):
                return Stated(", ".join(names), chunk, line.start(), line.end())
    return None


@cache
def _between_names() -> re.Pattern[str]:
    joining = "|".join(map(re.escape, sorted(every_word("questions.words.joining") - every_word("questions.words.or"))))
    return re.compile(rf",|(?:^|\s)(?:{joining}|&)\s", re.IGNORECASE)


def _is_person(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 4 and all(
        word[0].isupper() and (word.istitle() or len(word) < 3) and _IN_NAME.fullmatch(word) for word in words
    )


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    """(start, end) of the line of text[start:end], without space around it; of a long one, its sentence."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    if last - first > LONGEST_LINE:
        before = [match.end() for match in re.finditer(r"[.!?]\s+(?=[^\W\d_])", text[first:start])]
        first = first + before[-1] if before else first
        after = re.search(r"[.!?](?=\s|$)", text[end:last])
        last = end + after.end() if after else last
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


def _dates(text: str) -> list[tuple[int, int]]:
    """Where dates, months with a year, and years stand; of those that overlap, the first kind."""
    places: list[tuple[int, int]] = []
    for line in re.finditer(r"[^\n]+", text):
        places += [(line.start() + start, line.start() + end) for start, end in date_places(line[0])]
    for pattern in (_MONTH_YEAR, _YEAR):
        places += [
            match.span()
            for match in pattern.finditer(text)
            if not any(start < match.end() and match.start() < end for start, end in places)
        ]
    bare = ((start, end, _NUMBER_BEFORE.match(text, start, end)) for start, end in places)
    return sorted((number.end() if number else start, end) for start, end, number in bare)


@cache
def _dated() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?i:{every_pattern('text.dated')})[\s:：,.]*(?:\w+[\s.,]+)?\Z")


def _likely(text: str, line: tuple[int, int], start: int, end: int) -> float:
    """How likely a date is that of the document: a label before it, a line of its own, a day rather than a year."""
    words = text[line[0] : line[1]].split()
    goes_on = text[line[1] :].lstrip()[:1].islower()
    is_prose = len(words) > FEW_WORDS or len(words) >= 8 and (words[-1].endswith((".", "。")) or goes_on)
    score = 3.5 if _dated().search(text[max(line[0], start - 40) : start]) else 0.0
    score -= 1.0 if is_prose else -1.0
    score -= 1.0 if _YEAR.fullmatch(text[start:end]) else 0.0
    return score - (0.0 if _WITH_YEAR.search(text[start:end]) else 1.5)

"""Questions generated from the chunks of a document, with the values that answer them.

A question is made from the words of one statement, one table cell or one heading. Whether a person would ask it is not
known, nor whether the document answers it elsewhere too: a question for which two different values are found is
dropped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

from docqa.ingest.question_forms import HEADING, ROW, dependent, forms
from docqa.languages import phrase
from docqa.languages import words as words_of
from docqa.store.chunks import StoredChunk
from docqa.text.detect import is_function_word
from docqa.text.sentences import sentences
from docqa.text.words import terms

MAX_STATEMENT = 400  # characters
SHORT_LINE = 40  # characters; a line like this with others after it is a heading
MAX_SUBJECT = 10  # words
MAX_CELL = 60  # characters
GOLDEN = (5**0.5 - 1) / 2
MIN_SHARED = 0.6  # share of the value's words that a right answer contains

_CELL = re.compile(r"[$€£¥₹]?\s*\(?-?[$€£¥₹]?\s*\d[\d.,\u00a0\u202f ]*\)?\s*%?\)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CITATION = re.compile(r" \[\d+\]")  # must not be taken for a number in the answer
_NAMED = re.compile(r"(?P<name>[^:;]{1,60}): (?P<cell>[^;]+)(?:; |$)")


@dataclass(frozen=True)
class MadeQuestion:
    """A question about the document with the row id `document`.

    A right answer contains `value`, "" if there is no single one. `evidence` is the statement that the question was
    made from, with white space collapsed, in the chunk with the row id `chunk`; "" and 0 for control questions.
    """

    kind: str
    text: str
    language: str
    document: int
    value: str = ""
    evidence: str = ""
    chunk: int = 0
    section: str = ""
    page_number: int = 0

    @property
    def is_control(self) -> bool:
        """Whether the document does not answer it."""
        return not self.chunk


def holds(answer: str, value: str) -> bool:
    """Whether the answer, but for its marks, contains the value: all of its numbers, and MIN_SHARED of its words."""
    expected, said = set(terms(value)), set(terms(_CITATION.sub("", answer)))
    numbers = {term for term in expected if re.search(r"\d", term)}
    return bool(expected) and numbers <= said and len(expected & said) >= MIN_SHARED * len(expected)


def make_questions(chunks: Sequence[StoredChunk], language: str) -> list[MadeQuestion]:
    """All questions that can be made from the chunks of one document, in its order and without duplicates."""
    lowercase = {word for chunk in chunks for word in re.findall(r"\b[^\W\d_]+", chunk.text) if word.islower()}
    questions: dict[str, MadeQuestion] = {}
    values: dict[str, set[str]] = {}
    for chunk in chunks:
        blank = MadeQuestion("", "", language, chunk.document, chunk=chunk.id, page_number=chunk.page_number)
        for question in (
            *_from_statements(blank, chunk, lowercase),
            *_from_cells(blank, chunk),
            *_from_heading(blank, chunk),
        ):
            questions.setdefault(question.text.casefold(), question)
            values.setdefault(question.text.casefold(), set()).add(question.value)
    return [question for text, question in questions.items() if len(values[text]) == 1]


def _from_statements(blank: MadeQuestion, chunk: StoredChunk, lowercase: set[str]) -> Iterator[MadeQuestion]:
    for start, end in sentences(chunk.text):
        statement = _statement(chunk.text, start, end)
        for kind, pattern, template in forms(blank.language):
            match = pattern.fullmatch(statement)
            if match and _stands_alone(match["subject"], blank.language):
                subject = _mid_sentence(match["subject"], blank.language, lowercase)
                text = template.format_map({**match.groupdict(""), "subject": subject})
                text = text[0].upper() + text[1:]
                yield replace(blank, kind=kind, text=text, value=match["value"], evidence=statement)
                break


def _statement(text: str, start: int, end: int) -> str:
    """The sentence on one line, without headings before it; "" if it is too long or a table row."""
    sentence = text[start:end]
    if "\t" in sentence or len(sentence) > MAX_STATEMENT:
        return ""
    lines = [" ".join(line.split()) for line in sentence.split("\n")]
    if text[:start].rstrip(" ")[-1:] in ("", "\n"):
        # The first line of a paragraph of prose is a full line.
        lines = list(dropwhile(lambda line: len(line) < SHORT_LINE, lines[:-1])) + lines[-1:]
    return " ".join(lines)


def _stands_alone(subject: str, language: str) -> bool:
    """Whether the subject is understandable out of context, judged by its form."""
    words = subject.casefold().split()
    begins = words[0] in words_of("evaluation.articles", language) or not is_function_word(words[0])
    noun = not is_function_word(words[-1]) and words[-1][0].isalnum()
    return begins and noun and len(words) <= MAX_SUBJECT and not dependent(language).match(subject)


def _mid_sentence(text: str, language: str, lowercase: set[str]) -> str:
    """The words as they are written inside a sentence.

    An article, and a word that the document has in lower case elsewhere, lose their capital.
    """
    first = re.split(r"[\s'’]", text, maxsplit=1)[0]
    lower = (
        first.lower() in lowercase
        or first.lower() in words_of("evaluation.articles", language)
        or text[1:2] in ("'", "’")
    )
    return text[0].lower() + text[1:] if lower and first.istitle() else text


def _from_cells(blank: MadeQuestion, chunk: StoredChunk) -> Iterator[MadeQuestion]:
    for label, column, value, row in _cells(f"{chunk.columns}\n{chunk.text}"):
        text = phrase("evaluation.row", blank.language).format(subject=label, column=column)
        yield replace(blank, kind=ROW, text=text, value=value, evidence=row)


def _cells(text: str) -> Iterator[tuple[str, str, str, str]]:
    """(label, column, value, row) of table cells.

    Rows are either tab-separated under their headings, or name the column of each cell.
    """
    heads: list[str] = []
    for line in text.split("\n"):
        row = " ".join(line.split())
        if "\t" not in line:
            heads = heads if row else []
            yield from _named_cells(line)
            continue
        cells = [re.sub(r"\s+[$€£¥₹]$", "", cell.strip()) for cell in line.split("\t")]
        if not any(_CELL.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells[1:]):
            heads = cells
        elif len(cells) == len(heads):
            yield from (
                (cells[0], head, cell, row)
                for head, cell in zip(heads[1:], cells[1:], strict=True)
                if _CELL.fullmatch(cell) and _is_askable(cells[0], head, cell)
            )


def _named_cells(line: str) -> Iterator[tuple[str, str, str, str]]:
    """The same for a line that consists of `Column: value; Column: value; ...`."""
    pairs = [(match["name"].strip(), match["cell"].strip()) for match in _NAMED.finditer(line)]
    whole = sum(len(name) + len(cell) + len(": ; ") for name, cell in pairs) >= len(line)
    # A name with an unclosed bracket means that the line is prose with a remark in brackets.
    if whole and len(pairs) > 2 and all(name.count("(") == name.count(")") for name, _ in pairs):
        label = pairs[0][1]
        yield from (
            (label, name, cell, " ".join(line.split())) for name, cell in pairs[1:] if _is_askable(label, name, cell)
        )


def _is_askable(label: str, column: str, value: str) -> bool:
    """Whether label and column are meaningful enough to ask for the value with them."""
    named = re.search(r"[^\W\d_]{2}", label) and re.search(r"\w{2}", column)
    return bool(named) and value not in ("", label) and max(map(len, (label, column, value))) <= MAX_CELL


def _from_heading(blank: MadeQuestion, chunk: StoredChunk) -> Iterator[MadeQuestion]:
    title = " ".join(chunk.section.split())
    if len(title) <= MAX_CELL and len(re.findall(r"[^\W\d_]", title)) >= 3:
        text = phrase("evaluation.heading", blank.language).format(subject=title)
        yield replace(blank, kind=HEADING, text=text, section=chunk.section)


def choose(questions: Iterable[MadeQuestion], count: int) -> list[MadeQuestion]:
    """At most `count` of the questions, taking documents and kinds in turn and spread over each document.

    Headings come last. The choice is deterministic.
    """
    groups: dict[tuple[int, str], list[MadeQuestion]] = {}
    for question in questions:
        groups.setdefault((question.document, question.kind), []).append(question)
    spread = [_spread(group) for group in groups.values()]
    turns = [
        (question.kind == HEADING, turn, index)
        for index, group in enumerate(spread)
        for turn, question in enumerate(group)
    ]
    return [spread[index][turn] for _, turn, index in sorted(turns)[:count]]


def _spread(group: Sequence[MadeQuestion]) -> list[MadeQuestion]:
    """Reordered so that any prefix is spread evenly over the group: by the golden ratio (Kronecker sequence)."""
    return [group[index] for index in sorted(range(len(group)), key=lambda index: (index * GOLDEN) % 1)]

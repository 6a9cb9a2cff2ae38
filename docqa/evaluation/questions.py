"""Questions made from the chunks of a document, each with the value that answers it; and controls, which the document does not answer.

A question is made from the words of one statement, one table row or one heading. Whether a person would ask so is not known, nor whether the
document answers it elsewhere too: a question for which two values are found is not asked.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

from docqa.evaluation.forms import HEADING, ROW, dependent, forms
from docqa.languages import entry, phrase
from docqa.languages import words as words_of
from docqa.store.chunks import StoredChunk
from docqa.text.detect import is_function_word
from docqa.text.sentences import sentences
from docqa.text.words import terms

OTHER, FOREIGN = "other file", "foreign"
LONGEST = 400  # characters of a statement
SHORT_LINE = 40  # characters; a line like this with others after it is a heading
LONGEST_SUBJECT = 10  # words
LONGEST_CELL = 60  # characters
GOLDEN = (5**0.5 - 1) / 2
ABSENT = 0.5  # share of a control's own words that stand nowhere in the document it is asked of

_CELL = re.compile(r"[$€£¥₹]?\s*\(?-?[$€£¥₹]?\s*\d[\d.,\u00a0\u202f ]*\)?\s*%?\)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NAMED = re.compile(r"(?P<name>[^:;]{1,60}): (?P<cell>[^;]+)(?:; |$)")


@dataclass(frozen=True)
class Made:
    """A question about the document with the row id `document`. `value` is what a right answer holds, "" where there is no single one.

    `evidence` is the statement it was made from (white space folded), in the chunk `chunk`; both are "" and 0 for controls.
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
        return not self.chunk


def make_questions(chunks: Sequence[StoredChunk], language: str) -> list[Made]:
    """All questions that can be made from the chunks of one document, in its order; each text once."""
    small = {word for chunk in chunks for word in re.findall(r"\b[^\W\d_]+", chunk.text) if word.islower()}
    found: dict[str, Made] = {}
    values: dict[str, set[str]] = {}
    for chunk in chunks:
        made = Made("", "", language, chunk.document, chunk=chunk.id, page_number=chunk.page_number)
        for one in (*_from_statements(made, chunk, small), *_from_rows(made, chunk), *_from_heading(made, chunk)):
            found.setdefault(one.text.casefold(), one)
            values.setdefault(one.text.casefold(), set()).add(one.value)
    return [one for key, one in found.items() if len(values[key]) == 1]


def _from_statements(made: Made, chunk: StoredChunk, small: set[str]) -> Iterator[Made]:
    for start, end in sentences(chunk.text):
        statement = _statement(chunk.text, start, end)
        for kind, pattern, question in forms(made.language):
            match = pattern.fullmatch(statement)
            if match and _stands_alone(match["subject"], made.language):
                text = question.format_map(
                    {**match.groupdict(""), "subject": _in_midst(match["subject"], made.language, small)}
                )
                yield replace(
                    made, kind=kind, text=text[0].upper() + text[1:], value=match["value"], evidence=statement
                )
                break


def _statement(text: str, start: int, end: int) -> str:
    """The sentence on one line, without the headings before it; "" where it is none that can be asked for."""
    sentence = text[start:end]
    if "\t" in sentence or len(sentence) > LONGEST:
        return ""
    lines = [" ".join(line.split()) for line in sentence.split("\n")]
    if text[:start].rstrip(" ")[-1:] in ("", "\n"):
        # Prose that begins a line fills it.
        lines = list(dropwhile(lambda line: len(line) < SHORT_LINE, lines[:-1])) + lines[-1:]
    return " ".join(lines)


def _stands_alone(subject: str, language: str) -> bool:
    """Whether a reader of the subject alone knows what is meant, as far as its form shows."""
    words = subject.casefold().split()
    begins = words[0] in words_of("evaluation.articles", language) or not is_function_word(words[0])
    noun = not is_function_word(words[-1]) and words[-1][0].isalnum()
    return begins and noun and len(words) <= LONGEST_SUBJECT and not dependent(language).match(subject)


def _in_midst(text: str, language: str, small: set[str]) -> str:
    """The words as they stand in the midst of a sentence: small for an article, and for a word that the document writes small elsewhere."""
    first = re.split(r"[\s'’]", text, maxsplit=1)[0]
    lower = (
        first.lower() in small or first.lower() in words_of("evaluation.articles", language) or text[1:2] in ("'", "’")
    )
    return text[0].lower() + text[1:] if lower and first.istitle() else text


def _from_rows(made: Made, chunk: StoredChunk) -> Iterator[Made]:
    for label, column, value, row in _cells(f"{chunk.columns}\n{chunk.text}"):
        text = phrase("evaluation.row", made.language).format(subject=label, column=column)
        yield replace(made, kind=ROW, text=text, value=value, evidence=row)


def _cells(text: str) -> Iterator[tuple[str, str, str, str]]:
    """(label, column, value, row) of the cells of tables: rows with tabs under their headings, and rows that name each cell's column."""
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
                if _CELL.fullmatch(cell) and _is_told(cells[0], head, cell)
            )


def _named_cells(line: str) -> Iterator[tuple[str, str, str, str]]:
    """As `_cells`, of a line that is nothing but `Column: value; Column: value; ...`."""
    pairs = [(match["name"].strip(), match["cell"].strip()) for match in _NAMED.finditer(line)]
    whole = sum(len(name) + len(cell) + len(": ; ") for name, cell in pairs) >= len(line)
    # A bracket that does not close is prose, which goes on after its remark.
    if whole and len(pairs) > 2 and all(name.count("(") == name.count(")") for name, _ in pairs):
        label = pairs[0][1]
        yield from (
            (label, name, cell, " ".join(line.split())) for name, cell in pairs[1:] if _is_told(label, name, cell)
        )


def _is_told(label: str, column: str, value: str) -> bool:
    """Whether the three say enough to be asked for one with the other two."""
    named = re.search(r"[^\W\d_]{2}", label) and re.search(r"\w{2}", column)
    return bool(named) and value not in ("", label) and max(map(len, (label, column, value))) <= LONGEST_CELL


def _from_heading(made: Made, chunk: StoredChunk) -> Iterator[Made]:
    title = " ".join(chunk.section.split())
    if len(title) <= LONGEST_CELL and len(re.findall(r"[^\W\d_]", title)) >= 3:
        yield replace(
            made,
            kind=HEADING,
            text=phrase("evaluation.heading", made.language).format(subject=title),
            section=chunk.section,
        )


def make_controls(questions: Iterable[Made], document: int, language: str, chunks: Sequence[StoredChunk]) -> list[Made]:
    """Questions that the document does not answer: those of `questions`, made from other documents, that speak of things it never names, and ours."""
    known = {term for chunk in chunks for term in chunk.terms.split()}
    others = [
        Made(OTHER, one.text, one.language, document)
        for one in questions
        if one.document != document and one.kind != HEADING
    ]
    foreign = [
        Made(FOREIGN, text, language, document)
        for text in entry("evaluation.controls", language) or entry("evaluation.controls", "en")
    ]
    return [one for one in (*others, *foreign) if _share_absent(one.text, known) >= ABSENT]


def _share_absent(question: str, known: set[str]) -> float:
    own = {term for term in terms(question) if not term.endswith("~") and not is_function_word(term)}
    return len(own - known) / len(own) if own else 0.0


def choose(questions: Iterable[Made], count: int) -> list[Made]:
    """`count` of them at most, each document and kind in turn, from all over each document; headings only when nothing else is left.

    Always the same choice from the same questions.
    """
    groups: dict[tuple[int, str], list[Made]] = {}
    for one in questions:
        groups.setdefault((one.document, one.kind), []).append(one)
    spread = [_spread(group) for group in groups.values()]
    turns = [(one.kind == HEADING, turn, index) for index, group in enumerate(spread) for turn, one in enumerate(group)]
    return [spread[index][turn] for _, turn, index in sorted(turns)[:count]]


def _spread(group: Sequence[Made]) -> list[Made]:
    """In an order whose every beginning is spread evenly over the whole: multiples of the golden ratio (Kronecker's sequence)."""
    return [group[index] for index in sorted(range(len(group)), key=lambda index: (index * GOLDEN) % 1)]

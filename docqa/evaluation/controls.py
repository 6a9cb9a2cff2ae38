"""Control questions: questions that a document does not answer, judged by how many of their words it lacks."""

from collections.abc import Iterable, Sequence

from docqa.ingest.made_questions import MadeQuestion
from docqa.ingest.question_forms import HEADING
from docqa.languages import entry
from docqa.store.chunks import StoredChunk
from docqa.text.detect import is_function_word
from docqa.text.words import terms

OTHER, FOREIGN = "other file", "foreign"  # kinds of control questions
MIN_ABSENT = 0.5  # share of a control question's content words that the document must not contain


def make_controls(
    questions: Iterable[MadeQuestion], document: int, language: str, chunks: Sequence[StoredChunk]
) -> list[MadeQuestion]:
    """Questions that the document with these chunks does not answer.

    They are those of `questions` that were made from other documents, and ours for the language; each only if enough of
    its words are missing from the document.
    """
    known = {term for chunk in chunks for term in chunk.terms.split()}
    others = [
        MadeQuestion(OTHER, question.text, question.language, document)
        for question in questions
        if question.document != document and question.kind != HEADING
    ]
    foreign = [
        MadeQuestion(FOREIGN, text, language, document)
        for text in entry("evaluation.controls", language) or entry("evaluation.controls", "en")
    ]
    return [question for question in (*others, *foreign) if _share_absent(question.text, known) >= MIN_ABSENT]


def _share_absent(question: str, known: set[str]) -> float:
    content = {term for term in terms(question) if not term.endswith("~") and not is_function_word(term)}
    return len(content - known) / len(content) if content else 0.0

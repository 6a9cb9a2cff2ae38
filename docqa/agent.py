"""From a question within its conversation to the passages it is answered from.

With `agent_mode` a follow-up for which nothing is found is searched once more, together with the question before it.
"""

from collections.abc import Sequence

from docqa.language import detect, is_function_word
from docqa.prompts import Question
from docqa.queries.document_rows import StoredDocument
from docqa.relevance import relevant
from docqa.search import Passage, search
from docqa.services import Services
from docqa.text import is_dense, terms

PASSAGES = 8
ENOUGH_WORDS = 2
ENOUGH_PAIRS = 4


def question_language(text: str, documents: Sequence[StoredDocument]) -> str:
    """The question's own language; where it is too short to tell, that of the documents."""
    return detect(text) or next((document.language for document in documents if document.language), "en")


async def find(services: Services, documents: Sequence[StoredDocument], question: Question, *, agent: bool) -> list[Passage]:
    """The passages for the question as it stands; for a follow-up that says too little, with the question before it."""
    language = question_language(question.text, documents)
    earlier = [text for sender, text in question.history if sender == "user"][-1:]
    if not earlier or _says_enough(question.text):
        passages = await search(services, documents, question.text, language, PASSAGES)
        if not earlier or not agent or relevant(passages, question.text):
            return passages
    return await search(services, documents, " ".join([*earlier, question.text]), language, PASSAGES)


def _says_enough(question: str) -> bool:
    """Whether the question has words of its own to search by."""
    words = {term for term in terms(question) if not term.endswith("~") and not is_function_word(term)}
    return len(words) >= (ENOUGH_PAIRS if is_dense(question) else ENOUGH_WORDS)

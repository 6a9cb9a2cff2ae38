"""Dify's API for knowledge outside of Dify: what it sends, what it is answered, its own codes of errors."""

from dataclasses import dataclass
from typing import Any, Final

from docqa.api.declarations import SHORT_TEXT, WORDS
from docqa.api.error_shapes import ErrorShape, sentence
from docqa.api.rules import Known, Rule, default, described, integer, number, optional, record
from docqa.errors import DocqaError, Fault, InvalidRequest, KeyMissing, NotFound, Unauthorized


@dataclass(frozen=True)
class RecordMetadata:
    """Where a passage stands; `url` is where the page for people shows it."""

    doc_id: str
    page_number: int
    url: str


@dataclass(frozen=True)
class Record:
    """A passage, verbatim, of the document `title`; `score` is from 0 to 1."""

    content: str
    score: float
    title: str
    metadata: RecordMetadata


@dataclass(frozen=True)
class Records:
    """The passages that fit a query, best first."""

    records: list[Record]


# --- what is sent -----------------------------------------------------------------------------------------------------


def _read_condition(raw: Any, known: Known) -> None:
    if not isinstance(raw, dict) or raw.get("conditions"):
        message = "Passages cannot be filtered by metadata here: remove the filter in Dify"
        raise InvalidRequest([Fault((), message, "no_filter")])


_CONDITION = Rule(_read_condition, lambda known: {"type": "object", "properties": {"conditions": {"maxItems": 0}}})
RETRIEVAL_BODY: Final = record(
    {
        "knowledge_id": described(
            SHORT_TEXT,
            "Id of a document or a knowledge base, or an `id` of `GET /v1/models`; `docqa` for all documents.",
        ),
        "query": WORDS,
        "retrieval_setting": record(
            {
                "top_k": described(default(integer(ge=1, le=100), 5), "Passages at most."),
                "score_threshold": described(optional(number(ge=0, le=1)), "The least score of a passage."),
            }
        ),
        "metadata_condition": described(optional(_CONDITION), "Without conditions."),
    }
)

# --- errors -----------------------------------------------------------------------------------------------------------

NO_KEY, WRONG_KEY, NO_KNOWLEDGE = 1001, 1002, 2001
_SCHEMA = {
    "type": "object",
    "properties": {"error_code": {"type": "integer"}, "error_msg": {"type": "string"}},
    "required": ["error_code", "error_msg"],
}


def _status(kind: type[DocqaError]) -> int:
    """Dify takes 403 for a key that it should not have sent; of one that is refused for a while it knows nothing."""
    if issubclass(kind, InvalidRequest):
        return 400
    return 403 if issubclass(kind, Unauthorized) and kind.status == Unauthorized.status else kind.status


def _body(error: DocqaError) -> dict[str, Any]:
    """Dify's code of an error, else the HTTP status, and a sentence."""
    codes = {KeyMissing: NO_KEY, Unauthorized: WRONG_KEY, NotFound: NO_KNOWLEDGE}
    code = next((code for kind, code in codes.items() if isinstance(error, kind)), _status(type(error)))
    return {"error_code": code, "error_msg": sentence(error)}


DIFY: Final = ErrorShape(body=_body, schemas={"DifyError": _SCHEMA}, name=lambda kind: "DifyError", status=_status)

"""The API's records, with the API's field names and in its order. Their type hints generate the schemas of
/openapi.json."""

from dataclasses import dataclass
from typing import Annotated

Timestamp = Annotated[str, "date-time"]  # in UTC; the second is the format of JSON Schema


@dataclass(frozen=True)
class Document:
    """A stored document; `pages` counts them, `date_time` is when it was added, in UTC. Beyond the API: its `kind`, its
    own `date` (a year, month or day), else the day it was added, and its `tags`."""

    name: str
    doc_id: str
    summary: str
    language: str
    pages: int
    shareable: bool
    date_time: Timestamp
    kind: str
    date: str
    tags: list[str]


@dataclass(frozen=True)
class DocumentList:
    """One page of the list of documents."""

    total_pages: int
    documents: list[Document]


@dataclass(frozen=True)
class DocumentStatus:
    """How far the background work on a document is; `state` is `indexing`, `ready` or `failed`, `pages_unread` are
    scanned pages not read yet."""

    doc_id: str
    state: str
    pages: int
    pages_unread: int
    chunks: int
    chunks_done: int
    message: str


@dataclass(frozen=True)
class Page:
    """The text of one page; the first is number 1."""

    doc_id: str
    page_number: int
    text: str


@dataclass(frozen=True)
class Place:
    """Where a passage stands: from `start` to `end` in the text of a page, in characters, and `share` of the document
    before it, from 0 to 1. `highlight` is the number of the passage in the query, from 0."""

    highlight: int
    page_number: int
    start: int
    end: int
    share: float


@dataclass(frozen=True)
class Pages:
    """How many pages a document has, whether they can be drawn as pictures, and where in it passages stand."""

    doc_id: str
    pages: int
    drawn: bool
    places: list[Place]


@dataclass(frozen=True)
class Added:
    """The result of an upload or a link; published clients read `docId`."""

    doc_id: str
    docId: str


@dataclass(frozen=True)
class Member:
    """A document of a knowledge base."""

    doc_id: str
    name: str


@dataclass(frozen=True)
class KnowledgeBase:
    """A named set of documents. Beyond the API: `access` is `own`, `read` for one that was shared with the account, and
    `originals` for one that was shared with its files."""

    knowledge_base_id: str
    name: str
    document_details: list[Member]
    date_time: Timestamp
    access: str


@dataclass(frozen=True)
class KnowledgeBaseList:
    """One page of the list of knowledge bases."""

    total_pages: int
    knowledge_bases: list[KnowledgeBase]


@dataclass(frozen=True)
class KnowledgeBaseCreated:
    """The id of a new knowledge base."""

    knowledge_base_id: str


@dataclass(frozen=True)
class Turn:
    """One message of a chat response; `type` is `question` or `response`."""

    sender: str
    message: str
    type: str


@dataclass(frozen=True)
class Source:
    """A passage that an answer cites as [id]; `source_chunk` is verbatim."""

    id: int
    doc_id: str
    source_chunk: str
    page_number: int


@dataclass(frozen=True)
class ChatResponse:
    """A question and its answer; `created` is in UTC."""

    question: Turn
    answer: Turn
    sources: list[Source]
    created: Timestamp


@dataclass(frozen=True)
class ChatTurn:
    """A question of a kept chat with its answer, which is empty where a document that it rests on was deleted;
    `written_by` is the target that answered, as the header X-DocQA-Target names it."""

    question: str
    answer: str
    written_by: str
    sources: list[Source]


@dataclass(frozen=True)
class Chat:
    """A kept chat; the documents of `doc_ids`, or `knowledge_base_id` if it is not empty, are asked next. `date_time`
    is when it was last changed, in UTC."""

    chat_id: str
    title: str
    doc_ids: list[str]
    knowledge_base_id: str
    turns: list[ChatTurn]
    date_time: Timestamp


@dataclass(frozen=True)
class ChatEntry:
    """A kept chat in a list."""

    chat_id: str
    title: str
    date_time: Timestamp


@dataclass(frozen=True)
class ChatList:
    """One page of the list of kept chats."""

    total_pages: int
    chats: list[ChatEntry]


@dataclass(frozen=True)
class ChatCreated:
    """The id of a new kept chat."""

    chat_id: str


@dataclass(frozen=True)
class Model:
    """A model that a chat can name; `max_tokens` is its context."""

    name: str
    max_tokens: int
    is_paid_model: bool
    model_provider_name: str


@dataclass(frozen=True)
class Retrieved:
    """A passage that fits a query; `score` orders the results and has no unit."""

    doc_id: str
    page_number: int
    source_chunk: str
    score: float


@dataclass(frozen=True)
class RetrieveResult:
    """The passages that fit a query, best first."""

    results: list[Retrieved]


@dataclass(frozen=True)
class Message:
    """What was done, in a sentence."""

    message: str


@dataclass(frozen=True)
class SignedIn:
    """The API key that the page uses from now on."""

    key: str


@dataclass(frozen=True)
class InstallStep:
    """Something that is installed while the server serves; `state` is `waiting`, `running`, `done` or `failed`,
    `percent` how far it is, `message` what works meanwhile, or why it failed and what helps."""

    what: str
    state: str
    percent: int
    message: str


@dataclass(frozen=True)
class ApiKey:
    """A key of the account, without its secret; `last_used` is known to the minute, `revoked` when it was, or null;
    `is_current` marks the one that the request was sent with."""

    key_id: str
    name: str
    created: Timestamp
    last_used: Timestamp | None
    revoked: Timestamp | None
    is_current: bool


@dataclass(frozen=True)
class ApiKeyCreated:
    """A new key; `key` is told this once and kept nowhere."""

    key_id: str
    name: str
    key: str


@dataclass(frozen=True)
class Health:
    """`indexing` counts documents with background work left; `embedding`, `verifier`, `local_models` and `ocr`, the
    languages of text recognition, say what can be used; `installing` what is being installed, `proposal` which language
    model this machine could run."""

    status: str
    version: str
    indexing: int
    embedding: str
    verifier: str
    local_models: dict[str, str]
    ocr: list[str]
    notes: list[str]
    installing: list[InstallStep]
    proposal: str

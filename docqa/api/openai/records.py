"""What OpenAI's endpoints answer, with OpenAI's field names; times are seconds since 1970."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelCard:
    """A document, a knowledge base, or all documents, as a model that can be asked; `owned_by` says which."""

    id: str
    object: str
    created: int
    owned_by: str


@dataclass(frozen=True)
class ModelCards:
    """The models, `docqa` for all documents first."""

    object: str
    data: list[ModelCard]


@dataclass(frozen=True)
class UrlCitation:
    """A mark in the text, from `start_index` to `end_index`, and what it leads to."""

    start_index: int
    end_index: int
    title: str
    url: str


@dataclass(frozen=True)
class Annotation:
    """A mark as OpenAI writes it; `type` is `url_citation`."""

    type: str
    url_citation: UrlCitation


@dataclass(frozen=True)
class CompletionMessage:
    """The answer in Markdown; its marks are links."""

    role: str
    content: str
    annotations: list[Annotation]


@dataclass(frozen=True)
class Choice:
    """The only choice there is."""

    index: int
    message: CompletionMessage
    finish_reason: str


@dataclass(frozen=True)
class Citation:
    """A passage that the answer cites as [id]: its document's name as `title`, verbatim as `source_chunk`, and where
    the page for people shows it, as `url`."""

    id: int
    title: str
    url: str
    doc_id: str
    page_number: int
    source_chunk: str


@dataclass(frozen=True)
class Completion:
    """An answer and what it rests on; `citations` is our addition."""

    id: str
    object: str
    created: int
    model: str
    choices: list[Choice]
    citations: list[Citation]

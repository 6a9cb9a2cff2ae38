"""What each endpoint takes: the rules of every query and JSON body, each declared once."""

from collections.abc import Mapping
from typing import Any, Final

from docqa.api.filters import CODES, FILTERED, FILTERS, TAG
from docqa.api.rules import (
    Rule,
    boolean,
    bounded,
    checked,
    default,
    described,
    free,
    integer,
    many,
    named,
    number,
    one_of,
    one_of_known,
    optional,
    record,
    several,
    short_text,
    text,
)
from docqa.ingest import zipped
from docqa.questions.question import ChatOptions

LONGEST_TEXT: Final = 32_768  # characters of a message, a question, a name
LONGEST_CHAT: Final = 262_144  # characters of all messages together
LONGEST_NAME: Final = 255  # characters of the name of a document or a key
MOST_TAGS: Final = 50  # of a document
MOST_ID: Final = 2**31 - 1


def _as_bot(sender: str) -> str:
    return "bot" if sender == "assistant" else sender


def _ask_something(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages without blank ones of the user: published clients leave one at the end."""
    questions = [message["message"] for message in messages if message["sender"] == "user"]
    if not questions:
        raise ValueError("at least one message needs the sender 'user'")
    if not any(map(str.strip, questions)):
        raise ValueError("a message of the sender 'user' must not be blank")
    return [message for message in messages if message["sender"] != "user" or message["message"].strip()]


def _ask_something_or_nothing(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return _ask_something(messages) if messages else messages


def _fit_together(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if sum(len(message["message"]) for message in messages) > LONGEST_CHAT:
        raise ValueError(f"the messages should have at most {LONGEST_CHAT} characters together")
    return messages


def _not_blank(value: str) -> str:
    """The text. Raises ValueError where it has no words."""
    if not value.strip():
        raise ValueError("must not be blank")
    return value


def _tags(tags: list[str]) -> list[str]:
    """The tags, each once, in whatever case."""
    known = list({tag.casefold(): tag for tag in tags}.values())
    if len(known) > MOST_TAGS:
        raise ValueError(f"a document should have at most {MOST_TAGS} tags")
    return known


def _change_something(body: dict[str, Any]) -> dict[str, Any]:
    if body["name"] is None and body["tags"] is None:
        raise ValueError("give 'name' or 'tags', or both")
    return body


def _one_place(body: dict[str, Any]) -> dict[str, Any]:
    if body["doc_ids"] is not None and body["knowledge_base_id"] is not None:
        raise ValueError("give either 'doc_ids' or 'knowledge_base_id', or neither for all documents")
    return body


SENDER: Final = described(
    checked(one_of("user", "bot", "assistant", "system", fold=True), _as_bot),
    "`user` asks, `bot` (or `assistant`) is an earlier answer, "
    "`system` gives a system prompt of your own; in any case.",
)
SHORT_TEXT: Final = short_text(LONGEST_TEXT)
MESSAGE: Final = named("ChatMessage", record({"sender": SENDER, "message": SHORT_TEXT}))
_SENT: Final = checked(many(MESSAGE), _fit_together)
MESSAGES: Final = described(
    bounded(checked(_SENT, _ask_something), minItems=1),
    "The conversation so far, in order; the last message of the sender `user` that has words is the question.",
)
MESSAGES_OR_NONE: Final = described(
    checked(_SENT, _ask_something_or_nothing), "As for one document; without any, the answer is a summary."
)
WORDS: Final = bounded(checked(SHORT_TEXT, _not_blank), minLength=1)
NAME: Final = bounded(checked(short_text(LONGEST_NAME), _not_blank), minLength=1)
DOC_IDS: Final = many(text)
PAGE: Final = described(default(integer(ge=1), 1), "Page of the list, from 1.")
PAGE_SIZE: Final = described(default(integer(ge=1, le=100), 10), "Entries on a page.")

# In the order of the API's own list, which a 422 body repeats ("PORTUGESE" is its spelling); new languages follow.
_ORDER: Final = [
    "ENGLISH",
    "ARABIC",
    "CHINESE",
    "JAPANESE",
    "FRENCH",
    "GERMAN",
    "SPANISH",
    "KOREAN",
    "PORTUGESE",
    "DEFAULT",
    "PORTUGUESE",
    "HEBREW",
    "ITALIAN",
    "RUSSIAN",
    "DUTCH",
    "TURKISH",
    "POLISH",
    "HINDI",
]
_LANGUAGES: Final = [*_ORDER, *sorted(CODES.keys() - set(_ORDER))]

CHAT_QUERY: Final = record(
    {
        "stream": described(default(boolean, False), "`true` sends the answer as text while it is made."),
        "model_name": described(
            default(one_of_known("models"), "GPT5_2"),
            "A name that `GET /v1/api/models` lists, or a documented one, in any case: where no model answers for it, "
            "quotes do.",
        ),
        "agent_mode": described(default(boolean, True), "`true` is slower and generally more accurate."),
        "cite_source": described(default(boolean, False), "`true` adds the passages that the answer rests on."),
        "temperature": described(default(number(ge=0.1, le=1.5), 0.7), "How freely the model chooses its words."),
        "language": described(
            default(one_of(*_LANGUAGES, fold=True), "DEFAULT"),
            "Language of the answer, in any case; DEFAULT is that of the question.",
        ),
        "length": described(default(one_of("LONG", "SHORT", fold=True), "SHORT"), "Length of the answer, in any case."),
    }
)
DOCUMENT_LIST_CHAT_BODY: Final = record(
    {"documents": DOC_IDS, "messages": optional(MESSAGES_OR_NONE), "filters": FILTERED}
)
KNOWLEDGE_CHAT_BODY: Final = record({"messages": MESSAGES, "filters": FILTERED})

DOCUMENTS_QUERY: Final = record(
    {
        "page": PAGE,
        "page_size": PAGE_SIZE,
        **FILTERS,
        "knowledge_base_id": described(optional(text), "The documents of this knowledge base, also of a shared one."),
    }
)
ORDER: Final = described(
    free("desc", "asc"), "By time: `desc` has the newest first, `asc` the oldest; anything else means `desc`."
)
KNOWLEDGE_QUERY: Final = record({"page": PAGE, "page_size": PAGE_SIZE, "order": ORDER})
KNOWLEDGE_CREATE_BODY: Final = record({"name": SHORT_TEXT, "document_ids": DOC_IDS})
KNOWLEDGE_UPDATE_BODY: Final = record({"name": optional(SHORT_TEXT), "document_ids": DOC_IDS})
SHARE_BODY: Final = record(
    {
        "name": described(NAME, "Whom it is for, in your own words."),
        "originals": described(default(boolean, False), "`true` lets the files be downloaded, too."),
    }
)
TAKE_BODY: Final = record({"code": SHORT_TEXT})
SEARCH_QUERY: Final = record({"query": described(text, "A part of the name, in any case.")})
_TAGGED: Final = {
    "tag": described(
        several(TAG, MOST_TAGS), "What the document is filed under, beside its tags so far; may be repeated."
    )
}
UPLOAD_QUERY: Final = record(_TAGGED)
LINK_QUERY: Final = record(
    {"url": described(bounded(text, format="uri"), "A link to a PDF or to a page on a website."), **_TAGGED}
)

KEY_BODY: Final = record({"name": NAME})
REVOKE_QUERY: Final = record(
    {"itself": described(default(boolean, False), "`true` lets a key revoke itself, which is refused otherwise.")}
)
MOST_PASSAGES: Final = 16  # that are marked at once
HIGHLIGHT: Final = described(
    several(SHORT_TEXT, MOST_PASSAGES), "A passage, verbatim, such as a `source_chunk`; may be repeated."
)
PLACES_QUERY: Final = record({"highlight": HIGHLIGHT})
PICTURE_QUERY: Final = record(
    {
        "width": described(default(integer(ge=64, le=4000), 1200), "Width of the picture in pixels."),
        "highlight": HIGHLIGHT,
        "quote": described(
            several(SHORT_TEXT, MOST_PASSAGES), "A sentence, verbatim, that is marked darker; may be repeated."
        ),
    }
)

RETRIEVE_BODY: Final[Rule] = checked(
    record(
        {
            "query": WORDS,
            "doc_ids": optional(DOC_IDS),
            "knowledge_base_id": optional(text),
            "top_k": default(integer(ge=1, le=100), 5),
            **FILTERS,
        }
    ),
    _one_place,
)


TURN: Final = record(
    {
        "question": SHORT_TEXT,
        "answer": short_text(LONGEST_CHAT),
        "written_by": default(SHORT_TEXT, ""),
        "sources": default(
            many(
                record(
                    {
                        "id": integer(ge=1, le=MOST_ID),
                        "doc_id": text,
                        "source_chunk": SHORT_TEXT,
                        "page_number": integer(ge=1, le=MOST_ID),
                    }
                )
            ),
            [],
        ),
    }
)
CHATS_QUERY: Final = record(
    {
        "query": described(default(short_text(1000), ""), "A part of the title, a question or an answer, in any case."),
        "page": PAGE,
        "page_size": PAGE_SIZE,
    }
)
_SCOPE: Final = {
    "doc_ids": described(default(DOC_IDS, []), "The documents that are asked next."),
    "knowledge_base_id": described(optional(text), "The knowledge base that is asked next, in their place."),
}
CHAT_CREATE_BODY: Final = record({"title": SHORT_TEXT, **_SCOPE, "turns": default(many(TURN), [])})
CHAT_UPDATE_BODY: Final = record({"title": SHORT_TEXT, **_SCOPE})
SIGN_IN_BODY: Final = record({"ticket": SHORT_TEXT})
_TAGS: Final = bounded(checked(many(TAG), _tags), maxItems=MOST_TAGS)
DOCUMENT_UPDATE_BODY: Final = checked(
    record({"name": optional(NAME), "tags": described(optional(_TAGS), "What it is filed under from now on.")}),
    _change_something,
)
MANIFEST: Final = record(
    {
        "format": one_of(zipped.FORMAT),
        "version": integer(ge=1, le=zipped.VERSION),
        "name": SHORT_TEXT,
        "documents": many(
            record(
                {
                    "file": SHORT_TEXT,
                    "name": WORDS,
                    "media_type": default(SHORT_TEXT, ""),
                    "url": default(SHORT_TEXT, ""),
                    "tags": default(_TAGS, []),
                }
            )
        ),
    }
)


def chat_options(query: Mapping[str, Any]) -> ChatOptions:
    """The options of a chat from its query, as CHAT_QUERY reads it."""
    return ChatOptions(
        model_name=query["model_name"],
        language=CODES[query["language"]],
        length=query["length"],
        temperature=query["temperature"],
        agent_mode=query["agent_mode"],
        cite_source=query["cite_source"],
    )

"""What an assistant can do with the documents: five tools, each a few requests of the HTTP API.

`search` and `fetch` take one string each and answer what the research modes of the big assistants require of them: only
`ask` and `list_documents` choose documents by language, kind, date and tag. The id of a page is that of its document, a
slash and the page's number.
"""

import asyncio
import base64
import binascii
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from docqa.api.declarations import LONGEST_TEXT
from docqa.api.filters import FILTERS
from docqa.api.mcp.rest import Refused, Rest
from docqa.api.openai.naming import ALL
from docqa.api.permalink import permalink, quote_from
from docqa.api.rules import Rule, default, described, integer, many, optional, record, short_text, text

PASSAGES = 10  # that a search answers
LISTED = 50  # documents on a page of the list
LONGEST_FETCH = 60_000  # characters, about 15,000 tokens

_PAGE_ID = re.compile(r"(?P<doc_id>\w+)(?:/(?P<page>\d{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class Tool:
    """A tool: what it is called and does, which arguments it takes, what it answers, and how."""

    name: str
    title: str
    description: str
    takes: Rule
    gives: Rule
    run: Callable[[Rest, dict[str, Any]], Awaitable[dict[str, Any]]]
    reads_only: bool = True


async def _search(rest: Rest, given: dict[str, Any]) -> dict[str, Any]:
    answered = await rest.post("/v1/api/retrieve", {"query": given["query"], "top_k": PASSAGES})
    passages = answered["results"]
    doc_ids = dict.fromkeys(passage["doc_id"] for passage in passages)
    names = {doc_id: (await rest.get(f"/v1/api/documents/{doc_id}"))["name"] for doc_id in doc_ids}
    return {"results": await asyncio.to_thread(_results, rest.base, given["query"], passages, names)}


def _results(base: str, query: str, passages: list[dict[str, Any]], names: dict[str, str]) -> list[dict[str, str]]:
    """What a search answers; to find what to quote takes milliseconds."""
    results = []
    for passage in passages:
        doc_id, number, chunk = passage["doc_id"], passage["page_number"], passage["source_chunk"]
        url = permalink(base, doc_id, number, quote_from(chunk, query))
        title = f"{names[doc_id]}, page {number}"
        results.append({"id": f"{doc_id}/{number}", "title": title, "url": url, "text": chunk})
    return results


async def _fetch(rest: Rest, given: dict[str, Any]) -> dict[str, Any]:
    id_ = _PAGE_ID.fullmatch(given["id"])
    if not id_:
        raise Refused("An id is that of a document or of a page in it, as `search` and `list_documents` answer.")
    document = await rest.get(f"/v1/api/documents/{id_['doc_id']}")
    first, last = (int(id_["page"]),) * 2 if id_["page"] else (1, document["pages"])
    pages: list[str] = []
    number = first
    while number <= last and (first == last or sum(map(len, pages)) < LONGEST_FETCH):
        pages.append((await rest.get(f"/v1/api/documents/{document['doc_id']}/pages/{number}"))["text"])
        number += 1
    whole = "\n\n".join(pages)
    shown = f", page {first}" if id_["page"] else ""
    return {
        "id": given["id"],
        "title": f"{document['name']}{shown}",
        "text": whole[:LONGEST_FETCH],
        "url": permalink(rest.base, document["doc_id"], first),
        "metadata": {
            "document": document["name"],
            "doc_id": document["doc_id"],
            "language": document["language"],
            "pages": document["pages"],
            "first_page": first,
            "last_page": number - 1,
            "is_complete": number > last and len(whole) <= LONGEST_FETCH,
        },
    }


async def _ask(rest: Rest, given: dict[str, Any]) -> dict[str, Any]:
    messages = [{"role": "user", "content": given["question"]}]
    body = {"model": given["about"] or ALL, "messages": messages, "filters": _filters(given)}
    answered = await rest.post("/v1/chat/completions", body)
    return {"answer": answered["choices"][0]["message"]["content"], "citations": answered["citations"]}


def _filters(given: dict[str, Any]) -> dict[str, str]:
    return {name: given[name] for name in FILTERS if given[name] is not None}


async def _list_documents(rest: Rest, given: dict[str, Any]) -> dict[str, Any]:
    listed = await rest.get("/v1/api/documents", page=given["page"], page_size=LISTED, **_filters(given))
    bases = await rest.get("/v1/api/knowledge", page=1, page_size=100)
    return {
        "documents": [
            {
                "id": document["doc_id"],
                "name": document["name"],
                "pages": document["pages"],
                "language": document["language"],
                "kind": document["kind"],
                "date": document["date"],
                "tags": document["tags"],
                "added": document["date_time"],
                "summary": document["summary"],
                "url": permalink(rest.base, document["doc_id"], 1),
            }
            for document in listed["documents"]
        ],
        "knowledge_bases": [
            {"id": base["knowledge_base_id"], "name": base["name"], "documents": len(base["document_details"])}
            for base in bases["knowledge_bases"]
        ],
        "page": given["page"],
        "total_pages": listed["total_pages"],
    }


async def _add_file(rest: Rest, given: dict[str, Any]) -> dict[str, Any]:
    ways = [way for way in ("url", "path", "text", "base64") if given.get(way) is not None]
    if len(ways) != 1:
        raise Refused(f"Give one of {', '.join(way for way in ('url', 'path', 'text', 'base64') if way in given)}.")
    if ways == ["url"]:
        added = await rest.get("/v1/api/download_pdf", url=given["url"])
    else:
        name, content = await asyncio.to_thread(_content, ways[0], given)
        added = await rest.upload(name, content)
    document = await rest.get(f"/v1/api/documents/{added['doc_id']}")
    return {
        "id": document["doc_id"],
        "name": document["name"],
        "pages": document["pages"],
        "url": permalink(rest.base, document["doc_id"], 1),
    }


def _content(way: str, given: dict[str, Any]) -> tuple[str, bytes]:
    """The name and the bytes of a file. Raises Refused."""
    if way == "path":
        path = Path(given["path"]).expanduser()
        try:
            return given["name"] or path.name, path.read_bytes()
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}.") from error
    if not given["name"]:
        raise Refused("Give the file's name, with its ending: `notes.txt`.")
    if way == "text":
        return given["name"], given["text"].encode()
    try:
        return given["name"], base64.b64decode(given["base64"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused(f"What is given as base64 is not: {error}.") from error


_SHORT: Final = short_text(LONGEST_TEXT)
_INTEGER: Final = integer()
_URL: Final = described(text, "Where a person sees the place, in a browser.")
_NAME: Final = described(optional(_SHORT), "The file's name with its ending, `notes.txt`.")
_PLACES: Final[dict[str, Rule]] = {
    "url": described(optional(text), "A link to a file or to a page of the web."),
    "text": described(optional(text), "What a text file holds."),
    "base64": described(optional(text), "The bytes of a file of any format, up to 1 MB, in base64."),
}
_PATH: Final = {"path": described(optional(text), "A file on this machine.")}
_ADDED: Final = record({"id": text, "name": text, "pages": _INTEGER, "url": _URL})
_CITATION: Final = record(
    {"id": _INTEGER, "title": text, "url": _URL, "doc_id": text, "page_number": _INTEGER, "source_chunk": text}
)

SEARCH: Final = Tool(
    name="search",
    title="Search the documents",
    description="Search all documents of the user for passages about something, by meaning and by words, best first. "
    "Each result is a page; `fetch` gives its whole text.",
    takes=record({"query": described(_SHORT, "What to look for, as a question or as words.")}),
    gives=record({"results": many(record({"id": text, "title": text, "url": _URL, "text": text}))}),
    run=_search,
)
FETCH: Final = Tool(
    name="fetch",
    title="Read a page or a document",
    description="The text of a page that `search` found, or of a document from its first page on, by its id. "
    "`metadata.is_complete` says whether that is all; pages of a long document are fetched by `ID/2`, `ID/3`.",
    takes=record({"id": described(_SHORT, "As `search` or `list_documents` answer it.")}),
    gives=record({"id": text, "title": text, "text": text, "url": _URL, "metadata": record({})}),
    run=_fetch,
)
ASK: Final = Tool(
    name="ask",
    title="Ask the documents",
    description="An answer to one question from the documents alone, with the passages that it rests on. It says so "
    "where the documents do not say anything about it.",
    takes=record(
        {
            "question": described(_SHORT, "The question, complete in itself."),
            "about": described(
                optional(_SHORT), "Id of a document or a knowledge base, as `list_documents` answers it; all without."
            ),
            **FILTERS,
        }
    ),
    gives=record({"answer": text, "citations": many(_CITATION)}),
    run=_ask,
)
LIST: Final = Tool(
    name="list_documents",
    title="List the documents",
    description="The user's documents, newest first, with their summaries and tags, or those that fit; and the user's "
    "knowledge bases.",
    takes=record(
        {
            "page": described(default(integer(ge=1), 1), f"Page of the list, {LISTED} documents each."),
            **FILTERS,
        }
    ),
    gives=record(
        {
            "documents": many(
                record(
                    {
                        "id": text,
                        "name": text,
                        "pages": _INTEGER,
                        "language": text,
                        "kind": text,
                        "date": text,
                        "tags": many(text),
                        "added": text,
                        "summary": text,
                        "url": _URL,
                    }
                )
            ),
            "knowledge_bases": many(record({"id": text, "name": text, "documents": _INTEGER})),
            "page": _INTEGER,
            "total_pages": _INTEGER,
        }
    ),
    run=_list_documents,
)


def tools(*, local_files: bool) -> dict[str, Tool]:
    """The tools by name; with `local_files` a file of this machine can be added by its path."""
    add = Tool(
        name="add_file",
        title="Add a file",
        description="Add a document to the user's, which can be searched and asked at once. The same file again is "
        f"not stored twice. Give one of {', '.join([*(_PATH if local_files else ()), *_PLACES])}.",
        takes=record({"name": _NAME, **(_PATH if local_files else {}), **_PLACES}),
        gives=_ADDED,
        run=_add_file,
        reads_only=False,
    )
    return {tool.name: tool for tool in (SEARCH, FETCH, ASK, LIST, add)}

"""What is sent piece by piece: an answer while it is made, as plain text or as server-sent events; a file."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from starlette.responses import Response, StreamingResponse
from starlette.types import Send

from docqa.errors import DocqaError
from docqa.ingest.spool import Spool
from docqa.store.sql import now

if TYPE_CHECKING:
    from docqa.answering.answer import Answer

SSE = "text/event-stream"


def stream(answer: "Answer", headers: Mapping[str, str], *, as_events: bool) -> Response:
    """A response that streams the answer and then its sources.

    Events are `token` (text), `sources`, where they are wanted `uncited` (what else was found), and `done`, or `error`
    where the answer fails; a failure breaks off either form.
    """
    if as_events:
        return stream_events(_events(answer), headers)
    return _Stream(_plain(answer), media_type="text/plain; charset=utf-8", headers=headers)


def stream_events(events: AsyncGenerator[str, None], headers: Mapping[str, str]) -> Response:
    """A response that streams server-sent events, each written out whole."""
    return _Stream(events, media_type=SSE, headers={**headers, "Cache-Control": "no-cache"})


def stream_file(content: Spool, media_type: str, headers: Mapping[str, str]) -> Response:
    """A response that sends a file as fast as its client reads, and closes it."""
    sized = {**headers, "Content-Length": str(content.size)}
    return _Stream(_pieces(content), media_type=media_type, headers=sized)


def stream_pieces(pieces: AsyncGenerator[bytes, None], media_type: str, headers: Mapping[str, str]) -> Response:
    """A response that sends bytes while they are made; a failure breaks it off."""
    return _Stream(pieces, media_type=media_type, headers=headers)


async def _pieces(content: Spool) -> AsyncGenerator[bytes, None]:
    with closing(content):
        async for piece in content.pieces():
            yield piece


class _Stream(StreamingResponse):
    """Ends the work as soon as the client has left, not when its generator happens to be collected."""

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self.body_iterator):  # type: ignore[type-var]
            await super().stream_response(send)


async def _plain(answer: "Answer") -> AsyncGenerator[str, None]:
    from docqa.answering.phrasing import sources_block

    async with aclosing(answer.tokens) as tokens:
        async for token in tokens:
            yield token
    numbered = [
        (source.id, answer.names[source.doc_id], source.page_number, source.source_chunk) for source in answer.sources
    ]
    yield sources_block(numbered, answer.question.answer_language)


async def _events(answer: "Answer") -> AsyncGenerator[str, None]:
    try:
        async with aclosing(answer.tokens) as tokens:
            async for token in tokens:
                yield _event("token", {"text": token})
    except DocqaError as error:
        yield _event("error", {"detail": error.detail()})
        raise  # breaks off the connection, so that nobody takes half an answer for a whole one
    yield _event("sources", [asdict(source) for source in answer.sources])
    if answer.question.options.cite_source and (passages := answer.uncited()):
        places = [
            {"doc_id": p.document.doc_id, "source_chunk": p.text, "page_number": p.chunk.page_number} for p in passages
        ]
        yield _event("uncited", places)
    yield _event("done", {"created": now()})


def _event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"

"""An answer as OpenAI writes it, whole or as events; its marks lead to the places that it cites."""

import asyncio
import json
import re
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from docqa.api.openai.errors import body
from docqa.api.openai.records import Annotation, Choice, Citation, Completion, CompletionMessage, UrlCitation
from docqa.api.permalink import permalink, quote_from
from docqa.errors import DocqaError
from docqa.records import Source

if TYPE_CHECKING:
    from docqa.answering.answer import Answer

_MARK = re.compile(r"\[(\d{1,3})\]")


@dataclass
class Reply:
    """An answer on its way to the client that asked `model`; `base` is the address that citations begin with."""

    answer: "Answer"
    model: str
    base: str
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))
    _length: int = 0  # characters that were sent
    _said: str = ""  # before the last mark
    _unmarked: str = ""  # since then
    _urls: dict[int, str] = field(default_factory=dict)  # of sources, where they were first marked
    _annotations: list[Annotation] = field(default_factory=list)

    async def whole(self) -> Completion:
        """The answer at once. Raises what its making does."""
        async with aclosing(self.answer.tokens) as tokens:
            content = "".join([await self._linked(token) async for token in tokens])
        message = CompletionMessage("assistant", content, self._annotations)
        choices = [Choice(0, message, "stop")]
        return Completion(self.id, "chat.completion", self.created, self.model, choices, self._citations())

    async def events(self) -> AsyncGenerator[str, None]:
        """The answer as server-sent events. Raises what its making does, after an event that says so."""
        yield self._event({"role": "assistant", "content": ""})
        try:
            async with aclosing(self.answer.tokens) as tokens:
                async for token in tokens:
                    yield self._event({"content": await self._linked(token)})
        except DocqaError as error:
            yield _sent(body(error))
            raise  # breaks off the connection, so that nobody takes half an answer for a whole one
        citations = [asdict(citation) for citation in self._citations()]
        annotations = [asdict(annotation) for annotation in self._annotations]
        yield self._event({"annotations": annotations}, "stop", citations=citations)
        yield "data: [DONE]\n\n"

    def _event(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        head = {"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model}
        return _sent({**head, "choices": [choice], **more})

    async def _linked(self, token: str) -> str:
        """The token with its marks as links. To find what a mark quotes takes milliseconds: a thread does it."""
        return await asyncio.to_thread(self._link, token) if _MARK.search(token) else self._link(token)

    def _link(self, token: str) -> str:
        """The same. A mark is in one token, and its source known when it comes."""
        linked, end = "", 0
        for mark in _MARK.finditer(token):
            number = int(mark[1])
            if not 1 <= number <= len(self.answer.sources):
                continue
            source = self.answer.sources[number - 1]
            between = token[end : mark.start()]
            linked, end = linked + between, mark.end()
            if (self._unmarked + between).strip():  # else it is the second mark of the same
                self._said = self._unmarked + between
            self._unmarked = ""
            start, url = self._length + len(linked), self._url(source)
            self._urls.setdefault(source.id, url)
            linked += f"{mark[0]}({url})"
            cited = UrlCitation(start, self._length + len(linked), self.answer.names[source.doc_id], url)
            self._annotations.append(Annotation("url_citation", cited))
        linked += token[end:]
        self._unmarked += token[end:]
        self._length += len(linked)
        return linked

    def _url(self, source: Source) -> str:
        quote = quote_from(source.source_chunk, self._said)
        return permalink(self.base, source.doc_id, source.page_number, quote)

    def _citations(self) -> list[Citation]:
        return [
            Citation(
                id=source.id,
                title=self.answer.names[source.doc_id],
                url=self._urls.get(source.id) or self._url(source),
                doc_id=source.doc_id,
                page_number=source.page_number,
                source_chunk=source.source_chunk,
            )
            for source in self.answer.sources
        ]


def _sent(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"

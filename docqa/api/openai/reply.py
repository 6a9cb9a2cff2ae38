"""An answer as OpenAI writes it, whole or as events; its marks lead to the places that it cites."""

import json
import re
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from typing import Any

from docqa.answering.answer import Answer
from docqa.api.openai.errors import body
from docqa.api.openai.records import Annotation, Choice, Citation, Completion, CompletionMessage, UrlCitation
from docqa.api.permalink import permalink
from docqa.errors import DocqaError
from docqa.records import Source

_MARK = re.compile(r"\[(\d{1,3})\]")


@dataclass
class Reply:
    """An answer on its way to the client that asked `model`; `base` is the address that citations begin with."""

    answer: Answer
    model: str
    base: str
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))
    _length: int = 0  # characters that were sent
    _annotations: list[Annotation] = field(default_factory=list)

    async def whole(self) -> Completion:
        """The answer at once. Raises what its making does."""
        async with aclosing(self.answer.tokens) as tokens:
            content = "".join([self._linked(token) async for token in tokens])
        message = CompletionMessage("assistant", content, self._annotations)
        choices = [Choice(0, message, "stop")]
        return Completion(self.id, "chat.completion", self.created, self.model, choices, self._citations())

    async def events(self) -> AsyncGenerator[str, None]:
        """The answer as server-sent events. Raises what its making does, after an event that says so."""
        yield self._event({"role": "assistant", "content": ""})
        try:
            async with aclosing(self.answer.tokens) as tokens:
                async for token in tokens:
                    yield self._event({"content": self._linked(token)})
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

    def _linked(self, token: str) -> str:
        """The token with its marks as links. A mark is in one token, and its source known when it comes."""
        linked, end = "", 0
        for mark in _MARK.finditer(token):
            number = int(mark[1])
            if not 1 <= number <= len(self.answer.sources):
                continue
            source = self.answer.sources[number - 1]
            linked += token[end : mark.start()]
            end = mark.end()
            start, url = self._length + len(linked), self._url(source)
            linked += f"{mark[0]}({url})"
            cited = UrlCitation(start, self._length + len(linked), self.answer.names[source.doc_id], url)
            self._annotations.append(Annotation("url_citation", cited))
        linked += token[end:]
        self._length += len(linked)
        return linked

    def _url(self, source: Source) -> str:
        return permalink(self.base, source.doc_id, source.page_number, source.source_chunk)

    def _citations(self) -> list[Citation]:
        return [
            Citation(
                id=source.id,
                title=self.answer.names[source.doc_id],
                url=self._url(source),
                doc_id=source.doc_id,
                page_number=source.page_number,
                source_chunk=source.source_chunk,
            )
            for source in self.answer.sources
        ]


def _sent(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"

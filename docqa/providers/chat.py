"""Answers by a chat model: what is asked and found, fitted into its context, and its tokens as they come."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

from docqa import prompts
from docqa.errors import Unavailable
from docqa.prompts import Question
from docqa.providers import Evidence, Piece

log = logging.getLogger(__name__)

MESSAGE_TOKENS = 8  # what a chat template puts around one message, generously


class ChatModel(Protocol):
    @property
    def context_tokens(self) -> int: ...

    async def count(self, texts: list[str]) -> list[int]: ...

    def generate(self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int) -> AsyncGenerator[str, None]: ...


class Chat:
    def __init__(self, model: ChatModel, seconds: float) -> None:
        self.model = model
        self.seconds = seconds

    async def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """Ends with what there is when the time is up. Raises Unavailable when there is nothing by then."""
        # One timeout per step: a stream is begun in one task and gone on with in another, and a timeout must not span both.
        deadline = asyncio.get_running_loop().time() + self.seconds
        max_tokens = prompts.MAX_TOKENS[question.length]
        said = False
        try:
            async with asyncio.timeout_at(deadline):
                messages = await self._fitted(question, [passage.text for passage in evidence], max_tokens)
            async with aclosing(self.model.generate(messages, temperature=question.temperature, max_tokens=max_tokens)) as tokens:
                while True:
                    async with asyncio.timeout_at(deadline):
                        token = await anext(tokens, None)
                    if token is None:
                        return
                    said = True
                    yield Piece(token)
        except TimeoutError:
            if not said:
                raise Unavailable(f"The model gave no answer within {self.seconds:g} s. Try again, or choose a smaller model.") from None
            log.warning("the answer was cut off after %g s", self.seconds)

    async def _fitted(self, question: Question, passages: list[str], max_tokens: int) -> list[dict[str, str]]:
        """The messages that fit: as many passages as there is room for, then the newest turns of the history."""
        bare = replace(question, history=())
        turns = list(question.history)
        counts = await self.model.count([*(m["content"] for m in prompts.chat(bare, [])), *map(prompts.quote, passages), *(text for _, text in turns)])
        room = self.model.context_tokens - max_tokens - sum(counts[:2]) - 4 * MESSAGE_TOKENS
        kept: list[str] = []
        for passage, tokens in zip(passages, counts[2:], strict=False):
            if tokens + MESSAGE_TOKENS > room and kept:
                break
            room -= tokens + MESSAGE_TOKENS
            kept.append(passage)
        first = len(turns)
        for tokens in reversed(counts[2 + len(passages) :]):
            room -= tokens + MESSAGE_TOKENS
            if room < 0:
                break
            first -= 1
        return prompts.chat(replace(question, history=tuple(turns[first:])), kept)

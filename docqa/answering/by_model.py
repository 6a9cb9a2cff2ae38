"""Answers by a chat model: question and passages fitted into its context and its time, tokens passed on as they
come."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace

from docqa.answering import prompts
from docqa.answering.evidence import Evidence, Piece
from docqa.answering.prompt_layout import Layout, Layouts, questions
from docqa.answering.repetition import Repetition
from docqa.errors import OutOfTime
from docqa.models.chat.protocol import ChatModel, OwnModel
from docqa.questions.question import Question

log = logging.getLogger(__name__)

MESSAGE_TOKENS = 8  # what a chat template puts around one message, generously
READING = 0.5  # of the time is for the prompt at most; the answer needs some, and a busier machine reads more slowly
# New passages of a follow-up may take a seventh of the time that its chat took to read, or half a second, which
# nobody notices.
FOLLOW_UP, UNNOTICED_SECONDS = 0.15, 0.5
STILL_READ = 0.5  # of a prompt that continues the last one: the least that the model must still hold


class Chat:
    """Answers by `model` within `seconds`; `layouts` remembers the prompts that an `OwnModel` was given."""

    def __init__(self, model: ChatModel, seconds: float, layouts: Layouts) -> None:
        self.model = model
        self.seconds = seconds
        self.layouts = layouts

    async def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """Ends when the model repeats itself or the time is up. Raises OutOfTime if there is no token by then."""
        # One timeout per step: a stream begins in one task and continues in another, and a timeout must not span both.
        deadline = _now() + self.seconds
        max_tokens = prompts.MAX_TOKENS[question.options.length]
        passages = [passage.text for passage in evidence]
        said, repetition = False, Repetition()
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout_at(deadline):
                    if isinstance(self.model, OwnModel):
                        await stack.enter_async_context(self.model.turn())
                        layout, messages = await self._laid_out(self.model, question, passages, deadline)
                    else:
                        layout, messages = await self._fitted(
                            question, passages, self.model.context_tokens - max_tokens
                        )
                tokens = await stack.enter_async_context(
                    aclosing(
                        self.model.generate(messages, temperature=question.options.temperature, max_tokens=max_tokens)
                    )
                )
                while True:
                    async with asyncio.timeout_at(deadline):
                        token = await anext(tokens, None)
                    if token is None:
                        return
                    yield Piece(
                        token,
                        earlier=() if said else tuple(passage for turn in layout.passages[:-1] for passage in turn),
                    )
                    said = True
                    if repetition.repeats(token):
                        return
        except TimeoutError:
            if not said:
                raise OutOfTime(
                    f"The model gave no answer within {self.seconds:g} s. Try again, or choose a smaller model."
                ) from None
            log.warning("the answer was cut off after %g s", self.seconds)

    async def _laid_out(
        self, model: OwnModel, question: Question, passages: list[str], deadline: float
    ) -> tuple[Layout, list[dict[str, str]]]:
        """Messages that fit its context and its reading time: the last prompt continued, or else a new one."""
        max_tokens = prompts.MAX_TOKENS[question.options.length]
        readable = int(model.prompt_speed * READING * (deadline - _now()))
        room = model.context_tokens - max_tokens
        went_on = await _continued(model, self.layouts, question, passages, room, readable)
        layout, messages = went_on or await self._fitted(question, passages, min(room, readable))
        self.layouts.keep(question, layout)
        return layout, messages

    async def _fitted(self, question: Question, passages: list[str], room: int) -> tuple[Layout, list[dict[str, str]]]:
        """Messages that fit: as many passages as there is room for, at least one, then the latest turns of the
        history."""
        bare = replace(question, history=())
        turns = list(question.history)
        counts = await self.model.count(
            [
                *(m["content"] for m in prompts.chat(bare, [])),
                *map(prompts.quote, passages),
                *(text for _, text in turns),
            ]
        )
        room -= sum(counts[:2]) + 4 * MESSAGE_TOKENS
        kept = _first(passages, counts[2:], room)
        room -= sum(counts[2 : 2 + len(kept)]) + MESSAGE_TOKENS * len(kept)
        first = len(turns)
        for tokens in reversed(counts[2 + len(passages) :]):
            room -= tokens + MESSAGE_TOKENS
            if room < 0:
                break
            first -= 1
        fitted = replace(question, history=tuple(turns[first:]))
        return Layout(first, (*((),) * len(questions(fitted)), tuple(kept))), prompts.chat(fitted, kept)


async def _continued(
    model: OwnModel, layouts: Layouts, question: Question, passages: list[str], room: int, readable: int
) -> tuple[Layout, list[dict[str, str]]] | None:
    """The last prompt of this chat continued: its answer, the best passage again if it is short, new passages as far as
    time allows, the question.

    None if there was no such prompt, if the model no longer holds it, or if it has grown too long.
    """
    layout = layouts.before(question)
    if layout is None:
        return None
    shown = replace(question, history=question.history[layout.first :])
    standing, _ = await model.uncached(prompts.chat(shown, [], layout.passages))
    seen = {passage for turn in layout.passages for passage in turn}
    new = [*passages[:1], *(passage for passage in passages[1:] if passage not in seen)]
    counts = await model.count([prompts.quote(passage) for passage in new])
    quick = min(readable, max(FOLLOW_UP * standing, UNNOTICED_SECONDS * model.prompt_speed))
    stands = bool(passages) and passages[0] in seen
    if stands and counts[0] + MESSAGE_TOKENS > quick:  # it would take as long to read as the first time
        new, counts = new[1:], counts[1:]
    kept = _first(new, counts, quick, least=0 if stands else 1)
    messages = prompts.chat(shown, kept, layout.passages)
    tokens, uncached = await model.uncached(messages)
    if tokens > room or uncached > tokens * (1 - STILL_READ):
        return None
    return Layout(layout.first, (*layout.passages, tuple(kept))), messages


def _first(passages: Sequence[str], counts: Sequence[int], room: float, least: int = 1) -> list[str]:
    """As many of the first passages as there is room for, and `least` of them even where there is none."""
    kept: list[str] = []
    for passage, tokens in zip(passages, counts, strict=False):
        room -= tokens + MESSAGE_TOKENS
        if room < 0 and len(kept) >= least:
            break
        kept.append(passage)
    return kept


def _now() -> float:
    return asyncio.get_running_loop().time()

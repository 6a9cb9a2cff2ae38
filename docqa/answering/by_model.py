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
from docqa.answering.prompt_passages import excerpts, whole
from docqa.answering.prompts import Shown
from docqa.answering.repetition import Repetition
from docqa.errors import OutOfTime, TooSlow
from docqa.models.chat.protocol import ChatModel, OwnModel
from docqa.questions.question import Question

log = logging.getLogger(__name__)

MESSAGE_TOKENS = 8  # what a chat template puts around one message, generously
READING = 0.5  # of the time is for the prompt at most; the answer needs some, and a busier machine reads more slowly
# New passages of a follow-up may take a seventh of the time that its chat took to read, or half a second, which
# nobody notices.
FOLLOW_UP, UNNOTICED_SECONDS = 0.15, 0.5
LEAST_PROMPT = 150  # tokens: rules, a question and one paragraph
USUAL_ANSWER = {"SHORT": 40, "LONG": 200}  # tokens
STILL_READ = 0.5  # of a prompt that continues the last one: the least that the model must still hold

_Messages = list[dict[str, str]]


class Chat:
    """Answers by `model` within `seconds`; `layouts` remembers the prompts that an `OwnModel` was given. `is_unsure`:
    the evidence may not hold the answer."""

    def __init__(self, model: ChatModel, seconds: float, layouts: Layouts, *, is_unsure: bool = False) -> None:
        self.model = model
        self.seconds = seconds
        self.layouts = layouts
        self.is_unsure = is_unsure

    async def answer(self, question: Question, evidence: list[Evidence]) -> AsyncGenerator[Piece, None]:
        """Ends when the model repeats itself or the time is up.

        Raises OutOfTime if there is no token by then, and TooSlow at once where a whole answer would take longer.
        """
        # One timeout per step: a stream begins in one task and continues in another, and a timeout must not span both.
        deadline = _now() + self.seconds
        max_tokens = prompts.MAX_TOKENS[question.options.length]
        passages = excerpts(evidence) if self.model.is_small else [whole(passage) for passage in evidence]
        said, repetition = False, Repetition()
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout_at(deadline):
                    if isinstance(self.model, OwnModel):
                        if self.model.prompt_speed:  # known from an earlier life of it, before it is loaded
                            self._fits(self.model, question, LEAST_PROMPT, deadline)
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
                        earlier=() if said else tuple(text for turn in layout.shown[:-1] for text in turn.passages),
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

    def _fits(self, model: OwnModel, question: Question, prompt_tokens: int, deadline: float) -> None:
        """Raises TooSlow unless a prompt of so many tokens can be read and a usual answer written in time."""
        left = deadline - _now()
        needed = model.load_seconds + prompt_tokens / model.prompt_speed + _writing(model, question)
        if needed > left:
            raise TooSlow(needed, round(left, 1))

    async def _laid_out(
        self, model: OwnModel, question: Question, passages: list[str], deadline: float
    ) -> tuple[Layout, _Messages]:
        """Messages that fit its context and its reading time: the last prompt continued, or else a new one. Raises
        TooSlow."""
        max_tokens = prompts.MAX_TOKENS[question.options.length]
        left = deadline - _now()
        readable = int(model.prompt_speed * min(READING * left, left - _writing(model, question)))
        room = model.context_tokens - max_tokens
        layout, messages = await self._continued(
            model, question, passages, room, max(0, readable)
        ) or await self._fitted(question, passages, min(room, readable))
        _, uncached = await model.uncached(messages)
        self._fits(model, question, uncached, deadline)
        self.layouts.keep(question, layout)
        return layout, messages

    def _messages(self, question: Question, passages: Sequence[str], earlier: Sequence[Shown] = ()) -> _Messages:
        now = self._shown(question, passages)
        return prompts.chat(question, now, earlier, is_brief=self.model.is_small)

    def _shown(self, question: Question, passages: Sequence[str]) -> Shown:
        return Shown(tuple(passages), prompts.instruction(question, is_unsure=self.is_unsure))

    async def _fitted(self, question: Question, passages: list[str], room: int) -> tuple[Layout, _Messages]:
        """Messages that fit: as many passages as there is room for, at least one, then the latest turns of the
        history."""
        bare = replace(question, history=())
        turns = list(question.history)
        counts = await self.model.count(
            [
                *(message["content"] for message in self._messages(bare, [])),
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
        shown = (*(Shown(),) * len(questions(fitted)), self._shown(question, kept))
        return Layout(first, shown), self._messages(fitted, kept)

    async def _continued(
        self, model: OwnModel, question: Question, passages: list[str], room: int, readable: int
    ) -> tuple[Layout, _Messages] | None:
        """The last prompt of this chat continued: its answer, the best passage again if it is short, new passages as
        far as time allows, the question.

        None if there was no such prompt, if the model no longer holds it, or if it has grown too long.
        """
        layout = self.layouts.before(question)
        if layout is None:
            return None
        shown = replace(question, history=question.history[layout.first :])
        standing, _ = await model.uncached(self._messages(shown, [], layout.shown))
        seen = {passage for turn in layout.shown for passage in turn.passages}
        new = [*passages[:1], *(passage for passage in passages[1:] if passage not in seen)]
        counts = await model.count([prompts.quote(passage) for passage in new])
        quick = min(readable, max(FOLLOW_UP * standing, UNNOTICED_SECONDS * model.prompt_speed))
        stands = bool(passages) and passages[0] in seen
        if stands and counts[0] + MESSAGE_TOKENS > quick:  # it would take as long to read as the first time
            new, counts = new[1:], counts[1:]
        kept = _first(new, counts, quick, least=0 if stands else 1)
        messages = self._messages(shown, kept, layout.shown)
        tokens, uncached = await model.uncached(messages)
        if tokens > room or uncached > tokens * (1 - STILL_READ):
            return None
        return Layout(layout.first, (*layout.shown, self._shown(question, kept))), messages


def _first(passages: Sequence[str], counts: Sequence[int], room: float, least: int = 1) -> list[str]:
    """As many of the first passages as there is room for, and `least` of them even where there is none."""
    kept: list[str] = []
    for passage, tokens in zip(passages, counts, strict=False):
        room -= tokens + MESSAGE_TOKENS
        if room < 0 and len(kept) >= least:
            break
        kept.append(passage)
    return kept


def _writing(model: OwnModel, question: Question) -> float:
    """Seconds that a usual answer takes to be written."""
    return USUAL_ANSWER[question.options.length] / model.writing_speed if model.writing_speed else 0.0


def _now() -> float:
    return asyncio.get_running_loop().time()

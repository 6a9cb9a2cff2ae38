"""Answers from a GGUF file on this machine: the server's side. `local_child` is the process that holds the model, for llama.cpp can abort.

What a prompt says is not known here, and whose turn it is, is decided by `admission`.
"""

import asyncio
import importlib.util
import logging
import math
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from docqa.catalog.machine import available_memory, find_machine
from docqa.errors import Busy
from docqa.models.chat.admission import SMOOTHING, Admission, Place
from docqa.workers.child import Child

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0  # between two looks at the memory
SHORT = 0.05  # of the machine's memory: with less of it free, an idle model makes room
ROOM = 2.0  # times its file, what a model is given room for: its context is chosen by what is left
ENOUGH_READ = 32  # tokens that tell a speed
USUAL_PROMPT = 1000  # tokens
PATIENCE = 10.0  # seconds that an answer may stand still for other questions, of 50 that it has if nothing else is set


def available() -> bool:
    """Whether the package that runs GGUF models is installed; it is not imported."""
    return importlib.util.find_spec("llama_cpp") is not None


class LocalModel:
    """One GGUF file, loaded when it is first used."""

    def __init__(
        self,
        name: str,
        path: Path,
        context_tokens: int,
        queue: int = 8,
        parallel: int = 0,
        *,
        cache_type: str = "f16",
        idle_seconds: float = 600.0,
        others: "Mapping[str, LocalModel] | None" = None,
    ) -> None:
        """`context_tokens` at most; `queue` questions may wait; `parallel` answers are written at once, 0 for as many as are sooner written together; the model is
        unloaded after `idle_seconds`, or when one of the `others` needs the room."""
        self.name = name
        self._path, self._others = path, {} if others is None else others
        self._context_tokens, self._queue, self._parallel, self._idle_seconds = (
            context_tokens,
            queue,
            parallel,
            idle_seconds,
        )
        self._admission = Admission(PATIENCE)
        self._reading: Place | None = None
        self._asked = 0
        self._seconds = 10.0
        self._prompt_speed = 0.0
        self._used = time.monotonic()
        self._watching: asyncio.Task[None] | None = None
        self._child = Child(
            "docqa.models.chat.local_child",
            [str(path), str(context_tokens), cache_type],
            name=name,
            grace=1.0,
            shared=True,
        )

    @property
    def state(self) -> str:
        """`stopped`, `loading`, `ready` or `failed: why`."""
        return self._child.state

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer share: what was asked for, less where the model or the memory has not so much, which is known once it is loaded."""
        return int(self._child.hello.get("context_tokens", self._context_tokens))

    @property
    def prompt_speed(self) -> float:
        """Prompt tokens read per second, lately or at load; 0 before."""
        return self._prompt_speed or float(self._child.hello.get("prompt_speed", 0.0))

    @property
    def together(self) -> int:
        """Answers that are written at once; 1 before it was loaded."""
        return self._admission.number

    async def start(self) -> None:
        """Load the model if it is not. Raises Unavailable."""
        self._used = time.monotonic()
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        if self.state == "stopped":
            await self._make_room()
        hello = await self._child.start()
        if (together := self._parallel or hello["together"]) != self.together:
            log.info("%s writes %d answers at once", self.name, together)
            self._admission.number = together
        self._admission.reading_seconds = self._admission.reading_seconds or USUAL_PROMPT / hello["prompt_speed"]

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None, None]:
        """The model, loaded, for one question: nobody else has its prompt read until `generate` has read this one's; whoever came before goes first.

        Raises Busy when too many wait, Unavailable."""
        if self._asked >= self._queue + self._admission.number:
            wait = math.ceil(
                self._seconds
            )  # till a place is free; whoever were told to wait for the whole queue would find it full of others again
            raise Busy(
                f"{self._queue} questions wait for {self.name} already; ask again in {wait} seconds.", retry_after=wait
            )
        self._asked += 1
        try:
            place = self._reading = await self._admission.take()
            started = time.monotonic()
            try:
                await self.start()
                yield
            finally:
                self._used = time.monotonic()
                self._seconds += SMOOTHING * ((self._used - started) / self._admission.number - self._seconds)
                self._admission.leave(place)
                if self._reading is place:
                    self._reading = None
        finally:
            self._asked -= 1

    async def count(self, texts: list[str]) -> list[int]:
        """How many tokens each text has. Raises Unavailable."""
        answer, _ = await self._child.call({"do": "count", "texts": texts})
        return [int(number) for number in answer["counts"]]

    async def uncached(self, messages: list[dict[str, str]]) -> tuple[int, int]:
        """How many tokens the prompt of these messages has, and how many of them would have to be read. Raises Unavailable."""
        answer, _ = await self._child.call({"do": "uncached", "messages": messages})
        return int(answer["tokens"]), int(answer["uncached"])

    async def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """The answer to `messages` (`role`, `content`), in pieces of whole characters; leaving early stops the model.

        Raises TooLarge for a prompt longer than the context, ChildDied or Unavailable.
        """
        place, self._reading = self._reading, None
        header = {"do": "generate", "messages": messages, "temperature": temperature, "max_tokens": max_tokens}
        async with aclosing(self._child.stream(header)) as pieces:
            async for piece in pieces:
                if "uncached" in piece:
                    self._has_read(place, piece["uncached"], piece["seconds"])
                if piece["text"]:
                    yield piece["text"]

    def _has_read(self, place: Place | None, tokens: int, seconds: float) -> None:
        if place:
            self._admission.has_read(place, seconds)
        if tokens >= ENOUGH_READ:
            self._prompt_speed = self.prompt_speed + SMOOTHING * (tokens / seconds - self.prompt_speed)

    async def close(self) -> None:
        if self._watching:
            self._watching.cancel()
        await self._child.close()

    async def _make_room(self) -> None:
        """Unload others that nobody asks now, as long as this one does not fit beside them."""
        for other in self._others.values():
            if other._rests and 0 < available_memory() < ROOM * self._path.stat().st_size:
                log.info("%s is unloaded: %s needs the room", other.name, self.name)
                await other._child.rest()

    @property
    def _rests(self) -> bool:
        return self.state == "ready" and not self._asked

    async def _watch(self) -> None:
        """Unload the model whenever nobody has asked it for a while, or the memory is short."""
        least = SHORT * find_machine().memory
        while True:
            await asyncio.sleep(min(self._idle_seconds, LOOK_SECONDS))
            if not self._rests:
                continue
            idle, free = time.monotonic() - self._used, available_memory()
            short = 0 < free < least
            if short or idle >= self._idle_seconds:
                log.info(
                    "%s is unloaded: %s",
                    self.name,
                    f"{free >> 20} MB of memory are free" if short else f"idle for {idle:.0f} s",
                )
                await self._child.rest()

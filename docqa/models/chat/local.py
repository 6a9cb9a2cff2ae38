"""Answers from a GGUF file on this machine: the server's side. llama.cpp can abort, so `local_child` holds the model.

Nothing here knows what a prompt says; `admission` decides whose turn it is.
"""

import asyncio
import logging
import math
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from docqa.catalog.machine import available_memory, find_machine
from docqa.errors import Busy
from docqa.models.chat.admission import SMOOTHING, Admission, Slot
from docqa.models.chat.speeds import Speed, Speeds
from docqa.models.installed import is_installed
from docqa.workers.child import Child

log = logging.getLogger(__name__)

CHECK_SECONDS = 5.0  # between two checks of the free memory
LEAST_FREE = 0.05  # of the machine's memory: with less of it free, an idle model is unloaded
NEEDED = 2.0  # free memory, in file sizes, that is made for a model: its context takes what is left over
MEASURABLE = 32  # tokens: fewer do not tell the speed of reading
USUAL_PROMPT = 1000  # tokens
SMALL_BYTES = 2_200_000_000  # of a file: two billion parameters of one byte each
PATIENCE = 10.0  # seconds that an answer may stall for other questions, out of the 50 that it has by default


def available() -> bool:
    """Whether llama-cpp-python, which runs GGUF models, is installed; it is not imported."""
    return is_installed("llama-cpp-python")


class LocalModel:
    """One GGUF file, loaded when it is first used: an `OwnModel`."""

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
        speeds: Speeds | None = None,
        others: "Mapping[str, LocalModel] | None" = None,
    ) -> None:
        """`context_tokens` is the most; up to `queue` questions wait beyond the `parallel` answers in progress.

        With `parallel` 0 there are as many as finish sooner together, which is measured at load. The model is unloaded
        after `idle_seconds`, or when one of the `others` needs its memory. `speeds` remembers how fast it was.
        """
        self.name = name
        self._path, self._others = path, {} if others is None else others
        self._context_tokens, self._idle_seconds = context_tokens, idle_seconds
        self._queue, self._parallel = queue, parallel
        self._admission = Admission(PATIENCE)
        self._reading: Slot | None = None
        self._questions = 0  # waiting or being answered
        self._seconds = 10.0  # until a slot frees up, a moving average
        self._speeds = speeds or Speeds()
        self._prompt_speed = self._writing_speed = self._load_seconds = 0.0
        self._to_read = 0  # tokens, of the prompt that was last asked about
        self._last_used = time.monotonic()
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
        """Tokens that prompt and answer share; may fall below the configured number once the model is loaded."""
        return int(self._child.hello.get("context_tokens", self._context_tokens))

    @property
    def prompt_speed(self) -> float:
        """Prompt tokens read per second: lately, at load, or in an earlier life; 0 if not known."""
        if self.state == "ready":
            return self._prompt_speed or float(self._child.hello["prompt_speed"])
        return speed.read if (speed := self._kept) else 0.0  # that of a machine which was busy then is forgotten

    @property
    def writing_speed(self) -> float:
        """Answer tokens written per second: lately, at load, or in an earlier life; 0 if not known."""
        if self.state == "ready":
            return self._writing_speed or float(self._child.hello["writing_speed"])
        return speed.written if (speed := self._kept) else 0.0

    @property
    def load_seconds(self) -> float:
        """What loading it took last time; 0 if it is loaded or that is not known."""
        return speed.loading if self.state != "ready" and (speed := self._kept) else 0.0

    @property
    def is_small(self) -> bool:
        """Whether its file is small."""
        return self._path.exists() and self._path.stat().st_size < SMALL_BYTES

    @property
    def _kept(self) -> Speed | None:
        return self._speeds.of(self._path)

    @property
    def slots(self) -> int:
        """The number of answers written at once; 1 before the model is loaded."""
        return self._admission.slots

    async def start(self) -> None:
        """Load the model if it is not loaded. Raises Unavailable."""
        self._last_used = time.monotonic()
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        if self.state == "stopped":
            await self._make_room()
        started, was_ready = time.monotonic(), self.state == "ready"
        hello = await self._child.start()
        if not was_ready:
            self._load_seconds, self._prompt_speed, self._writing_speed = time.monotonic() - started, 0.0, 0.0
        if not was_ready or self._kept is None:  # whoever waited for it to load may have left
            self._keep_speed()
        if (slots := self._parallel or hello["slots"]) != self.slots:
            log.info("%s writes %d answers at once", self.name, slots)
            self._admission.slots = slots
        self._admission.reading_seconds = self._admission.reading_seconds or USUAL_PROMPT / hello["prompt_speed"]

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None, None]:
        """The loaded model for one question, in order of arrival; no other prompt is read until `generate` has read it.

        Raises Busy when too many wait, Unavailable.
        """
        if self._questions >= self._queue + self._admission.slots:
            # Until a slot frees up; advising a longer wait would only let others refill it.
            wait = math.ceil(self._seconds)
            raise Busy(f"{self._queue} questions already wait for {self.name}. Try again in {wait} s.", wait)
        self._questions += 1
        try:
            slot = self._reading = await self._admission.acquire()
            started = time.monotonic()
            try:
                await self.start()
                yield
            finally:
                self._last_used = time.monotonic()
                self._seconds += SMOOTHING * ((self._last_used - started) / self._admission.slots - self._seconds)
                self._admission.release(slot)
                if self._reading is slot:
                    self._reading = None
        finally:
            self._questions -= 1

    async def count(self, texts: list[str]) -> list[int]:
        """The number of tokens in each text. Raises Unavailable."""
        answer, _ = await self._child.call({"do": "count", "texts": texts})
        return [int(number) for number in answer["counts"]]

    async def uncached(self, messages: list[dict[str, str]]) -> tuple[int, int]:
        """The length of these messages' prompt in tokens, and how many of them would have to be read.

        Raises Unavailable.
        """
        answer, _ = await self._child.call({"do": "uncached", "messages": messages})
        self._to_read = int(answer["uncached"])
        return int(answer["tokens"]), self._to_read

    async def generate(
        self, messages: list[dict[str, str]], *, temperature: float, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """The answer to `messages` (`role`, `content`) in pieces of whole characters; closing it early stops the model.

        Raises TooLarge for a prompt longer than the context, ChildDied or Unavailable.
        """
        slot, self._reading = self._reading, None
        header = {"do": "generate", "messages": messages, "temperature": temperature, "max_tokens": max_tokens}
        started, to_read, is_read, written = time.monotonic(), self._to_read, False, (0, 0.0)
        try:
            async with aclosing(self._child.stream(header)) as pieces:
                async for piece in pieces:
                    if "uncached" in piece:
                        is_read = True
                        self._prompt_read(slot, piece["uncached"], piece["seconds"])
                    else:
                        written = piece["written"], piece["seconds"]
                    if piece["text"]:
                        yield piece["text"]
        finally:
            waited = time.monotonic() - started
            if self.state == "ready":
                if not is_read and waited > PATIENCE:  # given up: it is at most so fast
                    self._prompt_speed = min(self.prompt_speed, to_read / waited)
                if written[0] >= MEASURABLE:
                    self._writing_speed = self.writing_speed + SMOOTHING * (
                        written[0] / written[1] - self.writing_speed
                    )
                self._keep_speed()

    def _prompt_read(self, slot: Slot | None, tokens: int, seconds: float) -> None:
        if slot:
            self._admission.prompt_read(slot, seconds)
        if tokens >= MEASURABLE:
            self._prompt_speed = self.prompt_speed + SMOOTHING * (tokens / seconds - self.prompt_speed)

    def _keep_speed(self) -> None:
        self._speeds.keep(self._path, Speed(self.prompt_speed, self.writing_speed, self._load_seconds))

    async def close(self) -> None:
        """Unload the model for good."""
        if self._watching:
            self._watching.cancel()
        await self._child.close()

    async def _make_room(self) -> None:
        """Unload idle models as long as this one does not fit beside them."""
        for other in self._others.values():
            if other._idle and 0 < available_memory() < NEEDED * self._path.stat().st_size:
                log.info("%s is unloaded: %s needs its memory", other.name, self.name)
                await other._child.rest()

    @property
    def _idle(self) -> bool:
        return self.state == "ready" and not self._questions

    async def _watch(self) -> None:
        """Unload the model whenever it has been idle for long, or is idle and memory is short."""
        least = LEAST_FREE * find_machine().memory
        while True:
            await asyncio.sleep(min(self._idle_seconds, CHECK_SECONDS))
            if not self._idle:
                continue
            idle, free = time.monotonic() - self._last_used, available_memory()
            short = 0 < free < least
            if short or idle >= self._idle_seconds:
                reason = f"only {free >> 20} MB of memory are free" if short else f"idle for {idle:.0f} s"
                log.info("%s is unloaded: %s", self.name, reason)
                await self._child.rest()

"""The conversations in one context of llama.cpp: read one at a time, written together, and what was read is kept and not read again.

They share the context, so that several take no more memory than one. What a token stands for, and who may ask when, is not known here.
A model that cannot forget the end of what it has read, a recurrent one, reads anew.
"""

import ctypes
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from docqa.errors import Unavailable

BATCH = 512  # tokens of a prompt at once: without a graphics card the work on them can be stopped in between
MOST = 4  # sequences
KEPT = 8  # conversations that are put away
WORTH = 64  # tokens: fewer are sooner read again than copied
ABORTED = 2  # of llama_decode's results
# What llama.cpp's own server samples with.
TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05
# Twice as many sequences are worth it if they write so many times the tokens a second, by the best of some steps.
GAIN, STEPS = 1.3, 3


class Stopped(Exception):
    """Nobody wants what is being read or written any more."""


@dataclass(eq=False)
class Sequence:
    """One conversation in the context: the tokens it holds, how many they may become, and the one to follow. Whoever asks sets `stopped`."""

    number: int
    held: list[int] = field(default_factory=list)
    room: int = 0
    next: int = -1
    sampler: Any = None
    stopped: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, eq=False)
class _Kept:
    """A conversation that was put away: its tokens, and what llama.cpp made of them."""

    held: list[int]
    state: Any


class Sequences:
    """`most` conversations in a context of `cells` tokens; `room` bytes are for those that are put away."""

    def __init__(self, api: Any, model: Any, context: Any, *, cells: int, room: float, most: int) -> None:
        self._api, self._context, self._vocabulary = api, context, api.llama_model_get_vocab(model)
        self._memory = api.llama_get_memory(context)
        self._cells, self._room = cells, room
        self._free = list(range(most))  # numbers
        self._open: list[Sequence] = []
        self._idle: Sequence | None = None  # the last one that was closed is as it was left
        self._kept: list[_Kept] = []
        self._writing: list[Sequence] = []  # those that write in the next step
        self._batch = api.llama_batch_init(BATCH, 0, 1)
        # Whoever leaves must not wait for the end of another's batch either.
        self._aborts = api.ggml_abort_callback(lambda _: any(one.stopped.is_set() for one in self._open))

    def uncached(self, tokens: list[int]) -> int:
        """How many of these tokens would have to be read."""
        held = (
            [one.held for one in self._open]
            + [one.held for one in self._kept]
            + ([self._idle.held] if self._idle else [])
        )
        return len(tokens) - max((_common(one, tokens) for one in held), default=0)

    def open(
        self, tokens: list[int], room: int, temperature: float, stopped: threading.Event, seed: int | None = None
    ) -> Sequence | None:
        """A sequence that holds what was read before of these tokens, and may come to hold `room`; None while others leave no place for it.

        It has to be closed. Without a seed it writes something else each time."""
        taken = sum(max(one.room, len(one.held)) for one in self._open)
        if self._open and (taken + room > self._cells or not (self._idle or self._free)):
            return None
        sequence = self._resume(tokens)
        sequence.room, sequence.sampler, sequence.stopped = room, self._sampler(temperature, seed), stopped
        self._open.append(sequence)
        return sequence

    def read(self, sequence: Sequence, tokens: list[int]) -> Generator[None, None, int]:
        """Bring the model to the end of these tokens, one at least, giving way between batches; how many had to be read. Raises Stopped, Unavailable."""
        start = len(sequence.held)
        for at in range(start, len(tokens), BATCH):
            if at > start:
                yield
            while not self._read(sequence, tokens[at : at + BATCH]):
                yield  # it was broken off for another, who can leave now
        sequence.next = self._api.llama_sampler_sample(sequence.sampler, self._context, -1)
        return len(tokens) - start

    def write(self, sequence: Sequence) -> Iterator[int | None]:
        """The tokens that follow what was read, until the model ends or the context is full; None before each but the first: then the others have to be asked
        for theirs, so that all are written in one step. Raises Unavailable."""
        while not self._api.llama_vocab_is_eog(self._vocabulary, sequence.next):
            yield sequence.next
            if self._must_end(sequence):
                return
            self._writing.append(sequence)
            yield None
            if sequence in self._writing:
                self._step()

    def close(self, sequence: Sequence) -> None:
        self._api.llama_sampler_free(sequence.sampler)
        self._open.remove(sequence)
        if sequence in self._writing:
            self._writing.remove(sequence)
        self._drop_idle()
        self._idle = sequence

    def worthwhile(self, token: int) -> int:
        """How many sequences write faster together than fewer do, measured with a token of the vocabulary before anything is read."""
        numbers = [number for number in (1, 2, 4) if number <= len(self._free)]
        rounds = [{number: self.seconds(number, [token]) for number in numbers} for _ in range(STEPS)]
        seconds = {number: min(one[number] for one in rounds) for number in numbers}
        best = 1
        for number in numbers[1:]:
            if number / seconds[number] < GAIN * best / seconds[best]:
                break
            best = number
        return best

    def seconds(self, number: int, tokens: list[int]) -> float:
        """The time in which so many sequences get these tokens in one step, before anything is read."""
        sequences = [Sequence(number) for number in range(number)]
        start = time.perf_counter()
        self._decode([(one, tokens) for one in sequences])
        self._api.llama_synchronize(self._context)
        seconds = time.perf_counter() - start
        for one in sequences:
            self._clear(one)
        return seconds

    def _resume(self, tokens: list[int]) -> Sequence:
        """The sequence that was left, or a new one, gone back to where these tokens part from what was read: in it, in a conversation put away, or in one
        beside it."""
        sequence = self._idle or Sequence(self._free.pop(0))
        self._idle = None
        here = _common(sequence.held, tokens)
        kept = max(self._kept, key=lambda kept: _common(kept.held, tokens), default=None)
        wanted = kept and _common(kept.held, tokens) > here + WORTH
        if len(sequence.held) > 2 * here + WORTH:
            self._put_away(sequence)
        if kept and wanted:
            self._take_up(sequence, kept)
        here = min(_common(sequence.held, tokens), len(tokens) - 1)  # the last one is read again for what follows it
        for beside in self._open:
            common = min(_common(beside.held, tokens), len(tokens) - 1)
            if common > here:
                self._clear(sequence)
                self._api.llama_memory_seq_cp(self._memory, beside.number, sequence.number, 0, common)
                sequence.held, here = beside.held[:common], common
        self._cut(sequence, here)
        return sequence

    def _cut(self, sequence: Sequence, end: int) -> None:
        """Forget what is behind the first `end` tokens, or all where only that can be."""
        if self._api.llama_memory_seq_rm(self._memory, sequence.number, end, -1):
            sequence.held = sequence.held[:end]
        else:
            self._clear(sequence)

    def _clear(self, sequence: Sequence) -> None:
        self._api.llama_memory_seq_rm(self._memory, sequence.number, -1, -1)
        sequence.held = []

    def _drop_idle(self) -> None:
        """Put the one away that was left, for another was, or the room is needed."""
        if self._idle:
            if len(self._idle.held) > WORTH:
                self._put_away(self._idle)
            self._clear(self._idle)
            self._free.append(self._idle.number)
            self._idle = None

    def _put_away(self, sequence: Sequence) -> None:
        size = self._api.llama_state_seq_get_size(self._context, sequence.number)
        if size > self._room:
            return
        while self._kept and (
            len(self._kept) == KEPT or size + sum(len(kept.state) for kept in self._kept) > self._room
        ):
            del self._kept[0]
        state = (ctypes.c_uint8 * size)()
        self._api.llama_state_seq_get_data(self._context, state, size, sequence.number)
        self._kept.append(_Kept(sequence.held, state))

    def _take_up(self, sequence: Sequence, kept: _Kept) -> None:
        self._clear(sequence)
        if kept in self._kept:
            self._kept.remove(kept)
        if self._api.llama_state_seq_set_data(self._context, kept.state, len(kept.state), sequence.number):
            sequence.held = kept.held

    def _must_end(self, sequence: Sequence) -> bool:
        """Whether the context is full and this is the longest in it; only what a model thinks takes more room than it was given."""
        lengths = [len(one.held) for one in self._open]
        return sum(lengths) + len(lengths) > self._cells and len(sequence.held) == max(lengths)

    def _read(self, sequence: Sequence, tokens: list[int]) -> bool:
        """Read a batch, unless somebody leaves meanwhile. Raises Stopped if it is this one."""
        # Asked before each of some hundred steps: of a batch that is nothing, of a single token, after which can be looked as well, a twentieth of its time.
        self._api.llama_set_abort_callback(self._context, self._aborts, None)
        try:
            done = not sequence.stopped.is_set() and self._decode(
                [(sequence, tokens)]
            )  # on a graphics card nothing asks in between
        finally:
            self._api.llama_set_abort_callback(self._context, self._api.ggml_abort_callback(), None)
        if sequence.stopped.is_set():
            raise Stopped
        return done

    def _step(self) -> None:
        """The next token of all that write."""
        self._decode([(one, [one.next]) for one in self._writing])
        for index, one in enumerate(self._writing):
            one.next = self._api.llama_sampler_sample(one.sampler, self._context, index)
        self._writing.clear()

    def _decode(self, parts: list[tuple[Sequence, list[int]]]) -> bool:
        """Whether it was not broken off. Raises Unavailable."""
        if (
            self._idle
            and sum(len(one.held) for one in (*self._open, self._idle)) + sum(len(tokens) for _, tokens in parts)
            > self._cells
        ):
            self._drop_idle()
        batch, count = self._batch, 0
        for sequence, tokens in parts:
            for position, token in enumerate(tokens, len(sequence.held)):
                batch.token[count], batch.pos[count], batch.n_seq_id[count], batch.seq_id[count][0] = (
                    token,
                    position,
                    1,
                    sequence.number,
                )
                batch.logits[count] = position == len(sequence.held) + len(tokens) - 1
                count += 1
        batch.n_tokens = count
        result = self._api.llama_decode(self._context, batch)
        for sequence, tokens in parts:
            if result:
                self._cut(
                    sequence, len(sequence.held)
                )  # of a batch that was broken off, some is there, and nothing says how much
            else:
                sequence.held += tokens
        if result and result != ABORTED:
            raise Unavailable(f"The model failed: llama.cpp could not read on ({result}).")
        return not result

    def _sampler(self, temperature: float, seed: int | None) -> Any:
        api = self._api
        chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
        if temperature <= 0:
            api.llama_sampler_chain_add(chain, api.llama_sampler_init_greedy())
            return chain
        for sampler in (
            api.llama_sampler_init_top_k(TOP_K),
            api.llama_sampler_init_top_p(TOP_P, 1),
            api.llama_sampler_init_min_p(MIN_P, 1),
            api.llama_sampler_init_temp(temperature),
            api.llama_sampler_init_dist(api.LLAMA_DEFAULT_SEED if seed is None else seed),
        ):
            api.llama_sampler_chain_add(chain, sampler)
        return chain


def _common(one: list[int], other: list[int]) -> int:
    """How many tokens both begin with."""
    return next(
        (number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )

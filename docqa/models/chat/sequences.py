"""The conversations in one llama.cpp context: prompts are read one at a time, answers written in common steps.

What was read is cached and not read again. All share one context, so that several take no more memory than one. A
recurrent model cannot drop the end of what it has read, so it reads from the beginning. Nothing here knows what a token
stands for, nor whose turn it is.
"""

import ctypes
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from docqa.errors import Unavailable

BATCH = 512  # prompt tokens at once: on a CPU, the work on them can be aborted
MAX_SEQUENCES = 4
MAX_EVICTED = 8  # conversations
WORTH_COPYING = 64  # tokens: fewer are sooner read again than copied
ABORTED = 2  # a result of llama_decode
# The defaults of llama.cpp's own server.
TOP_K, TOP_P, MIN_P = 40, 0.95, 0.05
# Doubling the number of sequences is worth it for this gain in tokens per second, by the fastest of some steps.
GAIN, STEPS = 1.3, 3


class Stopped(Exception):
    """The client is gone: nobody wants what is being read or written."""


@dataclass(eq=False)
class Sequence:
    """One conversation in the context: its `tokens`, at most `capacity`, and the `next` one.

    Setting `stopped` ends it.
    """

    number: int
    tokens: list[int] = field(default_factory=list)
    capacity: int = 0
    next: int = -1
    sampler: Any = None
    stopped: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, eq=False)
class _Evicted:
    """A conversation moved out of the context: its tokens and llama.cpp's state for them."""

    tokens: list[int]
    state: Any


class Sequences:
    """Up to `limit` conversations in a context of `cells` tokens; evicted ones may take `evicted_bytes` of memory."""

    def __init__(self, api: Any, model: Any, context: Any, *, cells: int, evicted_bytes: float, limit: int) -> None:
        self._api, self._context, self._vocabulary = api, context, api.llama_model_get_vocab(model)
        self._memory = api.llama_get_memory(context)
        self._cells, self._evicted_bytes = cells, evicted_bytes
        self._free_numbers = list(range(limit))
        self._open: list[Sequence] = []
        self._idle: Sequence | None = None  # the last one closed stays in the context
        self._evicted: list[_Evicted] = []
        self._writing: list[Sequence] = []  # those that take part in the next step
        self._batch = api.llama_batch_init(BATCH, 0, 1)
        # A cancelled request must not wait for another's batch either.
        self._abort = api.ggml_abort_callback(lambda _: any(sequence.stopped.is_set() for sequence in self._open))

    def uncached(self, tokens: list[int]) -> int:
        """How many of these tokens would have to be read."""
        in_context = [*self._open, *([self._idle] if self._idle else [])]
        cached = [held.tokens for held in in_context] + [evicted.tokens for evicted in self._evicted]
        return len(tokens) - max((_common_prefix(known, tokens) for known in cached), default=0)

    def open(
        self, tokens: list[int], capacity: int, temperature: float, stopped: threading.Event, seed: int | None = None
    ) -> Sequence | None:
        """A sequence holding what is cached of `tokens`, for at most `capacity` of them;

        None while others take the room.

        The caller has to `close` it. Without a seed each answer is sampled differently.
        """
        taken = sum(max(sequence.capacity, len(sequence.tokens)) for sequence in self._open)
        if self._open and (taken + capacity > self._cells or not (self._idle or self._free_numbers)):
            return None
        sequence = self._resume(tokens)
        sequence.capacity, sequence.sampler, sequence.stopped = capacity, self._sampler(temperature, seed), stopped
        self._open.append(sequence)
        return sequence

    def read(self, sequence: Sequence, tokens: list[int]) -> Generator[None, None, int]:
        """Read `tokens`, a whole prompt, up to its end, at least one; yields between batches to let others go on.

        Returns how many had to be read. Raises Stopped, Unavailable.
        """
        start = len(sequence.tokens)
        for at in range(start, len(tokens), BATCH):
            if at > start:
                yield
            while not self._read_batch(sequence, tokens[at : at + BATCH]):
                yield  # aborted for another sequence, which can be closed now
        sequence.next = self._api.llama_sampler_sample(sequence.sampler, self._context, -1)
        return len(tokens) - start

    def write(self, sequence: Sequence) -> Iterator[int | None]:
        """The tokens of the answer until the model ends it or the context is full; a None before each but the first.

        At a None the caller has to advance the other writing sequences, so that all share one step. Raises Unavailable.
        """
        while not self._api.llama_vocab_is_eog(self._vocabulary, sequence.next):
            yield sequence.next
            if self._must_end(sequence):
                return
            self._writing.append(sequence)
            yield None
            if sequence in self._writing:
                self._step()

    def close(self, sequence: Sequence) -> None:
        """End a sequence; what it holds stays cached."""
        self._api.llama_sampler_free(sequence.sampler)
        self._open.remove(sequence)
        if sequence in self._writing:
            self._writing.remove(sequence)
        self._drop_idle()
        self._idle = sequence

    def fastest_number(self, token: int) -> int:
        """How many sequences write fastest together, measured with any token while nothing has been read."""
        numbers = [number for number in (1, 2, 4) if number <= len(self._free_numbers)]
        rounds = [{number: self.seconds(number, [token]) for number in numbers} for _ in range(STEPS)]
        seconds = {number: min(measured[number] for measured in rounds) for number in numbers}
        best = 1
        for number in numbers[1:]:
            if number / seconds[number] < GAIN * best / seconds[best]:
                break
            best = number
        return best

    def seconds(self, number: int, tokens: list[int]) -> float:
        """The time of one step in which `number` sequences read these tokens, while nothing has been read."""
        sequences = [Sequence(index) for index in range(number)]
        start = time.perf_counter()
        self._decode([(sequence, tokens) for sequence in sequences])
        self._api.llama_synchronize(self._context)
        seconds = time.perf_counter() - start
        for sequence in sequences:
            self._clear(sequence)
        return seconds

    def _resume(self, tokens: list[int]) -> Sequence:
        """The idle sequence or a new one, holding the longest cached prefix of `tokens`.

        The prefix comes from the idle sequence itself, an evicted conversation or an open one.
        """
        sequence = self._idle or Sequence(self._free_numbers.pop(0))
        self._idle = None
        common = _common_prefix(sequence.tokens, tokens)
        best = max(self._evicted, key=lambda evicted: _common_prefix(evicted.tokens, tokens), default=None)
        restore = best and _common_prefix(best.tokens, tokens) > common + WORTH_COPYING
        if len(sequence.tokens) > 2 * common + WORTH_COPYING:
            self._evict(sequence)
        if best and restore:
            self._restore(sequence, best)
        # The last token is always read again, for what follows it.
        common = min(_common_prefix(sequence.tokens, tokens), len(tokens) - 1)
        for other in self._open:
            shared = min(_common_prefix(other.tokens, tokens), len(tokens) - 1)
            if shared > common:
                self._clear(sequence)
                self._api.llama_memory_seq_cp(self._memory, other.number, sequence.number, 0, shared)
                sequence.tokens, common = other.tokens[:shared], shared
        self._cut(sequence, common)
        return sequence

    def _cut(self, sequence: Sequence, end: int) -> None:
        """Drop all but the first `end` tokens, or everything where the model cannot do that."""
        if self._api.llama_memory_seq_rm(self._memory, sequence.number, end, -1):
            sequence.tokens = sequence.tokens[:end]
        else:
            self._clear(sequence)

    def _clear(self, sequence: Sequence) -> None:
        self._api.llama_memory_seq_rm(self._memory, sequence.number, -1, -1)
        sequence.tokens = []

    def _drop_idle(self) -> None:
        """Take the idle sequence out of the context: another becomes idle, or its room is needed."""
        if self._idle:
            if len(self._idle.tokens) > WORTH_COPYING:
                self._evict(self._idle)
            self._clear(self._idle)
            self._free_numbers.append(self._idle.number)
            self._idle = None

    def _evict(self, sequence: Sequence) -> None:
        """Copy a conversation to memory, in place of the oldest ones there if need be."""
        size = self._api.llama_state_seq_get_size(self._context, sequence.number)
        if size > self._evicted_bytes:
            return
        while self._evicted and (
            len(self._evicted) == MAX_EVICTED
            or size + sum(len(evicted.state) for evicted in self._evicted) > self._evicted_bytes
        ):
            del self._evicted[0]
        state = (ctypes.c_uint8 * size)()
        self._api.llama_state_seq_get_data(self._context, state, size, sequence.number)
        self._evicted.append(_Evicted(sequence.tokens, state))

    def _restore(self, sequence: Sequence, evicted: _Evicted) -> None:
        self._clear(sequence)
        if evicted in self._evicted:
            self._evicted.remove(evicted)
        if self._api.llama_state_seq_set_data(self._context, evicted.state, len(evicted.state), sequence.number):
            sequence.tokens = evicted.tokens

    def _must_end(self, sequence: Sequence) -> bool:
        """Whether the context is full and this is its longest sequence: only thinking may exceed the capacity."""
        lengths = [len(other.tokens) for other in self._open]
        return sum(lengths) + len(lengths) > self._cells and len(sequence.tokens) == max(lengths)

    def _read_batch(self, sequence: Sequence, tokens: list[int]) -> bool:
        """Read a batch; False if it was aborted for another sequence. Raises Stopped if this one is stopped."""
        # llama.cpp calls back before each of some hundred operations: nothing beside a batch, but a twentieth of the
        # time of a single token, after which `stopped` can be checked as well. On a graphics card it does not call
        # back.
        self._api.llama_set_abort_callback(self._context, self._abort, None)
        try:
            done = not sequence.stopped.is_set() and self._decode([(sequence, tokens)])
        finally:
            self._api.llama_set_abort_callback(self._context, self._api.ggml_abort_callback(), None)
        if sequence.stopped.is_set():
            raise Stopped
        return done

    def _step(self) -> None:
        """Write the next token of all writing sequences."""
        self._decode([(sequence, [sequence.next]) for sequence in self._writing])
        for index, sequence in enumerate(self._writing):
            sequence.next = self._api.llama_sampler_sample(sequence.sampler, self._context, index)
        self._writing.clear()

    def _decode(self, parts: list[tuple[Sequence, list[int]]]) -> bool:
        """Append tokens to sequences; False if this was aborted. Raises Unavailable."""
        new = sum(len(tokens) for _, tokens in parts)
        if self._idle and sum(len(held.tokens) for held in (*self._open, self._idle)) + new > self._cells:
            self._drop_idle()
        self._fill_batch(parts)
        result = self._api.llama_decode(self._context, self._batch)
        for sequence, tokens in parts:
            if result:
                self._cut(sequence, len(sequence.tokens))  # an aborted batch is in the context in part
            else:
                sequence.tokens += tokens
        if result and result != ABORTED:
            raise Unavailable(f"The model failed: llama_decode returned {result}.")
        return not result

    def _fill_batch(self, parts: list[tuple[Sequence, list[int]]]) -> None:
        batch, count = self._batch, 0
        for sequence, tokens in parts:
            last = len(sequence.tokens) + len(tokens) - 1
            for position, token in enumerate(tokens, len(sequence.tokens)):
                batch.token[count], batch.pos[count] = token, position
                batch.n_seq_id[count], batch.seq_id[count][0] = 1, sequence.number
                batch.logits[count] = position == last
                count += 1
        batch.n_tokens = count

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


def _common_prefix(left: list[int], right: list[int]) -> int:
    """The length of the common prefix."""
    return next(
        (length for length, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )

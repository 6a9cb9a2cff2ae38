"""Texts in batches for a model that makes vectors: those of similar length together, since a batch takes as long as its
longest text, and short, since a question waits for one."""

from collections.abc import Iterator, Sequence

BATCH = 16  # texts
AT_ONCE = 4  # texts that an encoder reads at once: of more the states no longer fit into a processor's cache
# Characters of a batch: a passage, for whose 40 ms each request of a question may have to wait. With two of them a chat
# took twice as long as in peace, and they were embedded a fifth faster.
LONG = 1500
LONG_UNASKED = 16_000  # while nobody asks: all that is taken from a document at a time, 0.3 s on two cores
LATELY = 60.0  # seconds since a question, in which another one is likely
LONG_REMOTE = 30_000  # to a server of its own, where each request takes its time on the way and no question waits


def longest(since_question: float, *, is_remote: bool) -> int:
    """Characters of a batch, so many seconds after a question."""
    if is_remote:
        return LONG_REMOTE
    return LONG if since_question < LATELY else LONG_UNASKED


def batches(texts: Sequence[str], characters: int) -> Iterator[list[int]]:
    """The indexes of the texts in batches of up to BATCH of them and of up to so many characters in all, and at least
    one text."""
    batch: list[int] = []
    length = 0
    for index in sorted(range(len(texts)), key=lambda index: len(texts[index])):
        if batch and (len(batch) == BATCH or length + len(texts[index]) > characters):
            yield batch
            batch, length = [], 0
        batch.append(index)
        length += len(texts[index])
    if batch:
        yield batch

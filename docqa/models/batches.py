"""How many texts a model that makes vectors reads at once: those of similar length together, since a batch takes as
long as its longest text, and few, since a question waits for them."""

from collections.abc import Iterator, Sequence

AT_ONCE = 4  # texts that an encoder reads at once: of more the states no longer fit into a processor's cache
# While somebody asks: each request of a chat may wait for them. With two passages it took twice as long as in peace.
AT_ONCE_ASKED = 1
LATELY = 60.0  # seconds since a question, in which another one is likely
# What is given at a time to another server, where each request takes its time on the way and no question waits.
BATCH = 16  # texts, to sentence-transformers too
LONG = 30_000  # characters


def at_once(since_question: float) -> int:
    """How many texts of documents, so many seconds after a question."""
    return AT_ONCE_ASKED if since_question < LATELY else AT_ONCE


def batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """The indexes of the texts in batches of up to BATCH of them and of up to LONG characters in all, and at least one
    text."""
    batch: list[int] = []
    length = 0
    for index in sorted(range(len(texts)), key=lambda index: len(texts[index])):
        if batch and (len(batch) == BATCH or length + len(texts[index]) > LONG):
            yield batch
            batch, length = [], 0
        batch.append(index)
        length += len(texts[index])
    if batch:
        yield batch

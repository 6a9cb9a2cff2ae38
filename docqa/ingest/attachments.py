"""The files that a message carries, read one after the other; what is in them, if they are messages, too."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from docqa.errors import Unreadable
from docqa.formats.mail.attached import MOST, first_of
from docqa.ingest.prepared import Carried, Prepared
from docqa.ingest.queue import ReadingQueue
from docqa.ingest.spool import Spool

DEEPEST = 3  # messages within messages, each attached as a file
_NAMED = 5


@dataclass(frozen=True)
class Attached:
    """An attachment that was read; its `name` begins with that of its message."""

    name: str
    file: Carried
    content: Spool
    prepared: Prepared


async def read_attachments(
    queue: ReadingQueue, account: int, message: Prepared, name: str, until: float
) -> tuple[list[Attached], list[str]]:
    """The documents among the attachments, and a note for each that was not read.

    `until` is the time of the event loop's clock from which on no further one is read: who uploads is waiting. Raises
    Busy and ChildDied, as reading a file does.
    """
    notes: list[str] = []
    attached: list[Attached] = []
    async for part in _read(queue, account, message.attachments, name, until, notes, 1):
        if len(attached) == MOST:
            notes.append(f"Of the attachments {MOST} were read. Upload the others by themselves.")
            break
        attached.append(part)
    return attached, notes


async def _read(
    queue: ReadingQueue,
    account: int,
    files: Sequence[Carried],
    name: str,
    until: float,
    notes: list[str],
    depth: int,
) -> AsyncIterator[Attached]:
    late: list[str] = []
    for file in files:
        if asyncio.get_running_loop().time() >= until:
            late.append(file.name)
            continue
        own = f"{name} / {file.name}"
        try:
            async with asyncio.timeout_at(until):
                content = await asyncio.to_thread(Spool.of, file.data)
                prepared = await queue.read(account, content, file.name, "", ("body", "file"))
        except TimeoutError:
            late.append(file.name)
            continue
        except Unreadable as error:
            notes.append(f"The attachment {file.name} was not read: {error}")
            continue
        yield Attached(own, file, content, prepared)
        if prepared.attachments and depth < DEEPEST:
            async for inner in _read(queue, account, prepared.attachments, own, until, notes, depth + 1):
                yield inner
        elif prepared.attachments:
            notes.append(f"What the message {file.name} carries was not read: it is nested too deep.")
    if late:
        notes.append(f"Attachments for which no time was left: {first_of(late, _NAMED)}. Upload them by themselves.")

"""What slides say: the title of each with the first of what stands below it. Slides have few whole sentences."""

import re
from collections.abc import Sequence

from docqa import store
from docqa.ingest.headings import role_of
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.text.blocks import Block
from docqa.text.words import is_dense

MOST = {"SHORT": 10, "LONG": 20}  # slides
WORDS, LONGEST = 12, 30  # of a slide: enough with so many, not more than so many
_BULLET = re.compile(r"^[^\w(\"“«]+")
_SAID = ("item", "paragraph", "question")


async def slide_lines(db: Database, document: StoredDocument, length: str) -> list[tuple[str, StoredChunk]]:
    """A line for each titled slide, with its chunk; none where there are more slides than a summary of this length
    names, or fewer than three."""
    async with db.read() as conn:
        chunks = await store.chunks.chunks(conn, document.id)
        blocks = await store.chunks.blocks(conn, {chunk.id: chunk.text for chunk in chunks})
    first: dict[int, StoredChunk] = {}
    for chunk in chunks:
        first.setdefault(chunk.page_number, chunk)
    lines: list[tuple[str, StoredChunk]] = []
    titles: set[str] = set()
    for chunk in first.values():
        title = " ".join(chunk.section.split())
        if title and title not in titles and title != document.title and role_of(title) != "skipped":
            titles.add(title)
            said = _said(chunk.text, blocks[chunk.id], title)
            lines.append((f"{title}: {said}" if said else title, chunk))
    return lines if 3 <= len(lines) <= MOST[length] else []


def _said(text: str, blocks: Sequence[Block], title: str) -> str:
    """The first items or paragraphs of a slide, whole; "" where the first one is too long."""
    kept: list[str] = []
    words = 0
    for block in blocks:
        part = _BULLET.sub("", " ".join(text[block.start : block.end].split())).rstrip(" ;,")
        size = len(part) // 2 if is_dense(part) else len(part.split())
        if block.kind not in _SAID or not part or part == title:
            continue
        if words + size > LONGEST:
            break
        kept.append(part)
        words += size
        if words >= WORDS:
            break
    return "; ".join(kept)

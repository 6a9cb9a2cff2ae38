"""The language, the key sentences and the summary of a stored document, as its child makes them."""

from collections.abc import Iterator, Sequence
from typing import Any

from docqa.formats.names import OF_ROWS
from docqa.ingest.gist import PARTS_NAMED
from docqa.ingest.key_sentences import notes
from docqa.ingest.outline import SLIDES, outline_of_pages
from docqa.ingest.preparation import Record, main_language
from docqa.ingest.selection import choose
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument, StoredPage
from docqa.store.notes import Note
from docqa.text.blocks import stored_blocks

SUMMARY_SENTENCES, SUMMARY_WORDS = 4, 110
SLIDE_SENTENCES = 2  # the titles of slides say more


def records_of(given: dict[str, Any], about: dict[str, Any]) -> Iterator[Record]:
    """The key sentences, as `Gist` has them; `about` gets language and summary. `given` is as `given_of` has it."""
    document = StoredDocument(**given["document"])
    chunks = [StoredChunk(*values) for values in given["chunks"]]
    key_sentences = notes(chunks) if not document.summary else []
    language = document.language or main_language(chunk.text for chunk in chunks)
    summary, parts = document.summary, given["parts"]
    if not summary:
        if document.kind not in OF_ROWS:
            pages = [StoredPage(number, text, stored_blocks(text, blocks)) for number, text, blocks in given["pages"]]
            sections = [chunk.section for chunk in chunks]
            parts = outline_of_pages(document, pages, sections, language or "en", PARTS_NAMED)
        summary = summarise(document.kind, chunks, key_sentences, parts)
    for note in key_sentences:
        yield "note", (chunks[note.chunk].id, note.start, note.end, note.part, note.weight)
    about |= {"language": language, "summary": summary}


def summarise(kind: str, chunks: Sequence[StoredChunk], key_sentences: Sequence[Note], parts: str) -> str:
    """The stored summary: the most telling of a document's key sentences, verbatim but for line breaks, and what its
    parts are, where that is known; of a table only that."""
    if kind in OF_ROWS and parts:
        return parts
    texts = [chunks[note.chunk].text[note.start : note.end] for note in key_sentences]
    sentences = SLIDE_SENTENCES if kind in SLIDES else SUMMARY_SENTENCES - bool(parts)
    chosen = choose(key_sentences, texts, sentences, SUMMARY_WORDS)
    return " ".join([*(" ".join(texts[index].split()) for index in chosen), parts]).strip()

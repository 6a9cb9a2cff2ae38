"""What a summary is asked for beside the whole, and the sentences that speak of it."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from docqa.answering.mentions import match_of, speaks_of
from docqa.answering.model_summary import evenly
from docqa.ingest import key_sentences
from docqa.ingest.sentence_worth import denies
from docqa.languages import any_of
from docqa.questions.question import Question
from docqa.questions.wanted import TopicWord
from docqa.store import full_text, scopes
from docqa.store.chunks import StoredChunk
from docqa.store.database import Database
from docqa.store.documents import StoredDocument
from docqa.store.notes import StoredNote

SOUGHT = 4.0  # what a sentence weighs more that speaks of it
REASON = 0.5  # of this: what was not done or is not so is the reason for most of what is asked
NARROW = 4  # words of a topic; with more, it is the document again in other words
MOST_OF_IT = 0.5  # of a topic, at least: a sentence with fewer of its words speaks of something else
FEW = 3  # sentences that speak of it, and are enough without others
WEIGHED = 500  # passages whose sentences are all weighed, 1 ms each; of more, so many of those that speak of it
READ = 10_000  # passages in which decisions are looked for, which takes a second; of more, an even share

OfDocument = tuple[StoredDocument, list[StoredNote]]


@dataclass(frozen=True)
class Focus:
    """The words of a topic, decisions, and reasons: what is not so."""

    topic: tuple[TopicWord, ...]
    decisions: bool
    reasons: bool

    @classmethod
    def of(cls, question: Question) -> "Focus | None":
        """None for a summary of the whole."""
        topic = question.scope.topic_words if len(question.scope.topic) <= NARROW else ()
        focus = cls(topic, question.wants_decisions, question.wants_reasons)
        return focus if topic or focus.decisions or focus.reasons else None

    @property
    def narrows(self) -> bool:
        """Whether what does not speak of it is something else: reasons may be given by anything."""
        return bool(self.topic) or self.decisions

    def weight(self, sentence: str) -> float:
        """How often more a sentence weighs than one that does not speak of it."""
        named = sum(speaks_of((word,), sentence) for word in self.topic) / len(self.topic) if self.topic else 0.0
        named = named if named >= MOST_OF_IT else 0.0
        reason = REASON * (self.reasons and denies(sentence))
        return 1.0 + SOUGHT * (named + reason + (self.decisions and bool(_decided().search(sentence))))


@cache
def _decided() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of('text.decided')})", re.IGNORECASE)


async def focused(db: Database, documents: Sequence[StoredDocument], focus: Focus) -> tuple[list[OfDocument], bool]:
    """The most telling sentences of each document that speak of it, and whether these are enough: where they are few,
    others around them too, and where they are enough, no documents without any."""
    speaking = await _speaking(db, [document.id for document in documents], focus)
    return await asyncio.to_thread(_narrowed, documents, speaking, focus)


def _narrowed(
    documents: Sequence[StoredDocument], speaking: Mapping[int, Sequence[StoredChunk]], focus: Focus
) -> tuple[list[OfDocument], bool]:
    by_document = [(document, notes_of(speaking.get(document.id, ()), focus)) for document in documents]
    sought = [
        (document, [note for note in notes if focus.weight(note.text) > 1], notes) for document, notes in by_document
    ]
    is_enough = sum(len(notes) for _, notes, _ in sought) >= FEW
    if focus.narrows and is_enough:
        return [(document, notes) for document, notes, _ in sought if notes], True
    return [(document, notes if len(notes) >= FEW else others) for document, notes, others in sought], is_enough


def notes_of(chunks: Sequence[StoredChunk], focus: Focus | None = None) -> list[StoredNote]:
    """The most telling sentences of a document with these passages."""
    made = key_sentences.notes(chunks, focus.weight if focus else None)
    return [StoredNote(chunks[note.chunk], note.start, note.end, note.part, note.weight) for note in made]


async def _speaking(db: Database, documents: Sequence[int], focus: Focus) -> dict[int, list[StoredChunk]]:
    """The passages of each document that may speak of it: of few passages all, of many those with the words of the
    topic, rather with all of them than with some, or with decisions; where they are still too many, an even share."""
    async with db.read() as conn:
        scope = await scopes.scope_of(conn, documents)
        are_many = scope.size > WEIGHED
        if are_many and focus.topic:
            chunks = await full_text.holding(conn, scope, match_of(focus.topic), WEIGHED)
            if len(chunks) < FEW:
                chunks = await full_text.holding(conn, scope, match_of(focus.topic, every=False), WEIGHED)
        else:
            chunks = await full_text.spread(conn, scope, READ if focus.decisions else WEIGHED)
    if are_many and focus.decisions and not focus.topic:
        chunks = await asyncio.to_thread(lambda: [chunk for chunk in chunks if _decided().search(chunk.text)])
    of_document: dict[int, list[StoredChunk]] = {}
    for chunk in evenly(chunks, WEIGHED):
        of_document.setdefault(chunk.document, []).append(chunk)
    return of_document

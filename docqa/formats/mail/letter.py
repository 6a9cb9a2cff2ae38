"""A message as it is read: who wrote it to whom and when, its texts, the messages in it, and its attachments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parseaddr, parsedate_to_datetime

from docqa.formats.mail.attached import documents
from docqa.formats.markup.prose import Prose
from docqa.formats.pages import Attachment, ExtractedPage, Reading, paginate
from docqa.formats.properties import Properties
from docqa.text.blocks import Block

_LINK = re.compile(r"\S*(?:://|www\.)\S+")
_POORER = 1 / 3  # of the letters of the other version
_SHORT = 150  # letters: a text that may say no more than that the message is HTML


@dataclass
class Letter:
    """A message. `parts` are its texts and the messages enclosed in it, in order; `notes` say what was not read."""

    sender: str = ""
    to: str = ""
    cc: str = ""
    date: str = ""
    subject: str = ""
    parts: list["Prose | Letter"] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The lines of its head."""
        files = ", ".join(attachment.name for attachment in self.attachments)
        named = {"From": self.sender, "To": self.to, "Cc": self.cc, "Date": self.date, "Subject": self.subject}
        return [f"{name}: {text}" for name, text in {**named, "Attachments": files}.items() if text]

    @property
    def properties(self) -> Properties:
        """Its subject, the name of who wrote it, and the day."""
        return Properties.of(self.subject, person(self.sender), day(self.date))


def person(sender: str) -> str:
    """The name in a sender's line, "Ada King" also for "King, Ada (Office) <...>"; the address if there is none."""
    name, _, address = sender.partition("<")
    name = re.sub(r"\(.*?\)", "", name).strip(" '\"") if address else ""
    last, comma, first = name.partition(",")
    if name:
        return f"{first.strip()} {last.strip()}" if comma and "," not in first else name
    name, plain = parseaddr(sender)
    return name or plain or sender


def day(date: str) -> datetime | None:
    """When a date as messages write it is; None where it says nothing."""
    try:
        return parsedate_to_datetime(date)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def letters(text: str) -> int:
    """How much there is to read, without addresses of links."""
    return sum(map(str.isalnum, _LINK.sub("", text)))


def better(plain: Prose | None, rich: Prose | None) -> Prose | None:
    """The plain text of a message, or its HTML where that says far more."""
    if plain is None or rich is None:
        return plain or rich
    ours, theirs = letters(plain.text), letters(rich.text)
    is_poorer = ours < _POORER * theirs or ours < _SHORT and theirs > 2 * ours
    return rich if theirs and is_poorer else plain


def reading(kind: str, messages: Sequence[Letter]) -> Reading:
    """The messages in logical pages, each from a new page on, with those attachments that are documents."""
    files, unread = documents([file for letter in messages for file in attachments(letter)])
    said = [note for letter in messages for note in notes(letter)]
    [first, *others] = messages
    return Reading(
        kind,
        "" if others else first.subject,
        pages(messages),
        [*dict.fromkeys(said), *unread],
        properties=Properties() if others else first.properties,
        attachments=files,
    )


def pages(messages: Sequence[Letter]) -> Iterator[ExtractedPage]:
    """The messages in logical pages; each begins one."""
    for letter in messages:
        page = _Page()
        page.add(letter)
        for extracted in paginate(page.text, page.headings, page.blocks):
            yield replace(extracted, section=extracted.section or letter.subject)


def attachments(letter: Letter) -> Iterator[Attachment]:
    """Those of the message and of the messages in it."""
    yield from letter.attachments
    for part in letter.parts:
        if isinstance(part, Letter):
            yield from attachments(part)


def notes(letter: Letter) -> Iterator[str]:
    """Those of the message and of the messages in it."""
    yield from letter.notes
    for part in letter.parts:
        if isinstance(part, Letter):
            yield from notes(part)


class _Page:
    """The text of messages with its headings and blocks."""

    def __init__(self) -> None:
        self.text = ""
        self.headings: list[tuple[int, str]] = []
        self.blocks: list[Block] = []

    def add(self, letter: Letter) -> None:
        if letter.lines:
            lines, at = [], 0
            for line in letter.lines:
                lines.append(Block("paragraph", at, at + len(line)))
                at += len(line) + 1
            self._put(Prose("\n".join(letter.lines), [], lines))
        for part in letter.parts:
            if isinstance(part, Letter):
                self.add(part)
            else:
                self._put(part)

    def _put(self, prose: Prose) -> None:
        if not prose.text.strip():
            return
        by = len(self.text) + 2 if self.text else 0
        self.text += ("\n\n" if self.text else "") + prose.text
        self.headings += [(at + by, title) for at, title in prose.headings]
        self.blocks += [block._replace(start=block.start + by, end=block.end + by) for block in prose.blocks]

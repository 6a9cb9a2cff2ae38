"""Mailboxes (.mbox): messages one after the other, each after a line that begins with "From " (RFC 4155)."""

import re

from docqa.errors import Unreadable
from docqa.formats.mail.eml import letter_of
from docqa.formats.mail.letter import reading
from docqa.formats.pages import Reading

MOST = 5_000
_FROM = re.compile(rb"(?:\A|\n\r?\n)(?=From [^\r\n]*\d{2}:\d{2}[^\r\n]*\r?\n[!-9;-~]+:)")
_QUOTED = re.compile(rb"^>(?=>*From )", re.MULTILINE)


def read(data: bytes, charset: str = "") -> Reading:
    """The messages, each from a new page on; `charset` is ignored. Raises Unreadable for more than 5,000."""
    starts = [match.end() for match in _FROM.finditer(data)] or [0]
    if len(starts) > MOST:
        raise Unreadable(
            f"The mailbox holds more than {MOST:,} messages, which is the limit. Split it into smaller ones."
        )
    ends = [*starts[1:], len(data)]
    return reading(
        "mbox",
        [letter_of(_QUOTED.sub(b"", data[start:end])) for start, end in zip(starts, ends, strict=True)],
    )

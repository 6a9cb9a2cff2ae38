"""Messages (.eml): the head, the text in its better version, messages in the message; attachments are documents of
their own.

Inline pictures, signatures and what is encrypted are not read.
"""

from docqa.formats.mail import bodies
from docqa.formats.mail.attached import Files
from docqa.formats.mail.headers import bare_name
from docqa.formats.mail.letter import Letter, better, letters, reading
from docqa.formats.mail.mime import Parser, Part, uuencoded
from docqa.formats.mail.signed import signed_content
from docqa.formats.mail.tnef import opened as opened_tnef
from docqa.formats.markup.prose import Prose
from docqa.formats.pages import Reading

_BOM = b"\xef\xbb\xbf"
_LINES = ("message/delivery-status", "message/disposition-notification", "message/feedback-report")
_NOT_SHOWN = ("text/x-amp-html", "text/x-watch-html", "text/vcard", "text/x-vcard", "text/directory", "text/css")
_ENCRYPTED = "A part of the message is encrypted; it was not read."
_TOO_DEEP = "Messages nested deeper than 25 times, or beyond 2,000 parts, were not read."
_PKCS7 = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_TNEF = ("application/ms-tnef", "application/vnd.ms-tnef")


def read(data: bytes, charset: str = "") -> Reading:
    """The message in logical pages; `charset` is ignored. Raises Unreadable for more than a million elements."""
    return reading("eml", [letter_of(data)])


def letter_of(data: bytes) -> Letter:
    """The message that the bytes are."""
    return _letter(Parser().parse(data.removeprefix(_BOM).lstrip(b"\r\n")))


def _letter(message: Part) -> Letter:
    header = message.header
    letter = Letter(
        header.addresses("From") or header.addresses("Sender"),
        header.addresses("To"),
        header.addresses("Cc"),
        header["Date"],
        header["Subject"],
    )
    content = _Content(letter)
    content.add(message, is_only=True)
    letter.attachments = content.files.attachments
    if len(letter.parts) > 1 or letter.parts and isinstance(letter.parts[0], Letter):
        _drop_empty(letter)
    return letter


def content_of(data: bytes) -> Letter:
    """The text and the files of a MIME entity that is no message of its own, such as the content of a signature."""
    return _letter(Parser().parse(data.lstrip(b"\r\n")))


def _drop_empty(letter: Letter) -> None:
    letter.parts = [part for part in letter.parts if isinstance(part, Prose) or part.lines or part.parts]


class _Content:
    """Gathers what a message shows and carries."""

    def __init__(self, letter: Letter) -> None:
        self.letter = letter
        self.files = Files()

    def add(self, part: Part, is_only: bool = False, is_related: bool = False) -> None:
        """Add a part; it `is_only` if nothing stands beside it, and `is_related` where a page shows it."""
        if part.is_cut:
            self._note(_TOO_DEEP)
        if part.type == "multipart/alternative":
            self._add_alternative(part)
        elif part.type == "multipart/encrypted":
            self._note(_ENCRYPTED)
        elif part.type.startswith("message/") and part.parts:
            self.letter.parts.append(_letter(part.parts[0]))
        elif part.parts:
            related = part.type == "multipart/related"
            for child in part.parts:
                self.add(child, is_only and len(part.parts) == 1, is_related or related)
        elif not part.is_cut:
            self._add_leaf(part, is_only, is_related)

    def _add_alternative(self, part: Part) -> None:
        """The best of several versions; the files of all of them."""
        versions = []
        for child in part.parts:
            version = _Content(Letter())
            version.add(child, is_only=True)
            versions.append((child, version))
            self.files.take(version.files)
            for note in version.letter.notes:
                self._note(note)
        best: list[Prose | Letter] = []
        for is_plain in (True, False):  # a calendar's entry counts for a plain text that is none
            for child, version in versions:
                if version.letter.parts and (child.type == "text/plain") == is_plain:
                    best = _better(best, version.letter.parts)
        self.letter.parts += best

    def _add_leaf(self, part: Part, is_only: bool, is_related: bool) -> None:
        header, name = part.header, part.header.filename
        kind = part.type
        is_file = header.disposition == "attachment" or bool(name) and bool(self.letter.parts)
        if kind in _PKCS7 or name.lower().endswith(".p7m"):
            self._add_signed(part)
        elif kind in _TNEF or name.lower() == "winmail.dat":
            self._add_tnef(part)
        elif kind in _LINES or kind == "text/rfc822-headers":
            self._show(bodies.plain(part.body, header.parameter("charset")))
        elif kind in _NOT_SHOWN and not is_only:
            if name:
                self.files.add(name, kind, part.body)
        elif (kind.startswith("text/") and not is_file) or (is_only and not name and not kind.startswith("image/")):
            self._add_text(part)
        elif kind.startswith("image/") and header.disposition != "attachment" and (is_related or header["Content-ID"]):
            return
        else:
            self.files.add(name, kind, part.body)

    def _add_text(self, part: Part) -> None:
        header = part.header
        charset = header.parameter("charset")
        if part.type in ("text/html", "application/xhtml+xml"):
            self._show(bodies.html(part.body, charset))
        elif part.type in ("text/enriched", "text/richtext"):
            self._show(bodies.rich(part.body, charset))
        else:
            text, files = uuencoded(part.body)
            is_flowed = header.parameter("format").lower() == "flowed"
            shown = bodies.plain(text, charset, is_flowed, header.parameter("delsp").lower() == "yes")
            if shown is None and text.strip():
                self.files.add(header.filename, part.type, text)
            self._show(shown)
            for name, data in files:
                self.files.add(bare_name(name), "", data)

    def _add_signed(self, part: Part) -> None:
        content = signed_content(part.body)
        if content is None:
            self._note(_ENCRYPTED)
        else:
            self._take(content_of(content))

    def _add_tnef(self, part: Part) -> None:
        opened = opened_tnef(part.body)
        if opened is None:
            self.files.add(part.header.filename or "winmail.dat", part.type, part.body)
        else:
            if self.letter.parts:  # the message says it in plain text already
                opened.parts = [inner for inner in opened.parts if isinstance(inner, Letter)]
            self._take(opened)

    def _take(self, other: Letter) -> None:
        """Add what is in a message that only wraps this one's content."""
        self.letter.parts += other.parts
        self.letter.notes += other.notes
        self.files.attachments += other.attachments

    def _show(self, text: Prose | None) -> None:
        if text is not None:
            self.letter.parts.append(text)

    def _note(self, note: str) -> None:
        if note not in self.letter.notes:
            self.letter.notes.append(note)


def _better(ours: list[Prose | Letter], theirs: list[Prose | Letter]) -> list[Prose | Letter]:
    """The better of two versions, of which ours is the plainer one."""
    if not ours:
        return theirs
    texts = [Prose("\n\n".join(part.text for part in version if isinstance(part, Prose))) for version in (ours, theirs)]
    if not letters(texts[1].text):
        return ours
    return theirs if better(texts[0], texts[1]) is texts[1] else ours

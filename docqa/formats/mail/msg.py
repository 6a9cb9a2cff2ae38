"""Outlook's messages (.msg, [MS-OXMSG]): as messages on the wire, from their properties.

Our own reader, because extract-msg is under the GPL and brings packages of its own for what is a few pages here.
"""

import re

from docqa.errors import Unreadable
from docqa.formats.compound import Compound, Damaged
from docqa.formats.mail import mapi
from docqa.formats.mail.attached import Files
from docqa.formats.mail.eml import content_of
from docqa.formats.mail.headers import bare_name
from docqa.formats.mail.letter import Letter, reading
from docqa.formats.mail.mapi import Bag
from docqa.formats.mail.signed import signed_content
from docqa.formats.markup.prose import Prose
from docqa.formats.pages import Reading

DEEPEST = 10
MOST = 2_000  # recipients, and files
_PROPERTIES = "__properties_version1.0"
_STREAM = "__substg1.0_"
_TAG = re.compile(r"__substg1\.0_([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})")
_HEADERS = {"": 32, "message": 24, "other": 8}  # bytes before the properties of a stream
_EMBEDDED = f"{_STREAM}3701000D"
_TOO_DEEP = f"Messages nested deeper than {DEEPEST} times were not read."


def read(data: bytes, charset: str = "") -> Reading:
    """The message in logical pages; `charset` is ignored. Raises Unreadable for a damaged file."""
    try:
        letter = _letter(Compound(data), "", 0)
    except Damaged as error:
        raise Unreadable(
            "The message is damaged: parts of the file are missing. Save it again and upload that."
        ) from error
    if not letter.lines and not letter.parts:
        raise Unreadable("The file holds no message, or it is damaged. Save the message again and upload that.")
    return reading("msg", [letter])


def _letter(file: Compound, path: str, depth: int) -> Letter:
    """The message in the storage `path`, which ends in a slash or is empty."""
    bag = _bag(file, path, "message" if path else "")
    names = file.names(path)
    recipients = [_bag(file, f"{path}{name}/", "other") for name in names if name.startswith("__recip_version1.0_")]
    files = [f"{path}{name}/" for name in names if name.startswith("__attach_version1.0_")][:MOST]
    bags = [_bag(file, place, "other") for place in files]
    others = [*recipients[:MOST], *bags]
    strings = [value for other in others for kind, value in other.values.values() if kind == mapi.STRING_8]
    bag.charset = mapi.charset_of(bag, strings)
    for other in others:
        other.charset = bag.charset
    letter = mapi.letter_of(bag, recipients[:MOST])
    carried = Files()
    for place, attached in zip(files, bags, strict=True):
        _attach(file, place, attached, letter, carried, depth)
    letter.attachments = [*carried.attachments, *letter.attachments]
    return letter


def _attach(file: Compound, place: str, bag: Bag, letter: Letter, carried: Files, depth: int) -> None:
    """Add what a file that the message carries is: a message in it, its own signed content, or a file."""
    if f"{place}{_EMBEDDED}/{_PROPERTIES}" in file:
        if depth >= DEEPEST:
            letter.notes.append(_TOO_DEEP)
        else:
            letter.parts.append(_letter(file, f"{place}{_EMBEDDED}/", depth + 1))
        return
    name, kind = bare_name(bag.text(*mapi.FILE_NAMES)), bag.text(mapi.MEDIA_TYPE).lower()
    data = bag.binary(mapi.DATA)
    if kind == "multipart/signed" or name.lower().endswith(".p7m"):
        content = signed_content(data) if name.lower().endswith(".p7m") and not data.startswith(b"Content") else data
        if content is not None:
            inner = content_of(content)
            if any(isinstance(part, Prose) for part in letter.parts):
                inner.parts = [part for part in inner.parts if not isinstance(part, Prose)]
            letter.parts += inner.parts
            letter.notes += inner.notes
            letter.attachments += inner.attachments
            return
    is_shown = bag.number(mapi.HIDDEN) & 1 or bag.text(mapi.CONTENT_ID) and kind.startswith("image/")
    if data and not is_shown:
        carried.add(name, kind, data)


def _bag(file: Compound, path: str, kind: str) -> Bag:
    """The properties in a storage. Raises Damaged."""
    values = mapi.entries(file.stream(path + _PROPERTIES), _HEADERS[kind])
    for name in file.names(path):
        if tag := _TAG.fullmatch(name):
            number, type_ = int(tag[1], 16), int(tag[2], 16)
            if type_ in (mapi.STRING, mapi.STRING_8, mapi.BINARY):
                values[number] = type_, file.stream(path + name)
    return Bag(values)

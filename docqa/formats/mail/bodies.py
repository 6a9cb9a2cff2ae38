"""The texts of messages: plain (also `format=flowed`, RFC 3676), HTML, and simpler ones of old."""

import re
from collections.abc import Iterator
from itertools import groupby

from docqa.errors import Unreadable
from docqa.formats.mail.headers import text_of
from docqa.formats.markup.html import parse, prose
from docqa.formats.markup.prose import Prose
from docqa.formats.markup.web import declared_charset
from docqa.formats.pages import clean
from docqa.formats.plain.encoding import decode

_QUOTED = re.compile(r"[> ]+[^\W\d]")
_SIGNATURE = "-- "
_RICH_TAG = re.compile(r"<<|</?[A-Za-z][\w-]*>")
_RICH_PARAMETER = re.compile(r"<param>", re.IGNORECASE)
_PARAMETER_END = re.compile(r"</param>", re.IGNORECASE)


def plain(data: bytes, charset: str, is_flowed: bool = False, deletes_space: bool = False) -> Prose | None:
    """A plain text; None if nothing stands in it, or it is binary."""
    try:
        text = clean(text_of(data, charset))
    except Unreadable:
        return None
    text = unquoted(flowed(text, deletes_space) if is_flowed else text).strip("\n")
    return Prose(text) if text.strip() else None


def html(data: bytes, charset: str) -> Prose | None:
    """What a page shows; None if that is nothing."""
    try:
        return shown(clean(decode(data, declared_charset(data, charset))))
    except Unreadable:
        return None


def shown(source: str) -> Prose | None:
    """What HTML shows; None if that is nothing. Raises Unreadable for more than a million elements."""
    root = parse(source)
    text = prose(root) if root is not None else Prose()
    return text if text.text.strip() else None


def rich(data: bytes, charset: str) -> Prose | None:
    """text/enriched (RFC 1896) and text/richtext, without their commands."""
    text = plain(data, charset)
    if text is None:
        return None
    *parts, rest = _PARAMETER_END.split(text.text)
    shown = "".join([*(_RICH_PARAMETER.split(part, 1)[0] for part in parts), rest])
    shown = _RICH_TAG.sub(lambda tag: "<" if tag[0] == "<<" else "", shown)
    return Prose(shown) if shown.strip() else None


def unquoted(text: str) -> str:
    """The text with its quotations as paragraphs of their own: what is quoted is in lines as they were broken for the
    screen, and "> " before each is no mark of an item."""
    lines: list[str] = []
    before = 0
    for depth, line in _by_depth(text):
        if depth != before and lines and lines[-1]:
            lines.append("")
        lines.append(line)
        before = depth
    return "\n".join(lines)


def _by_depth(text: str) -> Iterator[tuple[int, str]]:
    """(how often it is quoted, the line without the marks of that) of each line; "> 14 days" quotes nothing."""
    for is_marked, run in groupby(text.split("\n"), key=lambda line: line.startswith(">")):
        lines = list(run)
        is_quoted = is_marked and any(map(_QUOTED.match, lines))
        for line in lines:
            words = line.lstrip("> ") if is_quoted else line
            yield line[: len(line) - len(words)].count(">"), words


def flowed(text: str, deletes_space: bool) -> str:
    """The text with the lines joined that were broken softly: they end in a space. Quoted lines keep their marks."""
    lines: list[str] = []
    open_depth = -1  # of the quotation whose line goes on
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        content = line[depth:].removeprefix(" ")
        goes_on = content.endswith(" ") and content != _SIGNATURE
        content = content[:-1] if goes_on and deletes_space else content
        if open_depth == depth and content != _SIGNATURE:
            lines[-1] += content
        else:
            lines.append(f"{'>' * depth}{' ' if depth else ''}{content}")
        open_depth = depth if goes_on else -1
    return "\n".join(line.rstrip() for line in lines)

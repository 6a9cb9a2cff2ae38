"""Markdown (CommonMark with GitHub's tables) → the text that it shows: it becomes HTML, which `html` reads.

Numbers of lists and code stay as written; addresses of links and pictures are left out, as of web pages.
"""

import re
from itertools import islice

from lxml.html import defs  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.token import Token

from docqa.formats.markup import front_matter
from docqa.formats.markup.html import parse, prose
from docqa.formats.markup.prose import Prose
from docqa.formats.pages import Reading, clean, paginate
from docqa.formats.plain.encoding import decode
from docqa.formats.properties import Properties
from docqa.text.blocks import Block
from docqa.text.lines import beginnings

# Characters. The parser takes about a second for each 300,000; texts made to stall it were no slower than five seconds.
LARGEST = 3_000_000
_TAG = re.compile(r"<([A-Za-z][\w:-]*)(\s[^<>]*)?(/?)>")
_CLOSING = re.compile(r"</([A-Za-z][\w:-]*)")
_OPEN_ENDED = frozenset(defs.empty_tags) | {
    *("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "colgroup"),
    *("html", "head", "body", "wbr"),
}  # fmt: skip


def read(data: bytes, charset: str = "") -> Reading:
    """The text in logical pages; `charset` is the one that the server declared, if any. Raises Unreadable if binary.

    A text of more than three million characters is read as plain text.
    """
    matter, text, known = front_matter.split(clean(decode(data, charset)))
    shown = _shown(text) if len(text) <= LARGEST else None
    if shown is None:
        return Reading("md", known.title, paginate(f"{matter}\n\n{text}" if matter else text), properties=known)
    tops = (block for block in shown.blocks if block.kind == "heading" and block.level == 1)
    title = known.title or next((shown.text[block.start : block.end] for block in tops), "")
    shown = _below(matter, shown)
    properties = Properties(title, known.author, known.date)
    return Reading("md", title, paginate(shown.text, shown.headings, shown.blocks), properties=properties)


def _shown(source: str) -> Prose | None:
    """What the text shows; None where nothing is left of it."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.block.ruler.at("reference", _definition, {"alt": []})
    closed = {name.lower() for name in _CLOSING.findall(source)}
    tokens = parser.parse(source)
    for token in tokens:
        for part in [token, *(token.children or ())]:
            if part.type in ("html_inline", "html_block"):
                part.content = _TAG.sub(lambda tag: _tag(tag, closed), part.content)
    _number(tokens)
    _part_lines(tokens)
    root = parse(f"<div>{parser.renderer.render(tokens, parser.options, {})}</div>")
    shown = prose(root) if root is not None else None
    return shown if shown and shown.text.strip() else None


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Definitions of links, but not of footnotes, which GitHub writes likewise: these are shown."""
    at = state.bMarks[start] + state.tShift[start]
    return not state.src.startswith("[^", at) and reference(state, start, end, silent)


def _tag(tag: re.Match[str], closed: set[str]) -> str:
    """The tag, or its text where it is none but a placeholder: `<name>`, never closed."""
    name = tag[1].lower()
    if tag[3] or (tag[2] or "").endswith("/") or name in closed or name in _OPEN_ENDED:
        return tag[0]
    return tag[0].replace("<", "&lt;")


def _number(tokens: list[Token]) -> None:
    """Put the numbers of ordered lists before the texts of their items."""
    lists: list[int | None] = []
    for place, token in enumerate(tokens):
        if token.type in ("ordered_list_open", "bullet_list_open"):
            is_ordered = token.type == "ordered_list_open"
            lists.append(int(token.attrGet("start") or 1) if is_ordered else None)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            lists.pop()
        elif token.type == "list_item_open" and lists and (number := lists[-1]) is not None:
            lists[-1] = number + 1
            for following in islice(tokens, place + 1, place + 3):
                if following.type == "inline" and following.children is not None:
                    following.children.insert(0, Token("text", "", 0, content=f"{number}{token.markup} "))


def _part_lines(tokens: list[Token]) -> None:
    """Keep lines apart that begin as items do, "1.1" or "(a)", or with a label: Markdown takes them for one paragraph,
    which nobody means who writes them."""
    for token in tokens:
        breaks = [child for child in token.children or () if child.type in ("softbreak", "hardbreak")]
        if breaks and len(breaks) == token.content.count("\n"):
            for line in beginnings(token.content) - {0}:
                breaks[line - 1].type = "hardbreak"


def _below(matter: str, shown: Prose) -> Prose:
    """What is shown, below the lines of the front matter."""
    if not matter:
        return shown
    lines, at = [], 0
    for line in matter.split("\n"):
        if line.strip():
            lines.append(Block("paragraph", at, at + len(line)))
        at += len(line) + 1
    by = len(matter) + 2
    moved = [block._replace(start=block.start + by, end=block.end + by) for block in shown.blocks]
    return Prose(f"{matter}\n\n{shown.text}", [(at + by, name) for at, name in shown.headings], [*lines, *moved])

"""The lines that MuPDF finds on a page → rows in reading order, each with the cells at the same height.

The order is the file's own unless it jumps back often; then the page is cut along its white space, by the XY-cut of
Nagy and Seth (1984). Footnotes, captions and boxes are not distinguished from the text around them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from docqa.formats.pdf.bidi import RIGHT_TO_LEFT, logical
from docqa.formats.pdf.rows import Cell, Row
from docqa.formats.pdf.table import is_narrow
from docqa.text.marks import Mark, item_mark

Box = tuple[float, float, float, float]  # left, top, right, bottom, in points

_CONTROLS = "".join(map(chr, range(0x80, 0xA0)))  # C1, which show nothing
_DRAWN = ("!", "l", "n", "q", "u", "v", "Ø", "ü", "è")  # what fonts of symbols draw as bullets
_SYMBOLS = re.compile(r"dingbat|wingding|webding|symbol|bullet", re.IGNORECASE)
_SPACES = re.compile(r"(?!(?<=\d)\xa0\d)(?<! ) *\xa0[ \xa0]*")  # but not of a number
_DRAWN_HYPHEN = re.compile(r"(?<=[^\W_])\xad(?=[^\W_])")
_BOLD = 16  # the flag of a font
_GUTTER = 8.0  # points between two columns
_COMPARED = 1_000_000  # pairs of rows; no real page has more
_MOST_LINES = 8  # of one cell, that the rest of its row stands behind in the file
_LEVEL, _VERTICAL, _OBLIQUE = (1, 0), (0, 0), (2, 2)


def directions(
    blocks: Iterable[dict[str, Any]], width: float, height: float
) -> Iterator[tuple[list[Row], float, float]]:
    """The rows of each writing direction, the most frequent first, with the page's top and bottom when turned that way.

    `blocks` are those of PyMuPDF's "dict", or of "rawdict" if `has_right_to_left`, of an unrotated page of this width
    and height in points.
    """
    turned = _turned(blocks)
    for direction in sorted(turned, key=lambda way: -_characters(turned[way])):
        written = turned[direction]
        ordered = paragraphs(written) if direction in (_VERTICAL, _OBLIQUE) else _ordered(_joined(written))
        rows = []
        for block in ordered:
            for place, row in enumerate(block):
                row.begins = place == 0
                _join_mark(row)
                rows.append(row)
        _, top, _, bottom = _turn(direction, (0.0, 0.0, width, height))
        yield rows, top, bottom


def _join_mark(row: Row) -> None:
    """Make one cell of the mark of a list item and its text: a list is no table of two columns."""
    if len(row.cells) < 2 or not (mark := _lone_mark(row.cells[0].text)):
        return
    first, second = row.cells[:2]
    if mark.style[0] in "•-" or len(row.cells) == 2 and not second.is_value:
        bullet = "•" if "\ue000" <= first.text <= "\uf8ff" or first.text in _DRAWN else first.text
        second.text = f"{bullet} {second.text}"
        second.left = first.left
        del row.cells[0]


def _lone_mark(text: str) -> Mark | None:
    """The mark that the text is; None if it is more, or none."""
    mark = item_mark(f"{'•' if text in _DRAWN else text} X")
    return mark if mark and mark.end == len(text) + 1 else None


def paragraphs(rows: Iterable[Row]) -> list[list[Row]]:
    """The rows split where the file begins a block."""
    blocks: list[list[Row]] = []
    for row in rows:
        if row.begins or not blocks:
            blocks.append([])
        blocks[-1].append(row)
    return blocks


def _characters(rows: Sequence[Row]) -> int:
    return sum(len(cell.text) for row in rows for cell in row.cells)


def _turned(blocks: Iterable[dict[str, Any]]) -> dict[tuple[int, int], list[Row]]:
    """The lines by writing direction, turned so that they run from left to right."""
    turned: dict[tuple[int, int], list[Row]] = {}
    for block in blocks:
        begins = True
        for line in block.get("lines", ()):
            direction = _direction(line)
            for text, box in _texts(line):
                left, top, right, bottom = _turn(direction, box)
                turned.setdefault(direction, []).append(
                    Row(Cell(text, left, right, top, bottom, *_font(line["spans"])), begins)
                )
                begins = False
    return turned


def has_right_to_left(blocks: Iterable[dict[str, Any]]) -> bool:
    """Whether any text of these blocks of PyMuPDF's "dict" holds right-to-left letters."""
    return any(
        RIGHT_TO_LEFT.search(span["text"])
        for block in blocks
        for line in block.get("lines", ())
        for span in line["spans"]
    )


def _texts(line: dict[str, Any]) -> Iterator[tuple[str, Box]]:
    """A line's text and box; for a right-to-left line of a "rawdict", those of its cells, which MuPDF leaves joined."""
    spans, box = line["spans"], line["bbox"]
    if "chars" not in spans[0]:
        text = spans[0]["text"] if len(spans) == 1 else "".join([span["text"] for span in spans])
        if len(spans) > 1 and _is_bullet(spans[0]):
            text = "• " + "".join([span["text"] for span in spans[1:]]).lstrip()
        if text := text.strip().strip(_CONTROLS).strip():
            yield text if text.isascii() else _as_seen(text), box
        return
    characters = [(char["c"], char["bbox"][0], char["bbox"][2]) for span in spans for char in span["chars"]]
    plain = "".join(character for character, _, _ in characters).strip()
    if line["dir"] == (1.0, 0.0) and RIGHT_TO_LEFT.search(plain):
        yield from (
            (text, (left, box[1], right, box[3])) for text, left, right in logical(characters, spans[0]["size"])
        )
    elif plain:
        yield _as_seen(plain), box


def _as_seen(text: str) -> str:
    """A line's text with plain hyphens and spaces where the soft ones between letters, and those that do not break, are
    all that it has: what is set shows them alike."""
    if "\u00ad" in text:
        text = _DRAWN_HYPHEN.sub("-", text)
    if (unbroken := text.count("\u00a0")) and unbroken >= text.count(" "):
        return _SPACES.sub(" ", text)
    return text


def _is_bullet(span: dict[str, Any]) -> bool:
    """Whether a character of ASCII is drawn as a bullet, by a font of symbols."""
    text = span["text"].strip()
    return len(text) == 1 and text.isascii() and bool(_SYMBOLS.search(span["font"]))


def _direction(line: dict[str, Any]) -> tuple[int, int]:
    if line["wmode"]:
        return _VERTICAL
    across, down = line["dir"]
    if across == 1.0:
        return _LEVEL
    nearest = (round(across), round(down))
    return nearest if abs(across - nearest[0]) + abs(down - nearest[1]) < 0.05 else _OBLIQUE


def _turn(direction: tuple[int, int], box: Box) -> Box:
    left, top, right, bottom = box
    if direction == (0, -1):
        return -bottom, left, -top, right
    if direction == (0, 1):
        return top, -right, bottom, -left
    if direction == (-1, 0):
        return -right, -bottom, -left, -top
    return box


def _font(spans: Sequence[dict[str, Any]]) -> tuple[float, bool]:
    """The size of a line's widest part, and whether that is bold and the first words are: of a sentence with a bold
    command in it they are not."""
    span = spans[0] if len(spans) == 1 else max(spans, key=lambda span: span["bbox"][2] - span["bbox"][0])
    if is_bold := bool(span["flags"] & _BOLD):
        words = (other for other in spans if any(map(str.isalpha, other.get("text", ""))))
        is_bold = bool(next(words, span)["flags"] & _BOLD)
    return float(span["size"]), is_bold


def _joined(rows: list[Row]) -> list[list[Row]]:
    """Blocks of rows, with lines at the same height joined: MuPDF makes a line of each table cell.

    They are joined if the file holds them one after the other, column by column, or the rest of a table's row after a
    cell of several lines.
    """
    blocks: list[list[Row]] = []
    for block in paragraphs(rows):
        lines: list[Row] = []
        for row in block:
            if lines and lines[-1].beside(row):
                lines[-1].add(row)
            elif begun := _begun(lines, row):
                begun.add(row)
            else:
                lines.append(row)
        if blocks and len(blocks[-1]) == len(lines) == 1 and blocks[-1][0].beside(lines[0]):
            blocks[-1][0].add(lines[0])
        elif blocks and len(lines) == 1 and (begun := _begun(blocks[-1], lines[0])):
            begun.add(lines[0])
        elif blocks and blocks[-1][-1].beside(lines[0]) and _lone_mark(blocks[-1][-1].text):
            lines[0].add(blocks[-1].pop())
            blocks[-1] += lines
        else:
            blocks.append(lines)
    return _beside_each_other(blocks)


def _begun(rows: Sequence[Row], rest: Row) -> Row | None:
    """The row of a table that goes on with the `rest`, which has values, where the file holds a cell of several lines
    between them."""
    if not any(cell.is_value for cell in rest.cells):
        return None
    for row in rows[-_MOST_LINES:-1]:
        if len(row.cells) > 1 and row.beside(rest) and (row.right <= rest.left or rest.right <= row.left):
            return row
    return None


def _beside_each_other(blocks: list[list[Row]]) -> list[list[Row]]:
    """Turn columns of a table that the file holds one after the other into rows."""
    joined: list[list[Row]] = []
    group: list[Row] = []  # the rows since the last column that was not merged
    waiting: list[list[Row]] = []  # the blocks of one column
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        waiting.append(block)
        if following and following[0].top >= block[-1].top:
            continue
        column = [row for part in waiting for row in part]
        if not (group and is_narrow(column) and _merge(group, column)):
            joined += waiting
            group = column
        waiting = []
    return joined


def _merge(group: list[Row], column: list[Row]) -> bool:
    """Add the rows of a narrow column to the rows beside them, if each has one; returns whether they were added."""
    pairs = []
    if len(group) * len(column) > _COMPARED:
        return False
    for row in column:
        partner = next(
            (other for other in group if other.beside(row) and (other.right <= row.left or row.right <= other.left)),
            None,
        )
        if partner is not None:
            pairs.append((partner, row))
    if len(pairs) < len(column) or len(pairs) < 2:
        return False
    for partner, row in pairs:
        partner.add(row)
    return True


def _ordered(blocks: list[list[Row]]) -> list[list[Row]]:
    jumps = sum(after[-1].bottom < before[0].top for before, after in pairwise(blocks))
    if jumps <= 3 or jumps * 4 <= len(blocks):
        return blocks
    return _cut(blocks)


def _cut(blocks: list[list[Row]]) -> list[list[Row]]:
    """Cut into columns if a gutter separates columns of text, else into bands from top to bottom."""
    if len(blocks) < 2:
        return blocks
    columns = _parted(blocks, lambda block: (min(row.left for row in block), max(row.right for row in block)), _GUTTER)
    if len(columns) > 1 and all(
        sum(map(len, column)) > 2 and not is_narrow([row for block in column for row in block]) for column in columns
    ):
        return [block for column in columns for block in _cut(column)]
    bands = _parted(blocks, lambda block: (block[0].top, block[-1].bottom), 0.0)
    if len(bands) > 1:
        return [block for band in bands for block in _cut(band)]
    return sorted(blocks, key=lambda block: (round(block[-1].bottom), block[0].left))


def _parted(
    blocks: list[list[Row]], span: Callable[[list[Row]], tuple[float, float]], gap: float
) -> list[list[list[Row]]]:
    """The blocks split where more than `gap` points are empty."""
    parts: list[list[list[Row]]] = []
    reach = 0.0
    for (first, last), _, block in sorted((span(block), index, block) for index, block in enumerate(blocks)):
        if not parts or first > reach + gap:
            parts.append([])
            reach = last
        parts[-1].append(block)
        reach = max(reach, last)
    return parts

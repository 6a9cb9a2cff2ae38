"""A tree of named values → lines `name: value` under headings that say where in the tree they stand.

What a question would look for has to stand together: a value beside its name, its place in the heading above it. What
is too small for a heading of its own is written with its place: `Country / Code: DE`; a record of a few values is a
line: `name: Ada; born: 1815`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from docqa.formats.pages import ExtractedPage, paginate
from docqa.text.blocks import Block

JOIN = " / "
_NAMES = 4  # in a heading: the last ones of the path
_SMALL = 2  # values that need no heading
_LONGEST_RECORD = 300  # characters
_LEAST_RECORDS = 2
_LEVELS = 6  # of headings
MOST_VALUES = 300_000  # a second for each 60,000; what has more of them is read as text


@dataclass
class Node:
    """A value (`text`) or a group of them (`children`), with its name, "" where it has none.

    Where a node is `prose` its text is a paragraph that is shown without the name; where it is a `title` it heads what
    it stands in.
    """

    name: str
    text: str = ""
    children: list["Node"] = field(default_factory=list)
    is_prose: bool = False
    is_title: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether it is a single value."""
        return not self.children


class Outline:
    """Collects the lines of a tree, with their headings and blocks.

    `context` is how many names of what a value stands in are written before its own: names such as `size` say little.
    """

    def __init__(self, context: int = 0) -> None:
        self._context = context
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[tuple[int, str]] = []
        self._blocks: list[Block] = []
        self._breaks = 0  # line ends due before the next line

    def pages(self) -> Iterator[ExtractedPage]:
        """What was added, in logical pages."""
        return paginate("".join(self._parts), self._headings, self._blocks)

    def head(self, title: str) -> None:
        """Add a heading above what follows."""
        self._heading([title])

    def add(self, node: Node, path: Sequence[str] = ()) -> None:
        """Add a node and all below it; `path` are the names of what it stands in."""
        own = [child for child in node.children if _is_line(child)]
        rest = [child for child in node.children if not _is_line(child)]
        if node.is_leaf:
            self._leaf(node, ())
            return
        is_record = _is_records(node.children)
        is_headed = any(child.is_title for child in own)
        if path and (own or is_record) and not is_headed:
            self._heading(path)
        if is_record:
            for child in node.children:
                self._put(_record(child), "row")
            self._breaks = 2
            return
        # In a text the order tells; of values those of the group come first, or they would stand under another heading.
        in_order = node.children if any(child.is_prose for child in node.children) else [*own, *rest]
        counts: dict[str, int] = {}
        for child in rest:
            counts[child.name] = counts.get(child.name, 0) + 1
        passed: dict[str, int] = {}
        for child in in_order:
            if _is_line(child):
                above = path[max(0, len(path) - self._context) :]
                for names, leaf in _leaves(child):
                    self._leaf(leaf, (*above, *names))
                continue
            passed[child.name] = passed.get(child.name, 0) + 1
            number = f" {passed[child.name]}" if counts[child.name] > 1 else ""
            self.add(child, [*path, f"{child.name}{number}".strip()])
        self._breaks = 2

    def _leaf(self, node: Node, names: Sequence[str]) -> None:
        if node.is_title:
            self.head(node.text)
        elif node.is_prose:
            self._breaks = 2
            self._put(node.text, "paragraph")
            self._breaks = 2
        elif node.text or node.name:
            self._put(_line((*names, node.name), node.text), "paragraph")

    def _heading(self, path: Sequence[str]) -> None:
        self._breaks = 2
        title = " ".join(JOIN.join(filter(None, path[-_NAMES:])).split())
        if not title:
            return
        at = self._put(title, "heading", min(max(1, len(path)), _LEVELS))
        self._headings.append((at, title))

    def _put(self, line: str, kind: str, level: int = 0) -> int:
        """Add a line; where it begins."""
        if not line.strip():
            return self._length
        if self._parts:
            self._append("\n" * max(1, self._breaks))
        at, self._breaks = self._length, 0
        self._blocks.append(Block(kind, at, at + len(line), level))  # type: ignore[arg-type]
        self._append(line)
        return at

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def _is_line(node: Node) -> bool:
    """Whether it needs no heading: a value, or a group of hardly any."""
    if node.is_leaf:
        return True
    return not any(leaf.is_prose for leaf in node.children) and sum(1 for _ in _first(node, _SMALL + 1)) <= _SMALL


def _first(node: Node, count: int) -> Iterator[Node]:
    """The first values below a node, `count` of them at most."""
    waiting = [node]
    while waiting and count > 0:
        following = waiting.pop()
        if following.is_leaf:
            count -= 1
            yield following
        waiting += reversed(following.children)


def _leaves(node: Node, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The values of a small group, each with the names of what it stands in."""
    if node.is_leaf:
        yield names, node
    for child in node.children:
        yield from _leaves(child, (*names, node.name))


def _is_records(nodes: Sequence[Node]) -> bool:
    """Whether the nodes are short records of the same kind: a line each."""
    return (
        len(nodes) >= _LEAST_RECORDS
        and len({node.name for node in nodes}) == 1
        and all(
            node.children
            and all(leaf.is_leaf and not leaf.is_prose and not leaf.is_title for leaf in node.children)
            and len(_record(node)) <= _LONGEST_RECORD
            for node in nodes
        )
    )


def _record(node: Node) -> str:
    return "; ".join(_line((leaf.name,), " ".join(leaf.text.split())) for leaf in node.children)


def _line(names: Sequence[str], text: str) -> str:
    name = JOIN.join(filter(None, names))
    return f"{name}: {text}" if name else text

"""A book's table of contents (EPUB 3 navigation document, EPUB 2 NCX) → titles and where they begin, in a flat list."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree  # type: ignore[import-untyped]

from docqa.formats.markup.epub_container import Container, resolve
from docqa.formats.markup.prose import Prose

_LONGEST_TITLE = 500
_WORDS = re.compile(r"\W+")


class Entry(NamedTuple):
    """`file` is a name in the container, `fragment` the id of an element in it or "" for its beginning."""

    file: str
    fragment: str
    title: str


def entries(container: Container, sources: list[str]) -> list[Entry]:
    """The entries of the first of `sources`, files with a navigation document or an NCX, that has any."""
    for source in sources:
        root = container.xml(source)
        if root is None:
            continue
        etree.strip_elements(root, "{*}rt", "{*}rp", with_tail=False)
        listed = []
        for reference, title in _ncx(root) if next(root.iter("{*}navMap"), None) is not None else _navigation(root):
            path, fragment = resolve(source, reference)
            file = container.find(path)
            if file and title:
                listed.append(Entry(file, fragment, title[:_LONGEST_TITLE]))
        if listed:
            return listed
    return []


def headings(chapter: Prose, listed: list[Entry]) -> list[tuple[int, str]]:
    """(offset, title) of the sections in a chapter: entries of the contents, and headings that these do not cover."""
    begins: dict[int, str] = {}
    for entry in listed:
        offset = chapter.anchors.get(entry.fragment) if entry.fragment else 0
        if offset is not None or not begins:
            begins[offset or 0] = entry.title
    # An entry covers the first heading at its target, and those right below it that its title repeats.
    sections = dict(sorted(begins.items()))
    starts = iter([*sections.items(), (len(chapter.text) + 1, "")])
    start, title = next(starts)
    entry_title, reached = "", -1
    for offset, heading in chapter.headings:
        while start <= offset:
            entry_title, reached, is_first = title, start, True
            start, title = next(starts)
        covered = reached >= 0 and not chapter.text[reached:offset].strip()
        if covered and (is_first or _words(heading) in _words(entry_title)):
            reached, is_first = offset + len(heading), False
        else:
            sections[offset] = heading
            reached = -1
    return sorted(sections.items())


def _words(title: str) -> str:
    return _WORDS.sub("", title.casefold())


def _navigation(root: Any) -> Iterator[tuple[str, str]]:
    """(reference, title) of the links in the table of contents; all links if no list is marked as the contents."""
    lists = list(root.iter("{*}nav"))
    contents = [
        tree for tree in lists if any(name.endswith("type") and "toc" in value.split() for name, value in tree.items())
    ]
    for tree in contents or lists or [root]:
        for link in tree.iter("{*}a"):
            yield link.get("href", ""), " ".join("".join(link.itertext()).split())


def _ncx(root: Any) -> Iterator[tuple[str, str]]:
    for point in root.iter("{*}navPoint"):
        label, content = point.find("{*}navLabel"), point.find("{*}content")
        if label is not None and content is not None:
            yield content.get("src", ""), " ".join("".join(label.itertext()).split())

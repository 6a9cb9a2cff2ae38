"""A book's table of contents (EPUB 3 navigation document, EPUB 2 NCX) → the titles of its parts and where they begin, the levels as one list."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree  # type: ignore[import-untyped]

from docqa.formats.markup.epub_container import Container, resolve
from docqa.formats.markup.prose import Prose

_LONGEST_TITLE = 500
_WORDS = re.compile(r"\W+")


class Entry(NamedTuple):
    """`file` is a name in the container, `fragment` the id of an element in it, "" for its beginning."""

    file: str
    fragment: str
    title: str


def entries(container: Container, sources: list[str]) -> list[Entry]:
    """The entries of the first source that has any; a navigation document is one, an NCX another."""
    for source in sources:
        root = container.xml(source)
        if root is None:
            continue
        etree.strip_elements(root, "{*}rt", "{*}rp", with_tail=False)
        found = []
        for reference, title in _ncx(root) if next(root.iter("{*}navMap"), None) is not None else _navigation(root):
            path, fragment = resolve(source, reference)
            file = container.find(path)
            if file and title:
                found.append(Entry(file, fragment, title[:_LONGEST_TITLE]))
        if found:
            return found
    return []


def headings(chapter: Prose, listed: list[Entry]) -> list[tuple[int, str]]:
    """Where sections begin in a chapter, (offset, title): at the entries of the contents, and at headings that these do not speak for."""
    begins: dict[int, str] = {}
    for entry in listed:
        offset = chapter.anchors.get(entry.fragment) if entry.fragment else 0
        if offset is not None or not begins:
            begins[offset or 0] = entry.title
    # An entry speaks for the first heading that stands where it leads, and for those right below that its title repeats.
    found = dict(sorted(begins.items()))
    starts = iter([*found.items(), (len(chapter.text) + 1, "")])
    start, title = next(starts)
    said, reached = "", -1
    for offset, heading in chapter.headings:
        while start <= offset:
            said, reached, is_first = title, start, True
            start, title = next(starts)
        covered = reached >= 0 and not chapter.text[reached:offset].strip()
        if covered and (is_first or _words(heading) in _words(said)):
            reached, is_first = offset + len(heading), False
        else:
            found[offset] = heading
            reached = -1
    return sorted(found.items())


def _words(title: str) -> str:
    return _WORDS.sub("", title.casefold())


def _navigation(root: Any) -> Iterator[tuple[str, str]]:
    """The links of the list of contents; those of lists of pages and landmarks only where nothing says which list is which."""
    lists = list(root.iter("{*}nav"))
    contents = [
        one for one in lists if any(name.endswith("type") and "toc" in value.split() for name, value in one.items())
    ]
    for tree in contents or lists or [root]:
        for link in tree.iter("{*}a"):
            yield link.get("href", ""), " ".join("".join(link.itertext()).split())


def _ncx(root: Any) -> Iterator[tuple[str, str]]:
    for point in root.iter("{*}navPoint"):
        label, content = point.find("{*}navLabel"), point.find("{*}content")
        if label is not None and content is not None:
            yield content.get("src", ""), " ".join("".join(label.itertext()).split())

"""The parts of a package of XML (.xlsx, .ods), streamed: a sheet's part may have hundreds of megabytes."""

import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from docqa.formats.archive import UNPACKABLE
from docqa.formats.office.package import resolved


class Package:
    """The parts by name in lower case, without the slash at the beginning. `damaged` are those cut off on the way."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members = {
            member.filename.replace("\\", "/").lstrip("/").lower(): member for member in archive.infolist()
        }
        self.damaged: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self) -> list[str]:
        """The names of all parts."""
        return list(self._members)

    def elements(self, name: str, tags: Iterable[str], events: tuple[str, ...] = ("end",)) -> Iterator[tuple[str, Any]]:
        """(event, element) of the elements with these local names; each is emptied after its end.

        What can be recovered of a damaged part is given; a part that there is not has no elements.
        """
        if name not in self._members:
            return
        try:
            with self._archive.open(self._members[name]) as stream:
                for event, element in etree.iterparse(
                    stream,
                    events=events,
                    tag=[f"{{*}}{tag}" for tag in tags],
                    resolve_entities=False,
                    no_network=True,
                    remove_comments=True,
                    remove_pis=True,
                    remove_blank_text=True,
                ):
                    yield event, element
                    if event == "end":
                        _forget(element)
        except (*UNPACKABLE, etree.XMLSyntaxError):
            self.damaged.add(name)

    def root(self, name: str) -> Any:
        """The root of a small part; None where it is not there or cannot be read."""
        if name not in self._members:
            return None
        try:
            blob = self._archive.read(self._members[name])
            parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
            return etree.fromstring(blob, parser) if blob.strip() else None
        except (*UNPACKABLE, etree.XMLSyntaxError):
            self.damaged.add(name)
            return None

    def relations(self, name: str) -> list[tuple[str, str, str]]:
        """(id, last word of the type, part) of the relationships of a part to others in the package."""
        folder, base = posixpath.split(name)
        root = self.root(posixpath.join(folder, "_rels", f"{base}.rels"))
        relations = []
        for relation in root if root is not None else ():
            if not isinstance(relation.tag, str) or relation.get("TargetMode") == "External":
                continue
            target = resolved(relation.get("Target", ""), folder, self._members)
            relations.append((relation.get("Id", ""), relation.get("Type", "").rpartition("/")[2], target))
        return relations


def _forget(element: Any) -> None:
    """Free an element that has been read, and what stands before it in its parent."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local(element: Any) -> str:
    """The name of an element without its namespace, "" of an entity or a remark."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """The value of an attribute in whatever namespace, "" if there is none."""
    value = element.get(name)
    if value is None:
        value = next((value for key, value in element.attrib.items() if key.endswith(f"}}{name}")), "")
    return str(value)


def number_of(element: Any, name: str, default: int) -> int:
    """The whole number of an attribute; the default where it is none."""
    text = attribute(element, name)
    return int(text) if text.isdecimal() and len(text) < 10 else default

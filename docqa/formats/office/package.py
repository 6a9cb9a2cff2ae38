"""The parts of an Office or OpenDocument file, and the relationships between them (ECMA-376 part 2).

Names are in lower case and without the first slash: those of a package are case-insensitive (part 2, 6.2.2.3). Strict
files ("ISO/IEC 29500 Strict") get the namespaces of the transitional ones. Nothing outside of the file is opened.
"""

import io
import posixpath
import re
import zipfile
from typing import Any, NamedTuple
from urllib.parse import unquote

from lxml import etree  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.formats.archive import UNPACKABLE
from docqa.formats.properties import Properties

# Elements and attributes of the parts in memory at the same time; each takes up to 220 bytes.
MOST_MARKS = 4_000_000

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"


class Relation(NamedTuple):
    """Where a relationship leads: the last word of its type ("footnotes") and a part's name, "" for what is outside."""

    kind: str
    target: str


class Package:
    """A ZIP file of parts, read when they are needed; `lost` are the names of those of which something is missing."""

    def __init__(self, data: bytes) -> None:
        """Raises BadZipFile."""
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._members = {_name(member): member for member in self._archive.infolist()}
        self._marks = 0
        self.lost: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def blob(self, name: str) -> bytes:
        """The bytes of a part, none if it is missing or damaged."""
        if name not in self._members:
            return b""
        try:
            return _STRICT.sub(_TRANSITIONAL, self._archive.read(self._members[name]))
        except UNPACKABLE:
            self.lost.add(name)
            return b""

    def root(self, name: str) -> Any:
        """The root of an XML part, with what can be recovered of a damaged one; None if that is nothing.

        Raises Unreadable for more XML than fits in memory.
        """
        blob = self.blob(name)
        self._marks += marks(blob)
        check_size(self._marks)
        try:
            return tree(blob)
        except etree.XMLSyntaxError:
            if name in self._members:
                self.lost.add(name)
            return tree(blob, recover=True) if blob else None

    def relations(self, source: str) -> dict[str, Relation]:
        """The relationships of a part by their identifiers; the source "" is the package itself."""
        folder, name = posixpath.split(source)
        root = self.root(posixpath.join(folder, "_rels", f"{name}.rels"))
        return (
            {} if root is None else dict(self._relation(relation, folder) for relation in root.iter("{*}Relationship"))
        )

    def _relation(self, relation: Any, folder: str) -> tuple[str, Relation]:
        kind = relation.get("Type", "").rpartition("/")[2]
        is_outside = relation.get("TargetMode") == "External"
        target = "" if is_outside else resolved(relation.get("Target", ""), folder, self._members)
        return relation.get("Id", ""), Relation(kind, target)

    def related(self, source: str, kind: str) -> list[str]:
        """The names of the parts that a part refers to by relationships of this kind."""
        return [relation.target for relation in self.relations(source).values() if relation == (kind, relation.target)]

    def properties(self) -> Properties:
        """What an Office file says of itself (part 2, 8)."""
        root = next((self.root(name) for name in self.related("", "core-properties")), None)
        if root is None:
            return Properties()
        title, author = (next((node.text for node in root.iter(_DC + name)), "") for name in ("title", "creator"))
        return Properties.of(title, author, next((node.text for node in root.iter(_TERMS + "created")), ""))


def resolved(target: str, folder: str, names: Any) -> str:
    """The name of the part that a relationship of a part in this folder leads to."""
    path = target.replace("\\", "/").partition("#")[0].lower()
    name = posixpath.normpath(posixpath.join("/" + folder, path)).lstrip("/")
    return name if name in names else unquote(name)


def xml_parts(data: bytes, largest: int = 1 << 40) -> dict[str, bytes]:
    """The XML parts of a package by name, except those that are damaged or unpack to more than `largest` bytes.

    Raises BadZipFile.
    """
    parts: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            name = _name(member)
            if not name.endswith((".xml", ".rels")) or name == "[content_types].xml" or member.file_size > largest:
                continue
            try:
                parts[name] = _STRICT.sub(_TRANSITIONAL, archive.read(member))
            except UNPACKABLE:
                # A damaged member counts as missing, which is reported where it is referred to.
                continue
    return parts


def parse(blob: bytes) -> Any:
    """The root of a part, with what can be recovered of a damaged one; None if that is nothing.

    Raises Unreadable for more XML than fits in memory.
    """
    check_size(marks(blob))
    return tree(blob, recover=True)


def tree(blob: bytes, recover: bool = False) -> Any:
    """The root of an XML document, whose entities are not replaced. Raises XMLSyntaxError unless it may `recover`."""
    return etree.fromstring(blob, etree.XMLParser(recover=recover, resolve_entities=False, no_network=True))


def marks(blob: bytes) -> int:
    """How many elements and attributes a document may have."""
    return blob.count(b"<") + blob.count(b"=")


def check_size(marks: int) -> None:
    """Raises Unreadable for more elements and attributes than fit in memory."""
    if marks > MOST_MARKS:
        raise Unreadable(
            "The file is too complex: it consists of more than four million elements. Split it and upload the parts."
        )


def _name(member: zipfile.ZipInfo) -> str:
    return member.filename.replace("\\", "/").lstrip("/").lower()

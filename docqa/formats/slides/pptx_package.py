"""The parts of a .pptx package, repaired so that python-pptx opens them: only well-formed XML, with consistent types.

Pictures, sounds and embedded documents are dropped.
"""

import io
import posixpath
import zipfile
from typing import TYPE_CHECKING, Any

from lxml import etree  # type: ignore[import-untyped]

from docqa.formats.archive import UNPACKABLE
from docqa.formats.office.package import Package, check_size, marks, parse, resolved, tree, xml_parts

if TYPE_CHECKING:
    from docqa.formats.pictures.decode import Image  # what decodes pictures is imported only where there are some

_LARGEST_PICTURE = 100_000_000  # bytes
_PRESENTATION = "application/vnd.openxmlformats-officedocument.presentationml."
# The type of a part by the last word of the relationship type that leads to it. Templates, shows and decks with macros
# differ in nothing but their types.
_KINDS = {
    "officeDocument": _PRESENTATION + "presentation.main+xml",
    "slide": _PRESENTATION + "slide+xml",
    "slideLayout": _PRESENTATION + "slideLayout+xml",
    "slideMaster": _PRESENTATION + "slideMaster+xml",
    "notesSlide": _PRESENTATION + "notesSlide+xml",
    "notesMaster": _PRESENTATION + "notesMaster+xml",
    "core-properties": "application/vnd.openxmlformats-package.core-properties+xml",
}


def mended(data: bytes) -> tuple[io.BytesIO, set[str]]:
    """A package for python-pptx, and the names ("/ppt/slides/slide1.xml") of parts of which something is lost.

    Parts that are lost as a whole are in neither. Raises Unreadable for more XML than fits in memory,
    BadZipFile if it is not a ZIP file.
    """
    parts = xml_parts(data)
    relations = {name: parse(parts.pop(name)) for name in [name for name in parts if name.endswith(".rels")]}
    kinds: dict[str, str] = {}
    for name, root in relations.items():
        if root is not None:
            kinds |= _resolve(name, root, parts)
    damaged = _mend(parts, kinds)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", _content_types(kinds))
        for name, blob in parts.items():
            archive.writestr(name, blob)
        for name, root in relations.items():
            if root is not None:
                _drop_needless(root, kinds.get(_owner(name), ""), parts, kinds)
                archive.writestr(name, etree.tostring(root))
    packed.seek(0)
    return packed, {f"/{name}" for name in damaged}


def part_of(data: bytes, name: str) -> bytes | None:
    """The bytes of a part, given by its name in lower case; None if it is missing, damaged or too large."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if member.filename.replace("\\", "/").lstrip("/").lower() == name and member.file_size <= _LARGEST_PICTURE:
                try:
                    return archive.read(member)
                except UNPACKABLE:
                    return None
    return None


def picture_of(data: bytes, name: str) -> "Image":
    """The picture that a part is, given by its name in lower case. Raises Unreadable."""
    from docqa.formats.pictures.decode import decoded, open_picture

    return decoded(open_picture(part_of(data, name) or b""), 0)


def relations_of(data: bytes, part: str) -> dict[str, str]:
    """The names in lower case of the parts that a part of the file itself refers to, by the keys of its relationships;
    what is outside of the file is left out."""
    relations = Package(data).relations(part.lower())
    return {key: relation.target for key, relation in relations.items() if relation.target}


def _resolve(name: str, root: Any, parts: dict[str, bytes]) -> dict[str, str]:
    """Make the targets in the relationships file `name` absolute; returns the types of the parts they lead to."""
    base = posixpath.dirname(_owner(name))
    kinds: dict[str, str] = {}
    for relation in root:
        if not isinstance(relation.tag, str) or relation.get("TargetMode") == "External":
            continue
        target = resolved(relation.get("Target", ""), base, parts)
        relation.set("Target", "/" + target)
        kind = _KINDS.get(relation.get("Type", "").rpartition("/")[2])
        if kind and target in parts:
            kinds[target] = kind
    return kinds


def _mend(parts: dict[str, bytes], kinds: dict[str, str]) -> set[str]:
    """Make the parts that python-pptx parses well-formed and drop hopeless ones; returns those that lost something."""
    damaged: set[str] = set()
    check_size(sum(marks(parts[name]) for name in kinds))
    for name in kinds:
        try:
            tree(parts[name])
        except etree.XMLSyntaxError:
            root = tree(parts[name], recover=True)
            damaged.add(name)
            if root is None:
                del parts[name]
            else:
                parts[name] = etree.tostring(root)
    return damaged & parts.keys()


def _drop_needless(root: Any, source: str, parts: dict[str, bytes], kinds: dict[str, str]) -> None:
    """Remove relationships that lead nowhere, and links between slides: python-pptx follows them recursively."""
    for relation in list(root):
        if isinstance(relation.tag, str) and relation.get("TargetMode") == "External":
            continue
        target = relation.get("Target", "")[1:] if isinstance(relation.tag, str) else ""
        if (
            target not in parts
            or kinds.get(target) == _KINDS["slide"]
            and source in (_KINDS["slide"], _KINDS["notesSlide"])
        ):
            root.remove(relation)


def _owner(relations: str) -> str:
    """The part whose relationships a file holds: a/_rels/b.xml.rels belongs to a/b.xml."""
    folder, name = posixpath.split(relations)
    return posixpath.join(posixpath.dirname(folder), name.removesuffix(".rels"))


def _content_types(kinds: dict[str, str]) -> bytes:
    root = etree.Element("Types", xmlns="http://schemas.openxmlformats.org/package/2006/content-types")
    etree.SubElement(root, "Default", Extension="xml", ContentType="application/xml")
    etree.SubElement(
        root, "Default", Extension="rels", ContentType="application/vnd.openxmlformats-package.relationships+xml"
    )
    for name, kind in kinds.items():
        etree.SubElement(root, "Override", PartName=f"/{name}", ContentType=kind)
    return bytes(etree.tostring(root))

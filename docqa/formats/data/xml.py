"""XML: the texts of its elements with their names, under the path of what they belong to; running text as paragraphs.

Names are written as words (`TaxAmount` → `Tax Amount`), because a question would. Nothing outside the file is loaded,
and what entities may expand to is limited by libxml2. What is too damaged is read without its tags.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.formats.data.outline import MOST_VALUES, Node, Outline
from docqa.formats.markup.entities import spelled
from docqa.formats.markup.html import parse as parse_html
from docqa.formats.markup.html import prose
from docqa.formats.pages import Reading, clean, paginate
from docqa.formats.plain.encoding import decode

LARGEST = 32_000_000  # bytes: a tree takes up to fifty times the memory of its source
_DECLARATION = re.compile(rb"""^(?:\xef\xbb\xbf)?\s*<\?xml[^>]{0,200}?encoding=["']([\w.:-]+)""")
_XML_HEAD = re.compile(r"^\s*<\?xml[^>]*\?>")
_NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_TAG = re.compile(r"<!--.*?-->|<[!?/A-Za-z][^<>]*>", re.DOTALL)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_LONG_TAG = re.compile(r"<[A-Za-z_][^<>]{200000}")  # libxml2 takes the square of the number of its attributes
_BARE = re.compile(r"&(?!#?\w+;)")
_IS_HTML = re.compile(r"</(?:p|a|div|li|b|i|strong|em|span|h\d|td)>|<(?:br|p|img)\b[^<>]*>", re.IGNORECASE)
_BINARY = re.compile(r"[A-Za-z0-9+/\s]{200,}={0,2}\s*")
_LONGEST_PARAGRAPH = 5_000  # characters; text with more in it is something else than a paragraph
# Of DocBook, DITA, JATS, TEI, AsciiDoc and HTML.
_PARAGRAPHS = {"p", "para", "simpara", "paragraph"}
_TITLES = {"title", "head", "heading"}
_AS_WRITTEN = {"programlisting", "screen", "literallayout", "pre", "codeblock"}
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
_LEAST_SHARE = 0.5  # of the text that a damaged file still has as a tree


def read(data: bytes, charset: str = "") -> Reading:
    """Logical pages; `charset` is the one that the server declared, if any.

    Raises Unreadable for binary data and more than 32 MB.
    """
    if len(data) > LARGEST:
        raise Unreadable(
            f"The XML file is larger than {LARGEST // 1_000_000} MB, which is the limit. Split it into smaller files."
        )
    declared = _DECLARATION.match(data)
    source = _NO_XML.sub("", clean(decode(data, declared[1].decode() if declared else charset)))
    source = _XML_HEAD.sub("", source)
    root = None if _LONG_TAG.search(source) else _tree(source)
    if root is None or sum(1 for _ in islice(root.iter(), MOST_VALUES + 1)) > MOST_VALUES:
        return Reading("xml", "", paginate(_TAG.sub(" ", source)))
    outline = Outline()
    prose_names = _PARAGRAPHS | {_local(element) for element in root.iter(etree.Element) if _is_mixed(element)}
    node = _node(root, prose_names)
    if node.children:
        outline.head(node.name)
    if node.children or node.text:
        outline.add(node)
    return Reading("xml", "", outline.pages())


def _tree(source: str) -> Any:
    """The root element; None where too little of the text is in it."""
    mended = _BARE.sub("&amp;", spelled(source))
    for text, recover in ((source, False), (mended, False), (mended, True)):
        parser = etree.XMLParser(
            resolve_entities="internal",
            no_network=True,
            load_dtd=False,
            remove_comments=True,
            remove_pis=True,
            recover=recover,
        )
        try:
            root = etree.fromstring(text.encode(), parser)
        except etree.XMLSyntaxError:
            continue
        if root is not None and (not recover or _size(root.itertext()) >= _LEAST_SHARE * _size([_TAG.sub("", text)])):
            return root
    return None


def _size(texts: Iterable[str]) -> int:
    return sum(len("".join(text.split())) for text in texts)


def _node(element: Any, prose_names: set[str]) -> Node:
    local = _local(element)
    name = _words(local)
    attributes = [
        Node(_words(etree.QName(key).localname), value)
        for key, value in element.attrib.items()
        if key != _SPACE and not key.startswith(_INSTANCE) and value.strip()
    ]
    children = [child for child in element if isinstance(child.tag, str)]
    text = "".join(element.itertext()) if not children or _is_mixed(element) else ""
    if not children or text and len(text) <= _LONGEST_PARAGRAPH:
        as_written = local.lower() in _AS_WRITTEN or element.get(_SPACE) == "preserve"
        value = text.strip("\n") if as_written else _value(text)
        if local in prose_names or children or as_written and "\n" in value:
            return Node(name, value, is_prose=True)
        if not value:
            return Node(name, children=attributes) if attributes else Node(name)
        said = "; ".join(f"{attribute.name}: {attribute.text}" for attribute in attributes)
        return Node(name, f"{value} ({said})" if said else value)
    parts = attributes + ([Node("", _value(element.text), is_prose=True)] if _has_text(element.text) else [])
    for child in children:
        parts.append(_node(child, prose_names))
        if _has_text(child.tail):
            parts.append(Node("", _value(child.tail), is_prose=True))
    if any(part.children or part.is_prose for part in parts):
        for part in parts:
            part.is_title = part.is_leaf and not part.is_prose and part.name.lower() in _TITLES
    return Node(name, children=[part for part in parts if part.children or part.text])


def _is_mixed(element: Any) -> bool:
    """Whether it holds text beside other elements."""
    return len(element) > 0 and (_has_text(element.text) or any(_has_text(child.tail) for child in element))


def _has_text(text: str | None) -> bool:
    return bool(text and text.strip())


def _value(text: str) -> str:
    """A text on one line; one that is HTML, as feeds carry it, as it is shown, and no encoded files."""
    if _BINARY.fullmatch(text) and " " not in text.strip():
        return "(binary data)"
    if _IS_HTML.search(text) and (root := parse_html(text)) is not None:
        text = prose(root).text
    return " ".join(text.split())


def _local(element: Any) -> str:
    return str(etree.QName(element).localname)


def _words(name: str) -> str:
    return _HUMP.sub(" ", name).strip()

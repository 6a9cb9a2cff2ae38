"""The files of a book (EPUB Open Container Format), found even if a book's references do not match their names exactly.

A missing or damaged file is None. Encrypted files are recognised, not decrypted.
"""

import io
import posixpath
import re
import unicodedata
import zipfile
from typing import Any
from urllib.parse import quote, unquote

from lxml import etree  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.formats.archive import UNPACKABLE
from docqa.formats.markup.entities import spelled
from docqa.formats.plain.encoding import decode

# How fonts may be obfuscated (OCF's own way and Adobe's older one). That does not lock a book: its text is untouched.
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
# Adobe's, Apple's and Readium's licences.
_LICENCES = ("META-INF/rights.xml", "META-INF/sinf.xml", "META-INF/license.lcpl")
_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]*?encoding=["']([\w.:-]+)""")
_XML_HEAD = re.compile(r"^\s*<\?xml[^>]*>")
_BEFORE_MARKUP = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
_UTF8_NAME = 0x800


class Container:
    """The files of a book by name. Creating it raises BadZipFile if the archive has no directory."""

    def __init__(self, data: bytes) -> None:
        self.archive = zipfile.ZipFile(io.BytesIO(data))
        self.members = {
            _plain(_name(member)): member for member in self.archive.infolist() if not member.filename.endswith("/")
        }
        self.folded = {name.casefold(): name for name in self.members}
        self.has_licence = any(map(self.find, _LICENCES))
        self.locked = {name for name, member in self.members.items() if member.flag_bits & 1} | self._encrypted()

    def find(self, path: str) -> str | None:
        """The name of the file that a reference means, None if missing: literal, quoted or unquoted, in any case."""
        for name in map(_plain, (path, unquote(path), quote(path))):
            if name in self.members:
                return name
            if name.casefold() in self.folded:
                return self.folded[name.casefold()]
        return None

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it is missing or damaged."""
        name = self.find(path)
        try:
            return self.archive.read(self.members[name]) if name else None
        except UNPACKABLE:
            return None

    def text(self, path: str) -> str | None:
        """A file of markup, without its XML declaration; None if it is missing, damaged, or not text."""
        content = self.read(path)
        if content is None:
            return None
        declared = _DECLARATION.match(content)
        try:
            return _XML_HEAD.sub("", decode(content, declared.group(1).decode() if declared else ""))
        except Unreadable:
            return None

    def xml(self, path: str) -> Any:
        """The root of an XML file, as far as it can be read, with HTML entities; None if nothing of it can be read."""
        source = spelled(self.text(path) or "")
        parser = etree.XMLParser(
            recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        return etree.fromstring(source.encode("utf-8", "replace"), parser) if source.strip() else None

    def package(self) -> str | None:
        """The name of the package document: the first that the container refers to and holds, or else the topmost."""
        root = self.xml("META-INF/container.xml")
        references = root.iter("{*}rootfile") if root is not None else ()
        named = [self.find(reference.get("full-path", "")) for reference in references]
        others = sorted(
            (name for name in self.members if name.casefold().endswith(".opf")),
            key=lambda name: (name.count("/"), name),
        )
        return next(filter(None, (*named, *others)), None)

    def is_locked(self, name: str) -> bool:
        """Whether a chapter is encrypted: the book says so, or it has a licence and the chapter is not markup."""
        if name in self.locked or "" in self.locked:
            return True
        return self.has_licence and not (self.read(name) or b"<").lstrip(_BEFORE_MARKUP).startswith(b"<")

    def _encrypted(self) -> set[str]:
        """The files that META-INF/encryption.xml lists, fonts excepted; "" stands for an entry that names none."""
        root = self.xml("META-INF/encryption.xml")
        encrypted = set()
        for entry in root.iter("{*}EncryptedData") if root is not None else ():
            methods = [unquote(method.get("Algorithm", "")) for method in entry.iterfind("{*}EncryptionMethod")]
            if not any(method in _FONTS for method in methods):
                files = [self.find(reference.get("URI", "")) for reference in entry.iter("{*}CipherReference")]
                encrypted |= {name or "" for name in files or [""]}
        return encrypted


def resolve(base: str, reference: str) -> tuple[str, str]:
    """The path and the fragment that a reference in the file `base` means."""
    path, _, fragment = reference.partition("#")
    return (posixpath.join(posixpath.dirname(base), path.replace("\\", "/")) if path else base), unquote(fragment)


def _name(member: zipfile.ZipInfo) -> str:
    """A member's name; in a book names are UTF-8, even if the archive does not say so."""
    if member.flag_bits & _UTF8_NAME:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _plain(path: str) -> str:
    parts = posixpath.normpath("/" + path.replace("\\", "/")).lstrip("/")
    return unicodedata.normalize("NFC", parts)

"""The kind of a file: its content decides, its name breaks ties; a refusal says what the file is and what to do."""

import gzip
import io
import sqlite3
import struct
import tarfile
import zipfile
from pathlib import Path
from uuid import UUID

import pymupdf
import pytest

from docqa.errors import Unreadable
from docqa.formats.kinds import detect
from docqa.formats.names import SUFFIXES, kind_named

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
HTML = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body><form>Password</form></body></html>"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override ContentType="{}"/></Types>'
)


def make_pdf(text: str = "hello") -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), text)
    return bytes(document.tobytes())


def make_zip(*names: str, **contents: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, contents.get(name, "x"))
    return packed.getvalue()


def make_ole(*streams: str, root_class: str = "") -> bytes:
    """The header and a directory sector with the names: enough to be recognised."""
    header = bytearray(OLE + bytes(504))
    struct.pack_into("<H", header, 30, 9)
    names = ("Root Entry", *streams)
    entries = [bytearray(name.encode("utf-16-le").ljust(128, b"\0")) for name in names]
    if root_class:
        entries[0][80:96] = UUID(root_class).bytes_le
    return bytes(header) + b"".join(entries)


def make_tar() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    return packed.getvalue()


def make_sqlite(folder: Path) -> bytes:
    path = folder / "a.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE a (b)")
    connection.close()
    return path.read_bytes()


def refusal(data: bytes, name: str, media_type: str = "") -> str:
    with pytest.raises(Unreadable) as caught:
        detect(data, name, media_type)
    return str(caught.value)


PDF = make_pdf()
PPTX = make_zip("[Content_Types].xml", "ppt/presentation.xml")
EPUB = make_zip("mimetype", "META-INF/container.xml", mimetype="application/epub+zip")
PPT = make_ole("Current User", "PowerPoint Document")
RTF = rb"{\rtf1\ansi hello}"
DOCX = make_zip("[Content_Types].xml", "word/document.xml", "word/embeddings/deck.pptx")
ODT = make_zip("mimetype", "content.xml", mimetype="application/vnd.oasis.opendocument.text")
DOC = make_ole("WordDocument", "1Table")
XLSX = make_zip("[Content_Types].xml", "xl/workbook.xml")
ODS = make_zip("mimetype", "content.xml", mimetype="application/vnd.oasis.opendocument.spreadsheet")
XLS = make_ole("Workbook")
MSG = make_ole("__properties_version1.0", "__substg1.0_0037001F")
ODP = make_zip("mimetype", "content.xml", mimetype="application/vnd.oasis.opendocument.presentation")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"
CONTENTS = {
    "docx": DOCX,
    "odt": ODT,
    "doc": DOC,
    "odp": ODP,
    "image": PNG,
    "xlsx": XLSX,
    "ods": ODS,
    "xls": XLS,
    "pdf": PDF,
    "pptx": PPTX,
    "epub": EPUB,
    "ppt": PPT,
    "rtf": RTF,
    "msg": MSG,
}
MAIL = b"Received: from a by b\r\nFrom: Ada <ada@example.org>\r\nSubject: Numbers\r\n\r\nDear Charles"


# --- ours ---


@pytest.mark.parametrize("kind", CONTENTS)
def test_a_known_content_decides_under_every_name(kind: str) -> None:
    for suffix in [*SUFFIXES, ".xls", ".html", ""]:
        for media_type in ("", "application/octet-stream", "text/plain"):
            assert detect(CONTENTS[kind], f"a{suffix}", media_type) == kind, (suffix, media_type)


TEXTS = [suffix for suffix in SUFFIXES if kind_named(suffix) in ("txt", "csv", "md", "html", "json", "xml")]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_text_is_text_only_under_a_name_for_text(suffix: str) -> None:
    data = b"name;age\nada;36\n"
    if suffix in TEXTS:
        assert detect(data, f"a{suffix}", "") == kind_named(suffix)
    else:
        assert f"not a {suffix} file: it is plain text" in refusal(data, f"a{suffix}")


@pytest.mark.parametrize(
    "data",
    [
        b"{\\rtf is how the files of this format begin", b"%PDF-1.4 is what the first line of a PDF says",
        b"PK are the initials in each ZIP file", b"GIF89a and JPEG", b"MZ begins a program",
        b"%!PS\n/Helvetica findfont", b"<html><p>source of a page", b'<?xml version="1.0"?><a/>', b'{"a": [1, 2]}',
        b"\\documentclass{article}", b"# Title\n\n* item", b"#include <stdio.h>",
        b"From someone Mon Jan 1\nSubject: x\n\nbody", b"MIME-Version: 1.0\nContent-Type: multipart/related\n\nx",
        b"\x1b$B$3$l$O\x1b(B", b"BM is a country code", b"\xef\xbb\xbf{a}",
        "<html>Größe</html>".encode("utf-16"), "<html>Größe</html>".encode("utf-16-le"), "\ta\tb".encode("utf-16-le"),
        "{\\rtf1 \\par".encode("utf-16"), b"a\0b,c",
        b"ID3 is a tag", b"RIFF", b"1 0 obj", b"OggS and fLaC", b"Rar! said the lion",
    ],
    ids=repr,
)  # fmt: skip
def test_texts_about_formats_are_texts(data: bytes) -> None:
    assert detect(data, "a.txt", "") == "txt"
    assert detect(data, "a.csv", "") == "csv"


@pytest.mark.parametrize(
    "before",
    [
        b"\xef\xbb\xbf",
        b"\r\n\r\n",
        b"\0" * 200,
        b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n",
        b"junk" * 250,
        b"GIF89a\0\1\2\n" + bytes(800),
    ],
)
def test_a_pdf_may_begin_late(before: bytes) -> None:
    assert detect(before + PDF, "a.pdf", "") == "pdf"


def test_a_pdf_that_begins_late_is_known_under_other_names_too() -> None:
    assert detect(b"\xef\xbb\xbf\n" + PDF, "a.txt", "") == "pdf"
    assert detect(b"HTTP/1.1 200 OK\r\n\r\n" + PDF, "a", "application/octet-stream") == "pdf"
    assert detect(b"%!PS-Adobe-3.0 PDF-1.4\n1 0 obj <<>> endobj", "a.txt", "") == "pdf"
    assert detect(PDF[9:], "a.pdf", "") == "pdf"


def test_the_name_breaks_ties() -> None:
    assert detect(PDF + EPUB, "a.pdf", "") == "pdf"
    assert detect(PDF + EPUB, "a.txt", "") == "pdf"
    assert detect(PDF + EPUB, "a.epub", "") == "epub"
    assert detect(b"MZ" + bytes(900) + PPTX, "a.pptx", "") == "pptx"
    assert detect(HTML + PPTX, "a.pptx", "") == "pptx"
    assert detect(b"GIF89a\0\0" + RTF, "a.rtf", "") == "rtf"
    assert detect(b"GIF89a\0\0\n" + PDF, "a.gif", "") == "image"
    assert detect(PNG + EPUB, "a.png", "") == "image"
    assert detect(PNG + EPUB, "a.epub", "") == "epub"
    assert detect(PPTX + b"\0" * 900, "a.pptx", "") == "pptx"


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("[Content_Types].xml", "ppt/slides/slide1.xml"), "pptx"),
        (("[Content_Types].xml", "PPT\\Presentation.xml"), "pptx"),
        (("[Content_Types].xml", "deck.xml"), "pptx"),
        (("[Content_Types].xml", "ppt/presentation.xml", "ppt/embeddings/word/document.xml"), "pptx"),
        (("OEBPS/content.opf", "OEBPS/one.xhtml"), "epub"),
        (("_rels/.rels", "Word\\Document2.xml"), "docx"),
    ],
)
def test_the_parts_of_a_zip_show_its_kind(names: tuple[str, ...], kind: str) -> None:
    types = TYPES.format("application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml")
    assert detect(make_zip(*names, **{"[Content_Types].xml": types}), "a.zip", "") == kind


def test_a_message_is_known_by_its_header_unless_it_is_named_as_text() -> None:
    for name in ("a.eml", "a.msg", "a", "1234.M56P78.host"):
        assert detect(MAIL, name, "") == "eml"
    assert detect(b"\n" + MAIL, "a.eml", "") == "eml"
    assert detect(b"Subject: the only field\n\nbody", "a.eml", "") == "eml"
    assert detect(MAIL, "a.txt", "") == "txt"
    assert "not known" in refusal(b"Subject: a text may begin so\n\nbody", "a")
    box = b"From ada@example.org Mon Mar  2 09:30:00 2026\n" + MAIL
    assert detect(box, "a.mbox", "") == detect(box.replace(b"Received", b"Status"), "Inbox.mbox", "") == "mbox"


def test_messages_of_outlook_are_known_by_class_or_streams() -> None:
    assert detect(make_ole(root_class="00020d0b-0000-0000-c000-000000000046"), "a", "") == "msg"
    assert detect(make_ole("WordDocument", "__substg1.0_0037001F"), "a.msg", "") == "doc"
    assert detect(make_ole("Workbook", "__substg1.0_0037001F"), "a.msg", "") == "xls"
    assert (
        detect(
            make_ole("WordDocument", "PowerPoint Document", root_class="00020906-0000-0000-c000-000000000046"), "a", ""
        )
        == "doc"
    )


def test_a_page_named_xml_is_a_page() -> None:
    assert (
        detect(b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>', "a.xml", "")
        == "html"
    )
    assert detect(b"<!-- a remark --><table><row/></table>", "a.xml", "") == "xml"


@pytest.mark.parametrize("kind", ["document.main", "template.main"])
def test_the_types_of_the_parts_show_a_word_document_whatever_they_are_called(kind: str) -> None:
    types = TYPES.format(f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml")
    assert detect(make_zip("[Content_Types].xml", "main.xml", **{"[Content_Types].xml": types}), "a.zip", "") == "docx"
    macros = TYPES.format("application/vnd.ms-word.document.macroEnabled.main+xml")
    assert detect(make_zip("[Content_Types].xml", "main.xml", **{"[Content_Types].xml": macros}), "a.zip", "") == "docx"


def test_an_opendocument_text_shows_itself_without_its_type() -> None:
    assert detect(make_zip("content.xml", **{"content.xml": "<office:text>"}), "a.zip", "") == "odt"
    template = make_zip("mimetype", mimetype="application/vnd.oasis.opendocument.text-template")
    assert detect(template, "a.ott", "") == "odt"


def test_a_word_document_may_embed_a_presentation() -> None:
    data = make_ole("WordDocument", "PowerPoint Document", root_class="00020906-0000-0000-c000-000000000046")
    assert detect(data, "a.ppt", "") == "doc"


# --- others ---


@pytest.mark.parametrize("data", [b"", b" \r\n\t\f\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbb\xbf \n", b"\0" * 5000])
def test_an_empty_file_is_refused_as_empty(data: bytes) -> None:
    for suffix in SUFFIXES:
        assert refusal(data, f"a{suffix}") == "The file is empty.", suffix


@pytest.mark.parametrize(
    "page",
    [
        HTML,
        b"\xef\xbb\xbf\n" + HTML,
        HTML.decode().encode("utf-16"),
        b"<h1>403 Forbidden</h1>",
        b"<!-- x -->\n<HTML><body>",
        b"<script>location='/login'</script>",
    ],
)
def test_a_web_page_under_another_name_is_refused_as_a_login_or_error_page(page: bytes) -> None:
    for suffix in [*(suffix for suffix in SUFFIXES if suffix not in TEXTS), ".json", ".jsonl"]:
        message = refusal(page, f"a{suffix}")
        what = "it is an HTML page, perhaps a login or error page."
        assert message.startswith(f"The file is not a {suffix} file: {what}")
        assert "upload that" in message


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\0\0\0\x18ftypheic\0", "HEIF picture. Save it as PNG or JPEG"), (b"RIFF\0\0\0\0WAVEfmt ", "sound recording. Upload a transcript"),
        (b"ID3\x03\0\0\0", "MP3"), (b"\0\0\0\x18ftypmp42", "video"), (b"OggS\0", "sound"),
        (gzip.compress(b"a", mtime=0), "compressed file. Unpack it"), (make_tar(), "TAR archive"),
        (b"7z\xbc\xaf\x27\x1c\0", "7-Zip"), (b"Rar!\x1a\x07\0", "RAR"), (b"\x7fELF\2\1\1\0", "program"),
        (b"MZ\x90\0" + bytes(60), "program"), (bytes(60) + b"BOOKMOBI", "Kindle book. Convert it to EPUB"),
        (b"\xffWPC\x10\0", "WordPerfect document. Save it as PDF"), (b"8BPS\0\1", "Photoshop"),
        (b"\xdb\xa5-\0\0", "old Word"), (b"\x09\x08\x10\0\0", "old Excel"), (b"SQLite format 3\0", "SQLite database"),
    ],
    ids=repr,
)  # fmt: skip
def test_foreign_files_are_named(data: bytes, what: str) -> None:
    for suffix in SUFFIXES:
        message = refusal(data, f"a{suffix}")
        assert message.startswith(f"The file is not a {suffix} file: it is a")
        assert what in message


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%!PS-Adobe-3.0\n", "PostScript"),
        (b"AT&TFORM\0\0", "DjVu"),
        (b'<?xml version="1.0"?><Error>', "XML"),
        (b'{"error": 403}', "plain text"),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related; x", "MHTML"),
    ],
)
def test_files_that_look_like_text_are_named_too(data: bytes, what: str) -> None:
    assert what in refusal(data, "a.pdf")


def test_real_databases_are_recognised(tmp_path: Path) -> None:
    assert "SQLite database. Save its tables as CSV" in refusal(make_sqlite(tmp_path), "a.csv")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (make_ole("EncryptionInfo", "EncryptedPackage"), "password-protected"),
        (make_ole("VisioDocument"), "Visio"),
        (make_ole("something"), "none of Word, Excel, PowerPoint or Outlook. Supported are .pdf"),
        (OLE, "none of Word"),
        (make_zip("META-INF/MANIFEST.MF", "a.class"), "Java program"),
        (make_zip("META-INF/MANIFEST.MF", "AndroidManifest.xml"), "Android app"),
        (make_zip("Index/Document.iwa", "preview.jpg"), "Pages, Numbers and Keynote"),
        (make_zip("01.jpg", "02.png", "ComicInfo.xml"), "archive of pictures"),
        (make_zip("notes.txt", "deck.pptx"), "ZIP archive, but no document"),
        (make_zip(), "ZIP archive, but no document"),
        (PPTX[:200], "cut off"),
        (b"PK\x03\x04" + bytes(500), "damaged"),
    ],
)
@pytest.mark.parametrize("suffix", [".pptx", ".epub", ".txt", ".ppt"])
def test_office_files_are_distinguished_from_each_other_and_from_other_archives(
    data: bytes, words: str, suffix: str
) -> None:
    assert words in refusal(data, f"a{suffix}")


@pytest.mark.parametrize(
    ("data", "name", "media_type", "kind"),
    [
        (HTML, "page.aspx", "application/octet-stream", "html"),
        (HTML, "page", "text/html", "html"),
        (HTML, "page.txt", "text/html", "html"),
        (HTML, "page.txt", "text/plain", "txt"),
        (HTML, "paper.pdf", "application/pdf", "html"),
        (
            b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">',
            "page",
            "application/xml",
            "html",
        ),
        (b'<?xml version="1.0"?><rss><channel><title>x</title></channel></rss>', "feed", "application/rss+xml", "xml"),
        (b'{"a": 1}', "data", "application/ld+json", "json"),
        (b'{"a": 1}', "data", "application/vnd.api+json", "json"),
        (b"a: 1", "data", "application/yaml", "txt"),
        (b"a;b\n1;2\n", "export", "text/csv", "csv"),
        (b"a;b\n1;2\n", "export.csv", "text/plain", "csv"),
        (b"# Title", "readme.md", "text/markdown", "md"),
        (b"# Title", "readme.md", "text/plain; charset=utf-8".partition(";")[0], "md"),
        (b"From: a@example.org\nSubject: x\n\nbody", "message", "message/rfc822", "eml"),
    ],
)
def test_links(data: bytes, name: str, media_type: str, kind: str) -> None:
    assert detect(data, name, media_type) == kind


def test_links_to_something_else() -> None:
    assert "font/woff2 are not supported" in refusal(b"\0\1\2", "font.php", "font/woff2")
    assert "not a .pptx file: it is an HTML page" in refusal(HTML, "deck.pptx", "application/octet-stream")
    assert detect(PNG, "page", "text/html") == "image"
    assert "not a .jpg file: it is plain text" in refusal(b"hello", "a.jpg", "image/jpeg")
    assert ".pages are not supported. Supported are .pdf" in refusal(b"hello", "letter.pages")
    assert "not known" in refusal(b"hello", "letter")

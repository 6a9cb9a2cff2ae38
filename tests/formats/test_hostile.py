"""Hostile files harm only themselves: each is refused or read within 20 seconds of a processor and 1 GB, and the server keeps serving."""

import atexit
import io
import json
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pptx
import pytest

from binary_workbooks import xls, xlsb
from conftest import Server, torture
from docqa import ROOT
from messages import outlook, outlook_tree
from test_odp import MIMETYPE, presentation, slide
from waiting import readers_of, resident_mb
from workbooks import MAIN, ods, ods_rows, sheet, xlsx

SECONDS = 20
MEGABYTES = 1_000
MEMORY_MB = 100  # that the server may take more for hostile files

PROBE = """
import asyncio, json, logging, resource, sys, time
from docqa.errors import Unreadable
from docqa.ingest.children import NURSERY, Limits, at_hand
from docqa.ingest.reader import prepare
from docqa.settings import Settings

taken = []

class Kept(logging.Handler):
    def emit(self, record):
        taken[:] = record.args

log = logging.getLogger("docqa.workers.nursery")
log.addHandler(Kept())
log.setLevel("DEBUG")

async def read(data, *named):
    limits = Limits(Settings().extract_seconds, Settings().extract_memory_mb)
    try:
        with await prepare(data, *named, limits=limits) as prepared:
            text = "\\n".join(page.text for page in prepared.page_rows())[:100_000]
        return {"text": text, "pages": prepared.pages, "notes": prepared.notes}
    except Unreadable as error:
        return {"refused": str(error)}

with at_hand():
    while NURSERY.runs and not NURSERY.ready:
        time.sleep(0.01)
    while line := sys.stdin.buffer.readline():
        size, *named = json.loads(line)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = asyncio.run(read(sys.stdin.buffer.read(size), *named))
        if not NURSERY.ready:  # none is forked here: the most that any child took, and what this one did
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            taken[:] = used, after.ru_maxrss // 1024
        seconds, most = taken
        print(json.dumps(answer | {"mb": most, "seconds": seconds}), flush=True)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")


@cache
def probe() -> subprocess.Popen[bytes]:
    """A process that reads one file after the other, each in a child of its own; it ends with its input."""
    command = [sys.executable, "-c", PROBE]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    atexit.register(process.__exit__, None, None, None)
    return process


def read(data: bytes, name: str, media_type: str = "") -> dict[str, Any]:
    """The outcome of reading a file in a child process, within the limits."""
    process = probe()
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps([len(data), name, media_type]).encode() + b"\n" + data)
    process.stdin.flush()
    outcome = json.loads(process.stdout.readline() or "null")
    if outcome is None:
        process.wait()
        probe.cache_clear()
    assert outcome is not None, "what asks for the reading has ended itself"
    assert outcome["seconds"] < SECONDS
    assert outcome["mb"] < MEGABYTES
    assert not outcome.get("refused", "").startswith(
        ("Reading this file crashed", "The file is damaged, or holds something", "Reading the file")
    )
    return dict(outcome)


def refusal(data: bytes, name: str, media_type: str = "") -> str:
    return str(read(data, name, media_type).get("refused", "it was read"))


# --- archives ---

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="b.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)
PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A</dc:title></metadata>'
    '<manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine>'
    '<itemref idref="c"/></spine></package>'
)
CHAPTER = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>words</p></body></html>'


def zipped(members: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def book(chapter: bytes | str = CHAPTER, method: int = zipfile.ZIP_DEFLATED, **changed: bytes | str) -> bytes:
    members: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "b.opf": PACKAGE,
        "c.xhtml": chapter,
    }
    return zipped(members | changed, method)


def deck(change: Callable[[str], str], part: str = "ppt/slides/slide1.xml") -> bytes:
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "words"
    packed = io.BytesIO()
    made.save(packed)
    with zipfile.ZipFile(packed) as archive:
        members: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
    content = members[part]
    assert isinstance(content, bytes)
    members[part] = change(content.decode())
    return zipped(members)


def overlapping(count: int, size: int) -> bytes:
    """A book whose `count` parts all share the same bytes of the file."""
    data = book(b" " * size)
    start = data.index(b"PK\x01\x02")
    directory = data[start : data.index(b"PK\x05\x06")]
    entry = directory[directory.rindex(b"PK\x01\x02") :]
    more = b"".join(entry.replace(b"c.xhtml", b"%07d" % number) for number in range(count))
    return (
        data[:start]
        + directory
        + more
        + b"PK\x05\x06"
        + struct.pack("<HHHHIIH", 0, 0, count + 4, count + 4, len(directory + more), start, 0)
    )


def lying(real: int, said: int) -> bytes:
    """A book whose chapter unpacks to `real` bytes although its headers declare `said`, with a matching checksum."""
    data = bytearray(book(b" " * real))
    for sign, at in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        start = data.rindex(sign)
        struct.pack_into("<I", data, start + at, zlib.crc32(b" " * said))
        struct.pack_into("<I", data, start + at + 8, said)
    return bytes(data)


def nested(levels: int) -> bytes:
    data = b"words"
    for level in range(levels):
        data = zipped({f"{level}.zip": data})
    return data


def endless() -> bytes:
    """Parts whose deflated bytes, the same for all, unpack to nothing."""
    blocks = b"\0\0\0\xff\xff" * 400_000
    data = book().replace(b"PK\x01\x02", blocks + b"PK\x01\x02", 1)
    start = data.index(b"PK\x01\x02")
    directory = data[start : data.index(b"PK\x05\x06")]
    entries = []
    for number in range(10_000):
        entry = struct.pack(
            "<4s4B4HIIIHHHHHII",
            b"PK\x01\x02",
            20,
            0,
            20,
            0,
            0,
            8,
            0,
            0,
            0,
            len(blocks),
            0,
            8,
            0,
            0,
            0,
            0,
            0,
            start - len(blocks) - 38,
        )
        entries.append(entry + b"%08d" % number)
    directory += b"".join(entries)
    return (
        data[:start]
        + directory
        + b"PK\x05\x06"
        + struct.pack("<HHHHIIH", 0, 0, 10_004, 10_004, len(directory), start, 0)
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: book(b" " * 60_000_000), "decompression bomb"),
        (lambda: overlapping(60, 20_000_000), "overlap"),
        (lambda: lying(300_000_000, 1_000), "unpacks to more than it declares"),
        (endless, "overlap"),
        (lambda: zipped({f"{n}": b"" for n in range(20_001)}), "more than 20,000 parts"),
        (lambda: nested(30), "no document that can be read"),
        (lambda: book(b"words" * 100_000, zipfile.ZIP_BZIP2), "compressed with a method"),
        (lambda: book(b"words" * 100_000, zipfile.ZIP_LZMA), "compressed with a method"),
        (lambda: book().replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x01\x00\x08\x00"), "password-protected"),
        (lambda: book()[:-30], "cut off"),
        (lambda: b"PK\x05\x06" + bytes(18), "ZIP archive"),
        (lambda: book(random.Random(1).randbytes(33_000_000), zipfile.ZIP_STORED), "33 MB of markup"),
    ],
    ids=["bomb", "overlap", "lie", "nothing", "count", "nested", "bzip2", "lzma", "locked", "cut", "void", "large"],
)  # fmt: skip
def test_archives(make: Callable[[], bytes], words: str) -> None:
    assert words in refusal(make(), "a.epub")


def test_names_that_lead_out_of_the_archive_write_nothing(tmp_path: Path) -> None:
    target = tmp_path / "escaped.txt"
    names = (str(target), "../" * 9 + str(target), "..\\escaped.txt", "c.xhtml/../../escaped.txt", "C:\\escaped.txt")
    outcome = read(book(**dict.fromkeys(names, "escaped")), "a.epub")
    assert outcome["text"] == "words"
    assert not target.exists()
    assert not list(ROOT.rglob("*escaped.txt"))


def test_symbolic_links_in_an_archive_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the canary sings")
    packed = io.BytesIO(book())
    link = zipfile.ZipInfo("c.xhtml")
    link.external_attr = 0o120777 << 16
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(packed, "a") as archive:
        archive.writestr(link, str(secret))
    assert "canary" not in read(packed.getvalue(), "a.epub").get("text", "")


# --- workbooks ---

LONG = "".join(random.Random(2).choices("abcdefgh ", k=30_000))


NUMBER, STRING = "<c><v>1</v></c>", "<si><t>a</t></si>"
FIRST_AND_LAST = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
SHARED = '<c t="s"><v>0</v></c>'
SAME_STRING = f"<row>{SHARED * 20}</row>"
MERGES = "<mergeCells>" + "".join(f'<mergeCell ref="A1:A{n}"/>' for n in range(2, 100_000)) + "</mergeCells>"


def scattered(number: int) -> str:
    """A row with two cells that stand far apart, and elsewhere in each row."""
    near, far = "ABCDEFGHIJ"[number % 10], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 26]
    number += 1
    return f'<row r="{number}"><c r="{near}{number}"><v>1</v></c><c r="X{far}{far}{number}" t="n"><v>2</v></c></row>'


def single(number: int) -> str:
    number += 1
    return f'<row r="{number}"><c r="A{number}" t="inlineStr"><is><t>line {number}</t></is></c></row>'


def workbook(rows: Iterable[str], after: str = "", method: int = zipfile.ZIP_DEFLATED, **more: str) -> bytes:
    """A workbook of one sheet of these rows."""
    book = sheet([], after=after).replace("<sheetData></sheetData>", f"<sheetData>{''.join(rows)}</sheetData>")
    return xlsx({"S": book}, more={f"xl/{name}.xml": content for name, content in more.items()}, method=method)


def repeated(rows: int, columns: int) -> bytes:
    cell = f"<table:table-cell table:number-columns-repeated='{columns}' office:value-type='string'><text:p>a</text:p></table:table-cell>"
    return ods(
        f"<table:table table:name='S'><table:table-row table:number-rows-repeated='{rows}'>{cell}</table:table-row></table:table>"
    )


@pytest.mark.parametrize(
    ("make", "name", "words"),
    [
        (lambda: workbook([FIRST_AND_LAST]), "a.xlsx", "S\n\n1\n\n2"),
        (lambda: workbook([SAME_STRING] * 50_000, sharedStrings=f"<sst {MAIN}><si><t>{LONG}</t></si></sst>"), "a.xlsx", "more than 60,000,000 characters"),
        torture(lambda: workbook([f"<row>{NUMBER * 100}</row>"] * 20_001, method=zipfile.ZIP_STORED), "a.xlsx", "more than 2,000,000 filled cells"),
        (lambda: workbook((), sharedStrings=f"<sst {MAIN}>{STRING * 3_000_000}</sst>"), "a.xlsx", "decompression bomb"),
        torture(lambda: workbook(map(scattered, range(60_000))), "a.xlsx", "\t2"),
        torture(lambda: workbook(map(single, range(200_000))), "a.xlsx", "line 7"),
        (lambda: xlsx({f"S{n}": sheet([["a"]]) for n in range(300)}), "a.xlsx", "S299\n\na"),
        (lambda: workbook(["<row><c><v>1</v></c></row>"], after=MERGES), "a.xlsx", "S\n\n1"),
        (lambda: repeated(1_048_576, 16_384), "a.ods", "more than 2,000,000 filled cells"),
        (lambda: xlsb("S", [["a"], *[[]] * 65_000, [*[0.0] * 400]]), "a.xlsb", "stand so far apart"),
        (lambda: xls({f"S{n}": [["a"], *[[]] * 65_000, [*[0.0] * 250]] for n in range(3)}), "a.xls", "stand so far apart"),
        (lambda: ods(f"<table:table table:name='S'><table:table-row><table:table-cell><text:p>{'<text:span>' * 5_000}"), "a.ods", "nothing on any sheet"),
    ],
    ids=["grid", "same", "cells", "strings", "scattered", "lines", "sheets", "merges", "repeated", "far xlsb", "far xls", "deep"],
)  # fmt: skip
def test_workbooks(make: Callable[[], bytes], name: str, words: str) -> None:
    outcome = read(make(), name)
    assert words in outcome.get("refused", "") + outcome.get("text", "")


# --- XML ---

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
GROUP = "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='9' name='g'/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"


def declared(entities: str, use: str, slide: str) -> str:
    head, body = slide.split("?>", 1)
    return f"{head}?><!DOCTYPE sld [{entities}]>{body.replace('words', 'words ' + use)}"


ENTITIES = {
    "laughs": (f'<!ENTITY l0 "ha">{LAUGHS}', "&l9;"),
    "quadratic": (f'<!ENTITY a "{"a" * 100_000}">', "&a;" * 10_000),
    "file": ('<!ENTITY x SYSTEM "file://{}">', "&x;"),
    "parameter": ('<!ENTITY % p SYSTEM "file://{}"> %p;', ""),
    "network": ('<!ENTITY x SYSTEM "http://127.0.0.1:{}/">', "&x;"),
}


@pytest.mark.parametrize("entities", ENTITIES)
@pytest.mark.parametrize("format", ["pptx", "odp", "epub", "html", "opf", "xlsx", "ods"])
def test_entities_are_not_followed(entities: str, format: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the canary sings")
    declaration, use = ENTITIES[entities]
    declaration = declaration.replace("{}", str(secret))
    page = f'<?xml version="1.0"?><!DOCTYPE html [{declaration}]><html><body><p>words {use}</p></body></html>'
    package = f'<?xml version="1.0"?><!DOCTYPE package [{declaration}]>' + PACKAGE.replace(
        "<dc:title>A", f"<dc:title>{use}"
    )
    with zipfile.ZipFile(io.BytesIO(presentation(slide("<draw:rect><text:p>words</text:p></draw:rect>")))) as archive:
        content = archive.read("content.xml").decode()
    data, name, media_type = {
        "pptx": (lambda: deck(lambda slide: declared(declaration, use, slide)), "a.pptx", ""),
        "odp": (
            lambda: zipped({"mimetype": MIMETYPE, "content.xml": declared(declaration, use, content)}),
            "a.odp",
            "",
        ),
        "epub": (lambda: book(page), "a.epub", ""),
        "html": (page.encode, "a", "text/html"),
        "opf": (lambda: book(**{"b.opf": package}), "a.epub", ""),
        "xlsx": (
            lambda: xlsx({"S": declared(declaration, use, f"<?xml version='1.0'?>{sheet([['words']])}")}),
            "a.xlsx",
            "",
        ),
        "ods": (
            lambda: ods(
                f"<table:table table:name='S'>{ods_rows([['words']])}</table:table>",
                change=partial(declared, declaration, use),
            ),
            "a.ods",
            "",
        ),
    }[format]
    outcome = read(data(), name, media_type)
    assert "canary" not in json.dumps(outcome)
    assert "hahahaha" not in json.dumps(outcome)
    assert len(outcome.get("text", "")) < 60_000
    assert "words" in outcome.get("text", "") or "refused" in outcome


@pytest.mark.parametrize(
    "make",
    [
        lambda: deck(
            lambda slide: slide.replace("</p:spTree>", GROUP * 20_000 + "</p:grpSp>" * 20_000 + "</p:spTree>")
        ),
        lambda: deck(lambda slide: slide.replace("</p:spTree>", "<a:p/>" * 4_500_000 + "</p:spTree>")),
        lambda: deck(
            lambda slide: slide.replace("<p:sld ", "<p:sld " + " ".join(f'a{n}="1"' for n in range(60_000)) + " ")
        ),
        torture(lambda: deck(lambda slide: slide.replace("words", "words " * 2_000_000))),
        lambda: deck(lambda slide: slide.replace('name="', 'name="' + "x" * 12_000_000, 1)),
    ],
    ids=["deep", "many", "attributes", "long", "attribute"],
)
def test_slides_of_odd_shape(make: Callable[[], bytes]) -> None:
    outcome = read(make(), "a.pptx")
    assert "words" in outcome.get("text", "") or outcome["refused"].startswith(
        ("The presentation ", "The file is too complex", "No text could be read. Slide 1 is damaged")
    )


@pytest.mark.parametrize(
    "page",
    [
        torture("<div>" * 100_000 + "words"),
        "<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">words",
        "<p a='" + "x" * 20_000_000 + "'>words",
        "<table>" * 5_000 + "words",
        torture("words" + "<b>x</b>" * 100_000),
        "<!DOCTYPE html " + "[" * 1_000_000 + "><p>words",
        torture("words &" + "a" * 5_000_000 + ";"),
        torture("words" + "&#x41;" * 1_000_000),
        "<p>words" + "\n" * 5_000_000,
    ],
    ids=lambda page: page[:20],
)
def test_pages_of_odd_shape(page: str) -> None:
    assert "words" in read(page.encode(), "a", "text/html")["text"]
    assert "words" in read(book(page), "a.epub")["text"]


@pytest.mark.parametrize(
    ("tags", "words"), [torture(1_100_000, "1,000,000 elements"), (22_000_000, "larger than 64 MB")]
)
def test_a_page_of_too_many_tags_is_refused(tags: int, words: str) -> None:
    assert words in refusal(b"<p>" * tags, "a", "text/html")


# --- PDF ---


def stream(data: bytes, entries: str = "") -> str:
    return f"<< /Length {len(data)} {entries} >>\nstream\n{data.decode('latin-1')}\nendstream"


def pdf(*objects: str) -> bytes:
    """A PDF of a catalog (1), a font (2) and these objects, without an index: the reader has to search for them."""
    fixed = ("<< /Type /Catalog /Pages 3 0 R >>", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    bodies = "".join(f"{number} 0 obj\n{body}\nendobj\n" for number, body in enumerate((*fixed, *objects), 1))
    return f"%PDF-1.4\n{bodies}trailer << /Root 1 0 R >>\n%%EOF".encode("latin-1")


PAGES = "<< /Type /Pages /Kids [4 0 R] /Count 1 >>"
PAGE = (
    "<< /Type /Page /Parent 3 0 R /MediaBox [0 0 300 300] /Contents 5 0 R /Resources << /Font << /F 2 0 R "
    ">> /XObject << /X 6 0 R >> >> >>"
)
WORDS = stream(b"BT /F 12 Tf 50 50 Td (words) Tj ET /X Do")
FORM = "/Type /XObject /Subtype /Form /BBox [0 0 300 300]"


@cache
def twice_deflated() -> str:
    content = b"BT /F 12 Tf 50 50 Td (words) Tj ET" + b" " * 300_000_000
    return stream(zlib.compress(zlib.compress(content, 9), 9), "/Filter [/FlateDecode /FlateDecode]")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (lambda: pdf("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"), ""),
        (lambda: pdf("<< /Type /Pages /Kids [4 0 R 4 0 R] /Count 2147483647 >>", PAGE, WORDS), ""),
        (lambda: pdf("<< /Type /Pages /Kids [4 0 R] /Count -1 >>", PAGE, WORDS), ""),
        (lambda: pdf(PAGES, PAGE, WORDS, stream(b"/X Do", f"{FORM} /Resources << /XObject << /X 6 0 R >> >>")), "words"),
        (lambda: pdf(PAGES, PAGE, stream(b"BT /F 12 Tf (words) Tj ET", "/Filter 5 0 R")), ""),
        (lambda: pdf("3 0 R", "4 0 R"), ""),
        (lambda: pdf(PAGES, PAGE, "[" * 100_000 + "]" * 100_000), ""),
        (lambda: pdf(PAGES, PAGE, stream(b"[" * 1_000_000)), ""),
        (lambda: pdf(PAGES, PAGE, stream(b"q " * 1_000_000 + b"BT /F 12 Tf 50 50 Td (words) Tj ET")), ""),
        (lambda: pdf(PAGES, PAGE, WORDS, stream(b"\0" * 99, (
                "/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /BitsPerComponent 8 /ColorSpace "
                "/DeviceRGB"
            ))), "words"),
        (lambda: pdf(PAGES, PAGE, WORDS, stream(b"\0" * 99, (
                "/Type /XObject /Subtype /Image /Width 65535 /Height 65535 /BitsPerComponent 1 /Filter "
                "/JBIG2Decode"
            ))), "words"),
        (lambda: pdf(PAGES, PAGE, twice_deflated()), ""),
        (lambda: pdf(PAGES, PAGE.replace("5 0 R", f"[{'5 0 R ' * 50_000}]", 1), WORDS), ""),
        (lambda: pdf(PAGES, PAGE, WORDS).replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev 0 /Size 4294967296"), "words"),
        (lambda: pdf(PAGES, PAGE, WORDS)[:-200], ""),
    ],
    ids=[
        "own child", "many pages", "minus one page", "own form", "own filter", "circle", "nested", "arrays", "states",
        "picture", "jbig2", "bomb", "contents",
        "size", "cut",
    ],
)  # fmt: skip
def test_pdf(data: Callable[[], bytes], words: str) -> None:
    assert words in read(data(), "a.pdf").get("text", "")


# --- the others ---


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (lambda: b"{\\rtf1 words" + b"{" * 300_000 + b"}" * 300_000 + b"}", "words"),
        (lambda: b"{\\rtf1 words\\bin2147483647 " + b"x" * 99 + b"}", "words"),
        (lambda: b"{\\rtf1 words\\uc99999999" + b"\\u99999?" * 100_000 + b"}", "words"),
        torture(lambda: b"{\\rtf1 words" + b"{\\*\\x" * 300_000, "words"),
        torture(lambda: b"{\\rtf1 words" + b"\\" * 2_000_001 + b"}", "words"),
        (lambda: b"{\\rtf1 words\\" + b"a" * 5_000_000 + b"}", "words"),
        torture(lambda: b"{\\rtf1 words" + b"\\trowd\\cell\\row" * 200_000 + b"}", "words"),
        (lambda: b"{\\rtf1{\\fonttbl" + b"{\\f1\\fcharset128 x;}" * 100_000 + b"}words}", "words"),
    ],
    ids=["deep", "bin", "uc", "stars", "slashes", "word", "rows", "fonts"],
)
def test_rtf(data: Callable[[], bytes], words: str) -> None:
    assert words in read(data(), "a.rtf")["text"]


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (lambda: b"," * 1_000_000, "a.csv", "columns"),
        (lambda: b"a,b\n" + b"1," * 2_000_000, "a.csv", "columns"),
        torture(lambda: b'a,b\n"' + b'"",' * 2_000_000, "a.csv", ""),
        (lambda: b"a,b\n" + b'"\n' * 1_000_000, "a.csv", ""),
        (lambda: b"a\0b,c\0\n" * 100_000, "a.csv", ""),
        torture(lambda: b"words" * 20_000_000, "a.txt", "more than 20,000 pages"),
        torture(lambda: "ж".encode() * 5_000_000, "a.txt", ""),
        torture(lambda: b"\n" * 30_000_000 + b"words", "a.txt", ""),
        (lambda: b"words\f" * 1_000_000, "a.txt", "pages"),
        torture(lambda: b"\xff\xfe" + b"\0\xd8" * 5_000_000, "a.txt", ""),
        torture(lambda: b"\xe9" * 2_000_000, "a.txt", ""),
        torture(lambda: b"words \xef\xbb" * 500_000, "a.txt", ""),
        torture(lambda: b"\x1b$B" * 3_000_000, "a.txt", ""),
    ],
    ids=[
        "columns", "wide row", "quotes", "open quotes", "nul", "line", "cyrillic", "lines", "pages", "surrogates",
        "latin", "broken", "escapes",
    ],
)  # fmt: skip
def test_plain_files(data: Callable[[], bytes], name: str, words: str) -> None:
    outcome = read(data(), name)
    assert words in outcome.get("refused", "") if words else "text" in outcome or outcome["refused"]


def png(width: int, height: int, pixels: bytes, *more: tuple[bytes, bytes], kind: bytes = b"\x01\0") -> bytes:
    """A PNG of one bit of grey, or of another `kind` (depth and colours), which says it has this size."""
    header = struct.pack(">II", width, height) + kind + bytes(3)
    chunks = [(b"IHDR", header), *more, (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


def tiff(*entries: tuple[int, int, int, int], following: int = 0) -> bytes:
    """A TIFF with one directory of entries (tag, type, count, value), which says where the following one is."""
    fields = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return struct.pack("<2sHIH", b"II", 42, 8, len(entries)) + fields + struct.pack("<I", following) + bytes(4_000)


TIFF_SHEET = (
    (256, 4, 1, 64),
    (257, 4, 1, 64),
    (258, 3, 1, 1),
    (259, 3, 1, 1),
    (262, 3, 1, 1),
    (273, 4, 1, 200),
    (279, 4, 1, 512),
)
GIF_BOMB = b"GIF89a" + struct.pack("<HHBBB", 65_535, 65_535, 0x80, 0, 0) + bytes(6) + b"," + struct.pack("<HHHHB", 0, 0, 65_535, 65_535, 0) + b"\x02\x02L\x01\0;"  # fmt: skip
BMP_BOMB = b"BM" + struct.pack("<IHHI", 99, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, 60_000, 60_000, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(64)  # fmt: skip


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: png(60_000, 60_000, bytes(7_501)), "more than can be decoded"),
        (lambda: png(2_147_483_647, 2_147_483_647, b""), "picture"),
        torture(lambda: png(16_000, 16_000, bytes(2_001 * 16_000)), "no text in the picture"),
        (lambda: png(0, 0, b""), "picture"),
        (lambda: png(64, 64, b""), "picture"),
        (lambda: png(64, 64, bytes(9 * 64), (b"zTXt", b"k\0\0" + zlib.compress(bytes(200_000_000), 9))), "picture"),
        (lambda: png(64, 64, bytes(9 * 64), (b"iCCP", b"k\0\0" + zlib.compress(bytes(200_000_000), 9))), "picture"),
        (lambda: png(64, 64, bytes(9 * 64)) + b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "no text in the picture"),
        (lambda: png(64, 64, bytes(9 * 64)) + book(), "no text in the picture"),
        (lambda: tiff(*TIFF_SHEET, following=8), "no text in the picture"),
        (lambda: tiff((256, 4, 1, 4_000_000_000), (257, 4, 1, 4_000_000_000), *TIFF_SHEET[2:]), "picture"),
        (lambda: tiff((256, 4, 4_000_000_000, 8), *TIFF_SHEET[1:]), "picture"),
        (lambda: tiff(), "picture"),
        (lambda: GIF_BOMB, "picture"),
        (lambda: BMP_BOMB, "more than can be decoded"),
        (lambda: b"RIFF\xff\xff\xff\xffWEBPVP8X\x0a\0\0\0" + b"\x02\0\0\0" + b"\xff" * 6, "picture"),
        (lambda: b"\xff\xd8\xff\xe0" + random.Random(1).randbytes(100_000), "picture"),
        (lambda: b"\xff\xd8" + b"\xff\xe1\0\x08Exif\0\0" * 100_000, "picture"),
    ],
    ids=[
        "bomb", "largest", "white", "nothing", "no pixels", "text bomb", "profile bomb", "with a PDF", "with a book",
        "loop", "huge TIFF", "many widths", "no tags", "GIF", "BMP", "WebP", "noise", "Exif",
    ],
)  # fmt: skip
def test_pictures(make: Callable[[], bytes], words: str) -> None:
    assert words in read(make(), "a.png").get("refused", "picture")


@pytest.mark.parametrize(
    "shapes",
    [
        "<draw:g>" * 100_000,
        "<draw:frame><draw:text-box>" + "<text:list><text:list-item>" * 50_000 + "<text:p>words</text:p>",
        "<draw:frame><draw:text-box><text:p>" + "<text:span>" * 100_000,
        "<draw:frame><draw:text-box><text:p>" + "<text:s text:c='999999999'/>" * 10_000,
        torture(
            "<draw:frame><table:table>"
            + "<table:table-row><table:table-cell table:number-columns-repeated='999999999'><text:p>x</text:p></table:table-cell></table:table-row>"
            * 500
        ),
        "<draw:frame><draw:object xlink:href='../../../../etc/passwd'/><draw:object xlink:href='./content.xml'/></draw:frame>",
        "<draw:rect svg:x='1e999cm' svg:y='-9cm' svg:width='99999999999999999999cm'><text:p>words</text:p></draw:rect>"
        * 2_000,
        "<draw:page/>" * 30_000,
    ],
    ids=["groups", "lists", "spans", "spaces", "columns", "objects", "places", "slides"],
)
def test_opendocument_slides_of_odd_shape(shapes: str) -> None:
    outcome = read(presentation(slide(shapes)), "a.odp")
    assert "root:x:0:0" not in outcome.get("text", "")


def ole(**changed: int) -> bytes:
    """A file of sixteen sectors whose tables are zero, so that every chain loops at the first sector."""
    fields = {
        "sector": 9,
        "mini": 6,
        "tables": 1,
        "directory": 0,
        "mini_table": 0,
        "mini_tables": 1,
        "more": 0,
        "mores": 0,
        **changed,
    }
    numbers = (62, 3, 0xFFFE, fields["sector"], fields["mini"], 0, fields["tables"], fields["directory"], 0, 4096)
    tables = (fields["mini_table"], fields["mini_tables"], fields["more"], fields["mores"], 0)
    header = struct.pack("<8s16xHHHHH6xIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", *numbers, *tables)
    return header + bytes(436) + "PowerPoint Document".encode("utf-16-le") + bytes(16 * 512)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"sector": 31},
        {"sector": 65535},
        {"mini": 31},
        {"tables": 0xFFFFFFFF},
        {"mores": 0xFFFFFFFF},
        {"mini_tables": 0xFFFFFFFF},
        {"directory": 0xFFFFFFF0},
    ],
    ids=repr,
)
def test_ole(changed: dict[str, int]) -> None:
    assert "damaged" in refusal(ole(**changed), "a.ppt")


# --- data and messages ---

LAUGHS = "<!DOCTYPE a [<!ENTITY x0 'laugh'>" + "".join(f"<!ENTITY x{n} '{f'&x{n - 1};' * 10}'>" for n in range(1, 12))
QUADRATIC = f"<!DOCTYPE a [<!ENTITY x '{'x' * 100_000}'>]><a>{'&x;' * 20_000}</a>"


@pytest.mark.parametrize(
    "make",
    [
        lambda: (LAUGHS + "]><a>&x11;</a>", "a.xml"),
        lambda: (QUADRATIC, "a.xml"),
        lambda: ('<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd" [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]><a>x</a>', "a.xml"),
        lambda: ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "a.xml"),
        lambda: ("<a>" * 100_000 + "x", "a.xml"),
        lambda: ("<a " + " ".join(f"b{n}='1'" for n in range(100_000)) + ">x</a>", "a.xml"),
        lambda: ("<a>" + "<b/>" * 1_000_000 + "x</a>", "a.xml"),
        torture(lambda: ("<a>" + "<b>x</b>" * 1_000_000 + "</a>", "a.xml")),
        lambda: ("<a>" + "&" * 2_000_000 + "</a>", "a.xml"),
        lambda: ("[" * 200_000, "a.json"),
        lambda: ('{"a":' * 500 + "1" + "}" * 500, "a.json"),
        torture(lambda: ("[" + "[]," * 2_000_000 + "1]", "a.json")),
        torture(lambda: ('{"a": ' + "9" * 5_000_000 + "}", "a.json")),
        torture(lambda: ("[" + ",".join(f'{{"k{n}": 1}}' for n in range(300_000)) + "]", "a.json")),
        torture(lambda: ("1\n" * 500_000, "a.jsonl")),
        torture(lambda: ("[" * 200_000, "a.md")),
        lambda: ("> " * 100_000 + "x", "a.md"),
        torture(lambda: ("*a_ " * 100_000, "a.md")),
        torture(lambda: ("![[" * 50_000, "a.md")),
        torture(lambda: ("|a" * 50_000 + "\n" + "|-" * 50_000 + "\n" + "|b\n" * 50_000, "a.md")),
        torture(lambda: ("<b>" * 300_000, "a.md")),
        torture(lambda: ("---\n" + "a: b\n" * 500_000, "a.md")),
        torture(lambda: ("<div>" * 200_000 + "x", "a.html")),
    ],
)  # fmt: skip
def test_data_and_markup(make: Callable[[], tuple[str, str]]) -> None:
    source, name = make()
    assert "root:" not in read(source.encode(), name).get("text", "")


def deep_multipart(levels: int) -> str:
    heads = (f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(levels))
    return "Subject: x\nFrom: a@example.org\n" + "".join(heads) + "\nwords"


@pytest.mark.parametrize(
    "make",
    [
        lambda: deep_multipart(20_000),
        lambda: "Subject: x\nFrom: a@example.org\n" + "Content-Type: message/rfc822\n\n" * 20_000 + "words",
        lambda: 'Subject: x\nFrom: a\nContent-Type: multipart/mixed; boundary="b"\n\n' + "--b\n\nx\n" * 200_000,
        lambda: 'Subject: x\nFrom: a\nContent-Type: multipart/mixed; boundary="b"\n\n' + "--b\nContent-Type: image/png; name=a\n\nx\n" * 50_000,
        torture(lambda: "Subject: x\nFrom: a\n" + "To: " + "a@example.org, " * 200_000 + "\n\nwords"),
        lambda: "Subject: " + "=?utf-8?Q?a?= " * 100_000 + "\nFrom: a\n\nwords",
        lambda: "Subject: " + "=?utf-8?Q?" * 100_000 + "\nFrom: a\n\nwords",
        lambda: "Subject: x\nFrom: " + '"' * 500_000 + "<a>\n\nwords",
        lambda: "Subject: x\nFrom: a\n" + "X: y\n" * 200_000 + "\nwords",
        lambda: "Subject: x\nFrom: a\nContent-Type: text/plain; " + "name*0*=x; " * 20_000 + "\n\nwords",
        torture(lambda: "Subject: x\nFrom: a\n\n" + "begin 644 a\n" * 100_000),
        torture(lambda: "Subject: x\nFrom: a\n\n" + "M" * 5_000_000),
        lambda: "Subject: x\nFrom: a\nContent-Type: text/enriched\n\n" + "<param>" * 300_000,
        lambda: "Subject: x\nFrom: a\nContent-Type: application/pkcs7-mime; name=smime.p7m\n\n" + "0\x80" * 500_000,
        torture(lambda: "Subject: x\nFrom: a\nContent-Type: text/plain; format=flowed\n\n" + "> " * 2_000_000),
    ],
)  # fmt: skip
def test_messages(make: Callable[[], str]) -> None:
    assert read(make().encode("latin-1"), "a.eml").get("text", "").startswith(("Subject", "From"))


def test_mailboxes_and_messages_of_outlook() -> None:
    letter = "From a Mon Mar  2 09:30:00 2026\nFrom: a@example.org\nSubject: x\n\nwords\n\n"
    assert read(letter.encode() * 4_000, "a.mbox")["pages"] == 4_000
    assert "more than 5,000" in refusal(letter.encode() * 6_000, "a.mbox")
    deep: Any = {0x37: "x", 0x1000: "words"}
    tree = outlook_tree(deep, header=24)
    for _ in range(40):
        tree = outlook_tree(deep, files=[tree], header=24)
    assert "deeper than 10" in " ".join(read(outlook(deep, files=[tree]), "a.msg")["notes"])
    bomb = struct.pack("<IIII", 0xFFFFFFFF, 0xFFFFFFFF, 0x75465A4C, 0) + b"\0AAAAAAAA" + b"\xff" + b"\x00\x0f" * 8
    assert "Subject: x" in read(outlook({0x37: "x", 0x1009: bomb * 20_000}), "a.msg")["text"]
    many = outlook({0x37: "x", 0x1000: "words"}, [{0x3001: f"n{n}", 0x0C15: 1} for n in range(400)])
    assert "n399" in read(many, "a.msg")["text"]


# --- the server ---


def test_the_server_does_not_notice(words_server: Server) -> None:
    """A dozen hostile files at once are refused or read; meanwhile requests are answered, and a sound file is read.
    Little memory is taken, and nothing is left behind. `tests/torture/hostile.py` is the long version."""
    files = {
        "bomb.epub": book(b" " * 60_000_000), "lie.epub": lying(300_000_000, 1_000), "columns.csv": b"," * 1_000_000,
        "loop.pdf": pdf("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        "loop.ppt": ole(), "laughs.pptx": deck(lambda slide: declared(*ENTITIES["laughs"], slide)),
        "login.pdf": b"<html>Log in", "noise.txt": random.Random(1).randbytes(1_000_000),
        "headings.epub": book(f"<html><body>{'<h2>Title</h2><p>w</p>' * 2_000}</body></html>"),
        "heading.epub": book(f"<html><body><h1>{'word ' * 5_000}</h1>{'<p>some words</p>' * 1_000}</body></html>"),
        "quotes.csv": b'a,b\n"' + b'""' * 20_000 + b'"\n', "sentences.txt": b'"a." ' * 4_000,
    }  # fmt: skip
    read_too = ("laughs.pptx", "headings.epub", "heading.epub", "quotes.csv", "sentences.txt")
    server, statuses = words_server, dict[str, int]()

    def memory() -> int:
        return int(resident_mb(server.process.pid))

    def send(name: str, data: bytes) -> None:
        with server.client() as client:
            statuses[name] = client.post("/v1/api/upload", files={"file": (name, data)}).status_code

    before, peak = memory(), 0
    threads = [threading.Thread(target=send, args=item) for item in files.items()]
    for thread in threads:
        thread.start()
    with server.client() as client:
        for _ in range(20):
            assert client.get("/healthz").status_code == 200
        served_meanwhile = len(files) - len(statuses)
        sound = client.post("/v1/api/upload", files={"file": ("sound.txt", b"words")})
    while any(thread.is_alive() for thread in threads):
        peak = max(peak, memory())
        time.sleep(0.02)
    assert served_meanwhile, "all health checks waited for the hostile files"
    assert sound.status_code == 201
    expected = {name: 201 if name in read_too else 422 for name in files}
    assert statuses in (expected, {**expected, "laughs.pptx": 422})
    assert peak - before < MEMORY_MB
    assert server.process.poll() is None
    server.wait("/healthz", "indexing", 0)
    assert not list(Path(tempfile.gettempdir()).glob(f"docqa-reader-{server.process.pid}-*"))
    assert not readers_of(server.process.pid)

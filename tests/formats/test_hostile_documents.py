"""Hostile documents of word processors harm only themselves, within the limits of test_hostile."""

import io
import json
import random
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import torture
from test_doc import DELETED, TEXT_AT, doc, piece_table, plc, row
from test_docx import SPACES, archive_of, cell, docx, p, run, style, table
from test_docx import row as docx_row
from test_hostile import ENTITIES, read
from test_odt import SPACES as ODF_SPACES
from test_odt import TYPE, odt
from test_odt import p as odf_p
from test_odt import style as odf_style

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")

DEEP = "<w:smartTag>" * 20_000 + run("deep") + "</w:smartTag>" * 20_000
REFER = '<w:r><w:commentReference w:id="{}"/></w:r>'.format


@pytest.mark.parametrize("entities", ENTITIES)
@pytest.mark.parametrize("format", ["docx", "odt", "fodt"])
def test_entities_are_not_followed(entities: str, format: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the canary sings")
    declaration, use = ENTITIES[entities]
    head = f'<?xml version="1.0"?><!DOCTYPE x [{declaration.replace("{}", str(secret))}]>'
    word = f"<w:document {SPACES}><w:body>{p(run(f'words {use}'))}</w:body></w:document>"
    body = f"<office:body><office:text>{odf_p(f'words {use}')}</office:text></office:body>"
    content = f"<office:document-content {ODF_SPACES}>{body}</office:document-content>"
    flat = f'<office:document {ODF_SPACES} office:mimetype="{TYPE}">{body}</office:document>'
    data = {
        "docx": lambda: archive_of({"word/document.xml": head + word}),
        "odt": lambda: archive_of({"mimetype": TYPE, "content.xml": head + content}),
        "fodt": lambda: flat.replace("<office:document ", f"{head}<office:document ", 1).encode(),
    }[format]()
    outcome = read(data, f"a.{format}")
    assert "canary" not in json.dumps(outcome)
    assert "hahahaha" not in json.dumps(outcome)
    assert "words" in outcome.get("text", "") or "refused" in outcome


def chain(count: int, of: Callable[[int], str]) -> str:
    return "".join(of(number) for number in range(count))


@pytest.mark.parametrize(
    "make",
    [
        lambda: docx(p("words", DEEP)),
        lambda: docx(p("words") + "<w:tbl><w:tr><w:tc>" * 5_000 + p("deep") + "</w:tc></w:tr></w:tbl>" * 5_000),
        lambda: docx(p("words") + "<w:sdt><w:sdtContent>" * 9_000 + p("x") + "</w:sdtContent></w:sdt>" * 9_000),
        lambda: docx(p("words") + "<w:p/>" * 4_500_000),
        torture(lambda: docx(p("words") + p("x") * 40_000)),
        torture(lambda: docx(p("words " * 500_000))),
        lambda: docx(p("words") + table(*[docx_row(cell("x", '<w:gridSpan w:val="999999999"/>'))] * 5_000)),
        lambda: docx(
            p("words") + p("x", properties='<w:pStyle w:val="s0"/>'),
            styles=chain(60_000, lambda n: style(f"s{n}", "", based=f"s{n + 1}")),
        ),
        torture(
            lambda: docx(
                p("words") + p("x", properties='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>') * 5_000,
                numbering='<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:lvlText w:val="'
                + "%1" * 500_000
                + '"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
            )
        ),
        torture(
            lambda: docx(
                p("words", *[REFER(1)] * 50_000),
                comments=f'<w:comment w:id="1">{p("x" * 1_000_000, *[REFER(1)] * 1_000)}</w:comment>',
            )
        ),
        lambda: docx(p("words") + p('<w:r><w:fldChar w:fldCharType="begin"/></w:r>') * 20_000),
        lambda: docx(p("words", *['<w:r><w:br w:type="page"/></w:r>'] * 15_000)),
    ],
    ids=["deep", "tables", "controls", "many", "paragraphs", "long", "spans", "styles", "labels", "comments", "fields", "pages"],
)  # fmt: skip
def test_word_documents_of_odd_shape(make: Callable[[], bytes]) -> None:
    outcome = read(make(), "a.docx")
    assert "words" in outcome.get("text", "") or outcome["refused"].startswith(
        ("The file is too complex", "The file has")
    )


@pytest.mark.parametrize(
    "body",
    [
        odf_p("words" + "<text:span>" * 20_000 + "deep" + "</text:span>" * 20_000),
        odf_p("words") + "<text:list><text:list-item>" * 9_000 + odf_p("x") + "</text:list-item></text:list>" * 9_000,
        odf_p("words" + '<text:s text:c="999999999"/>' * 10_000),
        odf_p("words")
        + '<table:table><table:table-row table:number-rows-repeated="999999999"><table:table-cell table:number-columns-repeated="999999999">'
        + odf_p("x")
        + "</table:table-cell></table:table-row></table:table>",
        odf_p("words") + odf_p("") * 60_000,
        odf_p("words") + "<draw:frame><draw:object xlink:href='.'/></draw:frame>" * 10_000,
    ],
    ids=["deep", "lists", "spaces", "repeated", "empty", "objects"],
)
def test_opendocument_texts_of_odd_shape(body: str) -> None:
    styles = chain(20_000, lambda n: odf_style(f"s{n}", attributes=f'style:parent-style-name="s{n + 1}"'))
    assert "words" in read(odt(body, styles), "a.odt")["text"]


def test_nothing_outside_of_a_document_is_read() -> None:
    outside = '<Relationship Id="x" Type="http://x/footnotes" Target="file:///etc/passwd" TargetMode="External"/>'
    climbing = '<Relationship Id="y" Type="http://x/comments" Target="../../../../etc/passwd"/>'
    packed = io.BytesIO(docx(p("words")))
    with zipfile.ZipFile(packed) as source:
        members = {name: source.read(name).decode() for name in source.namelist()}
    members["word/_rels/document.xml.rels"] = f"<Relationships>{outside}{climbing}</Relationships>"
    members["word/document.xml"] = (
        f'<w:document {SPACES}><w:body>{p("words")}<w:altChunk r:id="x"/></w:body></w:document>'
    )
    outcome = read(archive_of(members), "a.docx")
    assert outcome["text"] == "words"
    assert outcome["notes"] == ["Other files that the document includes were left out."]


def test_an_archive_that_unpacks_without_end_is_refused() -> None:
    outcome = read(archive_of({"word/document.xml": " " * 60_000_000}), "a.docx")
    assert "decompression bomb" in outcome["refused"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: doc("words\r", pieces=piece_table([(n, n + 1, TEXT_AT, 0) for n in range(60_000)])),
        lambda: doc("words\r", pieces=piece_table([(0, 1 << 29, TEXT_AT, 0)])),
        lambda: doc("words\r", *row(*["x"] * 8, properties=b"\x08\xd6\xff\xff\xff" + bytes(200))),
        lambda: doc("words\r", characters=plc([TEXT_AT, 1 << 31], struct.pack("<I", 0))),
        lambda: doc("words\r", paragraphs=plc([TEXT_AT, 1 << 31], struct.pack("<I", 1 << 21))),
        lambda: doc("words\r", styles=struct.pack("<HHH", 4, 1, 10) + b"\1\0" * 100_000),
        lambda: doc("words\r", sections=plc([*range(500)], bytes(12 * 499))),
        lambda: doc("words\r", lists=b"\xff\xff" + bytes(28 * 9_000), list_overrides=b"\xff\xff\xff\x7f" + bytes(200_000)),
        lambda: doc("words\r", *[("x", DELETED)] * 20, "\r" * 60_000),
        lambda: doc("words\r", "\x13" * 200_000),
        lambda: doc("words\r", sizes={"footnote": 1 << 30}, footnote_references=plc([0, 5], b"\1\0"), footnotes=plc([0, 1 << 30])),
    ],
    ids=["pieces", "length", "cells", "settings", "paragraphs", "styles", "sections", "lists", "empty", "fields", "notes"],
)  # fmt: skip
def test_binary_documents_of_odd_shape(make: Callable[[], bytes]) -> None:
    outcome = read(make(), "a.doc")
    assert "words" in outcome.get("text", "") or outcome["refused"].startswith("The document is damaged")


@pytest.mark.parametrize("seed", range(6))
def test_damaged_binary_documents_are_read_in_part_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    whole = doc("words\r", *row("a", "b"), ("c\r", DELETED), "d\x0c", "\x13 REF \x14e\x15\r")
    data = bytearray(whole)
    for _ in range(30):
        data[chance.randrange(512, len(data))] = chance.randrange(256)
    outcome = read(bytes(data), "a.doc")
    assert "text" in outcome or outcome["refused"]

"""No damaged file crashes a reader, surprises it or stops it: python tests/torture/fuzz.py [SECONDS] [SEED]

Small sound files of each kind are cut, repeated, spliced and flipped at random, those in a ZIP also inside of their
parts, and read by the child process as an upload is. What goes wrong is printed with the child's last words and kept in
a folder that is
named at the end.
"""

import asyncio
import io
import json
import logging
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from email.message import EmailMessage
from pathlib import Path
from xml.sax.saxutils import escape

sys.path[:0] = [
    str(Path(__file__).parents[2]),
    str(Path(__file__).parents[1]),
    str(Path(__file__).parents[1] / "formats"),
]

import pptx
import pymupdf
from PIL import Image, ImageDraw

import test_doc
import test_docx
import test_odt
from binary_workbooks import xls, xlsb
from docqa.errors import Unreadable
from docqa.ingest.children import Limits
from docqa.ingest.reader import prepare
from messages import outlook
from test_hostile import book, zipped
from test_odp import box, items, notes, place, presentation
from test_odp import slide as odp_slide
from test_ppt import BODY, TITLE, Deck, document, listed, notes_page, shape, slide, text
from workbooks import ods, ods_rows, sheet, xlsx

SECONDS = 20.0
MEGABYTES = 1024
PARALLEL = 2
# What `prepare` says of a child that ended before it had an answer, that raised something, or that needed too much.
FAULTS = (
    "Reading this file crashed",
    "The file is damaged, or holds something",
    "Reading the file took longer",
    "Reading the file needs more",
)
ROWS = [["Item", "Price"], ["Apple", 1.25], ["Pear", 2.0]]
WORDS = ("a", "b|c", "größer", "1,5", "日本語", '"quoted"', "x" * 50)


def samples(chance: random.Random) -> dict[str, list[bytes]]:
    """Files that are read without a complaint, by the end of their names; web pages have none."""
    words = " ".join(chance.choices(WORDS, k=40))
    table = "\r\n".join(";".join(chance.choices(WORDS, k=4)) for _ in range(20))
    page = f"<html><head><meta charset=utf-8><title>{words}</title></head><body><h1>a</h1><ul><li>b</ul><table><tr><td>1<td>2</table><p>{words * 9}</p></body></html>"
    rtf = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title t}}\pard\f0 a\u8364?\'e9{\b b}\par\trowd\cellx99 c\cell\row{\footnote d}\bin3 xyz}"
    return {
        ".pdf": [make_pdf(words, compressed) for compressed in (False, True)],
        ".txt": [
            words.encode(),
            words.encode("utf-16"),
            words.encode("cp1252", "ignore"),
            words.encode("shift_jis", "ignore"),
        ],
        ".csv": [table.encode(), table.replace(";", "\t").encode("utf-16-le")],
        ".rtf": [rtf.encode()],
        ".pptx": [make_deck(words)],
        ".ppt": [make_old_deck(words)],
        ".docx": [make_document()],
        ".odt": [make_open_document()],
        ".doc": [make_old_document()],
        ".odp": [make_opendocument(words)],
        ".png": [make_picture(kind) for kind in ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP")],
        ".epub": [book(), book(page)],
        ".md": [f"---\ntitle: t\n---\n# a\n\n1. {words}\n\n|a|b|\n|-|-|\n|1|2|\n\n<span>c</span>".encode()],
        ".json": [json.dumps({"a": {"b": words, "c": [1, 2.0, None]}, "d": [{"e": 1}] * 3}).encode()],
        ".xml": [f"<a><b c='d'>e</b><p>{escape(words)} <i>f</i></p></a>".encode()],
        ".eml": [make_message(words)],
        ".msg": [outlook({0x37: words, 0x1000: words, 0x1013: page.encode()}, [{0x3001: words, 0x0C15: 1}])],
        ".xlsx": [xlsx({"S": sheet(ROWS), "T": sheet([[words]], merged=["A1:B2"])}, formats=["0%"])],
        ".ods": [ods(f"<table:table table:name='S'>{ods_rows(ROWS)}</table:table>")],
        ".xls": [xls({"S": ROWS, "T": [[words]]})],
        ".xlsb": [xlsb("S", ROWS)],
        "": [page.encode(), page.replace("utf-8", "shift_jis").encode("shift_jis", "ignore")],
    }


def make_pdf(words: str, is_compressed: bool) -> bytes:
    made = pymupdf.open()
    for _ in range(3):
        made.new_page().insert_textbox((50, 50, 400, 700), words)
    made.set_toc([[1, "one", 1], [2, "two", 2]])
    return bytes(made.tobytes(deflate=is_compressed, use_objstms=is_compressed))


def make_message(words: str) -> bytes:
    made = EmailMessage()
    made["From"], made["Subject"] = "Ada <ada@example.org>", words.replace("\n", " ")
    made.set_content(words)
    made.add_alternative(f"<p>{words}</p>", subtype="html")
    made.add_attachment(words.encode(), maintype="application", subtype="octet-stream", filename="a.txt")
    return bytes(made)


def make_deck(words: str) -> bytes:
    made = pptx.Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "title"
    first.placeholders[1].text = words
    first.shapes.add_table(2, 2, 0, 0, 9, 9).table.cell(0, 0).text = "cell"
    first.shapes.add_group_shape().shapes.add_textbox(0, 0, 9, 9).text_frame.text = "inside"
    first.notes_slide.notes_text_frame.text = "notes"
    packed = io.BytesIO()
    made.save(packed)
    return packed.getvalue()


def make_opendocument(words: str) -> bytes:
    cells = "<table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell></table:table-row>"
    table = f"<draw:frame {place(1, 9)}><table:table>{cells}</table:table></draw:frame>"
    shapes = (box("title", kind="title"), f"<draw:g>{box(items(words, 'x'))}</draw:g>", table, notes(box("notes")))
    return presentation(odp_slide(*shapes), odp_slide(box(words)))


def make_picture(kind: str) -> bytes:
    made = Image.new("L", (120, 40), 255)
    ImageDraw.Draw(made).text((5, 10), "words on it", fill=0)
    packed = io.BytesIO()
    made.save(packed, kind)
    return packed.getvalue()


def make_old_deck(words: str) -> bytes:
    page = slide(shape(text("title", TITLE)), shape(text(words, BODY)), notes=7)
    return Deck({1: document([listed(2)], [listed(3, 7)]), 2: page, 3: notes_page(shape(text("notes")))}).file()


def make_document() -> bytes:
    forms = test_docx.levels(("decimal", "%1."), ("lowerLetter", "%2)"))
    body = test_docx.item("one") + test_docx.item("two", level=1) + test_docx.p("a", test_docx.field("REF x", "b"))
    body += test_docx.table(test_docx.row("c", "d"), test_docx.row("e", "f"))
    body += test_docx.p('<w:r><w:footnoteReference w:id="1"/></w:r>', test_docx.RENDERED, "g")
    notes = test_docx.note("footnote", 1, "below")
    return test_docx.docx(body, numbering=test_docx.numbering(forms), footnotes=notes, styles=test_docx.style("A", ""))


def make_open_document() -> bytes:
    lists = f"<text:list-style style:name='L'>{test_odt.level(1, '1')}</text:list-style>"
    body = test_odt.items("one", "two") + test_odt.table(test_odt.row("a", "b"), test_odt.row("c", "d"))
    return test_odt.odt(body + test_odt.SOFT + test_odt.p("e"), styles=lists)


def make_old_document() -> bytes:
    edges = b"\x08\xd6" + b"\x08\0\2" + bytes(6)
    rows = test_doc.row("a", "b"), test_doc.row("c", "d", properties=edges)
    styles = test_doc.stylesheet((2, "heading 2", b""))
    return test_doc.doc("one\r", *rows[0], *rows[1], ("gone", test_doc.DELETED), "\x13 REF \x14e\x15\r", styles=styles)


def mutated(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """`data` after one to eight accidents; `other` is what it may be spliced with."""
    if zipfile.is_zipfile(io.BytesIO(data)) and chance.random() < 0.7:
        return repacked(data, other, chance)
    damaged = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        start = chance.randrange(len(damaged) + 1)
        end = min(len(damaged), start + int(2 ** chance.uniform(0, 12)))
        accident = chance.randrange(7)
        if accident == 0:
            damaged[start:end] = chance.randbytes(end - start)
        elif accident == 1:
            del damaged[start:end]
        elif accident == 2:
            damaged[start:start] = damaged[start:end] * chance.randint(1, 50)
        elif accident == 3:
            damaged[start:end] = other[start:end]
        elif accident == 4 and start < len(damaged):
            damaged[start] ^= 1 << chance.randrange(8)
        elif accident == 5:
            damaged[start : start + 4] = chance.choice(
                (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\1\0\0\0", b"9999")
            )
        elif accident == 6 and chance.random() < 0.3:
            del damaged[start:]
    return bytes(damaged)


def repacked(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """An archive, sound as such, one or two of whose parts are damaged or missing."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
    for name in chance.sample(sorted(members), chance.randint(1, 2)):
        content = members.pop(name)
        if isinstance(content, bytes) and chance.random() < 0.9:
            members[name] = mutated(content, other, chance)
    return zipped(members)


async def main(seconds: float, seed: int) -> int:
    chance = random.Random(seed)
    files = [(suffix, data) for suffix, contents in samples(chance).items() for data in contents]
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    ended: Counter[str] = Counter()
    end = time.monotonic() + seconds

    async def work() -> None:
        while time.monotonic() < end:
            suffix, data = chance.choice(files)
            damaged = mutated(data, chance.choice(files)[1], chance)
            result = await outcome(damaged, suffix)
            ended[f"{suffix or 'web page':9}{result}"] += 1
            if result not in ("read", "refused"):
                kept = folder / f"{ended.total()}{suffix or '.html'}"
                kept.write_bytes(damaged)
                print(f"{kept}: {result}", flush=True)

    await asyncio.gather(*(work() for _ in range(PARALLEL)))
    print("\n".join(f"{count:6} {name}" for name, count in sorted(ended.items())))
    faults = len(list(folder.iterdir()))
    print(f"seed {seed}: {ended.total()} files, {faults} faults{f', kept in {folder}' if faults else ''}")
    return min(faults, 1)


async def outcome(data: bytes, suffix: str) -> str:
    try:
        media_type = "" if suffix else "text/html; charset=utf-8"
        (await prepare(data, f"file{suffix}", media_type, limits=Limits(SECONDS, MEGABYTES))).close()
    except Unreadable as error:
        return str(error) if str(error).startswith(FAULTS) else "refused"
    return "read"


if __name__ == "__main__":
    logging.basicConfig(format="%(message)s")
    sys.exit(
        asyncio.run(
            main(
                float(sys.argv[1]) if len(sys.argv) > 1 else 60,
                int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32),
            )
        )
    )

"""No damaged file crashes a reader, surprises it or stops it: python tests/torture/fuzz.py [SECONDS] [SEED]

Small sound files of each kind are cut, repeated, spliced and flipped at random, those in a ZIP also inside of their
parts, and read by the child process as an upload is. What goes wrong is printed with the child's last words and kept in
a folder that is
named at the end.
"""

import asyncio
import io
import logging
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).parents[2]),
    str(Path(__file__).parents[1]),
    str(Path(__file__).parents[1] / "formats"),
]

import pptx
import pymupdf
from PIL import Image, ImageDraw

from docqa.errors import Unreadable
from docqa.formats.extraction import extract
from test_hostile import book, zipped
from test_odp import box, items, notes, place, presentation
from test_odp import slide as odp_slide
from test_ppt import BODY, TITLE, Deck, document, listed, notes_page, shape, slide, text

SECONDS = 20.0
MEGABYTES = 1024
PARALLEL = 2
# What `extract` says of a child that ended before it had an answer, that raised something, or that needed too much.
FAULTS = (
    "Reading this file crashed",
    "The file is damaged, or holds something",
    "Reading the file took longer",
    "Reading the file needs more",
)
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
        ".odp": [make_opendocument(words)],
        ".png": [make_picture(kind) for kind in ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP")],
        ".epub": [book(), book(page)],
        "": [page.encode(), page.replace("utf-8", "shift_jis").encode("shift_jis", "ignore")],
    }


def make_pdf(words: str, is_compressed: bool) -> bytes:
    made = pymupdf.open()
    for _ in range(3):
        made.new_page().insert_textbox((50, 50, 400, 700), words)
    made.set_toc([[1, "one", 1], [2, "two", 2]])
    return bytes(made.tobytes(deflate=is_compressed, use_objstms=is_compressed))


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
        await extract(
            data, f"file{suffix}", "" if suffix else "text/html; charset=utf-8", seconds=SECONDS, memory_mb=MEGABYTES
        )
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

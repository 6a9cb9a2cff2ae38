"""Binary Word documents (.doc), written here structure by structure: which text is read, and what is refused."""

import struct

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.compound import Compound
from docqa.formats.pages import Extracted
from test_ppt import compound

TEXT_AT = 0x400  # where the text begins in the stream
DELETED, HIDDEN, BOLD, SPECIAL = b"\x00\x08\x01", b"\x3c\x08\x01", b"\x35\x08\x01", b"\x55\x08\x01"
IN_TABLE, ROW_END, HEAD = b"\x16\x24\x01", b"\x17\x24\x01", b"\x04\x34\x01"
PLACES = {
    "styles": 1, "footnote references": 2, "footnotes": 3, "comment references": 4, "comments": 5, "sections": 6,
    "headers": 11, "characters": 12, "paragraphs": 13, "fonts": 15, "pieces": 33, "authors": 36, "shapes": 40,
    "endnote references": 46, "endnotes": 47, "text boxes": 56, "lists": 73, "list overrides": 74,
}  # fmt: skip
PARTS = ("body", "footnote", "header", "macro", "comment", "endnote", "text box", "header text box")


def plc(positions: list[int], *data: bytes) -> bytes:
    return struct.pack(f"<{len(positions)}I", *positions) + b"".join(data)


def row(*cells: str, properties: bytes = b"") -> list[tuple[str, bytes, bytes]]:
    """The paragraphs of a row: (text with its mark, settings of characters, settings of the paragraph)."""
    return [*((f"{words}\x07", b"", IN_TABLE) for words in cells), ("\x07", b"", IN_TABLE + ROW_END + properties)]


def page_of(ends: list[int], settings: list[bytes], size: int) -> bytes:
    """A page of settings: where each run ends, where its settings lie in the page, these, how many runs."""
    body = bytearray(512)
    struct.pack_into(f"<{len(ends) + 1}I", body, 0, TEXT_AT, *ends)
    at = 511
    for place, blob in enumerate(settings):
        if not blob:
            continue
        at = (at - len(blob)) & ~1
        assert at > 4 * (len(ends) + 1) + size * len(ends)
        body[at : at + len(blob)] = blob
        body[4 * (len(ends) + 1) + size * place] = at // 2
    body[511] = len(ends)
    return bytes(body)


def doc(
    *runs: str | tuple[str, bytes] | tuple[str, bytes, bytes],
    wide: bool = True,
    flags: int = 0x0200,
    version: int = 193,
    language: int = 0x0409,
    sizes: dict[str, int] | None = None,
    pieces: bytes = b"",
    codec: str = "",
    **structures: bytes,
) -> bytes:
    """A document of runs: a text, with the settings of its characters and those of the paragraph that it ends."""
    parts = [(part, b"", b"") if isinstance(part, str) else (*part, b"")[:3] for part in runs]
    encoded = [words.encode(codec or ("utf-16-le" if wide else "cp1252")) for words, _, _ in parts]
    ends = [TEXT_AT + sum(map(len, encoded[: place + 1])) for place in range(len(encoded))]
    text = b"".join(encoded)
    length = len(text) // (2 if wide else 1)
    main = bytearray(TEXT_AT) + text
    main += bytes(-len(main) % 512)
    numbers = len(main) // 512, len(main) // 512 + 1
    main += page_of(ends, [bytes([len(own)]) + own if own else b"" for _, own, _ in parts], 1)
    papx = [b"\0\0" + own for _, _, own in parts]
    main += page_of(ends, [b"\0" + bytes([(len(own) + 1) // 2]) + own for own in papx], 13)
    known = {
        "characters": plc([TEXT_AT, ends[-1]], struct.pack("<I", numbers[0])),
        "paragraphs": plc([TEXT_AT, ends[-1]], struct.pack("<I", numbers[1])),
        "pieces": pieces or piece_table([(0, length, TEXT_AT if wide else TEXT_AT * 2 | 1 << 30, 0)]),
    } | {name.replace("_", " "): blob for name, blob in structures.items()}
    table = b""
    for name, blob in known.items():
        struct.pack_into("<II", main, 0x9A + 8 * PLACES[name], len(table), len(blob))
        table += blob
    struct.pack_into("<HHHHHH", main, 0, 0xA5EC, version, 0, language, 0, flags)
    sizes = {"body": length} | (sizes or {})
    struct.pack_into("<8i", main, 0x4C, *(sizes.get(part, 0) for part in PARTS))
    return compound({"WordDocument": bytes(main), "1Table": table})


def piece_table(pieces: list[tuple[int, int, int, int]], common: bytes = b"") -> bytes:
    """Of (first position, end, offset, setting); `common` are lists of settings that pieces refer to."""
    data = b"".join(struct.pack("<HIH", 0, offset, setting) for _, _, offset, setting in pieces)
    body = plc([pieces[0][0], *(end for _, end, _, _ in pieces)], data)
    return common + b"\2" + struct.pack("<I", len(body)) + body


def read(*runs: str | tuple[str, bytes] | tuple[str, bytes, bytes], **more: object) -> Extracted:
    return reading.read_whole(doc(*runs, **more), "a.doc")  # type: ignore[arg-type]


def text(*runs: str | tuple[str, bytes] | tuple[str, bytes, bytes], **more: object) -> str:
    return "\f".join(page.text for page in read(*runs, **more).pages)


def blocks(*runs: str | tuple[str, bytes] | tuple[str, bytes, bytes], **more: object) -> list[tuple[str, int, str]]:
    pages = read(*runs, **more).pages
    return [(block.kind, block.level, page.text[block.start : block.end]) for page in pages for block in page.blocks]


# --- which text is shown ---


def test_text_is_of_one_or_two_bytes_a_character() -> None:
    assert text("Größe\u2013\x1e\x0bb\r", "日本\r") == "Größe\u2013\u2011\nb\n\n日本"
    assert text("Größe – “x”\r", wide=False) == "Größe – “x”"


def test_pieces_count_in_their_order_wherever_they_lie() -> None:
    second = TEXT_AT + 2 * len("world\r")
    pieces = piece_table([(0, 6, second, 0), (6, 12, TEXT_AT, 0)])
    assert text("world\r", "hello ", pieces=pieces) == "hello world"


def test_a_piece_may_have_a_setting_of_its_own() -> None:
    halves = [(0, 5, TEXT_AT, 0), (5, 11, TEXT_AT + 10, 0x41 << 1 | 0x100)]
    assert text("hello world", pieces=piece_table(halves)) == "hello"
    listed = b"\1" + struct.pack("<H", 3) + HIDDEN
    assert text("hello world", pieces=piece_table([halves[0], (5, 11, TEXT_AT + 10, 1)], listed)) == "hello"


def test_deleted_and_hidden_text_is_left_out() -> None:
    assert text("kept ", ("gone", DELETED), ("hidden", HIDDEN), "too\r") == "kept too"
    assert text("kept", ("\r", DELETED), " goes on\r") == "kept goes on"


def test_fields_show_their_results() -> None:
    assert text("a \x13 PAGEREF x \\h \x14page 4\x15 b\r") == "a page 4 b"
    assert text("a \x13 SYMBOL 97 \\f Symbol \x15\r") == "a α"
    assert text("a \x13 never ends\r", "b\r") == "a  never ends\n\nb"
    assert text(("a \x13 REF \x14", b""), ("gone\x15", DELETED), " b\r") == "a  b"


def test_a_symbol_has_the_font_that_it_names() -> None:
    font = bytes(39) + "Wingdings\0".encode("utf-16-le")
    fonts = struct.pack("<HHB", 1, 0, len(font)) + font
    assert text(("(", SPECIAL + b"\x09\x6a" + struct.pack("<HH", 0, 0xF0FE)), " yes\r", fonts=fonts) == "☑ yes"


# --- notes, comments, text boxes, headers ---


def test_notes_comments_and_text_boxes_follow_their_paragraph() -> None:
    words = {
        "body": "one\x02\x05\x08\rtwo\r",
        "footnote": "\x02 below\r",
        "comment": "\x05why?\r",
        "text box": "boxed\r",
    }
    shape = struct.pack("<I", 77) + bytes(22)
    box = bytes(14) + struct.pack("<II", 77, 0)
    author = struct.pack("<H", 3) + "Ada".encode("utf-16-le")
    body = len(words["body"])
    made = text(
        *words.values(),
        sizes={part: len(content) for part, content in words.items()},
        footnote_references=plc([3, body], b"\1\0"),
        footnotes=plc([0, len(words["footnote"])]),
        comment_references=plc([4, body], bytes(30)),
        comments=plc([0, len(words["comment"])]),
        authors=author,
        shapes=plc([5, body], shape),
        text_boxes=plc([0, 6], box),
    )
    assert made == "one\n\n1 below\n\nComment (Ada): why?\n\nboxed\n\ntwo"


def test_headers_and_footers_stand_once_and_are_marked_where_they_repeat() -> None:
    stories = ["Top\r", "Bottom\r"]
    starts = [*[0] * 7, 0, 4, 4, 11, 11, 11]

    def made(body: str) -> list[tuple[str, int, str]]:
        sizes = {"body": len(body), "header": 11}
        return blocks(body, *stories, sizes=sizes, headers=plc(starts), sections=plc([0, len(body)], bytes(12)))

    assert made("one\x0ctwo\r") == [
        ("boilerplate", 0, "Top"),
        ("paragraph", 0, "one"),
        ("paragraph", 0, "two"),
        ("boilerplate", 0, "Bottom"),
    ]
    only = made("The only page. " * 20 + "\r")
    assert (only[0][2], only[-1][2]) == ("Top", "Bottom")
    assert all(kind != "boilerplate" for kind, _, _ in only)


# --- pages and blocks ---


def test_page_breaks_and_sections_begin_pages() -> None:
    assert [page.text for page in read("a\x0cb\r", "c\r").pages] == ["a", "b\n\nc"]
    sections = plc([0, 2, 4], bytes(12), bytes(12))
    assert [page.text for page in read("a\x0c", "b\r", sections=sections).pages] == ["a", "b"]
    assert [page.text for page in read("a\r", ("b\r", b"", b"\x07\x24\x01")).pages] == ["a", "b"]


def stylesheet(*names: tuple[int, str, bytes]) -> bytes:
    """Styles of paragraphs: their number among Word's own, their name, their settings."""
    blob = struct.pack("<HHH", 4, len(names), 10)
    for number, name, settings in names:
        upx = struct.pack("<H", 2 + len(settings)) + b"\0\0" + settings
        style = (
            struct.pack("<HHHHH", number, 0xFFF1, 1, 0, 0)
            + struct.pack("<H", len(name))
            + f"{name}\0".encode("utf-16-le")
        )
        style += upx + b"\0" * (len(upx) % 2)
        blob += struct.pack("<H", len(style)) + style
    return blob


def test_headings_are_known_by_the_number_of_their_style_whatever_its_name() -> None:
    styles = stylesheet((2, "Überschrift 2", b""))
    assert blocks("Terms\r", styles=styles)[0] == ("heading", 2, "Terms")
    assert blocks("Terms\r", styles=stylesheet((0, "Mine", b"\x40\x26\x00")))[0] == ("heading", 1, "Terms")


def test_tables_have_rows() -> None:
    edges = b"\x08\xd6" + struct.pack("<H", 8) + b"\2" + struct.pack("<3h", 0, 100, 300)
    wide = b"\x08\xd6" + struct.pack("<H", 6) + b"\1" + struct.pack("<2h", 0, 300)
    cells = [
        *row("Year", "Sales", properties=HEAD + edges),
        *row("total", properties=wide),
        *row("2024", "1", properties=edges),
    ]
    assert blocks(*cells, "after\r") == [
        ("row", 1, "Year | Sales"),
        ("row", 0, "total"),
        ("row", 0, "2024 | 1"),
        ("paragraph", 0, "after"),
    ]


def level(kind: int, words: str) -> bytes:
    return struct.pack("<iBB", 1, kind, 0) + bytes(22) + struct.pack("<H", len(words)) + words.encode("utf-16-le")


def test_items_have_their_numbers() -> None:
    levels = level(0, "\0.") + level(4, "\1)") + b"".join(level(255, "") for _ in range(7))
    head = struct.pack("<HI", 1, 9) + bytes(24)
    used = struct.pack("<IIIIBBH", 1, 9, 0, 0, 0, 0, 0) + b"\xff\xff\xff\xff"

    def item(words: str, place: int) -> tuple[str, bytes, bytes]:
        return f"{words}\r", b"", b"\x0b\x46\1\0\x0a\x26" + bytes([place])

    data = doc(item("a", 0), item("b", 1), item("c", 1), item("d", 0), lists=head + levels, list_overrides=used)
    # The list of lists does not count the levels that follow it.
    place = data.index(struct.pack("<I", len(head + levels)), 0x200)
    data = data[:place] + struct.pack("<I", len(head)) + data[place + 4 :]
    assert reading.read_whole(data, "a.doc").pages[0].text == "1. a\na) b\nb) c\n2. d"


# --- Word 6 and 95 ---


def old(words: bytes, language: int, deleted: tuple[int, int] | None = None) -> bytes:
    main = bytearray(TEXT_AT) + words
    main += bytes(-len(main) % 512)
    end = TEXT_AT + len(words)
    if deleted:
        first, last = (TEXT_AT + place for place in deleted)
        struct.pack_into("<II", main, 0xB8, len(main) + 512, 10)
        main += page_of([first, last, end], [b"", b"\2\x41\1", b""], 1)
        main += plc([TEXT_AT, end], struct.pack("<H", len(main) // 512 - 1))
    struct.pack_into("<HHHHHH", main, 0, 0xA5DC, 104, 0, language, 0, 0)
    struct.pack_into("<II", main, 0x18, TEXT_AT, end)
    struct.pack_into("<8i", main, 0x34, len(words), *[0] * 7)
    return compound({"WordDocument": bytes(main)})


@pytest.mark.parametrize(
    ("language", "codec", "words"),
    [
        (0x0419, "cp1251", "Прейскурант"),
        (0x0405, "cp1250", "žluťoučký"),
        (0x040C, "cp1252", "déjà"),
        (0x0411, "cp932", "表示"),
    ],
)
def test_word_95_is_in_the_code_page_of_its_language(language: int, codec: str, words: str) -> None:
    assert reading.read_whole(old(f"{words}\r".encode(codec), language), "a.doc").pages[0].text == words


def test_word_95_has_deleted_text_too() -> None:
    assert reading.read_whole(old(b"kept gone too\r", 0x0409, (5, 10)), "a.doc").pages[0].text == "kept too"


# --- what is refused ---


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (doc("a\r", flags=0x0300), "password-protected"),
        (doc("a\r", version=45), "save it as .docx"),
        (doc("a\r", pieces=b"\3"), "damaged"),
        (doc("a\r")[:1500], "damaged"),
        (doc("a\r", pieces=piece_table([(0, 1 << 30, TEXT_AT, 0)])), "damaged"),
        (doc("\r"), "no text"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(data: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        reading.read_whole(data, "a.doc")


def test_a_file_that_claims_endless_properties_is_read_all_the_same() -> None:
    summary = (
        bytes(44) + struct.pack("<I", 48) + struct.pack("<II", 0, 0xFFFFFFFF) + struct.pack("<II", 2, 24) + bytes(8)
    )
    summary += struct.pack("<II", 0x1E, 6) + b"Terms\0"
    with_summary = compound({"WordDocument": b"", "\x05SummaryInformation": summary})
    assert Compound(with_summary).properties().title == "Terms"

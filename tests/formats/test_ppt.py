"""Binary presentations (.ppt), written here record by record: which text is read, on which page, what damage loses."""

import io
import struct
import zipfile
from collections.abc import Iterable

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pages import Extracted

PLAIN, ENCRYPTED = 0xE391C05F, 0xF3D1C4DF
TITLE, BODY, NOTES, OTHER, CENTER_TITLE = 0, 1, 2, 4, 6
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


# The compound file: a header, its allocation table, its directory, its streams.


def entry(name: str, kind: int, child: int, following: int, start: int, size: int) -> bytes:
    wide = name.encode("utf-16-le") + b"\0\0"
    links = struct.pack("<III", FREE, following, child)
    return (
        wide.ljust(64, b"\0")
        + struct.pack("<HBB", len(wide), kind, 1)
        + links
        + bytes(36)
        + struct.pack("<IQ", start, size)
    )


def compound(streams: dict[str, bytes], storage: str = "") -> bytes:
    """A compound file with these streams, in a storage if its name is given."""
    blocks = [data.ljust(4096, b"\0") for data in streams.values()]  # a smaller stream would stand in the mini stream
    blocks = [block + bytes(-len(block) % 512) for block in blocks]
    sectors = sum(map(len, blocks)) // 512
    tables = (sectors + 2) // 127 + 1
    table, entries, first = [FAT] * tables + [tables + 1, END], [], tables + 2
    head = [("Root Entry", 5, 1)] + ([(storage, 1, 2)] if storage else [])
    entries = [entry(name, kind, child, FREE, END, 0) for name, kind, child in head]
    for (name, _), block in zip(streams.items(), blocks, strict=True):
        number = len(entries) + 1
        entries.append(entry(name, 2, FREE, number if number < len(head) + len(streams) else FREE, first, len(block)))
        count = len(block) // 512
        table += [*range(first + 1, first + count), END]
        first += count
    table += [FREE] * (128 * tables - len(table))
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH6xIIIIIIIIII", 62, 3, 0xFFFE, 9, 6, 0, tables, tables, 0, 4096, END, 0, END, 0, 0)
    )
    header = header[:-4] + struct.pack(f"<{tables}I", *range(tables))
    directory = b"".join(entries).ljust(1024, b"\0")
    return header.ljust(512, b"\xff") + struct.pack(f"<{len(table)}I", *table) + directory + b"".join(blocks)


# The records.


def record(kind: int, *parts: bytes, instance: int = 0, length: int | None = None) -> bytes:
    body = b"".join(parts)
    return struct.pack("<HHI", instance << 4 | 0xF, kind, len(body) if length is None else length) + body


def text(words: str | bytes, kind: int = OTHER) -> bytes:
    characters = (
        record(0x0FA8, words)
        if isinstance(words, bytes)
        else record(0x0FA0, words.encode("utf-16-le", "surrogatepass"))
    )
    return record(0x0F9F, struct.pack("<I", kind)) + characters


def shape(*parts: bytes, anchor: tuple[int, int] | None = None, placeholder: bytes = b"") -> bytes:
    """`anchor` is the left and top of a shape in a group, `placeholder` the record that says which kind it is."""
    place = record(0xF00F, struct.pack("<4i", *anchor, anchor[0] + 5, anchor[1] + 5)) if anchor else b""
    return record(0xF004, place, record(0xF011, placeholder), record(0xF00D, *parts))


def placed(words: str, left: int, top: int) -> bytes:
    """A shape of the slide itself, ten units wide and high."""
    return record(
        0xF004, record(0xF010, struct.pack("<4h", top, left, left + 10, top + 10)), record(0xF00D, text(words))
    )


def group(*shapes: bytes, table: bool = False, top: int | None = None) -> bytes:
    marks = record(0xF122, struct.pack("<HI", 0x039F, 1), instance=1) if table else b""
    place = b"" if top is None else record(0xF010, struct.pack("<4i", top, 0, 10, top + 10))
    return record(0xF003, record(0xF004, place, marks), *shapes)


def drawing(*shapes: bytes) -> bytes:
    return record(0x040C, record(0xF002, group(*shapes)))


def slide(*shapes: bytes, notes: int = 0, more: bytes = b"") -> bytes:
    return record(0x03EE, record(0x03EF, bytes(16), struct.pack("<II", notes, 0)), drawing(*shapes), more)


def notes_page(*shapes: bytes) -> bytes:
    return record(0x03F0, record(0x03F1, bytes(8)), drawing(*shapes))


def listed(persist: int, identifier: int = 0, *texts: bytes) -> bytes:
    return record(0x03F3, struct.pack("<5I", persist, 0, len(texts), identifier, 0)) + b"".join(texts)


def document(slides: Iterable[bytes], notes: Iterable[bytes] = (), more: bytes = b"") -> bytes:
    return record(0x03E8, record(0x0FF0, *slides, instance=0), record(0x0FF0, *notes, instance=2), more)


def footers(flags: int, *texts: tuple[int, str], instance: int = 0) -> bytes:
    strings = (record(0x0FBA, words.encode("utf-16-le"), instance=number) for number, words in texts)
    return record(0x0FD9, record(0x0FDA, struct.pack("<HH", 0, flags)), *strings, instance=instance)


class Deck:
    """A presentation, saved once or several times; the document is object 1."""

    def __init__(self, *saves: dict[int, bytes]) -> None:
        self.stream, self.edit = b"", 0
        for objects in saves:
            self.save(objects)

    def save(
        self, objects: dict[int, bytes], previous: int | None = None, session: int | None = None, document: int = 1
    ) -> None:
        entries = b""
        for identifier, content in objects.items():
            entries += struct.pack("<II", 1 << 20 | identifier, len(self.stream))
            self.stream += content
        directory = len(self.stream)
        self.stream += record(0x1772, entries)
        before, self.edit = self.edit if previous is None else previous, len(self.stream)
        protected = [] if session is None else [session]
        self.stream += record(
            0x0FF5, struct.pack(f"<{7 + len(protected)}I", 0, 0, before, directory, document, 9, 0, *protected)
        )

    def file(self, token: int = PLAIN, storage: str = "", properties: bytes = b"") -> bytes:
        user = record(0x0FF6, struct.pack("<III", 20, token, self.edit))
        more = {"\x05SummaryInformation": properties} if properties else {}
        return compound({"PowerPoint Document": self.stream, "Current User": user, **more}, storage)


def properties(title: bytes, code_page: int) -> bytes:
    """The properties of a file: its code page, a 16-bit number, and its title."""
    values = struct.pack("<IHxx", 2, code_page) + struct.pack("<II", 30, len(title)) + title.ljust(40, b"\0")
    section = struct.pack("<IIIIII", 24 + len(values), 2, 1, 24, 2, 32) + values
    return struct.pack("<HHI16sI16sI", 0xFFFE, 0, 0, bytes(16), 1, bytes(16), 48) + section


def extracted(deck: Deck) -> Extracted:
    return reading.read_whole(deck.file(), "a.ppt")


def texts(deck: Deck) -> list[str]:
    return [page.text for page in extracted(deck).pages]


def one_slide(*shapes: bytes, more: bytes = b"") -> Deck:
    return Deck({1: document([listed(2)]), 2: slide(*shapes, more=more)})


def refusal(data: bytes) -> str:
    with pytest.raises(Unreadable) as refused:
        reading.read_whole(data, "a.ppt")
    return str(refused.value)


# What is read.


def test_slides_come_in_the_order_of_the_presentation_and_an_empty_one_keeps_its_number() -> None:
    deck = Deck(
        {
            1: document([listed(4), listed(3), listed(2)]),
            2: slide(shape(text("last"))),
            3: slide(),
            4: slide(shape(text("first"))),
        }
    )
    assert texts(deck) == ["first", "", "last"]


def test_the_title_is_the_section() -> None:
    deck = one_slide(
        shape(text("a caption")), shape(text("Annual\rReport", CENTER_TITLE)), shape(text("a second title", TITLE))
    )
    assert extracted(deck).pages[0].section == "Annual Report"
    assert (extracted(deck).kind, extracted(deck).title) == ("ppt", "")


def test_deleted_and_superseded_slides_and_masters_stay_out() -> None:
    first = {
        1: document([listed(2), listed(3)]),
        2: slide(shape(text("old"))),
        3: slide(shape(text("deleted"))),
        4: record(0x03F8, drawing(shape(text("master")))),
    }
    deck = Deck(first, {2: slide(shape(text("new")))}, {1: document([listed(2)])})
    assert texts(deck) == ["new"]


def test_notes_follow_the_text_of_their_slide() -> None:
    pages = {
        2: slide(shape(text("one")), notes=71),
        3: slide(shape(text("two")), notes=70),
        4: slide(shape(text("three"))),
    }
    notes = {5: notes_page(shape(text("about two", NOTES))), 6: notes_page(shape(text("about one", NOTES)))}
    deck = Deck({1: document([listed(2), listed(3), listed(4)], [listed(5, 70), listed(6, 71)]), **pages, **notes})
    assert texts(deck) == ["one\n\nabout one", "two\n\nabout two", "three"]


def test_a_shape_takes_its_text_from_the_outline_it_refers_to() -> None:
    outline = (text("The title", TITLE), text("The body", BODY), text("Drawn nowhere", BODY))
    refer = [shape(record(0x0F9E, struct.pack("<I", index))) for index in (1, 0)]
    deck = Deck(
        {
            1: document([listed(2, 0, *outline), listed(3, 0, text("Of another slide", TITLE))]),
            2: slide(*refer),
            3: slide(),
        }
    )
    pages = extracted(deck).pages
    assert [page.text for page in pages] == ["The title\n\nThe body\n\nDrawn nowhere", "Of another slide"]
    assert [page.section for page in pages] == ["The title", "Of another slide"]


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        (b"caf\xe9\rau lait\x0bfroid", "café\nau lait\nfroid"),
        ("東京\r\U00020b9f", "東京\n\U00020b9f"),
        ("half \ud842", "half \ufffd"),
        (b"a * b", "a * b"),
    ],
)
def test_both_ways_of_storing_characters(stored: str | bytes, read: str) -> None:
    assert texts(one_slide(shape(text(stored)))) == [read]


def test_groups_are_opened() -> None:
    inner = group(shape(text("two")), group(shape(text("three"))))
    assert texts(one_slide(shape(text("one")), inner, shape(text("four")))) == ["one\n\ntwo\n\nthree\n\nfour"]


def test_a_table_is_read_by_rows() -> None:
    cells = [
        shape(text(words), anchor=place)
        for words, place in (("d", (9, 5)), ("a", (0, 0)), ("", (0, 5)), ("b\rc", (9, 0)))
    ]
    empty = [shape(text(""), anchor=(0, 0)), shape(text(""), anchor=(9, 0))]
    assert texts(one_slide(group(*cells, table=True), group(*empty, table=True))) == ["a | b c\n | d"]


def test_word_art_is_read() -> None:
    words = "Sale!\0".encode("utf-16-le")
    properties = record(0xF00B, struct.pack("<HIHI", 0x8145, 4, 0xC0C0, len(words)), b"skip", words, instance=2)
    assert texts(one_slide(record(0xF004, properties))) == ["Sale!"]


def test_placeholders_for_numbers_and_dates_are_left_out_and_the_slides_footer_is_read() -> None:
    number = shape(text("Page * of *, *bold*"), *(record(0x0FD8, struct.pack("<I", at)) for at in (5, 10, 14)))
    shown, hidden = footers(0x20, (2, "Confidential")), footers(0x1F, (2, "Switched off"))
    assert texts(one_slide(number, more=shown)) == ["Page  of , *bold*\n\nConfidential"]
    assert texts(one_slide(number, more=hidden)) == ["Page  of , *bold*"]


def test_a_slide_without_footers_of_its_own_has_the_documents_and_they_are_running_from_the_second_on() -> None:
    general = footers(0x25, (0, "1 May"), (2, "General"), instance=3)
    slides = {
        2: slide(shape(text("one"))),
        3: slide(shape(text("two")), more=footers(0x20, (2, "Own"))),
        4: slide(shape(text("three"))),
    }
    presentation = extracted(Deck({1: document([listed(2), listed(3), listed(4)], more=general), **slides}))
    assert [page.text for page in presentation.pages] == [
        "one\n\n1 May\n\nGeneral",
        "two\n\nOwn",
        "three\n\n1 May\n\nGeneral",
    ]
    assert [page.running for page in presentation.pages] == [(), (), ((7, 12), (14, 21))]


def test_a_footer_that_a_slide_has_as_a_shape_is_read_once() -> None:
    drawn = shape(text("Own"), placeholder=record(0x0420, b"\x09"))
    deck = Deck({1: document([listed(2), listed(3)]), 2: slide(drawn, more=footers(0x20, (2, "Own"))), 3: slide(drawn)})
    assert [(page.text, page.running) for page in extracted(deck).pages] == [("Own", ()), ("Own", ((0, 3),))]


def test_shapes_are_read_by_position_with_groups_together_and_the_title_first() -> None:
    grouped = group(shape(text("two"), anchor=(0, 5)), shape(text("one"), anchor=(0, -5)), top=40)
    shapes = [
        placed("last", 0, 90),
        grouped,
        placed("right", 50, 20),
        placed("left", 0, 21),
        shape(text("Title", TITLE)),
    ]
    assert texts(one_slide(*shapes)) == ["Title\n\nleft\n\nright\n\none\n\ntwo\n\nlast"]
    atom = record(0x03E9, bytes(38), b"\x01\x00")
    assert texts(Deck({1: document([listed(2)], more=atom), 2: slide(*shapes[2:4])})) == ["right\n\nleft"]


def test_hidden_slides_are_marked() -> None:
    show = [record(0x03F9, bytes(10), struct.pack("<HI", flags, 0)) for flags in (0x01, 0x05)]
    deck = Deck(
        {
            1: document([listed(2), listed(3)]),
            2: slide(shape(text("Seen", TITLE)), more=show[0]),
            3: slide(shape(text("Unseen", TITLE)), more=show[1]),
        }
    )
    presentation = extracted(deck)
    assert [page.section for page in presentation.pages] == ["Seen", "Unseen (hidden slide)"]
    assert presentation.notes == ["Slide 2 is hidden in the show."]


def test_comments_follow_the_notes() -> None:
    strings = (
        record(0x0FBA, words.encode("utf-16-le"), instance=number)
        for number, words in enumerate(("somebody", "too\rlong", "S"))
    )
    data = record(0x138B, record(0x0FAD), record(0x2EE0, *strings))
    tags = record(0x1388, record(0x138A, record(0x0FBA, "___PPT10".encode("utf-16-le")), data))
    assert texts(one_slide(shape(text("words")), more=tags)) == ["words\n\ntoo\nlong"]


def test_diagrams_packed_in_by_a_newer_version_are_read() -> None:
    model = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        '<dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>a step</a:t></a:r></a:p></dgm:t></dgm:pt>'
        "</dgm:ptLst></dgm:dataModel>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("drs/diagrams/data1.xml", model)
        archive.writestr("drs/diagrams/data2.xml", model.replace("step", " " * 1_000_000))
    for blob, words in ((file.getvalue(), "a step"), (b"no archive", "")):
        properties = record(0xF122, struct.pack("<HI", 0x83A9, len(blob)), blob, instance=1)
        assert texts(one_slide(record(0xF004, properties), shape(text("beside"))))[0].split("\n\n") == [
            *filter(None, [words]),
            "beside",
        ]


def test_a_file_for_two_versions_is_read_as_the_newer() -> None:
    assert (
        reading.read_whole(one_slide(shape(text("97"))).file(storage="PP97_DUALSTORAGE"), "a.ppt").pages[0].text == "97"
    )


@pytest.mark.parametrize(
    ("title", "code_page", "read"),
    [(b"Caf\xe9\0", 1252, "Café"), ("Кофе\0".encode(), 65001, "Кофе"), (b"odd", 9, ""), (b"", 1252, "")],
)
def test_the_title_of_the_deck_is_among_the_files_properties(title: bytes, code_page: int, read: str) -> None:
    assert (
        reading.read_whole(one_slide(shape(text("words"))).file(properties=properties(title, code_page)), "a.ppt").title
        == read
    )


def test_damaged_properties_lose_only_the_title() -> None:
    presentation = reading.read_whole(one_slide(shape(text("words"))).file(properties=b"noise" * 99), "a.ppt")
    assert (presentation.title, presentation.pages[0].text) == ("", "words")


# What is refused.


def test_protected_presentations_are_refused() -> None:
    deck = one_slide(shape(text("secret")))
    assert "password-protected" in refusal(deck.file(ENCRYPTED))
    deck.save({9: record(0x2F14)}, session=9)
    assert "password-protected" in refusal(deck.file())


def test_presentations_older_than_97_are_refused() -> None:
    assert "PowerPoint 95" in refusal(compound({"PP40": b"x"}))
    assert "PowerPoint 95" in refusal(compound({"PowerPoint Document": b"x", "PersistentStorage Directory": b"x"}))


def test_a_presentation_without_slides_is_refused() -> None:
    assert "no slides" in refusal(Deck({1: document([])}).file())


def test_a_damaged_file_is_refused() -> None:
    whole = one_slide(shape(text("words"))).file()
    assert "damaged" in refusal(whole[:1400])
    assert "damaged" in refusal(compound({"PowerPoint Document": b"noise " * 900}))


# What damage loses.


def test_a_missing_slide_loses_only_itself_with_a_note() -> None:
    deck = Deck({1: document([listed(2, 0, text("Its title", TITLE)), listed(3)]), 3: slide(shape(text("intact")))})
    presentation = extracted(deck)
    assert [(page.text, page.section) for page in presentation.pages] == [("Its title", "Its title"), ("intact", "")]
    assert presentation.notes == ["Slide 1 is damaged; only its outline was read."]


def test_a_record_that_claims_too_much_loses_only_itself_with_a_note() -> None:
    endless = record(0x0FA8, b"gone", length=0xFFFFFFF0)
    presentation = extracted(
        Deck(
            {
                1: document([listed(2), listed(3)]),
                2: slide(shape(text("before")), shape(endless), shape(text("after"))),
                3: slide(shape(text("next"))),
            }
        )
    )
    assert [page.text for page in presentation.pages] == ["before\n\nafter", "next"]
    assert presentation.notes == ["Slide 1 is damaged; a part of it was left out."]


def test_a_damaged_list_of_slides_leaves_a_note() -> None:
    presentation = extracted(
        Deck(
            {1: document([listed(2), record(0x0FA8, b"gone", length=99_999), listed(2)]), 2: slide(shape(text("kept")))}
        )
    )
    assert [page.text for page in presentation.pages] == ["kept"]
    assert presentation.notes == ["The list of slides is damaged; slides may be missing."]


def test_the_newest_version_of_each_object_is_found_despite_damaged_edits() -> None:
    deck = Deck({1: document([listed(2), listed(3)]), 2: slide(shape(text("old"))), 3: slide(shape(text("other")))})
    deck.save({8: document([listed(3), listed(2)]), 2: slide(shape(text("new")))}, previous=7, document=8)
    assert texts(deck) == ["other", "new"]
    deck.save({2: slide(shape(text("newer")))}, previous=7, document=1)
    deck.edit = 5
    assert texts(deck) == ["newer", "other"]
    assert reading.read_whole(compound({"PowerPoint Document": deck.stream}), "a.ppt").pages[0].text == "newer"


def test_edits_that_form_a_loop_are_followed_once() -> None:
    deck = one_slide(shape(text("words")))
    deck.save({}, previous=len(deck.stream) + 8)
    assert texts(deck) == ["words"]


def test_groups_nested_deeper_than_python_recurses_are_read() -> None:
    inner = shape(text("deep"))
    heads = [struct.pack("<HHI", 0xF, 0xF003, len(inner) + 8 * level) for level in range(20_000)]
    assert texts(one_slide(b"".join(heads[::-1]) + inner)) == ["deep"]


def test_slides_that_share_their_bytes_are_read_once() -> None:
    deck = Deck({1: document([listed(2)] * 3), 2: slide(shape(text(b"x" * 1_000_000)))})
    presentation = extracted(deck)
    assert [len(page.text) for page in presentation.pages] == [1_000_000, 0, 0]
    assert presentation.notes == [
        "Slide 2 is damaged; only its outline was read.",
        "Slide 3 is damaged; only its outline was read.",
    ]


# Blocks.


def styles(*runs: tuple[int, int, bool | None]) -> bytes:
    """The styles of paragraphs: the characters of each run, its indentation, and whether it has bullets."""
    data = b""
    for count, indent, bullet in runs:
        data += struct.pack("<IH", count, indent)
        data += struct.pack("<I", 0x1800) + bytes(4) if bullet is None else struct.pack("<IH", 1, bullet)
    return record(0x0FA1, data)


def blocks_of(*shapes: bytes) -> list[tuple[str, int, str]]:
    [page] = extracted(one_slide(*shapes)).pages
    return [(block.kind, block.level, page.text[block.start : block.end]) for block in page.blocks]


def test_the_title_is_a_heading_and_a_body_a_list() -> None:
    assert blocks_of(shape(text("Plan", TITLE)), shape(text("buy\rsell", 1)), shape(text("A box"))) == [
        ("heading", 1, "Plan"),
        ("item", 1, "buy"),
        ("item", 1, "sell"),
        ("paragraph", 0, "A box"),
    ]


def test_paragraphs_have_the_level_and_bullet_of_their_style() -> None:
    body = text("lead\rone\rtwo", 1) + styles((5, 0, False), (4, 0, None), (4, 1, True))
    assert blocks_of(shape(body)) == [("paragraph", 0, "lead"), ("item", 1, "one"), ("item", 2, "two")]


@pytest.mark.parametrize("damaged", [b"", b"\1", struct.pack("<IHI", 2**32 - 1, 9, 2**32 - 1), bytes(1000)])
def test_damaged_styles_lose_no_text(damaged: bytes) -> None:
    body = text("one\rtwo", 1) + record(0x0FA1, damaged)
    assert [words for _, _, words in blocks_of(shape(body))] == ["one", "two"]


def test_a_table_of_shapes_has_rows() -> None:
    cells = (
        shape(text(words), anchor=place)
        for words, place in (("A", (0, 0)), ("B", (9, 0)), ("1", (0, 9)), ("2", (9, 9)))
    )
    assert blocks_of(group(*cells, table=True)) == [("row", 1, "A | B"), ("row", 0, "1 | 2")]

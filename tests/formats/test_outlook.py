"""Outlook's messages (.msg, winmail.dat), written here property by property."""

import base64
import contextlib
import random
import struct
from datetime import UTC, datetime
from typing import Any

import pytest

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.mail.compressed_rtf import decompressed
from docqa.formats.pages import Extracted
from docqa.formats.properties import Properties
from messages import outlook, outlook_tree
from test_mail import HEAD, PLAIN, multipart, part, signed

SUBJECT, BODY, HTML, RTF, SENDER, ADDRESS, SENT = 0x37, 0x1000, 0x1013, 0x1009, 0x0C1A, 0x5D01, 0x39
NAME, SMTP, KIND, FILE, DATA, MEDIA, CONTENT_ID = 0x3001, 0x39FE, 0x0C15, 0x3707, 0x3701, 0x370E, 0x3712
WHO = {SENDER: "Ada King", ADDRESS: "ada@example.org", SUBJECT: "Moorings"}
SHOWN = "From: Ada King <ada@example.org>\nSubject: Moorings"


def read(data: bytes) -> Extracted:
    return reading.read_whole(data, "a.msg")


def text(values: dict[int, Any], **more: Any) -> str:
    return "\n".join(page.text for page in read(outlook(values, **more)).pages)


def test_head_text_and_properties() -> None:
    recipients = [
        {NAME: "Harbour", SMTP: "harbour@example.org", KIND: 1},
        {NAME: "Charles", KIND: 2},
        {NAME: "Office", SMTP: "office@example.org", KIND: 1},
        {NAME: "Secret", KIND: 3},
    ]
    extracted = read(outlook({**WHO, BODY: PLAIN + "\r\n", SENT: datetime(2026, 3, 2, 8, 30, tzinfo=UTC)}, recipients))
    assert extracted.pages[0].text == (
        "From: Ada King <ada@example.org>\nTo: Harbour <harbour@example.org>, Office <office@example.org>\nCc: Charles\n"
        f"Date: Mon, 02 Mar 2026 08:30:00 +0000\nSubject: Moorings\n\n{PLAIN}"
    )
    assert extracted.properties == Properties("Moorings", "Ada King", "2026-03-02")


def test_the_head_as_it_was_sent_counts() -> None:
    sent = "Received: by x\r\nFrom: =?utf-8?Q?Ad=C3=A1?= <a@example.org>\r\nTo: b@example.org\r\nDate: Mon, 2 Mar 2026 09:30:00 +0100\r\n"
    assert text({**WHO, 0x7D: sent, BODY: "x"}) == (
        "From: Adá <a@example.org>\nTo: b@example.org\nDate: Mon, 2 Mar 2026 09:30:00 +0100\nSubject: Moorings\n\nx"
    )


@pytest.mark.parametrize(
    ("words", "charset", "named"),
    [
        ("高票當選雲林縣總工會模範勞工代表", "cp950", {}),
        ("高票當選雲林縣總工會模範勞工代表", "cp950", {0x3FFD: 1252}),
        ("会议地点在上海港口管理局三楼会议室", "gbk", {0x3FFD: 936}),
        ("会议地点在上海港口管理局三楼会议室", "gbk", {0x3FF1: 0x0804}),
        ("会議の場所は港湾事務所の三階です。よろしくお願いします", "cp932", {}),
        ("Сообщение передано в обработку и будет рассмотрено", "cp1251", {}),
        ("Zażółć gęślą jaźń, proszę o potwierdzenie", "cp1250", {0x3FFD: 1250}),
        ("größere Flüsse fließen über", "cp1252", {0x3FFD: 1252}),
    ],
)
def test_strings_of_eight_bits_whatever_code_page_is_named(words: str, charset: str, named: dict[int, int]) -> None:
    assert (
        text({SUBJECT: words[:4], BODY: words * 2, **named}, charset=charset)
        == f"Subject: {words[:4].strip()}\n\n{words * 2}"
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({HTML: f"<p>{PLAIN}</p>".encode()}, PLAIN),
        ({HTML: "<p>größer</p>".encode("cp1252"), 0x3FDE: 28591}, "größer"),
        ({HTML: "<p>Привет</p>".encode("koi8-r"), 0x3FDE: 20866}, "Привет"),
        ({HTML: f"<p>{PLAIN}</p>"}, PLAIN),
        ({BODY: " \r\n", HTML: f"<p>{PLAIN}</p>".encode()}, PLAIN),
        ({BODY: "See the HTML.", HTML: f"<p>{PLAIN}</p>".encode()}, PLAIN),
        ({BODY: PLAIN, HTML: b"<p>other</p>"}, PLAIN),
    ],
)
def test_the_better_body(values: dict[int, Any], expected: str) -> None:
    assert text({**WHO, **values}) == f"{SHOWN}\n\n{expected}"


def packed_rtf(source: bytes) -> bytes:
    """RTF as Outlook stores it, with a reference to what came 8 bytes before wherever that repeats."""
    place, out, run = 207, [], bytearray()
    window = bytearray(4096)
    at = 0
    items = []
    while at < len(source):
        before = source[at - 8 : at - 6] if at >= 8 else b""
        if before and source[at : at + 2] == before:
            items.append((True, ((place - 8) % 4096) << 4))
            step = 2
        else:
            items.append((False, source[at]))
            step = 1
        at += step
        place = (place + step) % 4096
    items.append((True, place << 4))
    del window
    for start in range(0, len(items), 8):
        group = items[start : start + 8]
        run = bytearray([sum(is_reference << bit for bit, (is_reference, _) in enumerate(group))])
        for is_reference, value in group:
            run += struct.pack(">H", value) if is_reference else bytes([value])
        out.append(bytes(run))
    body = b"".join(out)
    return struct.pack("<IIII", len(body) + 12, len(source), 0x75465A4C, 0) + body


def test_bodies_in_compressed_rtf() -> None:
    source = rb"{\rtf1\ansi\ansicpg1252 The moorings moorings moorings are gr\'f6\'dfer.\par Two}"
    assert decompressed(packed_rtf(source)) == source
    assert text({**WHO, RTF: packed_rtf(source)}) == f"{SHOWN}\n\nThe moorings moorings moorings are größer.\n\nTwo"
    wrapped = rb"{\rtf1\ansi\fromhtml1{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Two quays{\*\htmltag72 </p>}\htmlrtf\par}\htmlrtf0 }"
    assert text({**WHO, RTF: packed_rtf(wrapped)}) == f"{SHOWN}\n\nTwo quays"
    plain = struct.pack("<IIII", len(source) + 12, len(source), 0x414C454D, 0) + source
    assert decompressed(plain) == source


def test_the_example_of_the_specification() -> None:
    """[MS-OXRTFCP] 3.1.1."""
    compressed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c09002062770 5b06c647d0a800fa0".replace(
            " ", ""
        )
    )
    assert decompressed(compressed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


def test_files_and_messages_in_the_message() -> None:
    inner = outlook_tree({SENDER: "Charles", SUBJECT: "Engine", BODY: "It runs."}, header=24)
    files = [
        {FILE: "prices.csv", DATA: b"a;b\n1;2\n"},
        {FILE: "logo.png", DATA: b"\x89PNG", MEDIA: "image/png", CONTENT_ID: "logo"},
        inner,
    ]
    extracted = read(outlook({**WHO, BODY: PLAIN}, files=files))
    assert extracted.pages[0].text == (
        f"{SHOWN}\nAttachments: prices.csv\n\n{PLAIN}\n\nFrom: Charles\nSubject: Engine\n\nIt runs."
    )
    assert [(file.name, file.data) for file in extracted.attachments] == [("prices.csv", b"a;b\n1;2\n")]


def test_signed_messages() -> None:
    content = b"Content-Type: text/plain\r\n\r\n" + PLAIN.encode()
    mime = multipart("signed", part("text/plain", PLAIN), part("application/pkcs7-signature; name=smime.p7s", "x"))
    for file in (
        {FILE: "smime.p7m", DATA: signed(content)},
        {FILE: "smime.p7m", DATA: mime, MEDIA: "multipart/signed"},
    ):
        assert PLAIN in text(WHO, files=[file])


def test_damaged_messages_are_refused_or_read_in_part() -> None:
    whole = outlook({**WHO, BODY: PLAIN * 100})
    with pytest.raises(Unreadable, match="message"):
        read(whole[:1500])
    with pytest.raises(Unreadable, match="no message"):
        read(outlook({}))


def test_random_damage_is_refused_in_a_sentence_or_read() -> None:
    whole = outlook(
        {**WHO, BODY: PLAIN, HTML: b"<p>x</p>"},
        [{NAME: f"n{n}", KIND: 1} for n in range(9)],
        [{FILE: "a.csv", DATA: b"a;b"}],
    )
    chance = random.Random(5)
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(12):
            damaged[chance.randrange(512, len(damaged))] = chance.randrange(256)
        with contextlib.suppress(Unreadable):
            assert read(bytes(damaged)).kind == "msg"


# --- winmail.dat ---


def attribute(number: int, value: bytes) -> bytes:
    return struct.pack("<BII", 1, number, len(value)) + value + struct.pack("<H", sum(value) & 0xFFFF)


def variable(kind: int, number: int, value: bytes) -> bytes:
    return struct.pack("<HHII", kind, number, 1, len(value)) + value + bytes(-len(value) % 4)


def winmail(*attributes: bytes) -> bytes:
    return b"\x78\x9f\x3e\x22\x01\x00" + b"".join(attributes)


def test_winmail_dat_gives_text_and_files() -> None:
    named = struct.pack("<HH16sII", 3, 0x8001, bytes(16), 0, 7) + struct.pack("<I", 9)
    properties = struct.pack("<I", 2) + named + variable(0x102, HTML, f"<p>{PLAIN}</p>".encode())
    about = struct.pack("<I", 1) + variable(0x1F, FILE, "Größe.csv".encode("utf-16-le") + b"\0\0")
    data = winmail(
        attribute(0x00069007, struct.pack("<II", 1252, 0)),
        attribute(0x00069003, properties),
        attribute(0x00069002, bytes(14)),
        attribute(0x0006800F, b"a;b\n1;2\n"),
        attribute(0x00069005, about),
    )
    coded = base64.encodebytes(data).decode()
    wrapped = part("application/ms-tnef; name=winmail.dat", coded, "Content-Transfer-Encoding: base64\r\n")
    alone = reading.read_whole(multipart("mixed", wrapped, fields=HEAD), "a.eml")
    assert alone.pages[0].text.endswith(f"Attachments: Größe.csv\n\n{PLAIN}")
    assert [(file.name, file.data) for file in alone.attachments] == [("Größe.csv", b"a;b\n1;2\n")]
    beside = reading.read_whole(multipart("mixed", part("text/plain", PLAIN), wrapped, fields=HEAD), "a.eml")
    assert beside.pages[0].text.count(PLAIN) == 1
    damaged = part("application/ms-tnef; name=winmail.dat", "x")
    assert "winmail.dat" in reading.read_whole(multipart("mixed", damaged, fields=HEAD), "a.eml").notes[0]

"""Messages in MIME, as real programs write them: heads, the better text, charsets, damage, what is attached."""

import base64
import binascii
from email.message import EmailMessage

import pytest

from docqa.formats import reading
from docqa.formats.pages import Extracted
from docqa.formats.properties import Properties
from messages import multipart, part

HEAD = "From: Ada King <ada@example.org>\r\nTo: harbour@example.org\r\nSubject: Moorings\r\n"
PLAIN = "The moorings are delivered on 14 April. Please confirm the date by Friday, the third of April, at noon."


def read(data: bytes | str, name: str = "a.eml") -> Extracted:
    return reading.read_whole(data.encode() if isinstance(data, str) else data, name)


def text(data: bytes | str) -> str:
    return "\n".join(page.text for page in read(data).pages)


def body(data: bytes | str) -> str:
    """The text of a message with HEAD, without its head."""
    shown = text(data)
    assert shown.startswith("From: Ada King <ada@example.org>\nTo: harbour@example.org\nSubject: Moorings")
    return shown.partition("Subject: Moorings")[2].lstrip("\n")


def encoded(data: bytes) -> str:
    return base64.encodebytes(data).decode()


# --- heads ---


def test_the_head_is_lines_and_tells_title_author_and_date() -> None:
    extracted = read(
        'From: "King, Ada" <ada@example.org>\nTo: a@example.org,\n b@example.org\nCc: c@example.org\n'
        "Date: Mon, 2 Mar 2026 09:30:00 +0100\nX-Mailer: y\nSubject: Two\n moorings\n\nbody\n"
    )
    assert extracted.pages[0].text == (
        "From: King, Ada <ada@example.org>\nTo: a@example.org, b@example.org\nCc: c@example.org\n"
        "Date: Mon, 2 Mar 2026 09:30:00 +0100\nSubject: Two moorings\n\nbody"
    )
    assert extracted.properties == Properties("Two moorings", "Ada King", "2026-03-02")
    assert extracted.title == extracted.pages[0].section == "Two moorings"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"=?utf-8?B?R3LDtsOfZQ==?=", "Größe"),
        (b"=?iso-8859-1?Q?Gr=F6=DFe_und?= =?iso-8859-1?Q?_Ma=DF?=", "Größe und Maß"),
        (b"=?utf-8?B?R3LD?=\r\n =?utf-8?B?tsOfZQ==?=", "Größe"),  # a character cut in two
        (b"=?UTF-8?Q?a b?= c", "a b c"),
        (b"Re: =?koi8-r?B?8NLJ18XU?=!", "Re: Привет!"),
        (b"=?iso-2022-jp?B?GyRCJF4kXxsoQg==?=", "まみ"),
        (b"=?utf-8*en?Q?caf=C3=A9?=", "café"),
        (b"=?no-such?Q?caf=C3=A9?=", "café"),
        (b"=?utf-8?Q?Gr=F6=DFe?=", "Größe"),
        ("Größe ohne alles".encode(), "Größe ohne alles"),
        ("Größe auf Größe".encode("latin-1"), "Größe auf Größe"),
        (b"=?broken?= text", "=?broken?= text"),
    ],
)
def test_words_of_heads_in_any_encoding(raw: bytes, expected: str) -> None:
    assert text(b"From: a@example.org\r\nSubject: " + raw + b"\r\n\r\nbody") == (
        f"From: a@example.org\nSubject: {expected}\n\nbody"
    )


def test_what_stands_before_and_in_a_head() -> None:
    assert body("\ufeff\r\nFrom ada Mon Mar  2 09:30:00 2026\r\n" + HEAD + "\r\nwords") == "words"
    assert body(HEAD + "no field here\r\n\r\nwords") == "no field here\n\nwords"
    assert body(HEAD.replace("\r", "") + "\nwords") == "words"


# --- texts ---


@pytest.mark.parametrize(
    ("fields", "data", "expected"),
    [
        ("", PLAIN, PLAIN),
        ("Content-Type: text/plain; charset=windows-1251", "Привет, Ада".encode("cp1251"), "Привет, Ада"),
        ("Content-Type: text/plain; charset=us-ascii", "größere Flüsse fließen über".encode(), "größere Flüsse fließen über"),
        ("Content-Type: text/plain; charset=unknown-8bit", "größere Flüsse".encode("latin-1"), "größere Flüsse"),
        ("Content-Type: text/plain; charset=utf-7", b"gr+APYA3w-ere", "größere"),
        ("Content-Transfer-Encoding: quoted-printable", b"gr=C3=B6=\r\n=C3=9Fer =3D =ZZ", "größer = =ZZ"),
        ("Content-Transfer-Encoding: BASE64", encoded("größer".encode()) + "-- \r\nThis is the list", "größer"),
        ("Content-Transfer-Encoding: base64", b"Z3LDtsOfZXI", "größer"),
        ("Content-Transfer-Encoding: 7bit", encoded(("The quay. " * 30).encode()), ("The quay. " * 30)),
        ("", b"it =3D so=\r\n long=\r\n that=\r\n it =C3=9F =3D broke", "it = so long that it ß = broke"),
        ("Content-Type: text/plain; format=flowed", "one \r\ntwo\r\n> q \r\n> r\r\n>> s\r\n-- \r\nAda", "one two\n\nq r\n\ns\n\n--\nAda"),
        ("", "Rest for\r\n> 14 days\r\nor more.", "Rest for\n> 14 days\nor more."),
        ("", "No.\r\n> Is it so\r\n> still?\r\n>\r\n> Ada", "No.\n\nIs it so\nstill?\n\nAda"),
        ("Content-Type: text/plain; format=flowed; delsp=yes", "まみ \r\nむめ", "まみむめ"),
        ("Content-Type: text/html", "<p>one<br>two</p><div style='display:none'>x</div>", "one\ntwo"),
        ("Content-Type: text/html", "<meta charset=koi8-r>Привет".encode("koi8-r"), "Привет"),
        ("Content-Type: text/enriched", "<bold>one</bold> <<two>", "one <two>"),
        ("Content-Type: text/calendar", "BEGIN:VEVENT\r\nSUMMARY:Quay\r\nEND:VEVENT", "BEGIN:VEVENT\nSUMMARY:Quay\nEND:VEVENT"),
        ("Content-Type: multipart/mixed", "no parts at all", "no parts at all"),
    ],
)  # fmt: skip
def test_texts_in_any_encoding(fields: str, data: bytes | str, expected: str) -> None:
    sent = data.encode() if isinstance(data, str) else data
    assert body(f"{HEAD}{fields}{chr(13) + chr(10) if fields else ''}\r\n".encode() + sent) == expected


def alternative(plain: str, page: str) -> bytes:
    return multipart("alternative", part("text/plain", plain), part("text/html", page), fields=HEAD)


def test_plain_text_comes_before_a_page_unless_it_says_far_less() -> None:
    page = f"<p>{PLAIN}</p><p>With <b>regards</b></p>"
    assert body(alternative(PLAIN, page)) == PLAIN
    assert body(
        alternative("Your program cannot show HTML. View it at https://example.org/" + "x" * 500, page * 3)
    ).startswith(PLAIN)
    assert body(alternative(" \r\n", page)) == f"{PLAIN}\n\nWith regards"
    assert body(alternative(PLAIN, "<img src='cid:x'>")) == PLAIN
    calendar = multipart("alternative", part("text/calendar", "BEGIN:VEVENT"), part("text/html", page), fields=HEAD)
    assert body(calendar) == f"{PLAIN}\n\nWith regards"


def test_parts_without_an_end_or_a_named_boundary() -> None:
    whole = multipart("mixed", part("text/plain", "one"), part("text/plain", "two"), fields=HEAD)
    assert body(whole) == "one\n\ntwo"
    assert body(whole.removesuffix(b"\r\n--b0--\r\n")) == "one\n\ntwo"
    assert body(whole.replace(b'; boundary="b0"', b"").replace(b"--b0", b"--b0abcdef")) == "one\n\ntwo"
    assert body(whole.replace(b"\r\n", b"\n").replace(b"--b0\n", b"--b0 \n")) == "one\n\ntwo"


# --- messages in messages ---

INNER = "From: Charles <charles@example.org>\r\nSubject: Engine\r\n\r\nIt runs."
SHOWN = "From: Charles <charles@example.org>\nSubject: Engine\n\nIt runs."


@pytest.mark.parametrize(
    "nested",
    [
        part("message/rfc822", INNER),
        part("message/rfc822", encoded(INNER.encode()), "Content-Transfer-Encoding: base64\r\n"),
        part("message/rfc822", "\r\n" + INNER, 'Content-Disposition: attachment; filename="Engine.eml"\r\n'),
        part('multipart/digest; boundary="d"', f"--d\r\n\r\n{INNER}\r\n--d--\r\n"),
    ],
)
def test_an_enclosed_message_is_part_of_the_text(nested: bytes) -> None:
    assert body(multipart("mixed", part("text/plain", "see below"), nested, fields=HEAD)) == f"see below\n\n{SHOWN}"


def test_a_bounce_tells_what_failed_and_returns_the_message() -> None:
    status = part("message/delivery-status", "Status: 5.1.1\r\n\r\nFinal-Recipient: rfc822; x@example.org")
    shown = body(
        multipart("report", part("text/plain", "Not delivered."), status, part("message/rfc822", INNER), fields=HEAD)
    )
    assert shown == f"Not delivered.\n\nStatus: 5.1.1\n\nFinal-Recipient: rfc822; x@example.org\n\n{SHOWN}"


def signed(content: bytes, indefinite: bool = False) -> bytes:
    """CMS SignedData around a content, in DER or with the open lengths and cut strings of BER."""

    def element(tag: int, *parts: bytes) -> bytes:
        inside = b"".join(parts)
        if indefinite and tag & 0x20:
            return bytes([tag, 0x80]) + inside + b"\0\0"
        size = len(inside)
        return bytes([tag]) + (bytes([size]) if size < 128 else b"\x84" + size.to_bytes(4, "big")) + inside

    octets = (
        element(0x24, *(element(4, content[at : at + 7]) for at in range(0, len(content), 7)))
        if indefinite
        else element(4, content)
    )
    data, signed_data = bytes.fromhex("2a864886f70d010701"), bytes.fromhex("2a864886f70d010702")
    info = element(0x30, element(6, data), element(0xA0, octets))
    return element(
        0x30,
        element(6, signed_data),
        element(0xA0, element(0x30, element(2, b"\1"), element(0x31), info, element(0x31))),
    )


@pytest.mark.parametrize("indefinite", [False, True])
def test_what_a_signature_wraps_is_read(indefinite: bool) -> None:
    wrapped = encoded(signed(b"Content-Type: text/plain\r\n\r\n" + PLAIN.encode(), indefinite))
    fields = "Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n"
    assert body(f"{HEAD}{fields}\r\n{wrapped}") == PLAIN
    detached = part("application/pkcs7-signature; name=smime.p7s", "x")
    extracted = read(multipart("signed", part("text/plain", PLAIN), detached, fields=HEAD))
    assert "Attachments: smime.p7s" in extracted.pages[0].text
    assert (extracted.attachments, extracted.notes) == ([], [])


def test_what_is_encrypted_is_said() -> None:
    fields = "Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n"
    assert "encrypted" in read(f"{HEAD}{fields}\r\n{encoded(b'0' * 90)}").notes[0]
    assert (
        "encrypted"
        in read(multipart("encrypted", part("application/pgp-encrypted", "Version: 1"), fields=HEAD)).notes[0]
    )


# --- files ---


def test_attachments_that_are_documents_are_handed_on() -> None:
    message = EmailMessage()
    message["Subject"] = "Files"
    message.set_content(PLAIN)
    message.add_attachment(b"a;b\n1;2\n", maintype="application", subtype="octet-stream", filename="prices.csv")
    message.add_attachment("depths\n", filename="depths")
    message.add_attachment(b"\0\0\1\0", maintype="image", subtype="x-icon", filename="map.ico")
    message.add_attachment(b"x", maintype="application", subtype="pgp-signature", filename="sign.asc")
    extracted = read(bytes(message))
    assert [(file.name, file.data) for file in extracted.attachments] == [
        ("prices.csv", b"a;b\n1;2\n"), ("depths.txt", b"depths\n"),
    ]  # fmt: skip
    assert "Attachments: prices.csv, depths, map.ico, sign.asc" in extracted.pages[0].text
    assert extracted.notes == ["Attachments of kinds that cannot be read: map.ico."]


def test_pictures_in_the_text_are_no_attachments() -> None:
    picture = part("image/png", "x", "Content-ID: <a>\r\nContent-Disposition: inline; filename=logo.png\r\n")
    related = multipart("related", part("text/html", f"<p>{PLAIN}</p>"), picture, boundary="b1")
    extracted = read(multipart("mixed", related, fields=HEAD))
    assert ("logo" in extracted.pages[0].text, extracted.notes) == (False, [])


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ("Content-Disposition: attachment; filename*=utf-8''Gr%C3%B6%C3%9Fe.txt", "Größe.txt"),
        ("Content-Disposition: attachment; filename*0*=utf-8''Gr%C3%B6; filename*1*=%C3%9Fe.txt", "Größe.txt"),
        ('Content-Disposition: attachment; filename="=?utf-8?B?R3LDtsOfZS50eHQ=?="', "Größe.txt"),
        ("Content-Disposition: attachment; filename=two words.txt", "two words.txt"),
        ('Content-Disposition: attachment; filename="..\\\\up/../a.txt"', "a.txt"),
        ("Content-Disposition: attachment", "attachment 1.txt"),
    ],
)
def test_names_of_files(fields: str, name: str) -> None:
    attached = part("text/plain", "depths", fields + "\r\n")
    [file] = read(multipart("mixed", part("text/plain", PLAIN), attached, fields=HEAD)).attachments
    assert file.name == name


def test_uuencoded_files_are_taken_out_of_the_text() -> None:
    lines = binascii.b2a_uu(b"a;b\n1;2\n" * 5)
    extracted = read(f"{HEAD}\r\n{PLAIN}\r\nbegin 644 prices.csv\r\n{lines.decode()}`\r\nend\r\nbye".encode())
    assert [(file.name, file.data) for file in extracted.attachments] == [("prices.csv", b"a;b\n1;2\n" * 5)]
    assert extracted.pages[0].text.endswith(f"{PLAIN}\nbye")


# --- mailboxes ---


def test_each_message_of_a_mailbox_begins_a_page() -> None:
    first = f"From a@example.org Mon Mar  2 09:30:00 2026\n{HEAD}\n{PLAIN}\n>From here on\n\nFrom there\n\n"
    second = f"From b@example.org Tue Mar  3 09:30:00 2026\n{INNER}\n"
    extracted = read(first.replace("\r", "") + second.replace("\r", ""), "a.mbox")
    assert [page.section for page in extracted.pages] == ["Moorings", "Engine"]
    assert extracted.pages[0].text.endswith("\nFrom here on\n\nFrom there")
    assert extracted.properties == Properties()

"""Requests as bytes: made from what /openapi.json declares, then spoiled, in every part of a request and as a whole."""

import json
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_from_bytes

Schema = dict[str, Any]

WORDS = (
    "What is the monthly rent of warehouse 2 in Bergen?",
    "Who signed the lease, and when?",
    "Summarise the document on page 3.",
    "Wie hoch ist die Miete? 1.234,56 € am 31.02.2021",
    "何ですか。第十二章",
    "كم الإيجار؟ ١٢٣",
    "किराया कितना है?",
    "and the second one?",
    "hi",
    "thanks",
    "Translate your answer into Klingon.",
    "How many rows have a price > 12 and < 1e309?",
    "page 99999999999999999999999",
    "compare [1] with [2] ^ (3) {4} |5|",
)
HOSTILE = (
    "",
    " ",
    "\0",
    "\x00\x01\x1f\x7f\x85\u2028\u2029",
    "\ufeff\ufffe\uffff\U0010ffff",
    "e\u0301\u0301\u0301\u0301" * 40,
    "\u202e\u2066\u200d\u200b",
    "👩‍👩‍👧‍👦🏳️‍🌈" * 20,
    "'; DROP TABLE document; --",
    '" OR "a" NEAR("b" "c", 5) * ^ { } : -',
    "%s%n%d%x{0}{}${7*7}{{7*7}}",
    "../../../../etc/passwd",
    "<script>alert(1)</script><img src=x onerror=a()>",
    "[a](javascript:alert(1)) ![b](http://[::1) <http://xn--a/> ```\n#\n> * 1. |a|\n|-|",
    "((((((((((" * 30,
    "a" * 3_000,
    "9" * 400,
    "-0",
    "1e999",
    "NaN",
    "0x1p-1074",
    "١٢٣",
    "½ ⅷ ² 一億二千三百四十五万",
    "May 32nd 2021, 31/31/3131, 0000-00-00, 99:99",
    "i\u0307İıſßŉǰΐ",
    "\r\nx-injected: 1\r\n\r\n",
    ".",
    "?" * 500,
    "who " * 600,
    "a.b.c.d. " * 300,
    "https://example.org/" + "a/" * 200,
)
LONE = "\ud800"  # half a surrogate pair, which only JSON's escapes can spell
VALUES = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    10**400,
    0.5,
    -0.0,
    1e308,
    [],
    {},
    "",
    [[]],
    [None],
    {"": None},
    LONE,
)
MEDIA_TYPES = (
    "application/json",
    "application/json; charset=utf-16",
    "application/problem+json",
    "text/plain",
    "text/日本",
    "",
    "/",
    "a/b/c",
    "multipart/form-data",
    "multipart/form-data; boundary=cut",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary="',
    "multipart/form-data; boundary*=x; boundary*0*=y",
    "multipart/form-data; boundary*99999999999999999999=x",
    "multipart/form-data; boundary*" + "9" * 5_000 + "*=x",
    "multipart/form-data; boundary*=idna''x",
    "multipart/form-data; boundary*=utf-8'en'%E2%82%AC",
    "multipart/form-data; boundary=cut; boundary=other",
    'multipart/form-data; boundary="' + ";" * 3_000,
    "multipart/form-data; boundary=" + "b" * 300,
    "application/x-www-form-urlencoded",
)
DISPOSITIONS = (
    'form-data; name="file"; filename="a.txt"',
    'form-data; name="file"; filename=""',
    'form-data; name="file"',
    'form-data; name="other"; filename="b.txt"',
    "form-data; name=file; filename*=utf-8''%ED%A0%80.txt",
    "form-data; name=file; filename*=idna''x",
    "form-data; name=file; filename*=x; filename*0*=y",
    "form-data; name=file; filename*" + "9" * 5_000 + "*=x",
    "form-data; name*=utf-8''file; filename*0=a; filename*1=.txt",
    'form-data; name="file"; filename="' + "n" * 2_000 + '.txt"',
    'form-data; name="file"; filename="..\\..\\a/b/c\\\\.pdf"',
    'form-data; name="file"; filename="\u202ecod.\x01txt"',
    "attachment",
    "",
)
FILES = (
    b"The monthly rent of the warehouse is %d00 euros.\n\nIt is due on day %d.",
    b"",
    b"\xff\xfe",
    b"a;b;c\n1;2;3\n",
    b"# Heading\n\n[a](b)\n\n|a|b|\n|-|-|\n|1|2|\n",
    b'{"a": [1, 2, {"b": null}]}',
    b'{"rent": "\\ud800 and \\udc00\\ud800"}',
    b"<html><body><h1>&#xd800; &#1114112; &#0;</h1><p>The rent is 5 euros.",
    b"{\\rtf1 The rent \\u-10179? is \\u55357? due.}",
    b"%PDF-1.4\n%%EOF",
    b"PK\x03\x04",
    b"{\\rtf1 a}",
    b"From: a@example.org\r\nSubject: =?x?q?y?=\r\n\r\nThe rent is due.",
    b"\r\n--cut\r\n",
)
NAMES = ("a.txt", "a.pdf", "a.md", "a.csv", "a.json", "a.eml", "a", ".", "a.exe", "日本.txt", "a.html")
HEADERS = (
    ("Accept", "text/event-stream"),
    ("Accept", "*/*;q=\xff"),
    ("Accept-Encoding", "gzip, \x80"),
    ("Origin", "null"),
    ("Origin", "http://example.org\x80"),
    ("Access-Control-Request-Method", "PUT"),
    ("Access-Control-Request-Headers", "\xe9"),
    ("Expect", "100-continue"),
    ("Expect", "nothing"),
    ("Upgrade", "websocket"),
    ("Upgrade", "h2c"),
    ("Connection", "close, upgrade"),
    ("Connection", "keep-alive"),
    ("Range", "bytes=0-1,5-"),
    ("If-None-Match", "*"),
    ("Host", "example.org"),
    ("Host", "[::1]:" + "9" * 400),
    ("Host", "127.0.0.1\xff"),
    ("Cookie", "a=" * 2_000),
    ("X-Forwarded-For", "::1, \x01"),
    ("Content-Length", "-1"),
    ("Content-Length", "9" * 30),
    ("Content-Length", "0, 0"),
    ("Content-Length", "\u0661".encode().decode("latin-1")),
    ("Transfer-Encoding", "gzip, chunked"),
    ("Transfer-Encoding", "chunked"),
    ("Content-Encoding", "gzip"),
    ("x-api-key", ""),
    ("x-api-key", "\xff\x80"),
    ("X" * 300, "y" * 3_000),
    ("a b", "c"),
    ("", "c"),
)


@dataclass
class World:
    """What requests can name: a key, documents, knowledge bases, the port of a server of bad links."""

    key: str
    documents: list[str] = field(default_factory=lambda: ["0"])
    bases: list[str] = field(default_factory=lambda: ["0"])
    links: int = 1


@dataclass
class Operation:
    """One method of one path of /openapi.json."""

    method: str
    path: str
    parameters: Sequence[Schema]
    content: dict[str, Any]


def operations(description: dict[str, Any]) -> list[Operation]:
    """All that /openapi.json declares."""
    return [
        Operation(
            method.upper(),
            path,
            declared.get("parameters", []),
            whole(declared.get("requestBody", {}).get("content", {}), description),
        )
        for path, methods in description["paths"].items()
        for method, declared in methods.items()
    ]


def whole(schema: Any, description: dict[str, Any]) -> Any:
    """A schema with those in it that it only names."""
    if isinstance(schema, list):
        return [whole(item, description) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return whole(description["components"]["schemas"][name], description)
    return {key: whole(value, description) for key, value in schema.items()}


class Maker:
    """Makes requests, one after the other; the same `dice` and world give the same ones."""

    def __init__(self, dice: random.Random, every: Sequence[Operation], world: World) -> None:
        self._dice, self._every, self._world = dice, every, world

    def request(self) -> bytes:
        """What is sent on one connection: a request as it should be, or spoiled, or several."""
        dice = self._dice
        data = self._single()
        while dice.random() < 0.12:
            data += self._single()
        if dice.random() < 0.25:
            data = spoiled(dice, data)
        if dice.random() < 0.06:
            data = data[: dice.randrange(len(data) + 1)]
        return data

    def _single(self) -> bytes:
        dice = self._dice
        operation = dice.choice(self._every)
        media_type, body = self._body(operation)
        head: list[tuple[str, str]] = [("Host", "127.0.0.1"), ("x-api-key", self._world.key)]
        if media_type:
            head.append(("Content-Type", dice.choice(MEDIA_TYPES) if dice.random() < 0.1 else media_type))
        if dice.random() < 0.1 and body:
            body = spoiled(dice, body)
        if body and dice.random() < 0.25:
            head.append(("Transfer-Encoding", "chunked"))
            body = self._chunked(body)
        elif body or dice.random() < 0.2:
            head.append(("Content-Length", str(len(body))))
        while dice.random() < 0.25:
            head.insert(dice.randrange(len(head) + 1), dice.choice(HEADERS))
        if dice.random() < 0.03:
            del head[dice.randrange(len(head))]
        method = (
            dice.choice(("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW"))
            if dice.random() < 0.06
            else operation.method
        )
        version = dice.choice(("HTTP/1.0", "HTTP/2.0", "HTTP/1.1 ", "")) if dice.random() < 0.02 else "HTTP/1.1"
        lines = [f"{method} {self._target(operation)} {version}", *(f"{name}: {value}" for name, value in head)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body

    def _target(self, operation: Operation) -> str:
        dice, path, query = self._dice, operation.path, []
        for parameter in operation.parameters:
            value = self._text(self._value(parameter["schema"], parameter["name"]))
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", self._quoted(value) or "x")
            elif parameter["required"] or dice.random() < 0.3:
                query.append(f"{parameter['name']}={self._quoted(value)}")
        if dice.random() < 0.05:
            query.append(dice.choice(("&&", "=", "a", "%", "%zz=%", "page=1&page=", "\u00e9=1", "q=" + "a" * 5_000)))
        if dice.random() < 0.04:
            path = dice.choice(
                (
                    f"/{path}",
                    f"{path}/",
                    f"http://127.0.0.1{path}",
                    "*",
                    path.replace("/", "%2f"),
                    path + "%0a",
                    path + ";a",
                    path[1:],
                )
            )
        return path + ("?" + "&".join(query) if query else "")

    def _quoted(self, value: str) -> str:
        if self._dice.random() < 0.05:
            return quote_from_bytes(self._dice.randbytes(self._dice.randrange(1, 12)), safe="")
        return quote(value.encode("utf-8", "surrogatepass"), safe="")

    @staticmethod
    def _text(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    def _value(self, schema: Schema, name: str = "") -> Any:
        dice = self._dice
        if dice.random() < 0.04:
            return dice.choice((*VALUES, *HOSTILE))
        if "anyOf" in schema:
            return self._value(dice.choice(schema["anyOf"]), name)
        if "enum" in schema:
            return dice.choice(schema["enum"])
        return self._typed(schema, name)

    def _typed(self, schema: Schema, name: str) -> Any:
        dice, kind = self._dice, schema.get("type")
        if kind == "object":
            required = schema.get("required", [])
            fields = [key for key in schema.get("properties", {}) if key in required or dice.random() < 0.7]
            made = {key: self._value(schema["properties"][key], key) for key in fields}
            if dice.random() < 0.05:
                made[dice.choice(HOSTILE)] = dice.choice(VALUES)
            return made
        if kind == "array":
            most = 200 if dice.random() < 0.01 else 4
            return [
                self._value(schema["items"], name) for _ in range(dice.randint(0 if dice.random() < 0.1 else 1, most))
            ]
        if kind == "integer":
            return dice.choice((1, 2, 3, 10, 100, 0, -1, 2**64, "1_0", "10.0"))
        if kind == "number":
            return dice.choice((0.1, 0.7, 1.5, 0, 2, "1e0", "nan"))
        if kind == "boolean":
            return dice.choice((True, False, "on", 1, "T", "maybe"))
        return self._string(name)

    def _string(self, name: str) -> str:
        dice = self._dice
        ids: dict[str, list[str]] = {
            **dict.fromkeys(("doc_id", "doc_ids", "documents", "document_ids"), self._world.documents),
            "knowledge_base_id": self._world.bases,
        }
        if name in ids and dice.random() < 0.85:
            return dice.choice(ids[name])
        if name == "page_number":
            return dice.choice(("1", "2", "0", "-1", "01", "9" * 30, "\u0661", "1.0", "x"))
        if name == "url":
            return self._link()
        text = dice.choice(WORDS)
        while dice.random() < 0.3:
            at = dice.randrange(len(text) + 1)
            text = text[:at] + dice.choice((*HOSTILE, *WORDS)) + text[at:]
        return text

    def _link(self) -> str:
        dice = self._dice
        if dice.random() < 0.7:
            return f"http://127.0.0.1:{self._world.links}/{dice.randrange(10**9)}"
        base = dice.choice(("http://", "https://", "ftp://", "//", "", "http:/", "HTTP://a@", "http://xn--"))
        return (
            base
            + dice.choice(("[::1", "xn--a", "a..b", "%00", "1.1.1.1:99999", "\u3002", *HOSTILE))
            + dice.choice(("", "/", ":0", "?#", "\\"))
        )

    def _body(self, operation: Operation) -> tuple[str, bytes]:
        if "multipart/form-data" in operation.content:
            return "multipart/form-data; boundary=cut", self._form()
        if not operation.content:
            return ("application/json", b"{}") if self._dice.random() < 0.05 else ("", b"")
        ((media_type, declared),) = operation.content.items()
        return media_type, self._json(self._value(declared["schema"]))

    def _json(self, value: Any) -> bytes:
        dice = self._dice
        text = json.dumps(value, ensure_ascii=dice.random() < 0.5 or LONE in str(value))
        if dice.random() < 0.03:
            return dice.choice(
                (
                    b"[" * 5_000,
                    b"[" + b"1," * 5_000 + b"1]",
                    b'{"a":' * 2_000,
                    b"\xef\xbb\xbf" + text.encode("utf-8", "replace"),
                    text.encode("utf-16", "replace"),
                    b"[" + b"9" * 5_000 + b"]",
                    b"NaN",
                    b"",
                    b'{"messages": 1, "messages": 2}',
                )
            )
        return text.encode("utf-8", "surrogatepass")

    def _form(self) -> bytes:
        dice, parts = self._dice, []
        for _ in range(30 if dice.random() < 0.01 else dice.choice((1, 1, 1, 2, 3))):
            data = dice.choice(FILES).replace(b"%d", str(dice.randrange(10_000)).encode())
            plain = f'form-data; name="file"; filename="{dice.choice(NAMES)}"'
            lines = [f"Content-Disposition: {dice.choice(DISPOSITIONS) if dice.random() < 0.4 else plain}"]
            if dice.random() < 0.5:
                lines.append(f"Content-Type: {dice.choice((*MEDIA_TYPES, 'text/plain', 'application/pdf'))}")
            if dice.random() < 0.05:
                lines.append(dice.choice((": x", "a", "Content-Transfer-Encoding: base64", "a:" + "b" * 9_000)))
            parts.append(b"--cut\r\n" + "\r\n".join([*lines, "", ""]).encode() + data + b"\r\n")
        return b"".join(parts) + dice.choice((b"--cut--\r\n", b"--cut--", b"--cut", b"", b"--cut--\r\nepilogue"))

    def _chunked(self, body: bytes) -> bytes:
        dice, made, at = self._dice, b"", 0
        while at < len(body):
            size = dice.randint(1, max(1, len(body)))
            piece = body[at : at + size]
            extension = dice.choice((b"", b"", b"", b";a=b", b';a="\r', b" ", b";" + b"x" * 300))
            made += b"%x%s\r\n%s\r\n" % (len(piece), extension, piece)
            at += size
        last = dice.choice(
            (b"0\r\n\r\n",) * 8
            + (b"0\r\nX-Trailer: 1\r\n\r\n", b"0\r\n", b"-1\r\n\r\n", b"f" * 30 + b"\r\n", b"00000\r\n\r\n")
        )
        return made + last


def spoiled(dice: random.Random, data: bytes) -> bytes:
    """The bytes, changed in one to six places."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(changed) + 1)
        end = min(len(changed), at + dice.choice((1, 1, 2, 8, 60)))
        dice.choice(_CHANGES)(dice, changed, at, end)
    return bytes(changed)


def _flip(dice: random.Random, data: bytearray, at: int, end: int) -> None:
    data[at:end] = bytes(byte ^ (1 << dice.randrange(8)) for byte in data[at:end])


def _insert(dice: random.Random, data: bytearray, at: int, end: int) -> None:
    signs = (
        b"\0",
        b"\r",
        b"\n",
        b"\r\n",
        b"\r\n\r\n",
        b" ",
        b"\t",
        b"%",
        b'"',
        b"\\",
        b":",
        b";",
        b"=",
        b"--cut",
        b"\xff",
        b"\xe2\x80",
        b"'",
    )
    data[at:at] = dice.choice(
        (dice.choice(signs), dice.randbytes(end - at + 1), dice.choice(string.printable).encode())
    )


def _copy(dice: random.Random, data: bytearray, at: int, end: int) -> None:
    data[at:at] = data[at:end] * dice.choice((1, 1, 2, 50))


def _delete(dice: random.Random, data: bytearray, at: int, end: int) -> None:
    del data[at:end]


def _move(dice: random.Random, data: bytearray, at: int, end: int) -> None:
    piece = data[at:end]
    del data[at:end]
    to = dice.randrange(len(data) + 1)
    data[to:to] = piece


_CHANGES: Sequence[Callable[[random.Random, bytearray, int, int], None]] = (_flip, _insert, _copy, _delete, _move)

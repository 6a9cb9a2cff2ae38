"""Links: what is fetched, under which name, and everything that a link may not do or reach. The servers are played on
loopback."""

import asyncio
import gzip
import ipaddress
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from docqa.errors import TooLarge, Unreadable
from docqa.formats.plain.encoding import decode
from docqa.ingest.fetch import Fetched, fetch

EVERYTHING = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))
LOOPBACK = (ipaddress.ip_network("127.0.0.1/32"),)
ANY_PORT = range(1, 65536)

Handler = Callable[[str, dict[str, str], asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server(handler: Handler):
    """An HTTP server that hands (path, headers, writer) to `handler`; yields its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
        try:
            await handler(lines[0].split()[1], headers, writer)
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()


def answer(body: bytes = b"hello", status: str = "200 OK", **headers: str) -> Handler:
    async def handle(path: str, request: dict[str, str], writer: asyncio.StreamWriter) -> None:
        lines = [
            f"HTTP/1.1 {status}",
            "Connection: close",
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        ]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()

    return handle


def addresses(*known: str) -> Callable[[str, int], Awaitable[list[str]]]:
    async def resolver(host: str, port: int) -> list[str]:
        return list(known)

    return resolver


async def get(url: str, **changes: object) -> Fetched:
    options = {"seconds": 5, "limit_mb": 1, "private_networks": LOOPBACK, "link_ports": ANY_PORT, **changes}
    return await fetch(url, **options)  # type: ignore[arg-type]


async def refusal(url: str, **changes: object) -> str:
    with pytest.raises(Unreadable) as caught:
        await get(url, **changes)
    assert caught.value.faults[0].loc == ("query", "url")
    return str(caught.value)


# --- what is fetched --------------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_link_gives_bytes_type_charset_and_name() -> None:
    async with server(answer(b"<p>hi", Content_Type="Text/HTML; charset=Latin-1")) as port:
        fetched = await get(f"http://127.0.0.1:{port}/a%20page/report.html?x=1#part")
    assert (fetched.data, fetched.media_type, fetched.charset, fetched.name) == (
        b"<p>hi",
        "text/html",
        "latin-1",
        "report.html",
    )
    assert fetched.content_type == "text/html; charset=latin-1"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "charset", ["idna", "undefined", "unicode_escape", "hex", "*=idna''x", "\xff", "a; charset*=b; charset*0*=c"]
)
async def test_a_charset_that_is_none_makes_no_difference(charset: str) -> None:
    async with server(answer(b"plain", Content_Type=f"text/plain; charset={charset}")) as port:
        fetched = await get(f"http://127.0.0.1:{port}/")
    assert decode(fetched.data, fetched.charset) == "plain"


@pytest.mark.anyio
async def test_an_answer_without_a_type_is_just_bytes() -> None:
    async with server(answer()) as port:
        assert (await get(f"http://127.0.0.1:{port}/")).content_type == "application/octet-stream"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="Annual Report.pdf"', "Annual Report.pdf"),
        ("attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf", "Größe.pdf"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ('attachment; filename="C:\\\\docs\\\\a.pdf"', "a.pdf"),
        ('attachment; filename=".."', "path.bin"),
        ("inline", "path.bin"),
        ("attachment; filename*=ISO-8859-1''Gr%F6%DFe.pdf", "Größe.pdf"),
        ("attachment; filename*=idna''x", "x"),
        ("attachment; filename*=undefined''x", "x"),
        ("attachment; filename*=utf-8''%ED%A0%80.pdf", "\ufffd\ufffd\ufffd.pdf"),
        ("attachment; filename=a.pdf; filename*=utf-8''b.pdf", "b.pdf"),
        ("attachment; filename*=''x; filename*0*=idna''y", "path.bin"),
        ("attachment; filename*0*=utf-8''a; filename*1=b.pdf", "ab.pdf"),
        (f"attachment; filename*{'9' * 5000}*=utf-8''a", "path.bin"),
        ("attachment; filename*", "path.bin"),
        ("\xff; filename*=x'", "x'"),
    ],
)
async def test_the_servers_name_for_the_file_wins_without_its_folders(disposition: str, name: str) -> None:
    async with server(answer(Content_Disposition=disposition)) as port:
        assert (await get(f"http://127.0.0.1:{port}/path.bin")).name == name


@pytest.mark.anyio
async def test_the_connection_goes_to_the_checked_address_under_the_hosts_name() -> None:
    seen = {}

    async def handle(path: str, request: dict[str, str], writer: asyncio.StreamWriter) -> None:
        seen.update(request)
        await answer()(path, request, writer)

    async with server(handle) as port:
        fetched = await get(f"http://bücher.example:{port}/", resolver=addresses("127.0.0.1"))
    assert seen["host"] == f"xn--bcher-kva.example:{port}"
    assert seen["user-agent"].startswith("docqa/")
    assert fetched.name == "bücher.example"


@pytest.mark.anyio
async def test_redirects_are_followed_and_the_last_url_is_returned() -> None:
    async def handle(path: str, request: dict[str, str], writer: asyncio.StreamWriter) -> None:
        reply = answer(b"there") if path == "/b.txt" else answer(status="302 Found", Location="/b.txt")
        await reply(path, request, writer)

    async with server(handle) as port:
        fetched = await get(f"http://127.0.0.1:{port}/a")
    assert (fetched.data, fetched.name, fetched.url) == (b"there", "b.txt", f"http://127.0.0.1:{port}/b.txt")


@pytest.mark.anyio
async def test_a_compressed_answer_is_unpacked() -> None:
    async with server(answer(gzip.compress(b"plain"), Content_Encoding="gzip")) as port:
        assert (await get(f"http://127.0.0.1:{port}/")).data == b"plain"


# --- what a link may not reach ----------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    message = await refusal(
        "http://mixed.example/", private_networks=(), resolver=addresses("93.184.216.34", "10.0.0.1")
    )
    assert "private network" in message
    assert "10.0.0.1" not in message


@pytest.mark.anyio
async def test_a_redirect_to_a_private_address_is_refused() -> None:
    async with server(answer(status="301 Moved", Location="http://10.0.0.1/admin")) as port:
        assert "private network" in await refusal(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "http://user:pw@example.org/",
        "http://xn--a/",
        "//[",
        "http://a\xff\x00/",
    ],
)
async def test_a_redirect_is_checked_like_a_link(location: str) -> None:
    async with server(answer(status="302 Found", Location=location)) as port:
        await refusal(f"http://127.0.0.1:{port}/")


# --- what else goes wrong ---------------------------------------------------------------------------------------------


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "not a full URL"),
        ("example.org/page", "not a full URL"),
        ("file:///etc/passwd", "file: are not supported"),
        ("ftp://example.org/a", "ftp: are not supported"),
        ("javascript:alert(1)", "are not supported"),
        ("http://", "names no host"),
        ("http://exa mple.org:port/", "not a URL"),
        ("http://[::1/", "not a URL"),
        ("http://host\x00.example/", "not a URL"),
        ("http://user:secret@example.org/", "credentials"),
        ("http://xn--a/", "not a URL"),
        ("http://xn--.example/", "not a URL"),
        ("http://\ud800.example/", "not a URL"),
        (f"http://{'a' * 64}.example/", "was not found"),
    ],
)
async def test_text_that_is_no_link_is_refused(url: str, words: str) -> None:
    assert words in await refusal(url)


@pytest.mark.anyio
async def test_an_unknown_host_is_reported() -> None:
    async def nowhere(host: str, port: int) -> list[str]:
        raise OSError("no such host")

    assert "nowhere.example of the link was not found" in await refusal("http://nowhere.example/", resolver=nowhere)
    assert "has no address" in await refusal("http://nowhere.example/", resolver=addresses())


@pytest.mark.anyio
async def test_a_closed_port_is_reported() -> None:
    async with server(answer()) as port:
        pass
    assert "refused the connection" in await refusal(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
async def test_a_dead_address_gives_way_to_the_next() -> None:
    networks = (ipaddress.ip_network("127.0.0.0/8"),)
    async with server(answer(b"second")) as port:
        assert (
            await get(
                f"http://two.example:{port}/", private_networks=networks, resolver=addresses("127.0.0.9", "127.0.0.1")
            )
        ).data == b"second"


@pytest.mark.anyio
async def test_a_server_without_tls_is_reported() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 ready\r\n")
        writer.close()

    listening = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with listening:
        assert "secure connection" in await refusal(f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/")


@pytest.mark.anyio
@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "500 Oops", "204 No Content"])
async def test_the_status_is_reported(status: str) -> None:
    async with server(answer(b"", status=status)) as port:
        assert f"status {status}" in await refusal(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
async def test_an_empty_answer_is_refused() -> None:
    async with server(answer(b"")) as port:
        assert "empty" in await refusal(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
async def test_a_reply_that_is_not_http_is_reported() -> None:
    async def handle(path: str, request: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n")

    async with server(handle) as port:
        assert "not HTTP" in await refusal(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
async def test_endless_redirects_end() -> None:
    async with server(answer(status="302 Found", Location="/again")) as port:
        assert "more than 5 times" in await refusal(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "handler",
    [
        answer(b"", Content_Length=str(5 << 20)),
        answer(b"x" * ((1 << 20) + 1)),
        answer(gzip.compress(b"x" * (5 << 20)), Content_Encoding="gzip"),
    ],
    ids=["announced", "streamed", "decompressed"],
)
async def test_the_size_limit_holds_however_it_is_passed(handler: Handler) -> None:
    async with server(handler) as port:
        with pytest.raises(TooLarge, match="larger than 1 MB"):
            await get(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
async def test_layers_of_compression_are_refused() -> None:
    async with server(answer(gzip.compress(gzip.compress(b"x")), Content_Encoding="gzip, gzip")) as port:
        assert "more than once" in await refusal(f"http://127.0.0.1:{port}/")


@pytest.mark.anyio
async def test_a_slow_drip_ends_at_the_total_time() -> None:
    async def drip(path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    async with server(drip) as port:
        assert "within 0.4 s" in await refusal(f"http://127.0.0.1:{port}/", seconds=0.4)


# --- offline ----------------------------------------------------------------------------------------------------------


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["example.org", "192.0.2.1", "[2001:db8::1]", "localhost.example.org", "10.0.0.1"])
async def test_offline_no_link_leaves_this_machine_and_no_name_is_looked_up(host: str) -> None:
    async def unexpected(host: str, port: int) -> list[str]:
        raise AssertionError(f"{host} was looked up")

    said = await refusal(f"http://{host}/report.pdf", offline=True, resolver=unexpected, private_networks=EVERYTHING)
    assert (
        said
        == f"This server stays offline (DOCQA_OFFLINE): it follows no link to {host.strip('[]')}. Upload the file instead."
    )


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_offline_loopback_stays_subject_to_the_private_networks(host: str) -> None:
    async with server(answer()) as port:
        assert (await get(f"http://{host}:{port}/", offline=True, resolver=addresses("127.0.0.1"))).data == b"hello"
        assert "private network" in await refusal(
            f"http://{host}:{port}/", offline=True, resolver=addresses("127.0.0.1"), private_networks=()
        )


@pytest.mark.anyio
async def test_offline_a_redirect_does_not_lead_out() -> None:
    async with server(answer(status="302 Found", Location="http://example.org/")) as port:
        assert "example.org" in await refusal(f"http://127.0.0.1:{port}/", offline=True)

"""No link leads inside: addresses of special ranges, in every spelling, directly and by redirect. Nothing is dialled."""

import asyncio
import ipaddress
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest

from docqa.errors import Unreadable
from docqa.ingest.fetch import fetch, resolve
from docqa.ingest.special_addresses import SPECIAL, is_open

pytestmark = pytest.mark.anyio

V4 = [
    *("0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.1.2.3", "10.255.255.255", "100.64.0.0", "100.64.0.1"),
    *("100.100.100.200", "100.127.255.255", "127.0.0.1", "127.0.0.53", "127.255.255.255", "168.63.129.16"),
    *("169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.169.123", "169.254.255.255", "172.16.0.0"),
    *("172.16.0.1", "172.31.255.255", "192.0.0.0", "192.0.0.8", "192.0.0.9", "192.0.0.170", "192.0.0.192"),
    *("192.0.0.255", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.0", "192.88.99.1", "192.88.99.255"),
    *("192.168.0.0", "192.168.1.1", "192.168.255.255", "192.175.48.6", "198.18.0.0", "198.18.0.1"),
    *("198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.0", "224.0.0.1", "239.255.255.255", "240.0.0.0"),
    *("240.0.0.1", "255.255.255.254", "255.255.255.255"),
]
V6 = [
    *("::", "::1", "::2", "1::1", "64:ff9b:1::1", "64:ff9b:1:a00:1:0:0:0", "64:ff9b:1::808:808", "64:ff9b:2::1"),
    *("100::", "100::1", "100:0:0:1::1", "200::1", "400::1", "1000::1", "1fff:ffff::1", "2001::1", "2001:0:7f00:1::"),
    *("2001:0:808:808:0:0:f7f7:f7f7", "2001:0:7f00:1:0:0:80ff:fffe", "2001:1::1", "2001:1::2", "2001:2::1"),
    *("2001:3::1", "2001:4:112::1", "2001:5::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff::1"),
    *("2001:db8::1", "2001:db8:ffff::1", "2620:4f:8000::1", "3fff::1", "3fff:fff:ffff::1", "4000::1", "5f00::1"),
    *("6000::1", "7fff::1", "8000::1", "a000::1", "c000::1", "e000::1", "f000::1", "f800::1", "fb00::1", "fc00::1"),
    *("fd00::1", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fdff:ffff::1", "fe00::1", "fe80::1"),
    *("fe80::a9fe:a9fe", "febf::1", "fec0::1", "fec0:0:0:ffff::1", "feff::1", "ff00::1", "ff02::1", "ff0e::1"),
    *("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2606:4700::5efe:a00:1", "2606:4700::200:5efe:7f00:1"),
]
INNER = ("127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "100.64.0.1", "168.63.129.16", "192.0.0.192")
SPELT = [  # as the system reads them: decimal, octal, hexadecimal, short
    *("2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "0x7f.1", "127.1", "127.0.1", "0"),
    *("0x0", "00.0.0.0", "127.0.0.01", "0x7F.0x0.0x0.0x1", "0177.0x0.00.1", "2852039166", "0xa9fea9fe"),
    *("0251.0376.0251.0376", "0xa9.0xfe.0xa9.0xfe", "169.254.43518", "169.16689662", "3232235777", "0xc0a80101"),
    *("0300.0250.1.1", "167772161", "0xa000001", "10.1", "012.0.0.1", "4294967295", "0xffffffff", "3221225664"),
]
NAMES = [
    *("localhost", "LOCALHOST", "localhost.", "LocalHost.", "a.localtest.example", "xn--bcher-kva.example"),
    *("bücher.example", "metadata.google.internal", "metadata.google.internal.", "instance-data", "router.lan"),
    *(
        "127.0.0.1.example",
        "1.0.0.127.in-addr.arpa",
        "ｌｏｃａｌｈｏｓｔ",
        "ⓛocalhost",
        "a.b.c.example.",
        "x_y.example",
    ),
]
WRITTEN = [  # whole hosts, of which some are no URL at all
    *("127.0.0.1.", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"),
    *("[0000:0000:0000:0000:0000:ffff:7f00:0001]", "[FE80::1]", "[fe80::1%25eth0]", "[fe80::1%25lo]", "[::1%25lo]"),
    *("１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "127.0.0.1%00.example.org", "127.0.0.1%2eexample.org"),
    *("%31%32%37.0.0.1", "xn--a", "xn--", "xn--a.127.0.0.1", "[::1", "::1", "[127.0.0.1]", "127.0.0.1:80:80"),
    *("user@127.0.0.1", "user:pw@127.0.0.1", "example.org@127.0.0.1", "127.0.0.1#@example.org", "[v1.fe80]"),
    *("example.org%40127.0.0.1", "127.0.0.1\\@example.org", "127.0.0.1\t", "127.0.0.1 .example.org", "", ".", ".."),
    *("-", "a" * 64, "a." * 140 + "example", "\ud800", "\x00", "127.0.0.1\r\nHost: x", "[::ffff:10.0.0.1]:80"),
    *("0x7f.1.", "256.256.256.256", "1.2.3.4.5", "[64:ff9b::10.0.0.1]", "[2002:a00:1::]", "[fec0::1]"),
]
PORTS = (0, 1, 21, 22, 25, 53, 81, 111, 442, 444, 465, 2375, 3306, 5432, 6379, 8000, 8080, 8443, 9200, 11211, 27017)


def wrapped(inner: str) -> list[str]:
    """An IPv4 address in every IPv6 form that carries one."""
    number = int(ipaddress.IPv4Address(inner))
    high, low = number >> 16, number & 0xFFFF
    forms = ("::{:x}:{:x}", "::ffff:{:x}:{:x}", "::ffff:0:{:x}:{:x}", "64:ff9b::{:x}:{:x}", "2002:{:x}:{:x}::1")
    return [form.format(high, low) for form in forms]


ADDRESSES = [*V4, *V6, *(address for inner in INNER for address in wrapped(inner))]


class Dials:
    """Counts the connections that this process opens, by Python's audit events."""

    def __init__(self) -> None:
        self.watched: list[object] | None = None
        sys.addaudithook(self._see)

    def _see(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "socket.connect" and self.watched is not None:
            self.watched.append(arguments[1])

    @contextmanager
    def counted(self) -> Iterator[list[object]]:
        """What was dialled meanwhile."""
        self.watched = dialled = []
        try:
            yield dialled
        finally:
            self.watched = None


DIALS = Dials()  # a hook stays as long as the process


def leading_to(address: str) -> Callable[[str, int], Awaitable[list[str]]]:
    """A resolver by which every name leads to one address."""

    async def resolver(host: str, port: int) -> list[str]:
        return [address]

    return resolver


async def numeric(host: str, port: int) -> list[str]:
    """The system's reading of an IPv4 address in any spelling. Raises OSError for a name: none is looked up."""
    socket.inet_aton(host)
    return await resolve(host, port)


async def refused(url: str, resolver: Callable[[str, int], Awaitable[list[str]]]) -> None:
    with pytest.raises(Unreadable):
        await fetch(url, seconds=5, limit_mb=1, private_networks=(), link_ports=(80, 443), resolver=resolver)


def test_there_are_enough_cases() -> None:
    assert len({*ADDRESSES, *SPELT, *NAMES, *WRITTEN, *map(str, PORTS)}) >= 250


def test_every_special_address_is_closed() -> None:
    assert not [address for address in ADDRESSES if is_open(ipaddress.ip_address(address), ())]
    ends = [end for network in SPECIAL for end in (network[0], network[-1])]
    assert not [end for end in ends if is_open(end, ()) and end not in ipaddress.ip_network("2002::/16")]


def test_public_addresses_are_open_also_where_an_ipv6_address_carries_them() -> None:
    beside = ("9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0")
    beside += ("168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0")
    beside += ("192.0.1.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255")
    beside += ("198.20.0.0", "223.255.255.255", "8.8.8.8", "93.184.216.34")
    public = ("2606:4700::1111", "2001:200::1", "2001:4860:4860::8888", "2003::1", "2a00:1450::1", "3ffe::1")
    for address in (*beside, *public, *(form for inner in beside for form in wrapped(inner))):
        assert is_open(ipaddress.ip_address(address), ()), address


def test_a_setting_opens_a_network_and_no_other() -> None:
    networks = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8"))
    for address in ("10.2.3.4", "::ffff:10.2.3.4", "64:ff9b::a02:304", "fd00::5"):
        assert is_open(ipaddress.ip_address(address), networks)
    for address in ("127.0.0.1", "fc00::5", "::ffff:127.0.0.1"):
        assert not is_open(ipaddress.ip_address(address), networks)


async def test_no_link_to_a_special_address_is_dialled_whatever_its_name_or_spelling() -> None:
    with DIALS.counted() as dialled:
        for address in ADDRESSES:
            await refused("http://name.example/", leading_to(address))
            await refused(f"https://[{address}]/" if ":" in address else f"https://{address}/", leading_to(address))
        for host in SPELT:
            await refused(f"http://{host}/", numeric)
        for host in (*NAMES, *WRITTEN):
            await refused(f"http://{host}/", leading_to("127.0.0.1"))
        for port in PORTS:
            await refused(f"http://name.example:{port}/", leading_to("8.8.8.8"))
            await refused(f"https://127.0.0.1:{port}/", leading_to("127.0.0.1"))
    assert dialled == []


async def test_no_redirect_to_any_of_them_is_dialled() -> None:
    """The first host is a server on loopback, whose address is opened: it alone is dialled, once for each case."""
    hosts = [*(f"[{address}]" if ":" in address else address for address in ADDRESSES), *SPELT, *NAMES, *WRITTEN]
    hosts = [host for host in hosts if host not in ("", "\ud800")]  # without a host the redirect stays with the first
    targets = [*(f"http://{host}/" for host in hosts), *(f"http://name.example:{port}/" for port in PORTS)]
    waiting = iter(targets)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        target = next(waiting).encode("utf-8", "replace").replace(b"\r\n", b"").replace(b"\x00", b"%00")
        writer.write(b"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: " + target + b"\r\n\r\n")
        writer.close()

    async def resolver(host: str, port: int) -> list[str]:
        if host == "first.example":
            return ["127.0.0.7"]
        try:
            return await numeric(host, port)
        except OSError:
            return ["10.0.0.1"]

    listening = await asyncio.start_server(serve, "127.0.0.7", 0)
    own = listening.sockets[0].getsockname()[1]
    options = {"seconds": 5, "limit_mb": 1, "private_networks": (ipaddress.ip_network("127.0.0.7"),)}
    async with listening:
        with DIALS.counted() as dialled:
            for _ in targets:
                with pytest.raises(Unreadable):
                    await fetch(f"http://first.example:{own}/", link_ports=(80, 443, own), resolver=resolver, **options)
    assert dialled == [("127.0.0.7", own)] * len(targets)

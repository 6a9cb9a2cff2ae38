"""A network of its own for a process, with nothing in it but loopback, and the kernel's count of what was sent elsewhere.

Linux only, and only where the system lets a user have one; it needs `unshare` of util-linux.
"""

import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

from docqa import ROOT

PREFIX = ("unshare", "--map-root-user", "--net")
LOOPBACK = b"lo"
SET_FLAGS = 0x8914  # SIOCSIFFLAGS
UP = 0x1  # IFF_UP
# No route: something for another machine. UDP: we use none, and a name is looked up by it, be it at a server on loopback.
COUNTERS = ("IpOutNoRoutes", "UdpOutDatagrams", "Ip6OutNoRoutes", "Udp6OutDatagrams")


def available() -> bool:
    """Whether a command that begins with PREFIX gets a network of its own, and may switch its loopback on."""
    if sys.platform != "linux" or shutil.which(PREFIX[0]) is None:
        return False
    return (
        subprocess.run(
            [*PREFIX, sys.executable, "-m", "docqa.offline.namespace"], cwd=ROOT, capture_output=True, check=False
        ).returncode
        == 0
    )


def raise_loopback() -> None:
    """Switch loopback on, which is down in a new network. Raises OSError."""
    import fcntl  # not on Windows

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", LOOPBACK, UP))


def count_outward() -> dict[str, int]:
    """How often this network, since it was made, was asked for what only another machine could answer: COUNTERS → times, where not 0."""
    found: dict[str, int] = {}
    names: list[str] = []
    for line in Path("/proc/net/snmp").read_text().splitlines():
        group, *values = line.split()
        if names and values[0].lstrip("-").isdecimal():
            found |= {group.rstrip(":") + name: int(value) for name, value in zip(names, values, strict=True)}
        names = values
    if (six := Path("/proc/net/snmp6")).exists():
        found |= {name: int(value) for name, value in (line.split() for line in six.read_text().splitlines())}
    return {name: found[name] for name in COUNTERS if found.get(name)}


if __name__ == "__main__":
    raise_loopback()

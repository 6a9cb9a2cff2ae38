"""A network namespace for a process with nothing but loopback, and the kernel's count of what was sent elsewhere.

Linux only, and only where users may create namespaces; it needs `unshare` of util-linux.
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
# No route: something for another machine. UDP: not used by the service, but by name look-ups, even on loopback.
COUNTERS = ("IpOutNoRoutes", "UdpOutDatagrams", "Ip6OutNoRoutes", "Udp6OutDatagrams")


def available() -> bool:
    """Whether a command that begins with PREFIX gets a namespace in which it may bring loopback up."""
    if sys.platform != "linux" or shutil.which(PREFIX[0]) is None:
        return False
    command = [*PREFIX, sys.executable, "-m", "docqa.offline.namespace"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def raise_loopback() -> None:
    """Bring loopback up, which is down in a new namespace. Raises OSError."""
    import fcntl  # not on Windows

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", LOOPBACK, UP))


def count_outward() -> dict[str, int]:
    """The COUNTERS of this namespace since it was created that are not 0: packets meant for other machines."""
    counts: dict[str, int] = {}
    names: list[str] = []
    for line in Path("/proc/net/snmp").read_text().splitlines():
        group, *values = line.split()
        if names and values[0].lstrip("-").isdecimal():
            counts |= {group.rstrip(":") + name: int(value) for name, value in zip(names, values, strict=True)}
        names = values
    if (ipv6 := Path("/proc/net/snmp6")).exists():
        counts |= {name: int(value) for name, value in (line.split() for line in ipv6.read_text().splitlines())}
    return {name: counts[name] for name in COUNTERS if counts.get(name)}


if __name__ == "__main__":
    raise_loopback()

"""Which addresses links may not lead to: everything that is not a host in the public internet.

The ranges are data of our own, for the `ipaddress` of each Python version knows others. They are those of the IANA
registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890, RFC 8190), whole where some of their addresses are
globally reachable, and of multicast; beyond them the fixed addresses at which clouds serve their machines.
"""

import ipaddress

from docqa.settings import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_V4 = (
    "0.0.0.0/8",  # this network: RFC 791
    "10.0.0.0/8",  # private: RFC 1918
    "100.64.0.0/10",  # shared by a provider's customers: RFC 6598; Alibaba's metadata at 100.100.100.200
    "127.0.0.0/8",  # loopback: RFC 1122
    "168.63.129.16/32",  # Azure serves its machines here
    "169.254.0.0/16",  # link-local: RFC 3927; the metadata of most clouds at 169.254.169.254
    "172.16.0.0/12",  # private: RFC 1918
    "192.0.0.0/24",  # protocol assignments: RFC 6890; Oracle's metadata at 192.0.0.192
    "192.0.2.0/24",  # documentation: RFC 5737
    "192.31.196.0/24",  # AS112: RFC 7535
    "192.52.193.0/24",  # automatic multicast tunnelling: RFC 7450
    "192.88.99.0/24",  # 6to4 relays, deprecated: RFC 7526
    "192.168.0.0/16",  # private: RFC 1918
    "192.175.48.0/24",  # AS112: RFC 7534
    "198.18.0.0/15",  # benchmarks: RFC 2544
    "198.51.100.0/24",  # documentation: RFC 5737
    "203.0.113.0/24",  # documentation: RFC 5737
    "224.0.0.0/4",  # multicast: RFC 5771
    "240.0.0.0/4",  # reserved, and broadcast: RFC 1112, RFC 919
)
_V6 = (
    # All that is not in 2000::/3, the only part from which global unicast addresses are given out (RFC 4291): loopback,
    # unspecified, discard (100::/64), local translation (64:ff9b:1::/48), segment routing (5f00::/16), unique local
    # (fc00::/7, with Amazon's metadata at fd00:ec2::254 and Google's at fd20:ce::254), link-local (fe80::/10),
    # site-local (fec0::/10, RFC 3879), multicast (ff00::/8).
    "::/3",
    "4000::/2",
    "8000::/1",
    "2001::/23",  # protocol assignments: RFC 2928; Teredo (2001::/32), benchmarks, ORCHID
    "2001:db8::/32",  # documentation: RFC 3849
    "2002::/16",  # 6to4: RFC 3056
    "2620:4f:8000::/48",  # AS112: RFC 7534
    "3fff::/20",  # documentation: RFC 9637
)
SPECIAL: tuple[Network, ...] = tuple(map(ipaddress.ip_network, (*_V4, *_V6)))

_AT_THE_END = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "::/96",  # IPv4-compatible: RFC 4291
        "::ffff:0:0/96",  # IPv4-mapped: RFC 4291
        "::ffff:0:0:0/96",  # IPv4-translated: RFC 2765
        "64:ff9b::/96",  # NAT64: RFC 6052
    )
)
_SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
_ISATAP = (0x00005EFE, 0x02005EFE)  # the second quarter from the end, before an IPv4 address: RFC 5214


def is_open(address: Address, private_networks: tuple[Network, ...]) -> bool:
    """True if links may lead to `address`: it is public, or one of `private_networks` holds it. An IPv4 address that an
    IPv6 address wraps is judged instead of it."""
    judged = _unwrapped(address)
    if _within(judged, private_networks):
        return True
    return not _within(judged, SPECIAL) and not _is_isatap(judged)


def _within(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one whose form says that packets go to it; else the address itself."""
    if isinstance(address, ipaddress.IPv4Address) or int(address) <= 1:  # :: and ::1
        return address
    if any(address in network for network in _AT_THE_END):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        return ipaddress.IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return address


def _is_isatap(address: Address) -> bool:
    """Whether the address is for the inside of one organisation, where a tunnel leads to the IPv4 address in it."""
    return address.version == 6 and int(address) >> 32 & 0xFFFFFFFF in _ISATAP

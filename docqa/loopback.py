"""Which hosts are this machine itself, told without asking anybody."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address, is this machine, whatever DNS says; other names are not, for looking one
    up is traffic already."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False

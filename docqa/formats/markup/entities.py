"""HTML's names of characters in XML, which knows five of them only."""

import re
from html.entities import html5

_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*;)")


def spelled(source: str) -> str:
    """The source with numbers in place of the names of characters; other names stay."""
    return _ENTITY.sub(_number, source)


def _number(entity: re.Match[str]) -> str:
    return "".join(f"&#{ord(character)};" for character in html5.get(entity[1], "")) or entity[0]

"""How much a PDF page draws, unpacked and with its forms expanded: a few kilobytes can mean terabytes."""

import re
import zlib
from collections.abc import Iterator
from typing import Any

MOST = 60_000_000  # bytes of one page, which are read in ten seconds; few maps are as detailed
_PLACED = re.compile(rb"/([^\s/<>\[\]()]+)\s+Do\b")
_DEFLATED = 1032  # the highest ratio of deflate
_PIECE = 1 << 20


def draws_too_much(document: Any, page: Any) -> bool:
    """Whether a PyMuPDF page has more than `MOST` bytes of content, each form counted as often as it is placed.

    MuPDF itself stops at forms that place themselves.
    """
    forms: dict[int, dict[str, int]] = {}
    for form, name, invoker, _ in page.get_xobjects():
        forms.setdefault(invoker, {})[name] = form
    parts = {0: page.get_contents(), **{form: [form] for placed in forms.values() for form in placed.values()}}
    if any(_unpacked(document, xref) > MOST for xrefs in parts.values() for xref in xrefs):
        return True
    if not forms:
        return False
    sizes: dict[int, float] = {}
    waiting = [(0, False)]
    while waiting:
        owner, is_ready = waiting.pop()
        if is_ready:
            content = b"\n".join(document.xref_stream(xref) or b"" for xref in parts[owner])
            placed = forms.get(owner, {})
            names = (name.decode("latin-1") for name in _PLACED.findall(content))
            sizes[owner] = len(content) + sum(sizes[placed[name]] for name in names if name in placed)
        elif owner not in sizes:
            sizes[owner] = 0.0
            waiting.append((owner, True))
            waiting.extend((form, False) for form in forms.get(owner, {}).values())
    return sizes[0] > MOST


def _unpacked(document: Any, xref: int) -> int:
    """Bytes of a stream when it is unpacked, counted only if they may exceed `MOST`, and only up to that."""
    filters = document.xref_get_key(xref, "Filter")[1].count("/Fl")
    packed = document.xref_stream_raw(xref) or b""
    if len(packed) * _DEFLATED**filters <= MOST:
        return len(packed)
    pieces = iter([packed])
    for _ in range(filters):
        pieces = _inflated(pieces)
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MOST:
            break
    return size


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    unpack = zlib.decompressobj()
    try:
        for piece in pieces:
            while piece and not unpack.eof:
                yield unpack.decompress(piece, _PIECE)
                piece = unpack.unconsumed_tail
    except zlib.error:
        return  # damaged: MuPDF reads no more than this either

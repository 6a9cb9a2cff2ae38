"""A PDF of plain text, line by line: what contestants are given must come from the library of none of them."""

import zlib
from collections.abc import Sequence

_TOP, _LEFT, _LEADING, _SIZE = 780, 60, 14, 10  # points, on A4


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """The file that shows these lines of Latin letters, up to 52 a page."""
    first = 4  # the objects before it: catalog, tree of pages, font
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>"
        % (len(pages), b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(pages)))),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        content = zlib.compress(_shown(lines))
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (first + 2 * number + 1),
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    return _file(objects)


def _shown(lines: Sequence[str]) -> bytes:
    begin = f"BT /F {_SIZE} Tf {_LEADING} TL {_LEFT} {_TOP} Td\n"
    escaped = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines)
    return (begin + "".join(f"({line}) Tj T*\n" for line in escaped) + "ET").encode("cp1252")


def _file(objects: Sequence[bytes]) -> bytes:
    written, starts = b"%PDF-1.4\n", []
    parts = [written]
    at = len(written)
    for number, content in enumerate(objects, 1):
        starts.append(at)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
        at += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(objects) + 1
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table))
    parts.append(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, at))
    return b"".join(parts)

"""Rich text (.rtf): the text of the document without its formatting, after Microsoft's specification 1.9.1.

Hard page breaks begin pages, outline levels and heading styles are headings; notes, comments and text boxes follow the
paragraph they are anchored in. Soft page breaks, list numbers that are not in the file, and the layout of formulas are
not reconstructed.
"""

import re
from collections.abc import Callable
from functools import partial

from striprtf.striprtf import destinations, specialchars

from docqa.formats.pages import Reading, paginate
from docqa.formats.properties import Properties
from docqa.formats.rtf.document import Document
from docqa.formats.rtf.group import Voice

_TOKEN = re.compile(rb"([^\\{}]+)|([{}])|\\([A-Za-z]+)(-?\d{1,9})? ?|\\'([0-9A-Fa-f]{2})|\\(.)", re.DOTALL)
_TEXT, _BRACE, _WORD, _NUMBER, _HEX, _SYMBOL = range(1, 7)

_CREATED = re.compile(rb"\\creatim\s*\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")
_INFO = 1 << 20  # bytes at the beginning in which the information group stands

_SIGNS = {b"~": "\xa0", b"_": "\u2011", b"\t": "\t"}
_BREAKING = ("row", "cell", "nestcell", "par", "sect", "page")  # of striprtf's characters; they do more than that here
_CHARACTERS = {word: sign for word, sign in specialchars.items() if word.isalpha() and word not in _BREAKING} | {
    "lbr": "\n",
    "column": "\n",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "zwbo": "\u200b",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
}

# Control words that set a property of the group, and the value that they set without a number.
_PROPERTIES = {
    "f": ("font", 0),
    "v": ("hidden", 1),
    "b": ("bold", 1),
    "deleted": ("deleted", 1),
    "s": ("style", 0),
    "outlinelevel": ("outline", 0),
    "ls": ("list_number", 0),
    "ilvl": ("list_level", 0),
    "pagebb": ("page_before", 1),
}

_Action = Callable[[Document, int], None]

_ACTIONS: dict[str, _Action] = {
    "u": Document.add_unicode,
    "uc": Document.set_fallback,
    "plain": lambda document, _: document.reset_characters(),
    "pard": lambda document, _: document.reset_paragraph(),
    "intbl": lambda document, _: document.set_table(max(1, document.group.table)),
    "itap": Document.set_table,
    "deff": Document.set_default_font,
    "ansicpg": Document.set_code_page,
    "mac": lambda document, _: document.set_code_page(10000),
    "pc": lambda document, _: document.set_code_page(437),
    "pca": lambda document, _: document.set_code_page(850),
    "fcharset": lambda document, number: document.fonts.set_charset(document.group.font, number),
    "cpg": lambda document, number: document.fonts.set_code_page(document.group.font, number),
    "fonttbl": lambda document, _: document.collect(Voice.FONTS),
    "stylesheet": lambda document, _: document.collect(Voice.STYLES),
    "sectd": lambda document, _: document.set_section(starts_page=True),
    **dict.fromkeys(("sbkpage", "sbkeven", "sbkodd"), lambda document, _: document.set_section(starts_page=True)),
    **dict.fromkeys(("sbknone", "sbkcol"), lambda document, _: document.set_section(starts_page=False)),
    **dict.fromkeys(("info", "object", "shp", "shpgrp", "do", "upr"), lambda document, _: document.wait()),
    **dict.fromkeys(("result", "ud"), lambda document, _: document.revive()),
    "fldinst": lambda document, _: document.begin_instruction(),
    "fldrslt": lambda document, _: document.begin_result(),
    "title": lambda document, _: document.tell(partial(document.place_information, "title"), revived=True),
    "author": lambda document, _: document.tell(partial(document.place_information, "author"), revived=True),
    "sn": lambda document, _: document.tell(document.place_property_name, revived=True),
    "sv": lambda document, _: document.tell(document.place_property, revived=True),
    **dict.fromkeys(("shptxt", "dptxbxtext"), lambda document, _: document.tell(document.place_aside, revived=True)),
    **dict.fromkeys(
        ("footnote", "annotation"), lambda document, _: document.tell(partial(document.place_aside, is_note=True))
    ),
    **dict.fromkeys(("listtext", "pntext"), lambda document, _: document.tell(document.place_label)),
    **dict.fromkeys(
        ("header", "headerl", "headerr", "headerf"), lambda document, _: document.tell(document.place_header)
    ),
    **dict.fromkeys(
        ("footer", "footerl", "footerr", "footerf"), lambda document, _: document.tell(document.place_footer)
    ),
}
# Those that count only where there is text.
_BREAKS: dict[str, _Action] = {
    "par": lambda document, _: document.end_paragraph(),
    "cell": lambda document, _: document.end_cell(1),
    "nestcell": lambda document, _: document.end_cell(max(2, document.group.table)),
    "row": lambda document, _: document.end_row(1),
    "nestrow": lambda document, _: document.end_row(max(2, document.group.table)),
    "page": lambda document, _: document.end_page(),
    "sect": lambda document, _: document.end_section(),
    "mden": lambda document, _: document.say("/"),
    "msup": lambda document, _: document.say("^"),
    "msub": lambda document, _: document.say("_"),
}
# Destinations whose text nevertheless belongs to the document.
_TRANSPARENT = {
    "shpinst", "sp", "nesttableprops", "mmath", "moMath", "moMathPara", "mr", "me", "mf", "mnum", "mrad", "mdeg",
    "mnary", "md", "mm", "mmr", "macc", "mbar", "mbox", "mfunc", "mfName", "mlim", "mlimlow", "mlimupp", "msSub",
    "msSubSup", "msSup", "msPre", "meqArr", "mgroupChr", "mphant", "mborderBox",
}  # fmt: skip
_MUTE = destinations - _TRANSPARENT


def read(data: bytes, charset: str = "") -> Reading:
    """The text in logical pages; `charset` is ignored. A file that is cut off gives its text up to there, with a note.

    Raises Unreadable for groups nested more than 500,000 deep.
    """
    document = Document()
    end = _walk(data, document)
    document.finish()
    if not document.is_truncated and data.find(b"\\par", end) >= 0:
        document.notes.append(f"{len(data) - end:,} bytes after the end of the document were left out.")
    body = document.body.close()
    written = _CREATED.search(data[:_INFO])
    date = "-".join(f"{int(part):02}" for part in written.groups()) if written else ""
    properties = Properties.of(document.title, document.author, date)
    return Reading(
        "rtf", document.title, paginate(body.text, body.headings, body.blocks), document.notes, properties=properties
    )


def _walk(data: bytes, document: Document) -> int:
    """Pass the tokens to the document; returns the offset after its last brace."""
    position = max(0, data.find(b"{\\rtf"))
    starred = False
    while token := _TOKEN.match(data, position):
        position = token.end()
        kind = token.lastindex
        if kind == _TEXT:
            document.add_text(token[_TEXT])
        elif kind == _HEX:
            document.add(bytes.fromhex(token[_HEX].decode()))
        elif kind in (_WORD, _NUMBER):
            number = int(token[_NUMBER]) if kind == _NUMBER else None
            if token[_WORD] == b"bin":
                position += max(0, number or 0)
            _obey(document, token[_WORD].decode(), number, starred)
        elif kind == _SYMBOL:
            _obey_symbol(document, token[_SYMBOL])
        elif token[_BRACE] == b"{":
            document.open()
        elif not document.close():
            break
        starred = kind == _SYMBOL and token[_SYMBOL] == b"*"
    return position


def _obey(document: Document, word: str, number: int | None, starred: bool) -> None:
    """Act on a control word; an unknown one is ignored, and silences its group if it is starred."""
    if word in _CHARACTERS:
        document.add_character(_CHARACTERS[word])
        return
    document.end_characters()
    if word in _PROPERTIES:
        name, value = _PROPERTIES[word]
        setattr(document.group, name, value if number is None else number)
    elif word in _ACTIONS:
        _ACTIONS[word](document, number or 0)
    elif word in _BREAKS:
        if document.group.voice is Voice.SPEAKING:
            _BREAKS[word](document, number or 0)
    elif word in _MUTE or (starred and word not in _TRANSPARENT):
        document.group.voice = Voice.SILENT


def _obey_symbol(document: Document, symbol: bytes) -> None:
    if symbol in (b"\\", b"{", b"}"):
        document.add(symbol)
    elif symbol in _SIGNS:
        document.add_character(_SIGNS[symbol])
    elif symbol in (b"\r", b"\n"):
        _obey(document, "par", None, starred=False)

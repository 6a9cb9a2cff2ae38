"""The text of a shape as HTML, in about the size, colour and place that the slide, its layout and its master give it
(ECMA-376 part 1, 21.1.2)."""

import html
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from docqa.formats.office.drawing import MC, A, M
from docqa.formats.office.formula import formula
from docqa.formats.pdf.canvas import Colour
from docqa.formats.slides.drawing_colours import Palette

EMU = 12_700  # in a point
_SIZE = 18.0  # points, where nothing says how large a text is
_LARGEST, _MOST_LEVELS = 400.0, 9
_ALIGNED = {"ctr": "center", "r": "right", "just": "justify", "dist": "justify"}
_NARROW = ("calibri", "aptos", "candara", "corbel", "gill sans", "arial narrow", "segoe")
_NARROWED = 0.93  # times as wide as the letters that stand for theirs
_SERIF = ("times", "georgia", "cambria", "garamond", "palatino", "serif", "book antiqua", "century", "constantia")
_EVEN = ("courier", "consolas", "mono", "menlo")
_SYMBOLS = ("wingdings", "symbol", "webdings")


class Look(NamedTuple):
    """How a text looks that says nothing of it: `styles` are the list styles that it inherits, the nearest first,
    `font` the theme's, `colour` that of the shape's style."""

    palette: Palette
    styles: Sequence[Any]
    font: str
    colour: Colour | None = None
    bold: bool = False


def text_html(body: Any, look: Look, number: int) -> str:
    """The paragraphs of a text body, "" where it has no words; `number` is the slide's."""
    shrunk = body.find(f"{A}bodyPr/{A}normAutofit")
    scale = number_of(shrunk.get("fontScale", ""), 100_000) / 100_000 if shrunk is not None else 1.0
    own = body.find(A + "lstStyle")
    styled = look._replace(styles=[own, *look.styles] if own is not None else look.styles)
    counts: dict[int, int] = {}
    paragraphs = [_Paragraph(node, styled, scale, number) for node in body.iterfind(A + "p")]
    if not any(paragraph.text.strip() for paragraph in paragraphs):
        return ""
    return "".join(paragraph.html(counts) for paragraph in paragraphs)


class _Paragraph:
    def __init__(self, node: Any, look: Look, scale: float, number: int) -> None:
        self.own = node.find(A + "pPr")
        level = self.own.get("lvl", "0") if self.own is not None else "0"
        self.level = min(int(level), _MOST_LEVELS - 1) if level.isdecimal() and len(level) < 3 else 0
        name = f"{A}lvl{self.level + 1}pPr"
        inherited = (style.find(name) for style in look.styles)
        self.levels = [each for each in (self.own, *inherited) if each is not None]
        self.look, self.scale, self.number = look, scale, number
        self.runs = list(self._runs(node))
        self.text = "".join(text for text, _ in self.runs)
        self.size = max((self._size(run) for _, run in self.runs), default=self._size(node.find(A + "endParaRPr")))

    def html(self, counts: dict[int, int]) -> str:
        """The paragraph; `counts` are how many numbered ones came before, by their level."""
        left, indent = (number_of(self._value(name), 0) / EMU for name in ("marL", "indent"))
        bullet = self._bullet(counts) if self.text.strip() else ""
        style = (
            f"margin:{self._space('spcBef'):.1f}pt 0 {self._space('spcAft'):.1f}pt {max(0.0, left):.1f}pt;"
            f"text-indent:{indent:.1f}pt;text-align:{_ALIGNED.get(self._value('algn'), 'left')};"
            f"line-height:{self._line():.2f};font-size:{self.size:.1f}pt"
        )
        inside = "".join(self._run(text, run) for text, run in self.runs)
        rtl = ' dir="rtl"' if self._value("rtl") in ("1", "true") else ""
        return f'<p{rtl} style="{style}">{bullet}{inside or "&nbsp;"}</p>'

    def _runs(self, node: Any) -> Iterator[tuple[str, Any]]:
        for child in node:
            if child.tag in (A + "r", A + "fld"):
                number = child.tag == A + "fld" and child.get("type") == "slidenum"
                written = "".join(part.text or "" for part in child.iterfind(A + "t"))
                yield (str(self.number) if number else written), child.find(A + "rPr")
            elif child.tag == A + "br":
                yield "\n", child.find(A + "rPr")
            elif child.tag == MC + "AlternateContent":
                yield from self._runs(next(iter(child), ()))
            elif isinstance(child.tag, str) and (child.tag.startswith(M) or child.find(f".//{M}oMath") is not None):
                yield formula(child), None

    def _run(self, text: str, run: Any) -> str:
        font = self._font(run)
        family = (
            "serif"
            if any(name in font for name in _SERIF)
            else "monospace"
            if any(name in font for name in _EVEN)
            else "sans-serif"
        )
        colour = self._colour(run)
        style = f"font-family:{family};font-size:{self._size(run):.1f}pt"
        if colour:
            style += ";color:#" + "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in colour)
        if self._is(run, "b") or self.look.bold:
            style += ";font-weight:bold"
        if self._is(run, "i"):
            style += ";font-style:italic"
        if run is not None and run.get("u", "none") != "none":
            style += ";text-decoration:underline"
        written = (
            html.escape("" if any(name in font for name in _SYMBOLS) else text)
            .replace("\n", "<br>")
            .replace("\v", "<br>")
        )
        return f'<span style="{style}">{written}</span>'

    def _size(self, run: Any) -> float:
        written = self._of_run(run, "sz")
        size = number_of(written, 0) / 100 or _SIZE
        narrow = _NARROWED if any(name in self._font(run) for name in _NARROW) else 1.0
        raised = 0.65 if number_of(self._of_run(run, "baseline"), 0) else 1.0
        return min(_LARGEST, size * self.scale * narrow * raised)

    def _font(self, run: Any) -> str:
        for properties in self._defaults(run):
            if (latin := properties.find(A + "latin")) is not None:
                name = latin.get("typeface", "")
                return (self.look.font if name.startswith("+") else name).lower()
        return self.look.font.lower()

    def _colour(self, run: Any) -> Colour | None:
        if run is not None and run.find(A + "hlinkClick") is not None:
            return self.look.palette.named("hlink")
        own = [] if run is None else [run.find(A + "solidFill")]
        inherited = [] if self.look.colour else [known.find(A + "solidFill") for known in self._defaults(None)]
        for fill in (*own, *inherited):
            if fill is not None and (colour := self.look.palette.of(fill)):
                return colour
        return self.look.colour or self.look.palette.named("tx1")

    def _is(self, run: Any, name: str) -> bool:
        return self._of_run(run, name) in ("1", "true")

    def _of_run(self, run: Any, name: str) -> str:
        return next((properties.get(name) for properties in self._defaults(run) if properties.get(name)), "")

    def _defaults(self, run: Any) -> Iterator[Any]:
        """What is said of a run, the nearest first."""
        if run is not None:
            yield run
        yield from (known for level in self.levels if (known := level.find(A + "defRPr")) is not None)

    def _value(self, name: str) -> str:
        return next((level.get(name) for level in self.levels if level.get(name)), "")

    def _space(self, name: str) -> float:
        """The space before or after, in points."""
        for level in self.levels:
            if (space := level.find(A + name)) is not None and len(space):
                value = number_of(space[0].get("val", ""), 0)
                return min(200.0, value / 100 if space[0].tag == A + "spcPts" else self.size * value / 100_000)
        return 0.0

    def _line(self) -> float:
        for level in self.levels:
            if (space := level.find(f"{A}lnSpc/{A}spcPct")) is not None:
                return 1.2 * min(3.0, max(0.5, number_of(space.get("val", ""), 100_000) / 100_000))
        return 1.2

    def _bullet(self, counts: dict[int, int]) -> str:
        for level in self.levels:
            for mark in level:
                if mark.tag == A + "buNone":
                    return ""
                if mark.tag == A + "buAutoNum":
                    counts[self.level] = counts.get(self.level, 0) + 1
                    return f"{counts[self.level]}.&nbsp; "
                if mark.tag in (A + "buChar", A + "buBlip"):
                    sign = mark.get("char", "•")
                    return f"{html.escape(sign) if sign.isascii() or sign in '•–—▪◦‣' else '•'}&nbsp; "
        return ""


def number_of(written: str | None, otherwise: float) -> float:
    """A number that a file gives, such as "-457200" or "90%", which is taken for thousandths of a percent."""
    text = (written or "").strip()
    digits = text.removesuffix("%").removeprefix("-")
    if not digits.replace(".", "", 1).isdigit() or not digits.isascii() or len(digits) > 15:
        return otherwise
    value = float(digits) * (1000 if text.endswith("%") else 1)
    return -value if text.startswith("-") else value

"""The shapes of a slide on a canvas: forms, pictures, texts, and what a frame holds (ECMA-376 part 1, 19.3.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docqa.errors import Unreadable
from docqa.formats.office.drawing import CX, DGM, A, C, R
from docqa.formats.office.package import Package, Relation
from docqa.formats.pdf.canvas import Box, Canvas, Colour
from docqa.formats.slides.drawing_chart import paint_chart
from docqa.formats.slides.drawing_colours import Palette, opacity
from docqa.formats.slides.drawing_forms import outline_of
from docqa.formats.slides.drawing_places import (
    PAGE,
    Frame,
    Placed,
    child_of,
    corners,
    group_frame,
    kin,
    local_name,
    members,
    placeholder,
    rectangle,
)
from docqa.formats.slides.drawing_table import paint_table
from docqa.formats.slides.drawing_text import EMU, Look, number_of, text_html

_DSP = "{http://schemas.microsoft.com/office/drawing/2008/diagram}"
_TITLES, _PLAIN = ("title", "ctrTitle"), ("ftr", "dt", "sldNum", "hdr")
_INSETS = {"lIns": 91_440.0, "tIns": 45_720.0, "rIns": 91_440.0, "bIns": 45_720.0}  # EMU
_THIN = 0.75  # points
_GREY: Colour = (0.75, 0.75, 0.75)
_WIDE = 4000.0  # points: of a text that is not wrapped
_DEEPEST = 20  # groups in groups
_MOST_SHAPES = 2000
_FILLS = ("solidFill", "gradFill", "blipFill", "pattFill", "noFill", "grpFill")


@dataclass(frozen=True)
class Sheet:
    """A slide, layout or master: its part's root, and what it refers to."""

    root: Any
    relations: Mapping[str, Relation]


class Painter:
    """Draws shapes on a canvas; `sheets` are the slide, its layout and its master, `number` is the slide's."""

    def __init__(
        self,
        package: Package,
        canvas: Canvas,
        palette: Palette,
        sheets: Sequence[Sheet],
        theme: Any,
        defaults: Any,
        number: int,
    ) -> None:
        self.package, self.canvas, self.palette, self.sheets, self.number = package, canvas, palette, sheets, number
        fonts = [] if theme is None else [next(theme.iter(f"{A}{kind}Font"), None) for kind in ("major", "minor")]
        names = [
            font.find(A + "latin").get("typeface", "")
            if font is not None and font.find(A + "latin") is not None
            else ""
            for font in fonts
        ]
        self._fonts = names or ["", ""]
        self._defaults = defaults
        self._shapes = 0
        self._styles = next((child for child in sheets[-1].root if local_name(child) == "txStyles"), None)

    def paint(self, tree: Any, sheet: Sheet, frame: Frame = PAGE, depth: int = 0) -> None:
        """Draw the shapes of a tree, or of a group; of a layout or master those that are no placeholders."""
        for shape in members(tree):
            self._shapes += 1
            if self._shapes > _MOST_SHAPES:
                raise Unreadable(f"Slide {self.number} draws too much to be shown.")
            if sheet is not self.sheets[0] and placeholder(shape) is not None:
                continue
            kind = local_name(shape)
            if kind == "grpSp" and depth < _DEEPEST:
                place = next((node for node in shape.iterfind(f"*/{A}xfrm")), None)
                self.paint(shape, sheet, group_frame(frame, place), depth + 1)
            elif placed := self._placed(shape, frame):
                if kind == "pic":
                    self._paint_pic(shape, placed, sheet)
                elif kind == "graphicFrame":
                    self._paint_frame(shape, placed, sheet, depth)
                elif kind in ("sp", "cxnSp"):
                    self._paint_form(shape, placed, sheet)
                    self._paint_text(shape, placed)

    def paint_picture(self, box: Box, blip: Any, cut: Any, sheet: Sheet, turn: int = 0) -> bool:
        """Draw the picture that a blip refers to, without what is `cut` off; False where it cannot be drawn."""
        target = sheet.relations.get(blip.get(R + "embed", ""), Relation("", "")).target
        sides = [number_of(cut.get(side), 0) / 100_000 if cut is not None else 0.0 for side in "ltrb"]
        left, top, right, bottom = (min(0.95, max(0.0, side)) for side in sides)
        data = self.package.blob(target) if target else b""
        return (
            bool(data)
            and left + right < 1
            and top + bottom < 1
            and self.canvas.picture(box, data, (left, top, right, bottom), turn)
        )

    def look(
        self, kind: str | None, inherited: Sequence[Any], colour: Colour | None = None, bold: bool = False
    ) -> Look:
        """How a text looks in a placeholder of this kind, None for none; `inherited` are the list styles before the
        master's."""
        name = "titleStyle" if kind in _TITLES else "otherStyle" if kind is None or kind in _PLAIN else "bodyStyle"
        of_master = (
            None if self._styles is None else next((style for style in self._styles if local_name(style) == name), None)
        )
        styles = [style for style in (*inherited, of_master, self._defaults) if style is not None]
        return Look(self.palette, styles, self._fonts[0 if kind in _TITLES else 1], colour, bold)

    def _placed(self, shape: Any, frame: Frame) -> Placed | None:
        for node in (shape, *self._models(shape)):
            place = next((known for path in ("{*}xfrm", f"*/{A}xfrm") for known in node.iterfind(path)), None)
            if place is not None and (box := rectangle(place, "off", "ext")):
                left, top = frame.left + frame.across * box[0], frame.top + frame.down * box[1]
                turn = number_of(place.get("rot"), 0) / 60_000
                mirrored = place.get("flipH") in ("1", "true"), place.get("flipV") in ("1", "true")
                return Placed((left, top, left + frame.across * box[2], top + frame.down * box[3]), turn, mirrored)
        return None

    def _models(self, shape: Any) -> list[Any]:
        """The placeholders of the layout and the master that a placeholder inherits from."""
        mark = placeholder(shape)
        models = []
        for number, sheet in enumerate(self.sheets[1:] if mark is not None else ()):
            others = [(other, ph) for other in sheet.root.iter("{*}sp") if (ph := placeholder(other)) is not None]
            kind = kin(mark)
            by_number = [
                other for other, ph in others if number == 0 and ph.get("idx") and ph.get("idx") == mark.get("idx")
            ]
            by_kind = [other for other, ph in others if kin(ph) == kind]
            models += (by_number or by_kind)[:1]
            if models and (ph := placeholder(models[-1])) is not None and "type" in ph.attrib:
                mark = ph if number == 0 else mark
        return models

    def _paint_form(self, shape: Any, placed: Placed, sheet: Sheet) -> None:
        chain = [node for each in (shape, *self._models(shape)) if (node := child_of(each, "spPr")) is not None]
        if not chain:
            return
        style = child_of(shape, "style")
        filled = next((node for node in chain if any(local_name(child) in _FILLS for child in node)), None)
        fill = self.palette.fill(filled) if filled is not None else self._of_style(style, "fillRef")
        line, thick = self._line(chain, style)
        form = next(
            (node for node in chain if node.find(A + "prstGeom") is not None or node.find(A + "custGeom") is not None),
            chain[0],
        )
        left, top, right, bottom = placed.box
        paths = outline_of(form, right - left, bottom - top)
        is_line = local_name(shape) == "cxnSp" or (
            form.find(A + "prstGeom") is not None and form.find(A + "prstGeom").get("prst") == "line"
        )
        self.canvas.outline(
            [placed.on_page(path) for path in paths], None if is_line else fill, line, thick, opacity(filled)
        )
        blip = chain[0].find(f"{A}blipFill/{A}blip")
        if blip is not None:
            self.paint_picture(placed.box, blip, None, sheet)

    def _line(self, chain: Sequence[Any], style: Any) -> tuple[Colour | None, float]:
        own = next((line for node in chain if (line := node.find(A + "ln")) is not None), None)
        thick = number_of(own.get("w"), _THIN * EMU) / EMU if own is not None else _THIN
        if own is not None and any(local_name(child) in _FILLS for child in own):
            return self.palette.fill(own), thick
        return self._of_style(style, "lnRef"), thick

    def _of_style(self, style: Any, name: str) -> Colour | None:
        reference = None if style is None else style.find(A + name)
        return None if reference is None or reference.get("idx", "0") == "0" else self.palette.of(reference)

    def _paint_text(self, shape: Any, placed: Placed) -> None:
        bodies = [body for each in (shape, *self._models(shape)) if (body := child_of(each, "txBody")) is not None]
        if not bodies or child_of(shape, "txBody") is None:
            return
        mark = placeholder(shape)
        styles = [style for body in bodies[1:] if (style := body.find(A + "lstStyle")) is not None]
        reference = child_of(shape, "style")
        font = None if reference is None else reference.find(A + "fontRef")
        kind = None if mark is None else mark.get("type", "obj")
        written = text_html(
            bodies[0], self.look(kind, styles, None if font is None else self.palette.of(font)), self.number
        )
        if written:
            properties = [node for body in bodies if (node := body.find(A + "bodyPr")) is not None]
            self.set_text(placed, written, properties)

    def set_text(self, placed: Placed, written: str, properties: Sequence[Any]) -> None:
        """Set a text into a shape, as the first of these properties (bodyPr) says that says anything."""

        def said(name: str, otherwise: str = "") -> str:
            return next((value for node in properties if (value := node.get(name))), otherwise)

        quarter = round((placed.turn + {"vert": 90, "vert270": 270}.get(said("vert"), 0)) / 90) * 90 % 360
        left, top, right, bottom = placed.upright(round(placed.turn / 90) * 90)
        inset = {name: number_of(said(name), usual) / EMU for name, usual in _INSETS.items()}
        left, top, right, bottom = (
            left + inset["lIns"],
            top + inset["tIns"],
            right - inset["rIns"],
            bottom - inset["bIns"],
        )
        if quarter:
            self.canvas.text((left, top, right, bottom), written, shrinks=True, turn=quarter)
            return
        if said("wrap") == "none":
            both = "text-align:center" in written
            left, right = (left - _WIDE / 2 if both else left), (right + _WIDE / 2 if both else right + _WIDE)
        height = self.canvas.height_of(written, right - left)
        shrinks = any(node.find(A + "normAutofit") is not None for node in properties[:1]) and height > bottom - top
        spare = bottom - top - height
        if not shrinks:
            shift = {"ctr": spare / 2, "b": spare}.get(said("anchor"), 0.0)
            top = max(top + shift, min(top, 0.0))
        self.canvas.text((left, top, right, bottom), written, shrinks=shrinks)

    def _paint_pic(self, shape: Any, placed: Placed, sheet: Sheet) -> None:
        fill = child_of(shape, "blipFill")
        blip = None if fill is None else fill.find(A + "blip")
        quarter = round(placed.turn / 90) * 90 % 360
        box = placed.upright(quarter)
        if blip is None or not self.paint_picture(box, blip, fill.find(A + "srcRect"), sheet, quarter):
            self.canvas.outline([corners(box)], None, _GREY, _THIN)

    def _paint_frame(self, shape: Any, placed: Placed, sheet: Sheet, depth: int) -> None:
        if (table := next(shape.iter(A + "tbl"), None)) is not None:
            paint_table(self, table, placed.box)
        elif (mark := next(shape.iter(C + "chart", CX + "chart"), None)) is not None:
            if (root := self._target(sheet, mark.get(R + "id", ""))) is not None:
                paint_chart(self, root, placed.box)
        elif (mark := next(shape.iter(DGM + "relIds"), None)) is not None and depth < _DEEPEST:
            data = self._target(sheet, mark.get(R + "dm", ""))
            link = None if data is None else next(data.iter(_DSP + "dataModelExt"), None)
            drawing = None if link is None else self._target(sheet, link.get("relId", ""))
            tree = None if drawing is None else child_of(drawing, "spTree")
            if tree is not None:
                left, top, _, _ = placed.box
                self.paint(tree, sheet, Frame(left=left, top=top), depth + 1)

    def _target(self, sheet: Sheet, key: str) -> Any:
        target = sheet.relations.get(key, Relation("", "")).target
        return self.package.root(target) if target else None

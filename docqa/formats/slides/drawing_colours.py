"""The colours of a slide (ECMA-376 part 1, 20.1.2.3): named ones from the theme, made lighter or darker."""

import colorsys
from typing import Any

from docqa.formats.office.drawing import A
from docqa.formats.pdf.canvas import Colour

_NAMED = {
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "orange": (255, 165, 0),
    "gray": (128, 128, 128),
}
_USUAL = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
_FULL = 100_000  # a whole, in thousandths of a percent


class Palette:
    """The colours of a theme, as a master names them; `theme` and `names` may be None."""

    def __init__(self, theme: Any, names: Any) -> None:
        scheme = None if theme is None else theme.find(f"{A}themeElements/{A}clrScheme")
        self._colours = (
            {colour.tag.removeprefix(A): _plain(colour[0]) for colour in scheme if len(colour)}
            if scheme is not None
            else {}
        )
        self._names = {**_USUAL, **(dict(names.attrib) if names is not None else {})}

    def named(self, name: str) -> Colour | None:
        """The colour of this name, as "accent1" or "tx1"."""
        return self._colours.get(self._names.get(name, name))

    def of(self, parent: Any, own: Colour | None = None) -> Colour | None:
        """The colour that an element holds; `own` is what it calls its own (phClr). None where it holds none."""
        for child in parent if parent is not None else ():
            if child.tag == A + "schemeClr":
                name = child.get("val", "")
                colour = own if name == "phClr" else self.named(name)
            else:
                colour = _plain(child)
            if colour is not None:
                return _changed(colour, child)
        return None

    def fill(self, parent: Any, own: Colour | None = None) -> Colour | None:
        """The colour that a shape, a line or a background is filled with; of a gradient the one in its middle."""
        if parent is None:
            return None
        if (solid := parent.find(A + "solidFill")) is not None:
            return self.of(solid, own)
        if (stops := parent.findall(f"{A}gradFill/{A}gsLst/{A}gs")) and (
            colours := [c for stop in stops if (c := self.of(stop, own))]
        ):
            return tuple(sum(part) / len(colours) for part in zip(*colours, strict=True))
        if (pattern := parent.find(f"{A}pattFill/{A}bgClr")) is not None:
            return self.of(pattern, own)
        return None


def opacity(parent: Any) -> float:
    """How little shows through what an element is filled with, from 0 to 1."""
    alpha = None if parent is None else parent.find(f"{A}solidFill/*/{A}alpha")
    return 1.0 if alpha is None else _share(alpha)


def _plain(node: Any) -> Colour | None:
    name = node.tag.removeprefix(A) if isinstance(node.tag, str) else ""
    if name in ("srgbClr", "sysClr"):
        digits = node.get("lastClr" if name == "sysClr" else "val", "")
        try:
            red, green, blue = bytes.fromhex(digits)
        except ValueError:
            return None
        return red / 255, green / 255, blue / 255
    if name == "prstClr" and (known := _NAMED.get(node.get("val", ""))):
        return known[0] / 255, known[1] / 255, known[2] / 255
    return None


def _changed(colour: Colour, node: Any) -> Colour:
    """The colour after what is said about it: its lightness, or a mixture with black or white."""
    for change in node:
        name, share = (change.tag.removeprefix(A) if isinstance(change.tag, str) else ""), _share(change)
        if name in ("lumMod", "lumOff"):
            hue, light, strength = colorsys.rgb_to_hls(*colour)
            light = light * share if name == "lumMod" else light + share
            colour = colorsys.hls_to_rgb(hue, min(1.0, max(0.0, light)), strength)
        elif name == "shade":
            colour = tuple(part * share for part in colour)  # type: ignore[assignment]
        elif name == "tint":
            colour = tuple(1 - (1 - part) * share for part in colour)  # type: ignore[assignment]
    return colour


def _share(node: Any) -> float:
    value = node.get("val", "")
    number = value.removesuffix("%").removeprefix("-")
    if not number.replace(".", "", 1).isdigit() or len(number) > 12:
        return 1.0
    share = float(number) / (100 if value.endswith("%") else _FULL)
    return min(10.0, -share if value.startswith("-") else share)

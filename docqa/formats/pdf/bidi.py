"""Right-to-left text in reading order, from the positions of its characters on the line.

PDF files hold such text in whatever order it was drawn. This inverts the reordering of the Unicode Bidirectional
Algorithm (UAX #9, rules L2 and L4) for two levels: a number or foreign phrase within right-to-left text, and
right-to-left words within a foreign line.
"""

import re
import unicodedata
from collections.abc import Iterable

_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff"
RIGHT_TO_LEFT = re.compile(f"[{_RIGHT_TO_LEFT}]")
_SPACE, _GAP = 0.12, 1.0  # of the font's size: a wider gap is a space, or separates two cells
_STOPS = ".!?؟…،,؛:"
_DIGITS = "0-9\u0660-\u0669\u06f0-\u06f9"
_NUMBER = f"[+\\-−$€£#]?[{_DIGITS}]+(?:[.,:/'’٫٬\\-–][{_DIGITS}]+)*[%٪$€£°]?"
_LETTER = f"[^\\W\\d_{_RIGHT_TO_LEFT}]"
_PHRASE = f"{_LETTER}(?:[^{_RIGHT_TO_LEFT}]*[^\\W_{_RIGHT_TO_LEFT}])?"
_UNIT = re.compile(".[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]*", re.DOTALL)
_PARTS = re.compile(f"{_PHRASE}|{_NUMBER}|{_UNIT.pattern}", re.DOTALL)
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def logical(characters: Iterable[tuple[str, float, float]], size: float) -> list[tuple[str, float, float]]:
    """The texts of a line, split where a gap is too wide for a space, with their left and right edges.

    `characters` are (character, left, right) in points, as is the font's `size`; a character without width belongs to
    the one before it.
    """
    parts: list[list[tuple[str, float, float]]] = []
    for cluster in _clusters(characters, size):
        if parts and cluster[1] - parts[-1][-1][2] <= _GAP * size:
            parts[-1].append(cluster)
        else:
            parts.append([cluster])
    return [(_ordered(_spaced(part, size)), part[0][1], part[-1][2]) for part in parts]


def _clusters(characters: Iterable[tuple[str, float, float]], size: float) -> list[tuple[str, float, float]]:
    """Letters with their marks, and ligatures, from left to right, without spaces."""
    clusters: list[tuple[str, float, float]] = []
    for character, left, right in characters:
        hangs = right - left < 0.01 * size and RIGHT_TO_LEFT.match(character)
        if clusters and (unicodedata.combining(character) or hangs and RIGHT_TO_LEFT.match(clusters[-1][0])):
            clusters[-1] = (clusters[-1][0] + character, *clusters[-1][1:])
        elif not character.isspace():
            clusters.append((character, left, right))
    return sorted(clusters, key=lambda cluster: cluster[1] + cluster[2])


def _spaced(clusters: Iterable[tuple[str, float, float]], size: float) -> str:
    text, edge = "", float("inf")
    for cluster, left, right in clusters:
        space = " " if left - edge > _SPACE * size else ""
        # The letters of a ligature are in reading order already, so they are reversed before the line is.
        text += space + ("".join(reversed(_UNIT.findall(cluster))) if RIGHT_TO_LEFT.search(cluster) else cluster)
        edge = right
    return text


def _ordered(text: str) -> str:
    """The text in reading order: a full stop shows where the line ends, or else its letters show its direction."""
    mostly = len(RIGHT_TO_LEFT.findall(text)) >= len(re.findall(_LETTER, text))
    if text[0] in _STOPS or mostly and text[-1] not in _STOPS:
        return _turned(text)
    run = f"[{_RIGHT_TO_LEFT}](?:(?:(?!{_LETTER}).)*[{_RIGHT_TO_LEFT}])?"
    return re.sub(run, lambda match: _turned(match.group()), text)


def _turned(text: str) -> str:
    """A right-to-left run, given from left to right, reversed but for the numbers and foreign phrases in it."""
    turned = "".join(reversed(_PARTS.findall(text)))
    return turned.translate(_MIRRORED) if _is_mirrored(turned) else turned


def _is_mirrored(text: str) -> bool:
    """Whether brackets close before they open: the file then holds the shapes drawn, not the characters meant."""
    depth = worst = 0
    for character in text:
        depth += (character in "([{«") - (character in ")]}»")
        worst = min(worst, depth)
    return worst < 0 and depth == 0

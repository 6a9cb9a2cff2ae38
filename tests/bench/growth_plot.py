"""Growth as a drawing: milliseconds over passages, both by powers of ten, a line for each scope. Dark where the reader is."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 84, 220, 24, 56
COLOURS = ("#0a6b5e", "#b3541e", "#3b5bb5")
STYLE = """
svg { font: 14px system-ui, sans-serif; background: #fff; color: #1d2126 }
.grid { stroke: #d9dde2 } text { fill: currentColor } .before { stroke-dasharray: 5 5; opacity: .6 }
@media (prefers-color-scheme: dark) { svg { background: #16191d; color: #e6e9ec } .grid { stroke: #363c44 } .line { filter: brightness(1.7) } }
"""

Line = Sequence[tuple[int, float]]


def drawn(title: str, lines: Mapping[str, Line], former: Mapping[str, Line] | None = None) -> str:
    """An SVG of the lines, (passages, milliseconds) each by name; `former` are those of before, dashed, by the same names."""
    former = former or {}
    points = [point for line in (*lines.values(), *former.values()) for point in line]
    across = _Scale(min(x for x, _ in points), max(x for x, _ in points), LEFT, WIDTH - RIGHT)
    up = _Scale(min(y for _, y in points), max(y for _, y in points), HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{escape(title)}</title>'
    ]
    parts.append(f"<style>{STYLE}</style>")
    for value in across.powers():
        x = across.place(value)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 22}" text-anchor="middle">{value:,.0f}</text>')
    for value in up.powers():
        y = up.place(value)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 10}" y="{y + 5:.1f}" text-anchor="end">{value:,g} ms</text>')
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">passages in the file</text>'
    )
    for kind, group in (("before", former), ("now", lines)):
        for number, (name, line) in enumerate(group.items()):
            colour = COLOURS[number % len(COLOURS)]
            path = " ".join(f"{across.place(x):.1f},{up.place(y):.1f}" for x, y in line)
            parts.append(
                f'<polyline class="line {kind}" points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
            )
            x, y = across.place(line[-1][0]), up.place(line[-1][1])
            parts.append(f'<circle class="line" cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
            label = name if kind == "now" else f"{name}, before"
            parts.append(f'<text x="{x + 10:.1f}" y="{y + 5:.1f}">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


class _Scale:
    """Powers of ten from below `low` to above `high`, drawn from `start` to `end`."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low, self._high = math.floor(math.log10(low)), math.ceil(math.log10(high))
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        """Where a value is drawn."""
        share = (math.log10(value) - self._low) / max(1, self._high - self._low)
        return self._start + share * (self._end - self._start)

    def powers(self) -> list[float]:
        """The powers of ten, for the grid."""
        return [10.0**power for power in range(self._low, self._high + 1)]

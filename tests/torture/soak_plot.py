"""The samples of soak.py as a picture: one panel above the other, over the minutes."""

from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, GAP = 640, 90, 52, 26
COLOURS = ("#1f6fb4", "#d1622b", "#3a8f4d", "#7a4fa3")
POINTS = 180  # of a line, at most

Line = tuple[str, Sequence[float]]


def plot(minutes: Sequence[float], panels: Sequence[tuple[str, Sequence[Line]]]) -> str:
    """An SVG of `panels`, each a unit and its lines, whose values belong to these minutes."""
    step = -(-len(minutes) // POINTS)
    end = max(minutes)
    parts = []
    for row, (unit, lines) in enumerate(panels):
        top = GAP + row * (HEIGHT + GAP)
        highest = max(max(values) for _, values in lines) or 1
        parts.append(f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#ccc"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{top + 9}" text-anchor="end">{highest:,.0f}</text>')
        parts.append(f'<text x="{LEFT - 4}" y="{top + HEIGHT}" text-anchor="end">0</text>')
        names = [f'<tspan fill="{colour}">{name}</tspan>' for (name, _), colour in zip(lines, COLOURS, strict=False)]
        parts.append(f'<text x="{LEFT}" y="{top - 5}">{unit}: {", ".join(names)}</text>')
        for (_, values), colour in zip(lines, COLOURS, strict=False):
            points = " ".join(
                f"{LEFT + WIDTH * minutes[at] / end:.0f},{top + HEIGHT * (1 - values[at] / highest):.0f}"
                for at in range(0, len(minutes), step)
            )
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    bottom = GAP + len(panels) * (HEIGHT + GAP)
    parts.append(f'<text x="{LEFT + WIDTH}" y="{bottom - 12}" text-anchor="end">{end:.0f} minutes</text>')
    size = f'width="{LEFT + WIDTH + 10}" height="{bottom}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{chr(10).join(parts)}\n</svg>\n'
    )

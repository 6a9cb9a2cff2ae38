"""How well a reader tells what questions ask of tables: whether each part of the plan is right."""

from collections.abc import Sequence

from docqa.models.reader.network import Reader
from docqa.tables.reading.plan import likeliest
from docqa.training.reader.tables import TableQuestion, example_as_is

SHARES = (0.25, 0.5, 0.75, 1.0)  # of the questions, the surest first


def measure_tables(reader: Reader, questions: Sequence[TableQuestion]) -> str:
    """A line: of the surest quarter, half and so on of the questions, how many are right, and how sure the last is."""
    judged = sorted((_judged(reader, labelled) for labelled in questions), reverse=True)
    parts = []
    for share in SHARES:
        surest = judged[: max(1, round(share * len(judged)))]
        right = sum(is_right for _, is_right in surest)
        parts.append(f"{right} of {len(surest)} (from {surest[-1][0]:.2f})")
    return f"plans right: {', '.join(parts)}"


def _judged(reader: Reader, labelled: TableQuestion) -> tuple[float, bool]:
    made = example_as_is(labelled)
    reading = reader.table(labelled.question, made.layout.text, [spot.start for spot in made.layout.spots])
    parts = likeliest(made.layout, reading)
    # Where nothing answers, nothing else is said.
    wanted = (made.measure, made.group, made.holds)
    said = (parts.measure, parts.group, parts.holds)
    return parts.chance, said[0] == wanted[0] and (wanted[0][0] == "none" or said == wanted)

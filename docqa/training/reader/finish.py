"""The end of the reader's training: the file, the weight of the head for answerability, and the margin."""

from collections.abc import Callable, Sequence
from pathlib import Path

from docqa.catalog.catalog import digest
from docqa.models.reader.network import ANSWERABLE, SPAN, YES_NO, Network, Reader
from docqa.models.reader.weights import Tensors, save
from docqa.training.figures import area_under_curve, calibrate_margin
from docqa.training.question_sets import Articles, LabelledQuestion

LANGUAGES = "en"
WEIGHTS = 0.0, 0.5, 1.0, 2.0  # of the head for answerability beside the span's score
REFUSED = 0.1  # share of the answerable questions of the calibration articles that may be refused
HEADS = f"{SPAN} {ANSWERABLE} {YES_NO}"


def write_calibrated(
    trained: Tensors,
    base: Path,
    out: Path,
    calibration: Sequence[LabelledQuestion],
    precision: str,
    report: Callable[[str], None],
) -> None:
    """Write the trained part to `out`, calibrated on questions that took no part in training.

    The weight of the head for answerability is the one that best separates answerable questions, each with its passage,
    from the others; then the margin is chosen as for the first generation.
    """
    before = Network(base).state_dict()
    metadata = {"base": digest(base / "model.safetensors"), "languages": LANGUAGES, "heads": HEADS, "margin": "0"}
    areas = []
    for weight in WEIGHTS:
        save(out, trained, before, metadata | {"answerable_weight": str(weight)})
        areas.append(_area(Reader(base, out, precision), calibration[::2]))
    best = WEIGHTS[areas.index(max(areas))]
    report("area under the curve by weight: " + ", ".join(f"{w} {a:.3f}" for w, a in zip(WEIGHTS, areas, strict=True)))
    metadata["answerable_weight"] = str(best)
    save(out, trained, before, metadata)
    margin = calibrate_margin(Reader(base, out, precision).read, calibration, Articles(calibration), REFUSED)
    save(out, trained, before, metadata | {"margin": str(round(margin, 4))})
    report(f"weight {best}, margin {margin:.2f}, {out.stat().st_size} bytes")


def _area(reader: Reader, questions: Sequence[LabelledQuestion]) -> float:
    scores: dict[bool, list[float]] = {True: [], False: []}
    for question in questions:
        [spans] = reader.read(question.question, [question.passage])
        scores[bool(question.answers)].append(spans[0].score if spans else float("-inf"))
    return area_under_curve(scores[True], scores[False])

"""The end of the reader's training: the file and its margin."""

from collections.abc import Callable, Sequence
from pathlib import Path

from docqa.catalog.catalog import digest
from docqa.models.reader import TABLES
from docqa.models.reader.network import SPAN, YES_NO, Reader
from docqa.training.figures import calibrate_margin
from docqa.training.question_sets import Articles, LabelledQuestion
from docqa.training.reader.network import Network
from docqa.training.reader.weights import Tensors, has_tables, save

LANGUAGES = "en"
REFUSED = 0.1  # share of the answerable questions of the calibration articles that may be refused
HEADS = f"{SPAN} {YES_NO}"


def open_reader(base: Path, file: Path, precision: str) -> Reader:
    """What a trained part in `file` makes of the model in the folder `base`, as it serves."""
    return Reader(base, file, precision)


def write(trained: Tensors, base: Path, out: Path, margin: float = 0.0, languages: str = LANGUAGES) -> None:
    """Write a trained part to `out`, for these languages; without a margin where its scores are weighed with others."""
    heads = f"{HEADS} {TABLES}" if has_tables(trained) else HEADS
    metadata = {
        "base": digest(base / "model.safetensors"),
        "languages": languages,
        "heads": heads,
        "margin": str(round(margin, 4)),
    }
    save(out, trained, Network(base).state_dict(), metadata)


def write_calibrated(
    trained: Tensors,
    base: Path,
    out: Path,
    calibration: Sequence[LabelledQuestion],
    precision: str,
    report: Callable[[str], None],
) -> None:
    """Write the trained part to `out`, its margin calibrated end to end on questions that took no part in training."""
    write(trained, base, out)
    margin = calibrate_margin(open_reader(base, out, precision).read, calibration, Articles(calibration), REFUSED)
    write(trained, base, out, margin)
    report(f"margin {margin:.2f}, {out.stat().st_size} bytes")

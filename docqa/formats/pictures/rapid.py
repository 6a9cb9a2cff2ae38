"""RapidOCR, an optional second engine for Chinese and Japanese (`python run.py ocr add rapid`).

Its wheel carries the networks, so that nothing is downloaded when it runs. It reads both languages better than
Tesseract, and Latin letters too; it knows neither Cyrillic nor Arabic letters nor Korean.
"""

import io
from functools import cache
from typing import Any

from docqa.errors import Unreadable
from docqa.formats.pages import ExtractedPage
from docqa.formats.pdf.page import arrange
from docqa.formats.pictures.decode import Image
from docqa.formats.pictures.engine import extracted

_THREADS = 2
_POINTS = 0.36  # of a dot, of 200 in an inch
_SURE = 0.5  # what is read with less certainty is mostly no text


def read(image: Image) -> ExtractedPage:
    """What RapidOCR reads on a picture in grey. Raises Unreadable if it fails."""
    encoded = io.BytesIO()
    image.save(encoded, "BMP")
    try:
        result = _engine()(encoded.getvalue())
    except (RuntimeError, ValueError, OSError) as error:
        raise Unreadable(f"Text recognition failed: {error}.") from error
    lines = []
    for corners, text, score in _results(result):
        if score < _SURE or not text.strip():
            continue
        across, down = [_POINTS * float(x) for x, _ in corners], [_POINTS * float(y) for _, y in corners]
        box = min(across), min(down), max(across), max(down)
        span = {"text": text, "size": box[3] - box[1], "flags": 0, "bbox": box}
        lines.append({"spans": [span], "bbox": box, "dir": (1.0, 0.0), "wmode": 0})
    blocks = [{"lines": lines}] if lines else []
    return extracted(arrange(blocks, _POINTS * image.width, _POINTS * image.height))


def _results(result: Any) -> list[tuple[Any, str, float]]:
    """(four corners, text, certainty) of each line."""
    if result.boxes is None:
        return []
    return list(zip(result.boxes, result.txts, result.scores, strict=True))


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR  # type: ignore[import-not-found]

    threads = "EngineConfig.onnxruntime.intra_op_num_threads"
    return RapidOCR(params={"Global.log_level": "critical", threads: _THREADS})

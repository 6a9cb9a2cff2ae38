"""Finds Tesseract's language data on this machine: PyMuPDF brings the engine, but not the data it needs for scans."""

import os
from functools import cache
from pathlib import Path

_FOLDERS = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
    "C:/Program Files/Tesseract-OCR/tessdata",
)
_NO_LANGUAGES = {"osd", "equ", "snum"}
INSTALL = (
    "Install Tesseract with its language data (Debian, Ubuntu: apt install tesseract-ocr tesseract-ocr-deu and so on "
    "for each language; macOS: brew install tesseract tesseract-lang; "
    "Windows: winget install UB-Mannheim.TesseractOCR)"
)


@cache
def tessdata() -> str:
    """The folder with the language data, "" if there is none. If TESSDATA_PREFIX is set, nothing else is searched."""
    prefix = os.environ.get("TESSDATA_PREFIX")
    folders = (
        [Path(prefix), Path(prefix) / "tessdata"]
        if prefix
        else [path for pattern in _FOLDERS for path in _matches(pattern)]
    )
    return next((str(folder) for folder in folders if _languages(folder)), "")


def languages() -> list[str]:
    """Tesseract's names of the installed languages, `eng` first."""
    return sorted(_languages(Path(tessdata())), key=lambda name: (name != "eng", name)) if tessdata() else []


def _matches(pattern: str) -> list[Path]:
    root = Path(pattern).anchor
    return (
        sorted(Path(root).glob(Path(pattern).relative_to(root).as_posix()), reverse=True)
        if root and Path(root).exists()
        else []
    )


def _languages(folder: Path) -> list[str]:
    return [file.stem for file in folder.glob("*.traineddata") if file.stem not in _NO_LANGUAGES]

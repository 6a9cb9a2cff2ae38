"""Which languages text recognition can have data for, by all the names that people give them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docqa import COMMAND


@dataclass(frozen=True)
class Language:
    """Tesseract's data of a language: a file of this `size` and SHA-256, in the PyPI `package` where there is one.

    `code` is Tesseract's name, mostly ISO 639-3; `iso` is ISO 639-1; `script` is what it is written in.
    """

    code: str
    iso: str
    name: str
    script: str
    size: int
    sha256: str
    package: str = ""
    aliases: tuple[str, ...] = ()


@cache
def languages() -> Mapping[str, Language]:
    """All of them, by Tesseract's names."""
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {
        code: Language(code, **entry | {"aliases": tuple(entry.get("aliases", ()))}) for code, entry in entries.items()
    }


def named(name: str) -> Language | None:
    """The language that a person means: "de", "deu", "German"; None for a name that is not known."""
    wanted = name.strip().casefold().replace("_", "-")
    for entry in languages().values():
        names = (entry.code.replace("_", "-"), entry.iso, entry.name.casefold(), *entry.aliases)
        if wanted in names:
            return entry
    return None


def script_of(code: str) -> str:
    """The script of one of Tesseract's languages; "Latin" for one that is not known."""
    entry = languages().get(code)
    return entry.script if entry else "Latin"


def iso_of(code: str) -> str:
    """The ISO 639-1 code of one of Tesseract's languages, "" for one that is not known."""
    entry = languages().get(code)
    return entry.iso if entry else ""


def for_iso(iso: str) -> Language | None:
    """The data of a language by its ISO 639-1 code; None where there are none."""
    return next((entry for entry in languages().values() if entry.iso == iso), None)


def command(*isos: str) -> str:
    """What adds the data of these languages, to be typed into a terminal."""
    return f"{COMMAND} ocr add {' '.join(isos)}"

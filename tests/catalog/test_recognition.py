"""Which languages text recognition can have data for, and what they are called."""

import pytest

from docqa.catalog.recognition import command, for_iso, iso_of, languages, named, script_of


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("de", "deu", "ger", "German", "GERMAN "), "deu"),
        (("fr", "fra", "fre", "French"), "fra"),
        (("zh", "zho", "chi_sim", "chi-sim", "Chinese"), "chi_sim"),
        (("zh-TW", "chi_tra", "Chinese (traditional)"), "chi_tra"),
        (("no", "nb", "nob", "Norwegian"), "nor"),
    ],
)
def test_a_language_has_every_name_that_people_give_it(names: tuple[str, ...], code: str) -> None:
    assert {entry.code for name in names if (entry := named(name))} == {code}
    assert all(named(name) for name in names)


def test_a_name_that_no_language_has_names_none() -> None:
    assert named("Klingon") is None and named("") is None
    assert (script_of("tlh"), iso_of("tlh")) == ("Latin", "")


def test_no_name_means_two_languages() -> None:
    seen: dict[str, str] = {}
    for code, entry in languages().items():
        names = {code, entry.name.casefold(), *entry.aliases} | ({entry.iso} if code != "chi_tra" else set())
        for name in names:
            assert seen.setdefault(name, code) == code


def test_every_language_has_a_size_and_a_checksum() -> None:
    for entry in languages().values():
        assert 300_000 < entry.size < 10_000_000 and len(entry.sha256) == 64


def test_the_command_that_adds_a_language_names_it() -> None:
    german = for_iso("de")
    assert german is not None and command(german.iso, "fr") == "python run.py ocr add de fr"

"""Tables of contents without page numbers, and lists that are none."""

import pytest

from docqa.formats.reading import read_whole

TITLES = [
    "1. The mill", "1.1. Where is it?", "1.2. Who built it?", "2. The bakery", "2.1. What is \"dark\" bread?",
    "2.2. When is it open?", "3. The ferry", "3.1. What does a crossing cost?", "3.2. May I take a bicycle!",
    "4. The school", "4.1. How many classes are there?", "4.2. Is there a hall?",
]  # fmt: skip
TEXT = "It has stood by the river for as long as anybody can remember, and nobody wants it elsewhere. "
AGENDA = ["Opening", "Minutes", "Report of the treasurer", "Elections", "Closing"]
PARTS = ("gate", "lock", "wheel", "axle", "chain", "rope", "pump", "door", "mill", "saw")
TASKS = [f"{number}. Oil the {part}" for number, part in enumerate(PARTS, 1)]


def entries(text: str, name: str = "village.txt") -> list[tuple[int, str]]:
    """What is boilerplate, with the page on which it stands."""
    pages = read_whole(text.encode(), name).pages
    return [
        (number, page.text[block.start : block.end])
        for number, page in enumerate(pages, 1)
        for block in page.blocks
        if block.kind == "boilerplate"
    ]


def chapters(titles: list[str], text: str = TEXT) -> str:
    return "\n\n".join(f"{title}\n\n{text * 5}" for title in titles)


def test_entries_that_stand_again_above_a_text_are_boilerplate() -> None:
    listed = "\n".join(f"    {title}" for title in TITLES)
    listed = entries(f"The village\n\nContents\n\n{listed}\n\n{chapters(TITLES)}")
    assert listed == [(1, title) for title in TITLES]


def test_entries_may_go_on_on_the_next_page_and_some_of_them_lead_nowhere() -> None:
    listed = "\n".join([*(f"    {title}" for title in TITLES), "    5. To come"])
    listed = entries(f"{TEXT * 3}\n\n{listed[:200]}\f{listed[200:]}\f{chapters(TITLES)}".replace("3.2", "3.3", 1))
    assert {number for number, _ in listed} == {1, 2}
    assert listed[-1] == (2, "5. To come")


def test_those_of_a_web_page_too() -> None:
    listed = "".join(f"<li>{title}</li>" for title in TITLES)
    below = "".join(f"<h2>{title}</h2><p>{TEXT * 5}</p>" for title in TITLES)
    assert len(entries(f"<html><body><h1>The village</h1><ul>{listed}</ul>{below}</body></html>", "v.html")) == len(
        TITLES
    )


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{number}. {item}" for number, item in enumerate(AGENDA, 1)) + "\n\n" + chapters(AGENDA),
        "\n\n".join(f"{month}\n\n" + "\n".join(TASKS) for month in ("March", "June", "August")),
        "\n".join(TITLES) + "\n\n" + TEXT * 30,
    ],
    ids=["a short agenda", "the same tasks again and again", "titles of another document"],
)
def test_other_lists_are_read(text: str) -> None:
    assert entries(text) == []

"""What a document speaks of by name, what sentences say of it, and whether a story is told."""

import pytest

from docqa.ingest.subjects import defines, names, tells_story

STORY = [
    "In the morning Mira met Old Tom.",
    "“Where is the boat, Tom?” asked Mira.",
    "“Gone,” said Tom to Mira.",
    "She sailed with Tom in May, in May, in May.",
]


def test_names_are_counted_without_months_and_words_that_are_also_written_small() -> None:
    other = [
        "The boat and the Boat and the Boat and the Boat of the old man lay on the wide and quiet water of the lake."
    ]
    assert names([*STORY, *other]) == ["Tom", "Mira"]


def test_languages_that_write_nouns_with_capitals_have_no_names() -> None:
    assert names(["Der Hund sah die Katze im Garten am Haus.", "Die Katze sah den Hund im Garten am Haus."] * 3) == []


@pytest.mark.parametrize(
    ("sentence", "known", "name"),
    [
        ("Norbel is a maker of sails.", ["Norbel"], "Norbel"),
        ("The Norbel Home is registered to provide care.", ["Norbel"], "Norbel"),
        ("Die Norbel ist ein Betrieb für Segel.", ["Norbel"], "Norbel"),
        ("Norbel est une entreprise de voiles.", ["Norbel"], "Norbel"),
        ("Norbel es una empresa de velas.", ["Norbel"], "Norbel"),
        ("Norbel pays a fee.", ["Norbel"], ""),
        ("The wind is a gift.", ["Norbel"], ""),
    ],
)
def test_a_sentence_says_what_something_is(sentence: str, known: list[str], name: str) -> None:
    assert defines(sentence, known) == name


def test_in_chinese_the_subject_itself_is_taken() -> None:
    assert defines("本产品适用于家庭室内环境。", []) != ""


def test_a_story_is_told_where_people_speak() -> None:
    assert tells_story(["\n".join(STORY * 20)])
    assert not tells_story(["The harbour was dredged in spring.\n" * 100])

"""The most telling sentences: of every part, of the whole, without boilerplate, verbatim, in time."""

import time
from dataclasses import dataclass

import pytest

from docqa.ingest.key_sentences import notes
from docqa.ingest.selection import choose
from docqa.ingest.sentence_worth import is_garbled
from docqa.store.notes import Note
from docqa.text.words import terms


@dataclass(frozen=True)
class Chunk:
    text: str
    section: str = ""

    @property
    def terms(self) -> str:
        return " ".join(terms(self.text))


REPORT = [
    Chunk("Table of Contents\n\nITEM 1 Business 4\n\nITEM 7 Management Discussion 17"),
    Chunk(
        "The harbour of Bergen handled more ships than in the year before. Ships pay a fee to the harbour. It rained on Tuesday in the hills."
    ),
    Chunk("Ships and harbour fees 2018 2017 2016 12 34 56"),
]
SUBJECTS = [
    "turbine",
    "harbour",
    "orchard",
    "library",
    "railway",
    "glacier",
    "foundry",
    "theatre",
    "vineyard",
    "laboratory",
]


def said(chunks: list[Chunk], picked: list[Note]) -> list[str]:
    return [chunks[note.chunk].text[note.start : note.end] for note in picked]


def summary(chunks: list[Chunk], count: int) -> list[str]:
    picked = notes(chunks)
    texts = said(chunks, picked)
    return [texts[index] for index in choose(picked, texts, count)]


def test_what_the_text_speaks_of_most_comes_first_and_tables_do_not() -> None:
    assert summary(REPORT, 1) == ["The harbour of Bergen handled more ships than in the year before."]
    assert {note.chunk for note in notes(REPORT)} == {1}


def test_every_section_has_its_notes() -> None:
    chunks = [
        Chunk(f"The {name} was rebuilt by the town after the great storm of that year.", name) for name in SUBJECTS
    ]
    picked = notes(chunks)
    assert [note.part for note in picked] == list(range(len(SUBJECTS)))
    assert [note.chunk for note in picked] == list(range(len(SUBJECTS)))


def made_up(n: int) -> str:
    return "".join(chr(97 + (n * 7 + n // 26 + i * 5) % 26) for i in range(6))


def test_a_summary_takes_from_the_beginning_the_middle_and_the_end() -> None:
    chunks = [
        Chunk(
            "The town of {} has a {} and a {} near the {} of the river.".format(*map(made_up, range(4 * n, 4 * n + 4))),
            f"part {n}",
        )
        for n in range(30)
    ]
    picked = notes(chunks)
    first, middle, last = (picked[index].chunk for index in choose(picked, said(chunks, picked), 3))
    assert first < 3 <= middle < 17 <= last


def test_the_same_is_not_said_twice() -> None:
    chunks = [
        Chunk("The ferry across the wide fjord sails every hour in summer and in winter.", f"part {n}")
        for n in range(8)
    ]
    assert len(summary(chunks, 3)) == 1


@pytest.mark.parametrize(
    "boilerplate",
    [
        "This report contains forward-looking statements about ships and the harbour and the fees of the harbour.",
        "All rights reserved: no picture of ships or of the harbour may be copied by any means.",
        "However, the ships of the harbour and the fees of the harbour were also counted in that way.",
        "What do the ships of the harbour pay as fees to the harbour of the town?",
    ],
)
def test_a_sentence_that_says_nothing_of_its_own_or_leans_on_another_is_not_taken(boilerplate: str) -> None:
    plain = "The harbour of Bergen charges the ships a fee for each day they stay."
    assert summary([Chunk(f"{boilerplate} {plain} The weather was mild and the summer was long.")], 1) == [plain]


def test_a_title_in_the_line_of_its_first_sentence_is_left_out() -> None:
    assert summary(
        [Chunk("Harbour fees The harbour charges ships a fee for each day they stay.", "Harbour fees")], 1
    ) == ["The harbour charges ships a fee for each day they stay."]


def test_dense_scripts_have_notes_too() -> None:
    assert summary([Chunk("東京は日本の首都であり大きな都市です。人口は約1400万人で日本で一番多いです。")], 1)


def test_a_text_without_a_sentence_gives_its_beginning() -> None:
    assert summary([Chunk("Milk 2\n\nBread 1")], 1) == ["Milk 2"]
    assert notes([]) == []
    assert choose([], [], 3) == []


@pytest.mark.torture  # measures time, for six seconds
def test_four_times_the_pages_take_four_times_as_long() -> None:
    page = "The pump of station {n} needs oil every month, says the manual of the {name} works. Its {name} was built by hand {n} years ago. "

    def seconds(count: int) -> float:
        chunks = [Chunk((page * 8).format(n=n, name=SUBJECTS[n % 10]), f"Station {n // 6}") for n in range(count)]
        ready = [
            type("Ready", (), {"text": chunk.text, "section": chunk.section, "terms": "pump stati~ oil month manual"})()
            for chunk in chunks
        ]
        started = time.process_time()
        picked = notes(ready)
        took = time.process_time() - started
        assert {note.part for note in picked} == set(range(count // 3))
        return took

    assert seconds(3600) < 8 * seconds(900), "were it quadratic, 16 times"


def test_a_summary_in_the_text_comes_before_all_else() -> None:
    chunks = [
        Chunk(
            "The harbour was built of granite by many masons over a long time. The masons came from afar.", "History"
        ),
        Chunk("The harbour of Bergen is to be closed in spring. A new one will open in the fjord.", "Summary"),
        Chunk("The harbour has granite walls, and the walls of the harbour are old granite.", "Walls"),
    ]
    assert summary(chunks, 1) == ["The harbour of Bergen is to be closed in spring."]


def test_a_sentence_that_leans_is_taken_only_behind_the_one_it_leans_on() -> None:
    text = "The ferry to Bergen sails every hour in summer. It takes twenty minutes to cross the fjord of Bergen."
    assert summary([Chunk(text)], 2) == text.replace(". It", ".|It").split("|")
    assert summary([Chunk(text)], 1) == [text.split(". ")[0] + "."]


def test_a_licence_is_no_summary() -> None:
    licence = Chunk(
        "All rights reserved to the harbour of Bergen. No part of the harbour may be reproduced in any form. "
        "Ships and harbours are trademarks of the harbour of Bergen and its ships.",
        "Terms",
    )
    assert summary([*REPORT, licence], 1) == ["The harbour of Bergen handled more ships than in the year before."]


MORE = " The rooms were painted in spring. A new stove was put into the kitchen of the house."


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            (
                "About us\n\nThe winters were long. Norbel is a maker of sails for boats on the lake. Norbel has grown. We like "
                "Norbel, and Norbel likes the lake, and so do all who know Norbel well."
            ),
            "Norbel is a maker of sails for boats on the lake.",
        ),
        (
            (
                "Lease\n\nThis agreement is made on 3 May 2021 between Ann Lee, of 4 Oak Lane, Bergen, (the Landlord), and Tom "
                "Roe, of 9 Elm Road, Oslo, (the Tenant).\n\nThe tenant keeps the stairs clean and the windows closed in winter."
            ),
            (
                "This agreement is made on 3 May 2021 between Ann Lee, of 4 Oak Lane, Bergen, (the Landlord), and Tom "
                "Roe, of 9 Elm Road, Oslo, (the Tenant)."
            ),
        ),
    ],
)
def test_what_a_document_is_of_comes_first(text: str, first: str) -> None:
    assert summary([Chunk(text + MORE)], 1) == [first]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Conclusion\n\nThe lake froze in winter. The council decided to build the bridge.", "build the bridge"),
        ("Beschluss\n\nDer See fror im Winter zu. Der Rat hat den Bau der Brücke genehmigt.", "Bau der Brücke"),
        ("Fin\n\nLe lac a gelé en hiver. Le conseil a adopté la construction du pont.", "construction du pont"),
        ("Acta\n\nEl lago se heló en invierno. Se aprobó la construcción del puente nuevo.", "construcción del puente"),
        ("决议\n\n湖面在冬天结冰了很长时间。会议决定在湖上修建一座新桥。", "修建一座新桥"),
    ],
)
def test_what_was_decided_comes_before_the_weather(text: str, first: str) -> None:
    assert first in summary([Chunk(text)], 1)[0]


@pytest.mark.parametrize(
    "other",
    [
        "1. Press the lid of the pump firmly down.",
        "4 The pump of Bergen was not argued here.",
        "Pump = ] the ~ pump | of x b the } pump.",
        "The pump pumped 12 in 2018, 14 in 2019, 15 in 2020.",
        "Thank you for choosing this pump of ours.",
        "Like most of the pumps, they pump the water.",
    ],
)
def test_instructions_footnotes_figures_and_thanks_sum_nothing_up(other: str) -> None:
    text = f"{other}\n\nThe pump lifts water from the well of the town to the houses."
    assert summary([Chunk(text)], 1) == ["The pump lifts water from the well of the town to the houses."]


def test_what_a_summary_denies_comes_before_what_it_describes() -> None:
    text = (
        "Summary\n\nThe home has three floors and a garden. It has a lift and a dining room. Medicines were not kept "
        "safely in the home. The garden has a pond with fish.\n\nHistory\n\nThe home was built on a hill in 1911."
    )
    assert "Medicines were not kept safely in the home." in summary([Chunk(text)], 2)


@pytest.mark.parametrize(
    "sentence",
    [
        "Las obras cuestan 300 € al mes y duran dos meses.",
        "L'acqua e il gas sono a carico di chi abita lì.",
        "Il y a 3 % de plus à payer.",
    ],
)
def test_words_of_one_letter_make_no_sentence_garbled(sentence: str) -> None:
    assert not is_garbled(sentence)

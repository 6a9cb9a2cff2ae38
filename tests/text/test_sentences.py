"""Where sentences end: marks, abbreviations, ordinals, rows of tables."""

import tomllib
from pathlib import Path

import pytest

from docqa.text.sentences import sentences

# By language: texts with a "|" where one sentence ends and the next begins.
TEXTS = tomllib.loads((Path(__file__).parent / "sentences.toml").read_text("utf-8"))


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in TEXTS.items() for text in texts])
def test_sentences_end_where_a_reader_sees_the_end(language: str, text: str) -> None:
    expected = [sentence.strip() for sentence in text.split("|")]
    plain = text.replace("|", "")
    assert [plain[start:end] for start, end in sentences(plain)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. No met Mr. Bean. They talked.", ["Dr. No met Mr. Bean.", "They talked."]),
        ("It costs 3.50 today. Fine.", ["It costs 3.50 today.", "Fine."]),
        ("Er lebte im 10. Jahrhundert. Am 3. 10. 1990 auch.", ["Er lebte im 10. Jahrhundert.", "Am 3. 10. 1990 auch."]),
        (
            "Sie nutzten ihn bis ins 19. Jahrhundert. Dann nicht.",
            ["Sie nutzten ihn bis ins 19. Jahrhundert.", "Dann nicht."],
        ),
        ("Smith v. Jones was cited. It held.", ["Smith v. Jones was cited.", "It held."]),
        ("V 19. století žil. Pak ne.", ["V 19. století žil.", "Pak ne."]),
        ("It was in 1990. He scored 10. Then he left.", ["It was in 1990.", "He scored 10.", "Then he left."]),
        ("See p. 5 of vol. 2. It says so.", ["See p. 5 of vol. 2.", "It says so."]),
        ("all small. no capitals.", ["all small.", "no capitals."]),
        ("彼は来た。彼女は去った。", ["彼は来た。", "彼女は去った。"]),
        ("Title\n\nText begins.", ["Title", "Text begins."]),
        ("- one\n- two", ["- one", "- two"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_each_row_of_a_table_is_a_sentence() -> None:
    text = "As follows. In millions\nNet sales\t32,765\t31,657\nCost of sales\t16,682\n\nItem | Price\nDesk | 12. 50\n\nName: Ada; Age: 36\nName: Bob; Age: 41\nThe end."
    assert [text[start:end] for start, end in sentences(text)] == [
        "As follows.", "In millions", "Net sales\t32,765\t31,657", "Cost of sales\t16,682", "Item | Price", "Desk | 12. 50", "Name: Ada; Age: 36", "Name: Bob; Age: 41",
        "The end.",
    ]  # fmt: skip


def test_a_long_line_without_cells_takes_no_time() -> None:
    assert len(sentences("a: b c " * 200_000)) == 1

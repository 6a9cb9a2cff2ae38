"""Evidence as a model is shown it: whole units under their lines, tables in Markdown, little of it to a small model."""

from docqa.answering.evidence import CandidateUnit, Evidence
from docqa.answering.prompt_passages import excerpts, whole
from docqa.text.blocks import blocks_of
from docqa.text.units import units

TABLE = "Costs by year (in thousands)\nItem\t2021\t2022\nHeating\t18\t21\nRepairs\t7\t12"
STEPS = "To descale the machine:\n1. Empty the tank.\n2. Fill in the powder.\n3. Let it run."
PROSE = "The machine was made in 2015. It weighs 12 kilograms.\n\nThe filter is cleaned weekly by the operator."


def evidence(text: str, best: str = "", about: str = "", columns: str = "") -> Evidence:
    scored = [
        CandidateUnit(unit, 2.0 if best and best in text[unit.start : unit.end] else 1.0)
        for unit in units(text, blocks_of(text))
    ]
    return Evidence(text, tuple(scored), about=about, columns=columns)


def test_a_passage_is_shown_whole_with_its_tables_in_markdown() -> None:
    assert whole(evidence(f"{PROSE}\n\n{TABLE}\n\nThe end.")) == (
        f"{PROSE}\n\nCosts by year (in thousands)\n"
        "| Item | 2021 | 2022 |\n| --- | --- | --- |\n| Heating | 18 | 21 |\n| Repairs | 7 | 12 |\nThe end."
    )


def test_a_passage_cut_from_a_table_has_its_column_headings() -> None:
    rows = evidence("Heating\t18\t21\nRepairs\t7\t12", columns="Costs (in thousands)\nItem\t2021\t2022")
    assert whole(rows).splitlines()[:3] == ["Costs (in thousands)", "| Item | 2021 | 2022 |", "| --- | --- | --- |"]


def test_it_is_named_by_its_document_and_section() -> None:
    assert whole(evidence(PROSE, about="manual.pdf Chapter 2")).startswith("[manual.pdf Chapter 2]\nThe machine")


def test_a_small_model_is_shown_the_paragraphs_that_answer_best() -> None:
    assert excerpts([evidence(PROSE), evidence(f"{PROSE} It costs 85 euros.", best="85 euros")]) == [
        "The filter is cleaned weekly by the operator. It costs 85 euros."
    ]


def test_a_list_comes_with_the_line_that_leads_into_it() -> None:
    assert excerpts([evidence(f"{PROSE}\n\n{STEPS}", best="powder")]) == [
        "To descale the machine:\n- Empty the tank.\n- Fill in the powder.\n- Let it run."
    ]


def test_a_table_comes_with_its_caption_and_headings() -> None:
    assert excerpts([evidence(f"{PROSE}\n\n{TABLE}", best="Repairs")]) == [
        "Costs by year (in thousands):\n| Item | 2021 | 2022 |\n| --- | --- | --- |\n| Heating | 18 | 21 |\n| Repairs | 7 | 12 |"
    ]


def test_of_a_long_paragraph_the_best_sentence_and_its_neighbours_are_shown() -> None:
    text = " ".join(
        f"The ward of house number {n} is swept on day {n} of every month by its own people." for n in range(20)
    )
    (shown,) = excerpts([evidence(text, best="number 7 ")])
    assert "number 6 " in shown and "number 8 " in shown and "number 9 " not in shown


def test_passages_without_units_are_shown_as_they_are() -> None:
    assert excerpts([Evidence("A note."), Evidence("Another.")]) == ["A note.", "Another."]

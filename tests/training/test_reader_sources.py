"""The question sets of the reader's second generation, and what is made of their questions."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from training_samples import CATALOG, ENTRY, labelled, needs_encoder

from docqa.errors import DocqaError
from docqa.text.sentences import sentences
from docqa.training.question_sets import Articles, LabelledQuestion, answer_spans, load, save
from docqa.training.reader.forms import as_list, as_typed, excerpt
from docqa.training.reader.made_tables import table_question
from docqa.training.reader.sources import UNKNOWN, Source, epoch, is_kept_apart, load_sources
from passages import BELL, MILL


def write(path: Path, questions: list[LabelledQuestion]) -> Path:
    """A set as JSON lines, compressed if the name ends so."""
    save(questions, path)
    return path


LONGEST = 600


# What is kept apart


def articles(apart: bool, count: int) -> list[str]:
    names = (f"Article {number}" for number in range(1000))
    chosen = [name for name in names if is_kept_apart(labelled("Who?", "He", article=name)) is apart]
    return chosen[:count]


def test_a_question_is_kept_apart_by_its_title_and_by_its_passage_where_the_article_is_unknown() -> None:
    titles = [f"Article {number}" for number in range(1200)]
    assert 70 < sum(is_kept_apart(labelled("Who?", "He", article=title)) for title in titles) < 130
    unknown = f"{UNKNOWN}, article unknown)"
    assert 70 < sum(is_kept_apart(labelled("Who?", "He", passage=title, article=unknown)) for title in titles) < 130


def test_compressed_sets_are_read_and_what_is_kept_apart_is_never_trained_on(tmp_path: Path) -> None:
    [apart], [first, second] = articles(True, 1), articles(False, 2)
    answerable = [labelled("Who repaired the pump?", "Aqua Nord", article=title) for title in (apart, first, second)]
    paths = [
        write(tmp_path / "wells_answerable.jsonl.xz", answerable),
        write(tmp_path / "wells_unanswerable.jsonl", [labelled("Who built it?", article=first)]),
        write(tmp_path / "mills.jsonl", [labelled("Who sold it?", "Edith Carr", passage=MILL, article=second)]),
    ]
    wells, mills = load_sources(paths)
    assert (wells.name, wells.negatives, mills.name, mills.negatives) == ("wells", True, "mills", False)
    assert {question.article for question in wells.training} == {first, second}
    assert [question.article for question in wells.kept_apart] == [apart]
    assert not {question.passage for question in wells.kept_apart if question.article in wells.articles.passages}
    learned = [question for number in range(3) for _, question in epoch([wells, mills], number, 1)]
    assert learned and not any(map(is_kept_apart, learned))
    assert epoch([wells, mills], 1, 1) == epoch([wells, mills], 1, 1)


def test_a_damaged_compressed_set_is_named(tmp_path: Path) -> None:
    (tmp_path / "wells.jsonl.xz").write_bytes(b"no archive")
    with pytest.raises(DocqaError, match="wells.jsonl.xz is not a question set"):
        load([tmp_path / "wells.jsonl.xz"])


def test_cells_are_separated_as_the_readers_of_formats_separate_them(tmp_path: Path) -> None:
    [title] = articles(False, 1)
    table = labelled("What was spent on pumps?", "12", passage="Item | 2021\nPumps | 12", article=title)
    [source] = load_sources([write(tmp_path / "tables.jsonl", [table])])
    assert source.training[0].passage == "Item\t2021\nPumps\t12"
    aligned = replace(table, passage="Item          2021\nPumps, new    12", answers=("Pumps, new    12",))
    [source] = load_sources([write(tmp_path / "tables.jsonl", [aligned])])
    assert source.training[0].passage == "Item\t2021\nPumps, new\t12" and answer_spans(source.training[0])


# Forms


def test_an_excerpt_keeps_the_answer_and_its_place() -> None:
    passage = " ".join(f"Well number {number} was dug by the firm {number}{number}." for number in range(60))
    start = passage.index("firm 4242")
    for seed in range(30):
        text, [(begin, end)] = excerpt("Who dug it?", passage, ((start, start + 9),), LONGEST, random.Random(seed))
        assert text[begin:end] == "firm 4242" and len(text) <= LONGEST and text in passage


def test_an_unanswerable_question_is_put_to_the_sentences_that_share_its_words() -> None:
    passage = " ".join(f"Well number {number} was dug by the firm {number}{number}." for number in range(60))
    texts = [
        excerpt("Who paid for well number 42?", passage, (), LONGEST, random.Random(seed))[0] for seed in range(20)
    ]
    assert all("number 42" in text for text in texts)


def test_a_table_keeps_its_headings_and_the_row_of_the_answer() -> None:
    rows = "\n".join(f"Pump {number}\t{number * 7}\t{number * 9}" for number in range(1, 30))
    passage = f"Costs (in thousands)\n\t2020\t2021\n{rows}"
    start = passage.index("\t91\t") + 1
    for seed in range(20):
        text, [(begin, end)] = excerpt("Pump 13 2020", passage, ((start, start + 2),), LONGEST, random.Random(seed))
        assert text[begin:end] == "91" and text.startswith("Costs (in thousands)\n\t2020\t2021\n")


def test_sentences_become_the_items_of_a_list() -> None:
    start = BELL.index("310 kilograms")
    text, [(begin, end)] = as_list(BELL, ((start, start + 13),))
    assert text[begin:end] == "310 kilograms" and text.count("\n- ") >= 2 and not text.startswith("- ")
    _, left = as_list(BELL, ((0, len(BELL)), (start, start + 13)))
    assert len(left) == 1, "an answer of several items is no span of a list; the sentence in it is"


def test_a_question_as_typed_has_no_capitals_and_no_question_mark() -> None:
    typed = {as_typed("What is the name of the smith?", random.Random(seed)) for seed in range(30)}
    assert all(text == text.lower() and "?" not in text for text in typed) and len(typed) > 10


def test_a_made_table_answers_or_does_not_hold_the_row_or_column_of_its_question() -> None:
    labels = ["Pumps and pipes", "Wages", "Rent and rates", "Insurance", "Interest paid", "Fuel", "Repairs"]
    made = [table_question(labels, random.Random(seed)) for seed in range(200)]
    answered = [example for example in made if example.spans]
    assert 100 < len(answered) < 180
    for example in answered:
        [(start, end)] = example.spans
        line = example.passage[: example.passage.find("\n", end) if "\n" in example.passage[end:] else None]
        assert example.passage[start - 1] == "\t" and line.rsplit("\n", 1)[-1].partition("\t")[0] in example.question


def test_sets_that_are_translations_also_come_with_questions_in_one_language_on_passages_in_another(
    tmp_path: Path,
) -> None:
    [title] = articles(False, 1)
    english = labelled("Who repaired the pump?", "Aqua Nord", article=title)
    german = labelled("Wer hat die Glocke gegossen?", "Jan Moer", passage=BELL, article=title)
    pair = [write(tmp_path / "wells_en.jsonl", [english]), write(tmp_path / "wells_de.jsonl", [german])]
    other = write(tmp_path / "mills_fr.jsonl", [english, english])
    names = {source.name: source for source in load_sources([*pair, other])}
    assert list(names) == ["wells_en", "wells_de", "mills_fr", "wells_crossed"]
    assert set(names["wells_crossed"].training) == {
        replace(german, question=english.question),
        replace(english, question=german.question),
    }


@needs_encoder
def test_an_answer_of_several_sentences_is_found_with_any_of_them_and_sometimes_stands_under_its_title() -> None:
    from docqa.training.reader.mixture import Making, Mixture, Position

    answer = BELL[: BELL.index("310 kilograms") + 60]
    answer = answer[: answer.rindex(".") + 1]
    question = replace(labelled("Describe the bell.", answer, passage=BELL, article="The_Bell"), kind="other")
    source = Source("bells", (question,) * 60, (), (), Articles([question]), negatives=True)
    mixture = Mixture([source], Making(typed=0.0), 1)
    made = [each for [each] in mixture.block(Position(), 1) if each.spans and each.question == question.question]
    parts = {text for each in made for text in (each.passage[slice(*span)] for span in each.spans)}
    assert any(len(sentences(text)) == 1 for text in parts) and any(len(sentences(text)) > 1 for text in parts)
    headed = [each for each in made if each.passage.startswith("The Bell\n")]
    assert len(made) / 10 < len(headed) < len(made) / 2
    assert all(text in BELL for text in parts)


# The mixture


@needs_encoder
def test_a_block_holds_what_was_made_of_its_questions_and_is_the_same_each_time() -> None:
    from docqa.models.reader.network import NEITHER
    from docqa.training.reader.mixture import Making, Mixture, Position
    from docqa.training.reader.network import Network
    from docqa.training.reader.variants import Neighbours

    titles = articles(False, 40)
    questions = tuple(
        question
        for title in titles
        for question in (
            labelled("When was the southern well closed?", "2011", article=title),
            labelled("Who sold the stones of the mill?", "Edith Carr", passage=MILL, article=title),
            labelled("Is the southern well still in use?", passage=BELL, article=title),
        )
    )
    source = Source("wells", questions, (), (), Articles(questions), negatives=False)
    mixture = Mixture([source], Making(), 1, Neighbours(Network(CATALOG.path(ENTRY))))
    examples = [example for batch in mixture.block(Position(), 4) for example in batch]
    assert examples == [example for batch in mixture.block(Position(), 4) for example in batch]
    assert all(example.passage[start:end] for example in examples for start, end in example.spans)
    assert any(example.classes == (NEITHER,) for example in examples)
    assert any("\t" in example.passage for example in examples), "made tables"
    falsified = replace(questions[0], question="When was the northern well closed?")
    assert falsified.question in {example.question for example in examples if not example.spans}


@needs_encoder
@pytest.mark.parametrize("kind", ["yes", "no", "neither", ""])
def test_what_is_said_to_a_yes_no_question_is_learned_where_the_set_tells(kind: str) -> None:
    from docqa.models.reader.network import NEITHER, NO, YES
    from docqa.training.reader.mixture import Making, Mixture, Position

    expected = {"yes": (YES,), "no": (NO,), "neither": (NEITHER,), "": ()}[kind]
    question = replace(labelled("my well, is it closed by now", *["2011"] * (kind != "neither")), kind=kind)
    source = Source("wells", (question,) * 30, (), (), Articles([question]), negatives=True)
    made = [each for [each] in Mixture([source], Making(typed=0.0), 1).block(Position(), 1)]
    as_it_is = [
        each for each in made if each.question == question.question and bool(each.spans) == bool(question.answers)
    ]
    assert {each.classes for each in as_it_is} == {expected}


@needs_encoder
def test_what_stands_beside_the_answer_comes_as_an_excerpt_that_does_not_answer() -> None:
    from docqa.training.reader.mixture import Making, Mixture, Position

    passage = "The well was dug in 1850 by two brothers of the village, who sold its water for many years. It was closed in 2011."
    questions = tuple(labelled("When was it closed?", "2011", passage=passage, article=t) for t in articles(False, 40))
    source = Source("wells", questions, (), (), Articles(questions), negatives=True)
    for passed_over, expected in ((1.0, True), (0.0, False)):
        mixture = Mixture([source], Making(passed_over=passed_over), 1)
        examples = [example for batch in mixture.block(Position(), 4)[:10] for example in batch]
        beside = [each for each in examples if not each.spans and each.passage == passage[: passage.index(" It was")]]
        assert bool(beside) == expected

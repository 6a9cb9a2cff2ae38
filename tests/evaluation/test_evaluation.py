"""Questions made from small documents, how their results are counted, and the command that asks them."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from docqa import evaluation
from docqa.answering.extractive import Extractive
from docqa.cli.main import main
from docqa.errors import NotFound, Unavailable, Unreadable
from docqa.evaluation import evaluate
from docqa.evaluation.figures import COLUMNS, Result, holds, row, table
from docqa.evaluation.questions import FOREIGN, OTHER, Made, choose, make_controls, make_questions
from docqa.languages import entry, phrase
from docqa.search.passages import Passage
from docqa.search.search import search
from docqa.settings import Settings
from docqa.store.chunks import StoredChunk
from docqa.text.words import terms

QUAY = """A quay is a wall at which ships are loaded. The length of the quay is 340 metres. The quay was built in 1911 by the town.

The harbour dues were 5.2 million euros in 2021. It was rebuilt in 1950. There are 12 cranes."""
ORCHARD = """An orchard is a garden of fruit trees. The orchard has 800 apple trees. The price of a crate is 14 euros.

The harvest begins in September and lasts for six weeks. The cider press was bought in 1987."""


def stored(text: str, *, section: str = "", columns: str = "", id_: int = 1, document: int = 1) -> StoredChunk:
    return StoredChunk(id_, document, 1, section, columns, text, " ".join(terms(text)))


def asked(text: str, language: str = "en", **more: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.text, one.value) for one in make_questions([stored(text, **more)], language)]


# --- making questions --------------------------------------------------------------------------------------------------------------


def test_definitions_numbers_and_dates_become_questions_and_what_points_back_does_not() -> None:
    assert asked(QUAY) == [
        ("definition", "What is a quay?", "a wall at which ships are loaded"),
        ("number", "What is the length of the quay?", "340"),
        ("date", "When was the quay built?", "1911"),
        ("number", "How much were the harbour dues in 2021?", "5.2"),
    ]


@pytest.mark.parametrize(
    ("language", "text", "questions"),
    [
        (
            "de",
            "Ein Wehr ist ein Bauwerk, das einen Fluss staut. Die Miete beträgt 12.400 Euro. Der Hof hat 340 Bäume. Die Brücke wurde im Jahr 1911 gebaut.",
            [
                "Was ist ein Wehr?",
                "Wie viel beträgt die Miete?",
                "Wie viele Bäume hat der Hof?",
                "Wann wurde die Brücke gebaut?",
            ],
        ),
        (
            "fr",
            "Une écluse est un ouvrage qui relève les bateaux. Le loyer est de 12 400 euros. Le coût s'élève à 3 millions d'euros. Le pont a été construit en 1911.",
            [
                "Qu'est-ce que c'est, une écluse ?",
                "De combien est le loyer ?",
                "À combien s'élève le coût ?",
                "Quand est-ce que le pont a été construit ?",
            ],
        ),
        (
            "es",
            "Una esclusa es una obra que eleva los barcos. El alquiler es de 12.400 euros. El coste asciende a 3 millones de euros. El puente fue construido en 1911.",
            [
                "¿Qué es una esclusa?",
                "¿De cuánto es el alquiler?",
                "¿A cuánto asciende el coste?",
                "¿Cuándo fue construido el puente?",
            ],
        ),
        (
            "pt",
            "Uma eclusa é uma obra que eleva os barcos. A renda mensal é de 12.400 euros. A ponte foi construída em 1911.",
            ["O que é uma eclusa?", "De quanto é a renda mensal?", "Quando foi construída a ponte?"],
        ),
        (
            "it",
            "Una chiusa è un'opera che solleva le barche. L'affitto è di 12.400 euro. Il costo ammonta a 3 milioni di euro. Il ponte è stato costruito nel 1911.",
            [
                "Che cos'è una chiusa?",
                "Di quanto è l'affitto?",
                "A quanto ammonta il costo?",
                "Quando è stato costruito il ponte?",
            ],
        ),
        (
            "nl",
            "Een sluis is een bouwwerk dat schepen optilt. De huur bedraagt 12.400 euro. De brug werd in 1911 gebouwd.",
            ["Wat is een sluis?", "Hoeveel bedraagt de huur?", "Wanneer werd de brug gebouwd?"],
        ),
        (
            "pl",
            "Śluza to budowla, która podnosi statki. Czynsz wynosi 12 400 euro. Most został zbudowany w 1911 roku.",
            ["Co to jest Śluza?", "Ile wynosi Czynsz?", "Kiedy Most został zbudowany?"],
        ),
        (
            "ru",
            "Шлюз — это сооружение, которое поднимает суда. Плата составляет 12 400 евро. Мост был построен в 1911 году.",
            ["Что такое Шлюз?", "Сколько составляет Плата?", "Когда был построен Мост?"],
        ),
        (
            "tr",
            "Savak, gemileri kaldıran bir yapıdır. Aylık kira 12.400 avrodur. Köprü 1911 yılında yapıldı.",
            ["Savak nedir?", "Aylık kira kaç avrodur?", "Köprü ne zaman yapıldı?"],
        ),
        (
            "hi",
            "बाँध एक नदी को रोकने वाली रचना है। मासिक किराया 12,400 यूरो है। पुल 1911 में बना था।",
            ["बाँध क्या है?", "मासिक किराया कितने यूरो है?", "पुल कब बना था?"],
        ),
        (
            "ar",
            "السد هو بناء يحجز ماء النهر. يبلغ الإيجار الشهري 12400 يورو. تأسست الشركة عام 1911.",
            ["ما هو السد؟", "كم يبلغ الإيجار الشهري؟", "متى تأسست الشركة؟"],
        ),
        (
            "he",
            "סכר הוא מבנה שעוצר את מי הנהר. שכר הדירה עומד על 12,400 אירו. הגשר נבנה בשנת 1911.",
            ["מה זה סכר?", "על כמה עומד שכר הדירה?", "מתי נבנה הגשר?"],
        ),
        (
            "zh",
            "水闸是一种拦住河水的建筑物。每月租金为12,400欧元。石桥于1911年建成。",
            ["水闸是什么？", "每月租金为多少欧元？", "石桥于哪一年建成？"],
        ),
        (
            "ja",
            "水門とは、川の水をせき止める設備である。毎月の家賃は12,400ユーロです。石橋は1911年に建設された。",
            ["水門とは何ですか？", "毎月の家賃は何ユーロですか？", "石橋はいつ建設されたか？"],
        ),
        (
            "ko",
            "수문은 강물을 막는 시설이다. 월세는 12,400유로입니다. 돌다리는 1911년에 건설되었다.",
            ["수문은 무엇입니까?", "월세는 몇 유로입니까?", "돌다리는 언제 건설되었습니까?"],
        ),
    ],
)
def test_questions_are_in_the_language_of_the_document(language: str, text: str, questions: list[str]) -> None:
    assert [question for _, question, _ in asked(text, language)] == questions


def test_cells_of_a_table_are_asked_for_by_row_and_column() -> None:
    found = asked("\t2020\t2021\nTolls\t$ 310\t$ 295\nOther income\nBerths\t(12)\t-\n\nA closing remark.")
    assert found == [
        ("row", "What is the value for Tolls, 2020?", "$ 310"),
        ("row", "What is the value for Tolls, 2021?", "$ 295"),
        ("row", "What is the value for Berths, 2020?", "(12)"),
    ]


def test_a_table_that_goes_on_in_another_chunk_keeps_its_columns() -> None:
    assert asked("Berths\t12\t14", columns="\t2020\t2021") == [
        ("row", "What is the value for Berths, 2020?", "12"),
        ("row", "What is the value for Berths, 2021?", "14"),
    ]


def test_rows_that_name_their_columns_are_asked_by_their_first_cell() -> None:
    assert asked("Ship: Anemone; Berth: North 4; Length: 82") == [
        ("row", "What is the value for Anemone, Berth?", "North 4"),
        ("row", "What is the value for Anemone, Length?", "82"),
    ]


def test_what_only_looks_like_a_row_or_holds_two_amounts_is_not_asked() -> None:
    assert asked("Hoys (Dutch: heu; German: Heude; French: heude) carried goods and people along the coast.") == []
    assert asked("The limits are 35 tons for the north quay and 27 tons for the south quay.") == []


def test_a_question_with_two_answers_is_not_asked_and_one_with_the_same_answer_once() -> None:
    assert asked("The price of a crate is 14 euros. The price of a crate is 15 euros.") == []
    assert len(asked("The price of a crate is 14 euros. The price of a crate is 14 euros.")) == 1


def test_a_heading_is_asked_for_without_a_value() -> None:
    assert asked("Bring your own gloves.", section="Safety at work") == [
        ("heading", "What is said about “Safety at work”?", "")
    ]


def test_a_heading_in_front_of_a_sentence_is_no_part_of_its_subject() -> None:
    text = "Overview\nThe company is a maker of small bells and other instruments for ships,\nboth for fog and for fun."
    assert asked(text)[0][1] == "What is the company?"


def test_controls_speak_of_things_that_the_document_never_names() -> None:
    about_quay = make_questions([stored(QUAY)], "en")
    chunks = [stored(ORCHARD + " The length of the row is 80 metres.", id_=2, document=2)]
    controls = make_controls(about_quay, 2, "en", chunks)
    others = [one.text for one in controls if one.kind == OTHER]
    assert "What is a quay?" in others
    assert "What is the length of the quay?" in others
    assert all(one.is_control and one.document == 2 for one in controls)
    known = [
        stored(ORCHARD + " The cherry tree blossoms in May; a cherry tree will blossom again in June.", document=2)
    ]
    assert "When does the cherry tree blossom?" not in [one.text for one in make_controls([], 2, "en", known)]
    assert make_controls(about_quay, 1, "en", [stored(QUAY)]) == [
        Made(FOREIGN, text, "en", 1) for text in entry("evaluation.controls", "en")
    ]


def test_the_choice_takes_documents_and_kinds_in_turn_spread_over_each_document_and_is_always_the_same() -> None:
    made = [Made("row", f"row {n}", "en", 1, "1", chunk=n) for n in range(1, 101)]
    made += [
        Made("date", "when", "en", 1, "1", chunk=101),
        Made("row", "other", "en", 2, "1", chunk=102),
        Made("heading", "about", "en", 2, chunk=103),
    ]
    chosen = choose(made, 12)
    assert chosen == choose(made, 12)
    assert {"when", "other"} < {one.text for one in chosen} and "about" not in {one.text for one in chosen}
    rows = [one.chunk for one in chosen if one.document == 1 and one.kind == "row"]
    assert len(rows) == 10 and all(any(n < row <= n + 20 for row in rows) for n in range(0, 100, 20))
    assert choose(made, 200)[-1].text == "about", "headings come when nothing else is left"


# --- counting ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "value", "right"),
    [
        ("The dues were 5.2 million euros.", "5.2", True),
        ("The dues were 15.2 million euros.", "5.2", False),
        ("A quay is a wall where ships are loaded.", "a wall at which ships are loaded", True),
        ("A quay is a kind of jam.", "a wall at which ships are loaded", False),
        ("It was built on 3 May 1912.", "3 May 1911", False),
        ("Anything", "", False),
    ],
)
def test_an_answer_is_right_with_all_numbers_and_most_words_of_the_value(answer: str, value: str, right: bool) -> None:
    assert holds(answer, value) is right


def result(
    kind: str = "number",
    *,
    rank: int = 1,
    right: bool = True,
    refused: bool = False,
    quoted: int = 1,
    seconds: float = 1.0,
    error: str = "",
    file: str = "a",
) -> Result:
    made = (
        Made(kind, "?", "en", 1)
        if kind in (OTHER, FOREIGN)
        else Made(kind, "?", "en", 1, "" if kind == "heading" else "5", chunk=1)
    )
    return Result(made, file, "5", rank, right, refused, quoted, 1, seconds, error)


def test_figures_count_what_was_planted() -> None:
    results = [
        result(),
        result(rank=3, right=False, quoted=0),
        result(rank=0, right=False, refused=True, seconds=9.0),
        result("heading", rank=5, right=False),
        result(FOREIGN, refused=True),
        result(OTHER),
        result(OTHER, error="Try again."),
    ]
    assert dict(zip(COLUMNS, row(results), strict=True)) == {
        "questions": "4",
        "hit@1": "25",
        "hit@3": "50",
        "hit@5": "75",
        "right": "33",
        "quoted": "86",
        "refused": "25",
        "controls": "3",
        "answered": "33",
        "p50 s": "1.00",
        "p95 s": "9.00",
    }


def test_the_table_has_a_line_for_each_file_and_kind_and_says_what_failed() -> None:
    lines = table(
        [result(file="a.pdf"), result("date", file="b.txt", rank=0), result(OTHER, error="Try again.")]
    ).splitlines()
    assert [line.split()[:3] for line in lines if line.startswith(("a.pdf", "b.txt", "date", "all"))] == [
        ["a.pdf", "1", "100"],
        ["b.txt", "1", "0"],
        ["date", "1", "0"],
        ["all", "2", "50"],
    ]
    assert lines[-1] == "Not answered: ? Try again."


# --- asking ------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    quay, orchard = tmp_path / "quay.txt", tmp_path / "orchard.txt"
    quay.write_text(QUAY)
    orchard.write_text(ORCHARD)
    return [quay, orchard]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.anyio
async def test_questions_from_the_files_are_found_answered_and_quoted_and_nothing_is_left_behind(
    settings: Settings, files: list[Path], temporary: Path
) -> None:
    told: list[str] = []
    results = await evaluate(settings, files, "GPT5_2", 12, told.append)
    again = await evaluate(settings, files, "GPT5_2", 12, told.append)
    assert [one.made for one in results] == [one.made for one in again]
    answerable = [one for one in results if not one.made.is_control]
    controls = [one for one in results if one.made.is_control]
    assert {one.file for one in answerable} == {"quay.txt", "orchard.txt"}
    assert len({one.made.text for one in answerable}) == len(answerable) >= 6
    assert len(controls) == 3
    assert all(one.rank == 1 and one.right and one.quoted == one.sources > 0 and not one.refused for one in answerable)
    assert all(one.rank == 0 and one.refused == (phrase("phrases.not_found", "en") in one.answer) for one in controls)
    assert any(one.refused for one in controls)
    assert list(temporary.iterdir()) == []
    assert not settings.data.exists()
    assert "model GPT5_2 (extractive); embedding model none; models" in " ".join(told), (
        "settings that are not the usual ones are said"
    )


@pytest.mark.anyio
async def test_a_search_that_finds_the_wrong_passages_is_a_miss(
    settings: Settings, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def worst_first(*given: object) -> list[Passage]:
        return (await search(*given))[::-1]  # type: ignore[arg-type]

    file = tmp_path / "pages.txt"
    file.write_text(
        f"{QUAY}\f" + "\f".join(f"The quay has a length of its own. Page {n} says no more of it." for n in range(5))
    )
    right = await evaluate(settings, [file], "GPT5_2", 3, lambda _: None)
    monkeypatch.setattr(evaluation, "search", worst_first)
    wrong = await evaluate(settings, [file], "GPT5_2", 3, lambda _: None)
    assert [one.rank for one in right] != [one.rank for one in wrong]
    assert all(
        before.rank == 1 < after.rank or after.rank == 0
        for before, after in zip(right, wrong, strict=True)
        if "length" in before.made.text
    )


@pytest.mark.anyio
async def test_an_answer_that_says_something_else_is_wrong_and_one_that_fails_is_told(
    settings: Settings, files: list[Path], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Extractive):
        async def answer(self, question, evidence):  # type: ignore[no-untyped-def]
            raise Unavailable("The model sleeps.")
            yield

    monkeypatch.setattr("docqa.answering.answer.Extractive", Silent)
    results = await evaluate(settings, files, "GPT5_2", 4, lambda _: None)
    failed = [one for one in results if not one.made.is_control]
    assert failed and all(one.error == "The model sleeps." and not one.right and not one.refused for one in failed)


@pytest.mark.anyio
async def test_a_source_that_is_not_on_its_page_is_not_quoted(
    settings: Settings, files: list[Path], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def another_page(*_: object) -> str:
        return "Nothing of the kind."

    monkeypatch.setattr("docqa.store.documents.page_text", another_page)
    results = await evaluate(settings, files, "GPT5_2", 4, lambda _: None)
    assert sum(one.sources for one in results) > 0 == sum(one.quoted for one in results)


@pytest.mark.anyio
async def test_a_file_that_cannot_be_read_is_told_and_left_out(
    settings: Settings, files: list[Path], tmp_path: Path, temporary: Path
) -> None:
    empty, large = tmp_path / "empty.txt", tmp_path / "large.txt"
    empty.touch()
    large.write_bytes(b"x" * (1 << 20 | 1))
    told: list[str] = []
    results = await evaluate(
        replace(settings, upload_mb=1), [tmp_path / "missing.pdf", empty, large, *files], "GPT5_2", 4, told.append
    )
    assert len(results) == 4
    left_out = [sentence for sentence in told if "is left out" in sentence]
    assert [Path(sentence.split(" is left out: ")[0]).name for sentence in left_out] == [
        "missing.pdf",
        "empty.txt",
        "large.txt",
    ]
    assert left_out[0].endswith("No such file or directory") and left_out[2].endswith(
        "larger than 1 MB (DOCQA_UPLOAD_MB)."
    )
    with pytest.raises(Unreadable, match="None of the files"):
        await evaluate(settings, [empty], "GPT5_2", 4, told.append)


@pytest.mark.anyio
async def test_an_unknown_model_is_named_with_those_there_are(
    settings: Settings, files: list[Path], temporary: Path
) -> None:
    with pytest.raises(NotFound, match="There is no model GPT99; there are GPT5_2, "):
        await evaluate(settings, files, "GPT99", 4, lambda _: None)
    assert list(temporary.iterdir()) == []


def test_the_command_prints_a_table_and_writes_each_question_with_its_result(
    files: list[Path],
    tmp_path: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in {"EMBEDDER": "none", "MODELS": tmp_path / "no-models", "DATA": tmp_path / "data"}.items():
        monkeypatch.setenv(f"DOCQA_{name}", str(value))
    out = tmp_path / "out.jsonl"
    assert main(["eval", *map(str, files), "--questions", "8", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(records) == 8 and {"kind", "text", "value", "file", "answer", "rank", "right"} <= set(records[0])
    assert [line.split()[0] for line in printed.splitlines() if ".txt" in line] == ["quay.txt", "orchard.txt"]
    assert not (tmp_path / "data").exists()


def test_the_command_says_before_the_work_that_it_cannot_write(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", str(files[0]), "--out", str(tmp_path / "no" / "out.jsonl")]) == 1
    assert "out.jsonl cannot be written: No such file or directory" in capsys.readouterr().err

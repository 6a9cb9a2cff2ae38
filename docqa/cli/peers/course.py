"""What contestants read and are asked: reports on works that do not exist, made here, or a folder of one's own.

In a made report each fact stands once, among others of its kind, and most sentences name neither the works nor the
words of the question: a passage is found by what it says and by where it stands.
"""

import json
import random
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docqa.cli.peers.pdf_file import pdf
from docqa.errors import CannotStart

QUESTIONS = "questions.jsonl"
_SEED, _LINES, _WIDTH = 31, 48, 92
_PLACES = (
    *("Aldergate", "Brackmoor", "Corvenna", "Dunmarsh", "Elmstead", "Farrowby", "Glenhollow"),
    *("Harnwick", "Islebrook", "Jorvale", "Kettlesby", "Lunmere", "Morraby", "Northwater"),
)
_TRADES = ("paper mill", "brewery", "shipyard", "glassworks", "sawmill", "dairy", "foundry")
# What a report says, what a question asks for, and what stands in the place of {}: a number in these bounds.
_FACTS = (
    ("The first hall was opened in {}", "In which year did the {place} {trade} begin its work?", (1_850, 1_990)),
    ("{} people are on the payroll", "How many employees does the {place} {trade} have?", (200, 990)),
    ("Each year {} tonnes leave the gate", "What is the annual output of the {place} {trade}?", (10_000, 99_000)),
    ("The boiler may be run at {} degrees at most", "How hot may the boiler of the {place} {trade} get?", (110, 990)),
    ("Rent for the yard comes to {} euros a month", "What does the {place} {trade} pay for its yard?", (1_000, 9_990)),
    (
        "Repairs of the roof were put at {} euros",
        "What would mending the roof of the {place} {trade} cost?",
        (10_000, 99_000),
    ),
    ("The chimney rises {} centimetres", "How tall is the chimney of the {place} {trade}?", (2_000, 9_900)),
    (
        "Oil in the main gear is changed after {} hours",
        "When does the gear at the {place} {trade} need oil?",
        (300, 9_900),
    ),
    (
        "The canteen serves {} meals a week",
        "How many meals does the kitchen of the {place} {trade} cook?",
        (300, 2_900),
    ),
    ("A fire in the store destroyed {} crates", "What did the {place} {trade} lose when its store burned?", (100, 990)),
)
_OTHER = (
    "The committee met in spring and again in autumn, and its minutes are kept in the office.",
    "Deliveries come by rail, and by road when the line is closed for maintenance.",
    "Visitors are asked to report at the gate and to wear what protects them.",
    "Prices of raw materials have risen, while those of finished goods have hardly moved.",
    "A new agreement on working hours was signed after long talks with both sides.",
    "Water is taken from the river above the weir and returned below it after treatment.",
    "The insurer has inspected all installations and found them in good order.",
    "Training is given to apprentices in the first two years, and to everyone when rules change.",
    "Noise was measured at night and stayed below what the neighbours were promised.",
    "Spare parts are stored for ten years after a machine has been taken out of use.",
    "An audit of the accounts found no more than small errors, which were corrected.",
    "The plan for the coming years puts safety first, then quality, then the use of energy.",
)


@dataclass(frozen=True)
class Query:
    """A question, and texts of which one stands in the passage that answers it."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Course:
    """The files that are read in, and the questions to them."""

    files: tuple[Path, ...]
    questions: tuple[Query, ...]


def made(folder: Path, texts: int, reports: int, pages: int, most: int) -> Course:
    """So many texts of 4 pages, and PDF reports of so many `pages`, written into a folder; `most` questions."""
    dice = random.Random(_SEED)
    works = [(place, trade) for trade in _TRADES for place in _PLACES]
    dice.shuffle(works)
    unused = {bounds: dice.sample(range(*bounds), min(bounds[1] - bounds[0], 700)) for _, _, bounds in _FACTS}
    files, questions = [], []
    for number in range(texts + reports):
        long = number >= texts
        written: list[list[str]] = []
        for _ in range(pages if long else 4):
            if len(written) % 4 == 0:  # a works has four pages
                place, trade = works.pop()
                facts = list(_FACTS)
                dice.shuffle(facts)
                written_facts = []
                for says, asks, bounds in facts:
                    value = f"{unused[bounds].pop():,}" if bounds[0] >= 2000 else str(unused[bounds].pop())
                    written_facts.append(f"{says.format(value)}.")
                    questions.append(Query(asks.format(place=place, trade=trade), (written_facts[-1],)))
            written.append(_page(dice, f"{place} {trade}", written_facts[len(written) % 4 :: 4]))
        name = folder / f"{'works' if long else 'report'}-{number}.{'pdf' if long else 'txt'}"
        name.write_bytes(
            pdf(written) if long else "\n\n\n".join("\n".join(lines) for lines in written).encode("cp1252")
        )
        files.append(name)
    return Course(tuple(files), tuple(dice.sample(questions, min(len(questions), most))))


def _page(dice: random.Random, works: str, facts: Sequence[str]) -> list[str]:
    """Lines of paragraphs, with these facts among other sentences."""
    lines, left = [f"Report on the {works}", ""], list(facts)
    while len(lines) < _LINES:
        sentences = dice.sample(_OTHER, 6)
        if left:
            sentences.insert(dice.randrange(len(sentences)), left.pop())
        lines += [*textwrap.wrap(" ".join(sentences), _WIDTH), ""]
    return lines


def given(folder: Path) -> Course:
    """The files of a folder with QUESTIONS beside them: a line of JSON for each, its `question` and its `answers`.
    Raises CannotStart."""
    try:
        questions = tuple(_read((folder / QUESTIONS).read_text("utf-8").splitlines()))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CannotStart(
            f"{folder / QUESTIONS} cannot be used: {error!r}. "
            'Each line of it is {"question": "...", "answers": ["..."]}.'
        ) from error
    files = tuple(sorted(file for file in folder.iterdir() if file.is_file() and file.name != QUESTIONS))
    if not files or not questions:
        raise CannotStart(f"{folder} has no documents, or its {QUESTIONS} no questions.")
    return Course(files, questions)


def _read(lines: Sequence[str]) -> Iterator[Query]:
    for line in lines:
        record = json.loads(line)
        yield Query(str(record["question"]), tuple(map(str, record["answers"])))

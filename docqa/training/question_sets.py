"""Question sets in SQuAD format, and what is made of them for training: spans of the answers, passages that hold none, questions turned false.

Read are SQuAD 1.1 and 2.0 as published (Rajpurkar et al., 2016 and 2018), and JSON lines of title, context, question, answers and answerable.
"""

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docqa.errors import DocqaError
from docqa.search.weights import bm25, rarity
from docqa.text.words import terms

NEAR = 150  # characters on each side of an answer in which the question's words are looked for
CANDIDATES = 5  # passages that search finds, of which one is read with a question that it does not answer
OF_ARTICLE = 0.85  # share of those from the question's own article
APART = 4, 3  # articles kept apart: to measure on, and to calibrate on
# Not at the beginning of a sentence, where every word has a capital.
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w'’-]+(?:\s+(?:of\s+|the\s+|de\s+)?[A-Z][\w'’-]+)*|(?<= )\d[\d,.]*\b")
_WORD = re.compile(r"[\w']+")
_OPPOSITES = (
    "most least|more less|largest smallest|larger smaller|highest lowest|higher lower|first last|before after|increase decrease|increased decreased"
    "|best worst|early late|earlier later|north south|northern southern|east west|eastern western|major minor|positive negative|always never"
    "|inside outside|above below|new old|start end|started ended|began ended|win lose|won lost|rich poor|support oppose|supported opposed|male female"
    "|men women|allow prevent|allowed prevented|cause prevent|caused prevented|common rare|strong weak|stronger weaker|fast slow|faster slower"
    "|with without|can cannot|is isn't|was wasn't|were weren't|did didn't|are aren't|does doesn't|longest shortest|long short|greater lesser|good bad"
    "|oldest youngest|older younger|public private|internal external|modern ancient|top bottom|include exclude|included excluded|former latter"
    "|minimum maximum|father mother|brother sister|son daughter|king queen|bought sold|buy sell|easy difficult|gained lost|high low|large small"
    "|wet dry|hot cold|left right|upper lower|build destroy|built destroyed|accept reject|accepted rejected|founded abolished|created destroyed"
)
OPPOSITE = {one: other for pair in _OPPOSITES.split("|") for one, other in (pair.split(), reversed(pair.split()))}


@dataclass(frozen=True)
class Asked:
    """One question about one passage of an article; without answers the passage holds none."""

    article: str
    passage: str
    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """What is learnt from: the spans (start, end) of the passage that answer; none where it does not answer."""

    question: str
    passage: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Division:
    """Articles by what they are for."""

    training: tuple[str, ...]
    measuring: tuple[str, ...]
    calibrating: tuple[str, ...]


def load(paths: Iterable[Path]) -> list[Asked]:
    """The questions of all files. Raises DocqaError for a file in another format."""
    found: list[Asked] = []
    for path in paths:
        try:
            found += _read(path.read_text("utf-8"))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise DocqaError(f"{path} is no question set in SQuAD format ({type(error).__name__}: {error})") from error
    return found


def load_texts(folder: Path) -> dict[str, list[str]]:
    """The passages of each text of the folder by the name of its file. Raises DocqaError where there are none, or one cannot be read."""
    try:
        found = {
            path.stem: re.split(r"\n\s*\n", path.read_text("utf-8").strip()) for path in sorted(folder.glob("*.txt"))
        }
    except (OSError, ValueError) as error:
        raise DocqaError(f"A text in {folder} cannot be read ({type(error).__name__}: {error})") from error
    if not found:
        raise DocqaError(f"There are no texts in {folder}; they are files whose names end in .txt")
    return found


def _read(content: str) -> Iterator[Asked]:
    try:
        whole = json.loads(content)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and "data" in whole:
        for article in whole["data"]:
            for paragraph in article["paragraphs"]:
                for one in paragraph["qas"]:
                    answers = [] if one.get("is_impossible") else [answer["text"] for answer in one["answers"]]
                    yield Asked(article["title"], paragraph["context"], one["question"], tuple(answers))
        return
    for line in content.splitlines():
        flat: dict[str, Any] = json.loads(line)
        yield Asked(
            flat["title"], flat["context"], flat["question"], tuple(flat["answers"]) if flat["answerable"] else ()
        )


def divide(asked: Sequence[Asked]) -> Division:
    """Whole articles kept apart, chosen by the hashes of their titles: always the same, and by nobody's liking."""
    titles = sorted({one.article for one in asked}, key=lambda title: hashlib.sha256(title.encode()).hexdigest())
    measured, calibrated = APART
    if len(titles) <= measured + calibrated:
        raise DocqaError(
            f"There are {len(titles)} articles; {measured + calibrated} are kept apart, so more are needed"
        )
    return Division(
        tuple(titles[measured + calibrated :]),
        tuple(titles[:measured]),
        tuple(titles[measured : measured + calibrated]),
    )


def spans(one: Asked) -> tuple[tuple[int, int], ...]:
    """(start, end) of each answer where it stands nearest to the question's words; the sets that are read do not all say where."""
    asked = frozenset(terms(one.question))

    def nearness(span: tuple[int, int]) -> int:
        return len(asked.intersection(terms(one.passage[max(0, span[0] - NEAR) : span[1] + NEAR])))

    found = []
    for answer in dict.fromkeys(answer.strip() for answer in one.answers):
        places = (
            [(match.start(), match.end()) for match in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", one.passage)]
            if answer
            else []
        )
        if places:
            found.append(max(places, key=nearness))
    return tuple(found)


class Articles:
    """The passages of each article, and which of them a plain search finds for a question."""

    def __init__(self, asked: Iterable[Asked]) -> None:
        passages: dict[str, dict[str, None]] = {}
        for one in asked:
            passages.setdefault(one.article, {})[one.passage] = None
        self.passages = {article: list(found) for article, found in passages.items()}
        self._terms = {article: [terms(passage) for passage in found] for article, found in self.passages.items()}
        self._names = {
            article: sorted({match[0] for passage in found for match in _NAME.finditer(passage)})
            for article, found in self.passages.items()
        }

    def search(self, article: str, question: str, top: int) -> list[str]:
        """The passages of the article that fit best by BM25, best first."""
        found = self._terms[article]
        among = Counter(term for passage in found for term in frozenset(passage))
        weights = {term: rarity(among[term], len(found)) for term in frozenset(terms(question)) if term in among}
        scores = bm25(weights, found)
        return [
            self.passages[article][index] for index in sorted(range(len(found)), key=lambda index: -scores[index])[:top]
        ]

    def falsified(self, one: Asked, dice: random.Random) -> str | None:
        """The question with another name or number of its article, or with the opposite of a word: what its passage says no longer answers it."""
        asked = one.question
        changes = [
            (word.start(), word.end(), OPPOSITE[word[0]]) for word in _WORD.finditer(asked) if word[0] in OPPOSITE
        ]
        for name in list(_NAME.finditer(asked)):
            others = [
                other
                for other in self._names[one.article]
                if other[0].isdigit() == name[0][0].isdigit()
                and other.casefold() not in asked.casefold()
                and name[0].casefold() not in other.casefold()
            ]
            if others:
                changes.append((name.start(), name.end(), dice.choice(others)))
        if not changes:
            return None
        start, end, new = dice.choice(changes)
        return asked[:start] + new + asked[end:]


def examples(
    asked: Sequence[Asked], articles: Articles, dice: random.Random, false_share: float, other_share: float
) -> list[Example]:
    """One pass over the questions: each as it is, and of the answerable ones these shares once more as a false question, and with another passage."""
    everywhere = [
        passage for article in sorted({one.article for one in asked}) for passage in articles.passages[article]
    ]
    made = []
    for one in asked:
        found = spans(one)
        if one.answers and not found:
            continue  # the answer was typed otherwise than it stands
        made.append(Example(one.question, one.passage, found))
        if not one.answers:
            continue
        if dice.random() < false_share and (false := articles.falsified(one, dice)):
            made.append(Example(false, one.passage, ()))
        if dice.random() < other_share:
            near = dice.random() < OF_ARTICLE
            others = articles.search(one.article, one.question, CANDIDATES) if near else [dice.choice(everywhere)]
            held = [answer.casefold() for answer in one.answers]
            without = [passage for passage in others if not any(answer in passage.casefold() for answer in held)]
            if without:
                made.append(Example(one.question, dice.choice(without), ()))
    return made

"""Question sets in SQuAD format, and the training examples made from them.

Reads SQuAD 1.1 and 2.0 as published (Rajpurkar et al., 2016 and 2018), and JSON lines with the keys title, context,
question, answers and answerable, also compressed (`.xz`). Adds unanswerable examples: questions paired with passages
that do not answer them, and questions falsified by exchanging a name, a number or a word.
"""

import hashlib
import json
import lzma
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docqa.errors import DocqaError
from docqa.languages import entry
from docqa.search.weights import bm25, rarity
from docqa.text.words import is_dense, terms

NEARBY = 150  # characters on each side of an answer that are searched for words of the question
CANDIDATES = 5  # retrieved passages, one of which is paired with a question that it does not answer
FROM_SAME_ARTICLE = 0.85  # share of these pairs whose passage comes from the question's own article
EVALUATION_ARTICLES, CALIBRATION_ARTICLES = 4, 3  # held out of training
# A capitalised name, but not at the start of a sentence, where every word has a capital; or a number.
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w'’-]+(?:\s+(?:of\s+|the\s+|de\s+)?[A-Z][\w'’-]+)*|(?<= )\d[\d,.]*\b")
_WORD = re.compile(r"[\w']+")
ANTONYM: dict[str, str] = {
    word: opposite
    for pair in entry("training.antonyms", "en")
    for word, opposite in (pair.split(), reversed(pair.split()))
}


@dataclass(frozen=True)
class LabelledQuestion:
    """A question about one passage of an article. Without answers, the passage does not answer it.

    `kind` is the set's own word for the answers, if it has any: `other` for those as long as a clause.
    """

    article: str
    passage: str
    question: str
    answers: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True)
class Example:
    """A training example; `spans` are the (start, end) of the answers in the passage, none if it is unanswerable."""

    question: str
    passage: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Split:
    """The titles of the articles used for each purpose."""

    training: tuple[str, ...]
    evaluation: tuple[str, ...]
    calibration: tuple[str, ...]


def load(paths: Iterable[Path]) -> list[LabelledQuestion]:
    """Load the questions of all files. Raises DocqaError if one cannot be read or is in another format."""
    questions: list[LabelledQuestion] = []
    for path in paths:
        try:
            content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
            questions += _parse(content.decode())
        except (OSError, lzma.LZMAError, ValueError, LookupError, TypeError) as error:
            raise DocqaError(
                f"{path} is not a question set in SQuAD format ({type(error).__name__}: {error})"
            ) from error
    return questions


def save(questions: Iterable[LabelledQuestion], path: Path) -> None:
    """Write the questions as JSON lines, as `load` reads them, compressed if the name ends in `.xz`."""
    rows = (
        {
            "title": question.article,
            "context": question.passage,
            "question": question.question,
            "answers": question.answers,
            "answerable": bool(question.answers),
            "kind": question.kind,
        }
        for question in questions
    )
    content = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
    path.write_bytes(lzma.compress(content) if path.suffix == ".xz" else content)


def load_texts(folder: Path) -> dict[str, list[str]]:
    """Load the `.txt` files of `folder`: file stem → passages, which are separated by blank lines.

    Raises DocqaError if there are none, or one cannot be read.
    """
    try:
        texts = {
            path.stem: re.split(r"\n\s*\n", path.read_text("utf-8").strip()) for path in sorted(folder.glob("*.txt"))
        }
    except (OSError, ValueError) as error:
        raise DocqaError(f"A text in {folder} cannot be read ({type(error).__name__}: {error})") from error
    if not texts:
        raise DocqaError(f"There are no texts in {folder}; their file names must end in .txt")
    return texts


def _parse(content: str) -> Iterator[LabelledQuestion]:
    try:
        whole = json.loads(content)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and "data" in whole:
        for article in whole["data"]:
            for paragraph in article["paragraphs"]:
                for entry in paragraph["qas"]:
                    answers = [] if entry.get("is_impossible") else [answer["text"] for answer in entry["answers"]]
                    yield LabelledQuestion(article["title"], paragraph["context"], entry["question"], tuple(answers))
        return
    for line in content.splitlines():
        flat: dict[str, Any] = json.loads(line)
        yield LabelledQuestion(
            flat["title"],
            flat["context"],
            flat["question"],
            tuple(flat["answers"]) if flat["answerable"] else (),
            flat.get("kind") or "",
        )


def split_articles(questions: Sequence[LabelledQuestion]) -> Split:
    """Hold out whole articles, chosen by the hashes of their titles: reproducible, and not picked by hand.

    Raises DocqaError if no article would be left for training.
    """
    titles = sorted(
        {question.article for question in questions}, key=lambda title: hashlib.sha256(title.encode()).hexdigest()
    )
    held_out = EVALUATION_ARTICLES + CALIBRATION_ARTICLES
    if len(titles) <= held_out:
        raise DocqaError(f"There are {len(titles)} articles; {held_out} are held out of training, so more are needed")
    return Split(
        tuple(titles[held_out:]), tuple(titles[:EVALUATION_ARTICLES]), tuple(titles[EVALUATION_ARTICLES:held_out])
    )


def answer_spans(question: LabelledQuestion) -> tuple[tuple[int, int], ...]:
    """The (start, end) of each distinct answer in the passage.

    Of several occurrences the one with most of the question's words nearby is taken: not all of the supported formats
    give offsets. An answer that does not occur word for word has no span.
    """
    wanted = frozenset(terms(question.question))
    has_spaces = not is_dense(question.passage)

    def shared_terms(span: tuple[int, int]) -> int:
        return len(wanted.intersection(terms(question.passage[max(0, span[0] - NEARBY) : span[1] + NEARBY])))

    spans = []
    for answer in dict.fromkeys(answer.strip() for answer in question.answers):
        pattern = rf"(?<!\w){re.escape(answer)}(?!\w)" if has_spaces else re.escape(answer)
        occurrences = [match.span() for match in re.finditer(pattern, question.passage)] if answer else []
        if occurrences:
            spans.append(max(occurrences, key=shared_terms))
    return tuple(spans)


class Articles:
    """The passages of each article, searchable by BM25."""

    def __init__(self, questions: Iterable[LabelledQuestion]) -> None:
        unique: dict[str, dict[str, None]] = {}
        for question in questions:
            unique.setdefault(question.article, {})[question.passage] = None
        self.passages = {article: list(passages) for article, passages in unique.items()}
        self._terms = {article: [terms(text) for text in passages] for article, passages in self.passages.items()}
        self._names = {
            article: sorted({match[0] for passage in passages for match in _NAME.finditer(passage)})
            for article, passages in self.passages.items()
        }

    def search(self, article: str, question: str, top: int) -> list[str]:
        """The `top` passages of the article with the highest BM25 score, best first."""
        passages = self._terms[article]
        frequency = Counter(term for passage in passages for term in frozenset(passage))
        weights = {
            term: rarity(frequency[term], len(passages)) for term in frozenset(terms(question)) if term in frequency
        }
        scores = bm25(weights, passages)
        ranking = sorted(range(len(passages)), key=lambda index: -scores[index])
        return [self.passages[article][index] for index in ranking[:top]]

    def falsify(self, question: LabelledQuestion, rng: random.Random) -> str | None:
        """The question with a name or number exchanged for another of its article, or a word for its antonym.

        The passage then no longer answers it. None if nothing can be exchanged.
        """
        text = question.question
        replacements = [
            (word.start(), word.end(), ANTONYM[word[0]]) for word in _WORD.finditer(text) if word[0] in ANTONYM
        ]
        for name in _NAME.finditer(text):
            others = [
                other
                for other in self._names[question.article]
                if other[0].isdigit() == name[0][0].isdigit()
                and other.casefold() not in text.casefold()
                and name[0].casefold() not in other.casefold()
            ]
            if others:
                replacements.append((name.start(), name.end(), rng.choice(others)))
        if not replacements:
            return None
        start, end, replacement = rng.choice(replacements)
        return text[:start] + replacement + text[end:]


def make_examples(
    questions: Sequence[LabelledQuestion],
    articles: Articles,
    rng: random.Random,
    falsified_share: float,
    other_passage_share: float,
) -> list[Example]:
    """The examples of one epoch: every question with its passage, plus unanswerable variants of the answerable ones.

    `falsified_share` of the answerable questions are added falsified, and `other_passage_share` with a passage that
    holds none of the answers. Questions whose answers do not occur in the passage are left out.
    """
    titles = sorted({question.article for question in questions})
    all_passages = [passage for article in titles for passage in articles.passages[article]]
    examples = []
    for question in questions:
        spans = answer_spans(question)
        if question.answers and not spans:
            continue
        examples.append(Example(question.question, question.passage, spans))
        if not question.answers:
            continue
        if rng.random() < falsified_share and (falsified := articles.falsify(question, rng)):
            examples.append(Example(falsified, question.passage, ()))
        if rng.random() < other_passage_share:
            same_article = rng.random() < FROM_SAME_ARTICLE
            others = (
                articles.search(question.article, question.question, CANDIDATES)
                if same_article
                else [rng.choice(all_passages)]
            )
            answers = [answer.casefold() for answer in question.answers]
            unanswering = [passage for passage in others if not any(answer in passage.casefold() for answer in answers)]
            if unanswering:
                examples.append(Example(question.question, rng.choice(unanswering), ()))
    return examples

"""Question variants made by rule, for a teacher to score.

Labelled questions with words exchanged or two of them spliced together, and sentences of any text turned into
questions. The variants are many, clumsy, and close to the line between what a passage answers and what it only seems to
answer: that is where labelled questions alone teach a small reader too little.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy

from docqa.languages import entry, pattern, words
from docqa.text.sentences import sentences
from docqa.training.question_sets import CANDIDATES, Articles, LabelledQuestion

if TYPE_CHECKING:
    from docqa.training.reader.network import Network

SUBSTITUTIONS = 5  # variants with exchanged words of each labelled question
SUBSTITUTIONS_OF_GENERATED = 2  # of each generated question
SPLICES = 9  # for each passage with more than one question
ATTEMPTS = 22  # sentences tried for each passage of a text; most are not of a form that makes a question
OTHER_PASSAGE = 0.4  # share of the labelled questions that are also asked of another passage
OTHER_PASSAGE_OF_GENERATED = 0.15

MIN_SIMILARITY = 0.33  # cosine of two words' embeddings
MAX_NEIGHBOURS = 10
STEM = 4  # leading letters that the inflected forms of a word have in common
_WORD = re.compile(r"[A-Za-z]+")
_PARENTHESES = re.compile(r"\([^)]*\)")
_KEPT = words("training.kept", "en")
# Verbs that a question can begin with; the others take "did".
_AUXILIARIES = words("training.auxiliaries", "en")
_INFINITIVE = {past: infinitive for pair in entry("training.past", "en") for past, infinitive in (pair.split(),)}
_PRESENT = entry("training.present", "en")
_CLAUSE = re.compile(rf"(.{{3,80}}?) ({'|'.join((*sorted(_AUXILIARIES), *_INFINITIVE, *_PRESENT))}) (.+)")
_NO_SUBJECT = words("training.no_subject", "en")
_LOWERED = words("training.lowered", "en")
_PREPOSITION = re.compile(rf" ({pattern('training.prepositions', 'en')}) ")
_MONTHS = "|".join(map(str.capitalize, entry("text.months", "en")))
_TIME = re.compile(rf"(?:(?:{pattern('training.before_times', 'en')}) )?(?:\d|{_MONTHS})")
_KINDS = tuple(entry("training.kinds", "en"))


class Neighbours:
    """The nearest words of a word in an encoder's embeddings: synonyms, antonyms and related words.

    One of them may take its place (Jiao et al., "TinyBERT", 2020).
    """

    def __init__(self, network: "Network") -> None:
        vocabulary = {
            word: token
            for word, token in network.tokens.tokenizer.get_vocab().items()
            if re.fullmatch(r"[a-z]{3,}", word)
        }
        embeddings = network.encoder.embeddings.word_embeddings.weight.detach().float().numpy()
        vectors = embeddings[list(vocabulary.values())] - embeddings.mean(0)
        self._vectors = vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)
        self._words, self._index = list(vocabulary), {word: index for index, word in enumerate(vocabulary)}
        self._cache: dict[str, list[str]] = {}

    def of(self, word: str) -> list[str]:
        """Nearest first, without other forms of the word itself; empty for a word that is not a single token."""
        if word not in self._cache:
            index = self._index.get(word)
            similar = self._vectors @ self._vectors[index] if index is not None else numpy.zeros(0)
            nearest = [
                self._words[other]
                for other in numpy.argsort(-similar)[: 2 * MAX_NEIGHBOURS]
                if similar[other] > MIN_SIMILARITY
            ]
            self._cache[word] = [other for other in nearest if other[:STEM] != word[:STEM]][:MAX_NEIGHBOURS]
        return self._cache[word]


def substitute(question: str, neighbours: Neighbours, rng: random.Random) -> str | None:
    """The question with one to three of its words exchanged for neighbours; None if none has any."""
    words = [
        word for word in _WORD.finditer(question) if word[0].lower() not in _KEPT and neighbours.of(word[0].lower())
    ]
    chosen = rng.sample(words, min(len(words), rng.choice((1, 1, 1, 2, 2, 3))))
    for word in sorted(chosen, key=lambda word: -word.start()):
        new = rng.choice(neighbours.of(word[0].lower()))
        new = new.capitalize() if word[0][0].isupper() else new
        question = question[: word.start()] + new + question[word.end() :]
    return question if words else None


def splice(beginning: str, ending: str, rng: random.Random) -> str | None:
    """The beginning of one question with the end of another; None if either has fewer than five words."""
    first, last = beginning.split(), ending.split()
    if min(len(first), len(last)) < 5:
        return None
    return " ".join(first[: rng.randrange(2, len(first) - 1)] + last[rng.randrange(2, len(last) - 1) :])


def question_about(passage: str, rng: random.Random) -> str | None:
    """A question made of a random sentence of the passage; None if that has no suitable form.

    After "cloze translation" (Lewis, Denoyer and Riedel, 2019).
    """
    bounds = slice(*rng.choice(sentences(passage) or [(0, 0)]))
    sentence = " ".join(_PARENTHESES.sub("", passage[bounds].rstrip(".")).split())
    clause = _CLAUSE.match(sentence) if len(sentence.split()) in range(6, 46) else None
    if not clause:
        return None
    subject, verb, rest = clause[1], clause[2], re.split("[;:]" if rng.random() < 0.4 else "[;:,]", clause[3])[0]
    first = subject.split()[0]
    if len(subject.split()) > 8 or "," in subject or first in _NO_SUBJECT or subject.count('"') % 2 or not rest.strip():
        return None
    if first in _LOWERED:
        subject = subject[0].lower() + subject[1:]
    if rng.random() < 0.4:
        word = rng.choice(("What", "What", "Who", f"Which {rng.choice(_KINDS)}"))
        question = f"{word} {verb} {_first_words(rest, 4, 14, rng)}"
    elif verb in _AUXILIARIES:
        question = _with_auxiliary(subject, verb, rest, rng)
    elif verb in _INFINITIVE:
        words = rest.split()
        end = " ".join(words[rng.randrange(max(1, len(words) - 1)) :][:10]) if rng.random() < 0.6 else ""
        word = rng.choice(("What", "What", "When", "Where", "Who", "Why", "How"))
        question = f"{word} did {subject} {_INFINITIVE[verb]} {end}"
    else:
        return None
    question = " ".join(question.split()).rstrip(" ,") + "?"
    return question if len(question.split()) in range(4, 27) else None


def _with_auxiliary(subject: str, verb: str, rest: str, rng: random.Random) -> str:
    """A question for the words behind one of the prepositions, or sometimes a looser one."""
    prepositions = list(_PREPOSITION.finditer(rest))
    if not prepositions or rng.random() < 0.2:
        return f"{rng.choice(('What', 'What', 'How', 'Why'))} {verb} {subject} {_first_words(rest, 2, 7, rng)}"
    match = rng.choice(prepositions)
    clause, preposition, detail = f"{verb} {subject} {rest[: match.start()]}", match[1], rest[match.end() :]
    if preposition in ("in", "on", "from", "by", "during", "before", "after") and _TIME.match(detail):
        return f"{rng.choice(('When', 'In what year', 'On what date' if preposition == 'on' else 'When'))} {clause}"
    if preposition == "by":
        return rng.choice((f"Who {clause} by", f"By whom {clause}", f"What {clause} by"))
    if preposition in ("in", "at", "on"):
        return f"{rng.choice(('Where', 'In what', 'What'))} {clause} {rng.choice(('', preposition))}"
    return f"Why {clause}" if preposition in ("because", "for") else f"What {clause} {preposition}"


def _first_words(text: str, fewest: int, most: int, rng: random.Random) -> str:
    return " ".join(text.split()[: rng.randrange(fewest, most)])


def variants_of(
    questions: Sequence[LabelledQuestion],
    generated: Sequence[tuple[str, str]],
    articles: Articles,
    neighbours: Neighbours,
    rng: random.Random,
) -> list[tuple[str, str]]:
    """(question, passage) pairs made of labelled questions and of `generated` pairs about the same passages."""
    pairs: list[tuple[str | None, str]] = []
    title = {labelled.passage: labelled.article for labelled in questions}
    by_passage: dict[str, list[str]] = {}
    for labelled in questions:
        question = labelled.question.strip()
        by_passage.setdefault(labelled.passage, []).append(question)
        pairs += [(substitute(question, neighbours, rng), labelled.passage) for _ in range(SUBSTITUTIONS)]
        if labelled.answers:
            pairs.append((articles.falsify(labelled, rng), labelled.passage))
        if rng.random() < OTHER_PASSAGE:
            pairs.append((question, _other_passage(labelled, articles, rng)))
    for question, passage in generated:
        pairs += [(substitute(question, neighbours, rng), passage) for _ in range(SUBSTITUTIONS_OF_GENERATED)]
        if rng.random() < OTHER_PASSAGE_OF_GENERATED:
            pairs.append((question, rng.choice(articles.search(title[passage], question, CANDIDATES))))
    for passage, about in by_passage.items():
        if len(about) > 1:
            for _ in range(SPLICES):
                beginning, ending = rng.sample(about, 2)
                pairs.append((splice(beginning, ending, rng), passage))
    return [(question, passage) for question, passage in pairs if question]


def questions_about_texts(
    texts: Mapping[str, Sequence[str]], neighbours: Neighbours, rng: random.Random
) -> list[tuple[str, str]]:
    """(question, passage) pairs about the passages of texts, given by title, for which there are no questions."""
    blank = [LabelledQuestion(title, passage, "", ("",)) for title, passages in texts.items() for passage in passages]
    articles = Articles(blank)
    pairs: list[tuple[str | None, str]] = []
    for labelled in blank:
        passage = labelled.passage
        for question in [made for _ in range(ATTEMPTS) if (made := question_about(passage, rng))]:
            made_about, kind = replace(labelled, question=question), rng.random()
            if kind < 0.45:
                pairs.append((question, passage))
            elif kind < 0.75:
                pairs.append((substitute(question, neighbours, rng), passage))
            elif kind < 0.9:
                pairs.append((articles.falsify(made_about, rng), passage))
            else:
                pairs.append((question, _other_passage(made_about, articles, rng)))
    return [(question, passage) for question, passage in pairs if question]


def _other_passage(labelled: LabelledQuestion, articles: Articles, rng: random.Random) -> str:
    """A passage of the article that search ranks high for the question; not its own if there is another."""
    retrieved = articles.search(labelled.article, labelled.question, CANDIDATES)
    return rng.choice([passage for passage in retrieved if passage != labelled.passage] or retrieved)

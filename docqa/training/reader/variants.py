"""Questions made by rule, for a teacher to judge: known ones with words exchanged or two of them joined, and sentences of any text turned into questions.

They are many, clumsy, and near the line between what a passage answers and what it only seems to: just there a small reader learns too little from known questions.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy

from docqa.models.reader.network import Network
from docqa.text.sentences import sentences
from docqa.training.question_sets import CANDIDATES, Articles, Asked

# For each question or passage. Those of texts get as many tries, most of which find no sentence of the right form.
CHANGED = 5
CHANGED_OF_MADE = 2
SPLICED = 9
TRIED = 22
ELSEWHERE = 0.4
STRAYED = 0.15

SIMILAR = 0.33  # cosine of two words
KIN = 10  # words
STEM = 4  # letters that two forms of one word begin with
_WORD = re.compile(r"[A-Za-z]+")
_BRACKETED = re.compile(r"\([^)]*\)")
_WORDS_KEPT = (
    "the a an of to and or in on at by for with from as is was were are be been do does did has have had what who when where which why how whom whose that this"
    " it its he she they his her their name type kind"
)
_KEPT = frozenset(_WORDS_KEPT.split())
# A question begins with these verbs; "did" goes with the others.
_ASKING = frozenset(("was", "were", "is", "are", "can", "could", "may", "will", "would", "has", "had"))
_PAST = (
    "became become|began begin|won win|made make|led lead|used use|remained remain|served serve|wrote write|formed form|caused cause|took take|gave give"
    "|included include|held hold|received receive|produced produce|established establish|founded found|created create|defeated defeat|published publish"
    "|developed develop|married marry|died die|moved move|ended end|resulted result"
)
_INFINITIVE = {past: infinitive for pair in _PAST.split("|") for past, infinitive in (pair.split(),)}
_CLAUSE = re.compile(
    rf"(.{{3,80}}?) ({'|'.join((*sorted(_ASKING), *_INFINITIVE, 'includes', 'contains', 'refers', 'means', 'provides', 'occurs'))}) (.+)"
)
_WORDS_BEFORE = (
    "However Although In While Due Because During After Before When If As By At On From For To With Since There Typically Given Among Under Over Through Despite"
    " Unlike Like Such Also Thus Therefore But And Or Then More Most Until Where He She It They This These That"
)
_NO_SUBJECT = frozenset(_WORDS_BEFORE.split())
_LOWERED = frozenset(
    ("The", "A", "An", "His", "Her", "Their", "Its", "Some", "Many", "Several", "Other", "Another", "All", "Both")
)
_DETAIL = re.compile(r" (in|on|by|at|from|for|with|to|of|because|after|before|during|as) ")
_TIME = re.compile(
    r"(?:early |late |the )?(?:\d|January|February|March|April|May|June|July|August|September|October|November|December)"
)
_KINDS = ("person", "country", "people", "group", "organization", "event", "thing", "place", "book", "theory")


class Neighbours:
    """Words beside a word among the embeddings of an encoder: its synonyms, opposites and kin, of which one may be put in its place (Jiao et al., "TinyBERT", 2020)."""

    def __init__(self, network: Network) -> None:
        whole = {
            word: token for word, token in network.tokenizer.get_vocab().items() if re.fullmatch(r"[a-z]{3,}", word)
        }
        embeddings = network.encoder.get_input_embeddings().weight.detach().float().numpy()
        vectors = embeddings[list(whole.values())] - embeddings.mean(0)
        self._vectors = vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)
        self._words, self._at = list(whole), {word: index for index, word in enumerate(whole)}
        self._found: dict[str, list[str]] = {}

    def of(self, word: str) -> list[str]:
        """Nearest first, without other forms of the word itself; none for a word that the encoder reads in pieces."""
        if word not in self._found:
            index = self._at.get(word)
            similar = self._vectors @ self._vectors[index] if index is not None else numpy.zeros(0)
            nearest = [int(other) for other in numpy.argsort(-similar)[: 2 * KIN] if similar[other] > SIMILAR]
            self._found[word] = [self._words[other] for other in nearest if self._words[other][:STEM] != word[:STEM]][
                :KIN
            ]
        return self._found[word]


def changed(question: str, neighbours: Neighbours, dice: random.Random) -> str | None:
    """The question with one to three of its words exchanged; None where none can be."""
    words = [
        word for word in _WORD.finditer(question) if word[0].lower() not in _KEPT and neighbours.of(word[0].lower())
    ]
    for word in sorted(
        dice.sample(words, min(len(words), dice.choice((1, 1, 1, 2, 2, 3)))), key=lambda word: -word.start()
    ):
        new = dice.choice(neighbours.of(word[0].lower()))
        question = (
            question[: word.start()] + (new.capitalize() if word[0][0].isupper() else new) + question[word.end() :]
        )
    return question if words else None


def spliced(one: str, other: str, dice: random.Random) -> str | None:
    """The beginning of one question with the end of the other; None where one is too short."""
    begun, ended = one.split(), other.split()
    if min(len(begun), len(ended)) < 5:
        return None
    return " ".join(begun[: dice.randrange(2, len(begun) - 1)] + ended[dice.randrange(2, len(ended) - 1) :])


def about(passage: str, dice: random.Random) -> str | None:
    """A question made of one sentence of the passage (after Lewis, Denoyer and Riedel, "cloze translation", 2019); None where the sentence has another form."""
    chosen = slice(*dice.choice(sentences(passage) or [(0, 0)]))
    sentence = " ".join(_BRACKETED.sub("", passage[chosen].rstrip(".")).split())
    clause = _CLAUSE.match(sentence) if len(sentence.split()) in range(6, 46) else None
    if not clause:
        return None
    subject, verb, rest = clause[1], clause[2], re.split("[;:]" if dice.random() < 0.4 else "[;:,]", clause[3])[0]
    first = subject.split()[0]
    if len(subject.split()) > 8 or "," in subject or first in _NO_SUBJECT or subject.count('"') % 2 or not rest.strip():
        return None
    if first in _LOWERED:
        subject = subject[0].lower() + subject[1:]
    if dice.random() < 0.4:
        asked = (
            f"{dice.choice(('What', 'What', 'Who', f'Which {dice.choice(_KINDS)}'))} {verb} {_some(rest, 4, 14, dice)}"
        )
    elif verb in _ASKING:
        asked = _detail(subject, verb, rest, dice)
    elif verb in _INFINITIVE:
        words = rest.split()
        end = " ".join(words[dice.randrange(max(1, len(words) - 1)) :][:10]) if dice.random() < 0.6 else ""
        asked = f"{dice.choice(('What', 'What', 'When', 'Where', 'Who', 'Why', 'How'))} did {subject} {_INFINITIVE[verb]} {end}"
    else:
        return None
    asked = " ".join(asked.split()).rstrip(" ,") + "?"
    return asked if len(asked.split()) in range(4, 27) else None


def _detail(subject: str, verb: str, rest: str, dice: random.Random) -> str:
    """Asks for what stands behind one of the prepositions."""
    details = list(_DETAIL.finditer(rest))
    if not details or dice.random() < 0.2:
        return f"{dice.choice(('What', 'What', 'How', 'Why'))} {verb} {subject} {_some(rest, 2, 7, dice)}"
    detail = dice.choice(details)
    stated, how, what = f"{verb} {subject} {rest[: detail.start()]}", detail[1], rest[detail.end() :]
    if how in ("in", "on", "from", "by", "during", "before", "after") and _TIME.match(what):
        return f"{dice.choice(('When', 'In what year', 'On what date' if how == 'on' else 'When'))} {stated}"
    if how == "by":
        return dice.choice((f"Who {stated} by", f"By whom {stated}", f"What {stated} by"))
    if how in ("in", "at", "on"):
        return f"{dice.choice(('Where', 'In what', 'What'))} {stated} {dice.choice(('', how))}"
    return f"Why {stated}" if how in ("because", "for") else f"What {stated} {how}"


def _some(text: str, fewest: int, most: int, dice: random.Random) -> str:
    return " ".join(text.split()[: dice.randrange(fewest, most)])


def of_known(
    learnt: Sequence[Asked],
    made: Sequence[tuple[str, str]],
    articles: Articles,
    neighbours: Neighbours,
    dice: random.Random,
) -> list[tuple[str, str]]:
    """(question, passage) pairs made of the known questions and of the `made` ones about the same passages."""
    found: list[tuple[str | None, str]] = []
    title = {one.passage: one.article for one in learnt}
    questions: dict[str, list[str]] = {}
    for one in learnt:
        question = one.question.strip()
        questions.setdefault(one.passage, []).append(question)
        found += [(changed(question, neighbours, dice), one.passage) for _ in range(CHANGED)]
        if one.answers:
            found.append((articles.falsified(one, dice), one.passage))
        if dice.random() < ELSEWHERE:
            found.append((question, _another(one, articles, dice)))
    for question, passage in made:
        found += [(changed(question, neighbours, dice), passage) for _ in range(CHANGED_OF_MADE)]
        if dice.random() < STRAYED:
            found.append((question, dice.choice(articles.search(title[passage], question, CANDIDATES))))
    for passage, asked in questions.items():
        if len(asked) > 1:
            for _ in range(SPLICED):
                one_of_them, other = dice.sample(asked, 2)
                found.append((spliced(one_of_them, other, dice), passage))
    return [(question, passage) for question, passage in found if question]


def of_texts(texts: Mapping[str, Sequence[str]], neighbours: Neighbours, dice: random.Random) -> list[tuple[str, str]]:
    """(question, passage) pairs about the passages of texts by title that nobody has asked about."""
    read = [Asked(title, passage, "", ("",)) for title, passages in texts.items() for passage in passages]
    articles = Articles(read)
    found: list[tuple[str | None, str]] = []
    for one in read:
        for question in [made for _ in range(TRIED) if (made := about(one.passage, dice))]:
            asked, kind = replace(one, question=question), dice.random()
            if kind < 0.45:
                found.append((question, one.passage))
            elif kind < 0.75:
                found.append((changed(question, neighbours, dice), one.passage))
            elif kind < 0.9:
                found.append((articles.falsified(asked, dice), one.passage))
            else:
                found.append((question, _another(asked, articles, dice)))
    return [(question, passage) for question, passage in found if question]


def _another(one: Asked, articles: Articles, dice: random.Random) -> str:
    """A passage of the article that search finds for the question, another one where there is any."""
    near = articles.search(one.article, one.question, CANDIDATES)
    return dice.choice([passage for passage in near if passage != one.passage] or near)

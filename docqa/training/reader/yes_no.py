"""Yes/no questions made by rule from questions with answers and from statements.

"When was the bridge built?" with the answer "1907" becomes "Was the bridge built in 1907?": yes. With another date of
the passage it is no; with a name exchanged it is not yes; in another passage it is neither. The statement "The bridge
is not open" says no to "Is the bridge open?".
"""

import random
import re
from typing import NamedTuple

from docqa.models.reader.network import NEITHER, NO, YES
from docqa.text.sentences import sentences
from docqa.training.question_sets import ANTONYM, LabelledQuestion, answer_spans

BE = "is|are|was|were"
AUXILIARIES = f"{BE}|can|could|may|will|would|has|had|have|must|should|does|do|did"
BEGINS = re.compile(rf"(?:{AUXILIARIES})\b", re.IGNORECASE)
_ADVERBIAL = re.compile(rf"(?:when|where|in (?:what|which) \w+|how) ({AUXILIARIES}) (.+)", re.IGNORECASE)
_OBJECT = re.compile(r"(?:what|who|whom) (did|does|do|can|could|will|would) (.+)", re.IGNORECASE)
_SUBJECT = re.compile(rf"(?:who|what|which \w+) ({BE}|can|could|will|would|has|had) (.+)", re.IGNORECASE)
_COUNT = re.compile(r"how (?:many|much) ([\w' -]+?) (did|does|do|were|are|was|is|has|had|can) (.+)", re.IGNORECASE)
_STATEMENT = re.compile(rf"((?:The|This|It|He|She|They|An?|All|[A-Z]\w+)\b[^,;:()\n]{{0,60}}?) ({AUXILIARIES}) (.+)")
_PREPOSITION = re.compile(r"\b(in|on|at|by|from|during|since|to|with|for|around|near)\s+(?:the\s+)?$", re.IGNORECASE)
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_NAME = re.compile(r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_DETERMINER = re.compile(r"^(?:The|This|An?|All|It|He|She|They)\b")
_NOT = re.compile(r"\b(?:not|never|no longer)\b ?", re.IGNORECASE)
LONGEST_ANSWER = 8  # words
WORDS = range(4, 26)  # of a question


class YesNoQuestion(NamedTuple):
    """A question, the passage, the evidence in it, and the classes of which any may be the right one."""

    question: str
    passage: str
    evidence: tuple[int, int]
    classes: tuple[int, ...]


def from_question(labelled: LabelledQuestion, rng: random.Random) -> YesNoQuestion | None:
    """A yes/no question made of a question with an answer, or of an unanswerable one; None if it has no such form."""
    spans = answer_spans(labelled)
    passage = labelled.passage
    if not spans or len(passage[slice(*spans[0])].split()) > LONGEST_ANSWER:
        return None
    start, end = spans[0]
    answer = passage[start:end]
    classes: tuple[int, ...] = (YES,)
    if rng.random() < 0.55:
        other = _other_like(answer, passage, labelled, rng)
        if other is None:
            return None
        answer, classes = other, (NO,)
    elif rng.random() < 0.25 and (opposite := _opposite(labelled.question, rng)):
        labelled, classes = LabelledQuestion(labelled.article, passage, opposite, labelled.answers), (NO, NEITHER)
    question = _asked_of(labelled.question, answer, passage[max(0, start - 20) : start])
    return YesNoQuestion(question, passage, _sentence(passage, start), classes) if question else None


def _asked_of(question: str, answer: str, before: str) -> str | None:
    """The yes/no question whether `answer` answers `question`; `before` is the text in front of the answer."""
    body = question.strip().rstrip("?. ")
    if match := _COUNT.fullmatch(body):
        made = f"{match[2]} {match[3]} {answer} {match[1]}"
        if match[2].lower() in ("were", "are", "was", "is"):
            made = (
                f"{match[2]} {answer} {match[1]} {match[3]}"
                if not match[3].startswith("there")
                else (f"{match[2]} there {answer} {match[1]} {match[3].removeprefix('there ')}")
            )
    elif match := _ADVERBIAL.fullmatch(body):
        preposition = _PREPOSITION.search(before)
        made = f"{match[1]} {match[2]} {preposition[1].lower() + ' ' if preposition else ''}{answer}"
    elif match := _OBJECT.fullmatch(body):
        made = f"{match[1]} {match[2]} {answer}"
    elif match := _SUBJECT.fullmatch(body):
        made = f"{match[1]} {answer} {match[2]}"
    else:
        return None
    made = made[0].upper() + made[1:] + "?"
    return made if len(made.split()) in WORDS else None


def _other_like(answer: str, passage: str, labelled: LabelledQuestion, rng: random.Random) -> str | None:
    """Another number for a number, another name for a name; sometimes a number that the passage does not contain."""
    if number := _NUMBER.search(answer):
        others = [match[0] for match in _NUMBER.finditer(passage) if match[0] not in answer and len(match[0]) > 1]
        changed = str(int(number[0]) + rng.choice((-10, -2, -1, 1, 3, 10, 100))) if number[0].isdigit() else ""
        same = [other for other in others if len(other) == len(number[0])]
        candidates = same + [changed] * (changed != "" and not changed.startswith("-"))
        return answer.replace(number[0], rng.choice(candidates)) if candidates else None
    if _NAME.fullmatch(answer):
        wording = labelled.question.casefold()
        names = [match[0] for match in _NAME.finditer(passage) if match.start() and passage[match.start() - 2] != "."]
        others = [
            name for name in names if name not in answer and answer not in name and name.casefold() not in wording
        ]
        return rng.choice(others) if others else None
    return None


def _opposite(text: str, rng: random.Random) -> str | None:
    words = [match for match in re.finditer(r"[\w']+", text) if match[0] in ANTONYM]
    if not words:
        return None
    word = rng.choice(words)
    return text[: word.start()] + ANTONYM[word[0]] + text[word.end() :]


def _sentence(passage: str, position: int) -> tuple[int, int]:
    bounds = sentences(passage) or [(0, len(passage))]
    return max((each for each in bounds if each[0] <= position), default=bounds[0])


def from_statement(passage: str, rng: random.Random) -> YesNoQuestion | None:
    """A yes/no question about a random sentence of the passage; None if that has no suitable form.

    A number or a word is exchanged in a third of them, and in another third the passage itself is negated.
    """
    bounds = sentences(passage)
    if not bounds:
        return None
    start, end = rng.choice(bounds)
    match = _STATEMENT.fullmatch(passage[start:end].rstrip(". "))
    if not match:
        return None
    subject, auxiliary, rest = match[1], match[2], re.split("[;:,]| - ", match[3])[0].strip()
    denied = bool(_NOT.match(rest))
    rest = _NOT.sub("", rest, count=1) if denied else rest
    subject = subject[0].lower() + subject[1:] if _DETERMINER.match(subject) else subject
    body, kind = f"{subject} {rest}", rng.random()
    classes: tuple[int, ...] = (NO if denied else YES,)
    if kind < 0.35 and not denied:
        changed = _changed(body, rng)
        if changed is None:
            return None
        body, classes = changed
    elif kind < 0.65 and not denied and auxiliary not in ("do", "does", "did"):
        at = start + match.end(2)
        passage, end, classes = passage[:at] + " not" + passage[at:], end + len(" not"), (NO,)
    question = f"{auxiliary.capitalize()} {body}?"
    return YesNoQuestion(question, passage, (start, end), classes) if len(question.split()) in WORDS else None


def _changed(body: str, rng: random.Random) -> tuple[str, tuple[int, ...]] | None:
    numbers = [match for match in _NUMBER.finditer(body) if match[0].isdigit()]
    if numbers:
        number = rng.choice(numbers)
        other = str(int(number[0]) + rng.choice((-1, 1, 2, 5, 10, 20)))
        return body[: number.start()] + other + body[number.end() :], (NO,)
    opposite = _opposite(body, rng)
    return (opposite, (NO,)) if opposite else None

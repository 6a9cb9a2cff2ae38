"""Question sets in another language, by a translator that is a command: text in, text out, paragraphs apart by a blank
line, such as `apertium -u eng-spa` (Forcada et al., "Apertium", 2011).

A passage, its questions and its answers are translated each by itself; an answer is then looked for in the passage. A
translator that works word by word says the same in both, for six answers of seven.
"""

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence

from docqa.errors import DocqaError
from docqa.training.question_sets import LabelledQuestion

ANSWERS = 3  # of a question that are looked for
AT_ONCE = 400  # texts
Translate = Callable[[str], str]


def translator(command: str) -> Translate:
    """The command, run by the shell. It raises DocqaError with what the command wrote where that fails."""

    def translate(text: str) -> str:
        done = subprocess.run(command, shell=True, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DocqaError(f"`{command}` failed ({done.returncode}): {done.stderr.strip()[:200]}")
        return done.stdout

    return translate


def translated(questions: Sequence[LabelledQuestion], translate: Translate) -> list[LabelledQuestion]:
    """The questions in the translator's language, but those of which no answer is found again."""
    passages = _by_text((question.passage for question in questions), translate)
    questioned = _by_text((question.question for question in questions), translate)
    answers = _by_text((answer for question in questions for answer in question.answers[:ANSWERS]), translate)
    made: list[LabelledQuestion] = []
    for question in questions:
        passage = passages[question.passage]
        kept = tuple(dict.fromkeys(_standing(question.answers[:ANSWERS], answers, passage)))
        if bool(kept) == bool(question.answers):
            made.append(LabelledQuestion(question.article, passage, questioned[question.question], kept, question.kind))
    return made


def _by_text(texts: Iterable[str], translate: Translate) -> dict[str, str]:
    """Each text with its translation; where a translator loses count, of some at once, each is translated by itself."""
    distinct, translations = list(dict.fromkeys(texts)), dict[str, str]()
    for start in range(0, len(distinct), AT_ONCE):
        some = distinct[start : start + AT_ONCE]
        done = _paragraphs(translate("".join(f"{_line(text)}\n\n" for text in some)))
        if len(done) != len(some):
            done = [_line(translate(f"{_line(text)}\n\n")) for text in some]
        translations |= zip(some, done, strict=True)
    return translations


def _paragraphs(text: str) -> list[str]:
    return [_line(paragraph) for paragraph in text.strip("\n").split("\n\n")]


def _line(text: str) -> str:
    return " ".join(text.split())


def _standing(answers: Sequence[str], translations: dict[str, str], passage: str) -> Iterator[str]:
    """Those of the answers that stand in the passage as whole words, translated, or as they were, as names do."""
    folded = passage.casefold()
    for answer in answers:
        for said in (translations[answer].strip(" ."), answer):
            start = folded.find(said.casefold()) if said else -1
            end = start + len(said)
            if start >= 0 and not passage[max(0, start - 1) : start].isalnum() and not passage[end : end + 1].isalnum():
                yield passage[start:end]
                break

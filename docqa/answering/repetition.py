"""A model that goes round in circles, as small ones do until their tokens are spent."""

from docqa.text.sentences import sentences
from docqa.text.words import terms

LEAST = 20  # characters: what is shorter may well be said twice
TIMES = 2  # sentences one after the other that were said before: the head of a second table is one


class Repetition:
    """Follows the sentences of one answer."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._again = 0
        self._open = ""

    def repeats(self, piece: str) -> bool:
        """Whether, with this piece of the answer, the last sentences that have ended were all said before."""
        self._open += piece
        *lines, last = self._open.split("\n")
        spans = sentences(last)
        ended = [line[start:end] for line in lines for start, end in sentences(line)] + [
            last[start:end] for start, end in spans[:-1]
        ]
        self._open = last[spans[-1][0] :] if spans else last
        for sentence in ended:
            self._note(" ".join(sentence.split()))
        return self._again >= TIMES

    def _note(self, sentence: str) -> None:
        if len(sentence) >= LEAST and terms(sentence):
            self._again = self._again + 1 if sentence in self._said else 0
            self._said.add(sentence)

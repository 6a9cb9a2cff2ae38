"""What a model writes, passed on sentence by sentence, each once it has been compared with the evidence.

Where the answer begins with what no unit states, the extract is shown in its place, and the model is stopped: a wrong
answer is not worth its second sentence, and the extract is at hand. Later the unit that is about the same is quoted,
unless it was; where there is none, and in a table or a task, the sentence is marked. A small model is stopped at once,
since it goes on as it began; in its summaries such sentences are left out.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from docqa.answering.evidence import Evidence, Piece
from docqa.answering.grounds import ABOUT, Grounds, Verdict
from docqa.answering.polarity import is_affirmed
from docqa.answering.quoting import said
from docqa.answering.stated import Stated, stated_in, words_of
from docqa.languages import phrase
from docqa.questions.question import Question
from docqa.text.sentences import sentences
from docqa.text.words import is_dense, terms

_MARK = re.compile(r"\s*[\[【]\^?\d{1,3}(?:[,;\s–-]+\d{1,3}){0,9}[\]】]")
# What may be the beginning of a mark, and the space before it.
_UNDECIDED = re.compile(r"\s*(?:[\[【][\^\d,;\s–-]{0,50})?\Z")
_WORD = re.compile(r"\s*\S+")
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.)])\s+")
MOST_EMPTY = 4
NUMBERS = ("fact", "number", "count")  # the kinds of questions that a number answers
SENDING = 0.003  # seconds that a prompt takes to be on its way
_WIDE = "（"  # brings its own space


class Checked:
    """One answer. `extract` is what is shown where the model begins with what is wrong, None for a summary; `replaced`
    says that it was. `strict` is for small models, as in `Grounds`."""

    def __init__(
        self,
        question: Question,
        evidence: Sequence[Evidence],
        extract: AsyncGenerator[Piece, None] | None,
        *,
        strict: bool,
    ) -> None:
        self.replaced = False
        self._question, self._evidence, self._extract = question, evidence, extract
        self._strict = strict and question.kind != "task"  # what is made up there was asked for
        self._language = question.answer_language
        # A summary has no subject but the document.
        self._part = question.parts[0] if question.parts and extract else None
        self._split = Splitter()
        self._grounds: Grounds | None = None
        self._shown: list[frozenset[str]] = []  # the terms of each sentence that was shown
        self._opening = ""  # yes or no, or a line that leads on, till what follows has been checked
        self._empty = 0  # sentences without a word
        self._done = False

    @property
    def says_nothing(self) -> bool:
        """Whether nothing has been shown so far."""
        return not self._shown and not self.replaced

    async def pieces(self, written: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece, None]:
        """The sentences that are stated, or what stands in their place."""
        reading = asyncio.create_task(self._meanwhile())
        try:
            async with aclosing(written):
                async for piece in written:
                    if self._grounds is None:
                        self._grounds = await reading
                        if piece.earlier:
                            self._grounds = await asyncio.to_thread(self._grounds.with_earlier, piece.earlier)
                    for sentence in self._split.add(piece.text):
                        for checked in await asyncio.to_thread(self._checked, sentence):
                            yield checked
                        if self._done:
                            break
                    if self._done:
                        break
            if not self._done:
                for sentence in self._split.rest():
                    if self._is_cut_off(sentence):
                        break
                    for checked in await asyncio.to_thread(self._checked, sentence):
                        yield checked
            if self._extract and not self._shown:
                self.replaced = True
                async for piece in self._extract:
                    yield piece
            elif self._opening:
                yield Piece(self._opening)
        finally:
            reading.cancel()
            if self._extract:
                await self._extract.aclose()

    async def _meanwhile(self) -> Grounds:
        """The grounds, made while the model reads its prompt, which is sent first: both want the interpreter."""
        await asyncio.sleep(SENDING)
        return await asyncio.to_thread(self._read)

    def _read(self) -> Grounds:
        stated = stated_in(self._evidence, self._language)
        return Grounds(stated, self._language, part=self._part, strict=self._strict)

    def _is_cut_off(self, sentence: str) -> bool:
        """Whether a small model was stopped in the middle of this sentence, which others precede."""
        plain = sentence.strip()
        return self._strict and bool(self._shown) and not _ITEM.match(plain) and plain[-1:].isalnum()

    def _checked(self, sentence: str) -> list[Piece]:
        """What is shown for a sentence."""
        assert self._grounds is not None
        own = frozenset(terms(sentence))
        is_bare = not any(map(str.isalpha, sentence))  # a number, or the mark of an item without one
        if not own or is_bare and self._strict and self._question.kind not in NUMBERS:
            self._empty += 1
            self._done = self._strict and self._empty > MOST_EMPTY  # it counts, or draws lines
            return [Piece(sentence)] if self._shown else []
        if phrase("phrases.not_found", self._language) in " ".join(sentence.split()):
            self._shown.append(own)
            return [Piece(sentence)]
        if (
            not self._shown
            and not self._opening
            and (sentence.rstrip()[-1:] in ":：" or self._is_answer_word(sentence))
        ):
            self._opening = sentence
            return []
        verdict = self._grounds.judge(sentence.strip().rstrip(".") if is_bare else sentence)
        if verdict.is_wrong or self._contradicts_itself(sentence):
            return self._replaced(sentence)
        if own in self._shown:
            return []
        first = not self._shown
        self._shown.append(own)
        text = self._opened(sentence, verdict).lstrip() if first else sentence
        self._opening = ""
        return [Piece(text, rests_on=verdict.passages)]

    def _replaced(self, sentence: str) -> list[Piece]:
        """What stands in the place of a sentence that is wrong; nothing where the extract will."""
        if not self._shown and self._extract:
            self._done = True
            return []
        assert self._grounds is not None
        self._done = self._strict and self._extract is not None
        if self._strict and self._extract is None:
            return []
        nearest = self._grounds.nearest(sentence)
        opening, self._opening = self._opening, ""
        if nearest is None or self._question.kind == "task" or sentence.lstrip().startswith("|"):
            if self._strict:
                return []
            self._shown.append(frozenset(terms(sentence)))
            unfounded = phrase("phrases.unfounded", self._language)
            sentence = sentence.rstrip()
            return [Piece(opening + sentence + (unfounded if unfounded[0] in _WIDE else f" {unfounded}"))]
        text = self._quotation(nearest)
        own = frozenset(terms(text))
        if any(own <= shown or shown <= own for shown in self._shown):
            return []
        self._shown.append(own)
        gap = sentence[: len(sentence) - len(sentence.lstrip())]
        item = _ITEM.match(sentence)
        return [Piece(f"{opening}{item[0] if item else gap}{text}", nearest.passage)]

    def _quotation(self, nearest: Stated) -> str:
        if nearest.unit is None or nearest.passage is None:
            return " ".join(nearest.text.split())
        return said(self._evidence[nearest.passage], nearest.unit, self._language)

    def _is_answer_word(self, sentence: str) -> bool:
        """Whether the sentence is nothing but yes or no, where that is asked."""
        plain = sentence.strip(" \n*.,:;!，。：").casefold()
        answers = [phrase(f"polarity.{word}", self._language).casefold() for word in ("yes", "no")]
        return self._question.kind == "whether" and plain in answers

    def _begins_with(self, sentence: str) -> str:
        """ "yes" or "no", where the answer begins with it."""
        plain = (self._opening or sentence).lstrip(" \n*").casefold()
        for word in ("yes", "no"):
            known = phrase(f"polarity.{word}", self._language).casefold()
            if plain.startswith(known) and not plain[len(known) : len(known) + 1].isalnum():
                return word
        return ""

    def _contradicts_itself(self, sentence: str) -> bool:
        """Whether the answer begins with yes and then denies, or with no and then affirms."""
        if self._question.kind != "whether" or self._shown or not (word := self._begins_with(sentence)):
            return False
        statement = sentence if self._opening else _WORD.sub("", sentence, count=1)
        part = self._question.parts[0]
        about = words_of(" ".join(part.content), self._language)
        # "Yes, but not on Mondays" denies something else.
        if len(about & words_of(statement, self._language)) < ABOUT * len(about):
            return False
        affirmed = is_affirmed(part, statement, self._language)
        return affirmed is not None and affirmed != (word == "yes")

    def _opened(self, sentence: str, verdict: Verdict) -> str:
        """The first sentence after yes or no, where that is asked: the model's own, else what its source says."""
        if self._question.kind != "whether" or self._begins_with(sentence):
            return self._opening + sentence
        affirmed = None
        if verdict.passages:
            affirmed = is_affirmed(self._question.parts[0], sentence, self._language)
        if affirmed is None:
            return sentence
        word = phrase("polarity.yes" if affirmed else "polarity.no", self._language)
        return f"{word}{'：' if is_dense(word) else ': '}{sentence.lstrip()}"


class Splitter:
    """Cuts what a model writes into sentences, however its tokens are cut, without its own marks of sources; a line
    ends a sentence. The space before a sentence belongs to it."""

    def __init__(self) -> None:
        self._held = ""  # may be the beginning of a mark
        self._sentence = ""

    def add(self, text: str) -> Iterator[str]:
        """The sentences that are over with these further characters."""
        self._held += text
        ready = _UNDECIDED.sub("", self._held, count=1)
        self._held = self._held[len(ready) :]
        # Word by word, so that the same sentences are found however the tokens are cut.
        for word in _WORD.findall(_MARK.sub("", ready)):
            yield from self._word(word)

    def rest(self) -> Iterator[str]:
        """What is left at the end."""
        rest, self._held = _MARK.sub("", self._held), ""
        if rest.strip():
            yield from self._word(rest)
            rest = ""
        if sentence := (self._sentence + rest).rstrip():
            yield sentence

    def _word(self, word: str) -> Iterator[str]:
        if "\n" in word[: len(word) - len(word.lstrip())] and self._sentence:
            yield self._sentence
            self._sentence = ""
        self._sentence += word
        while len(spans := sentences(self._sentence)) > 1:
            end = spans[0][1]
            yield self._sentence[:end]
            self._sentence = self._sentence[end:]

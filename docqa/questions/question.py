"""What is asked, understood once: everything behind `understand` reads these records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from docqa.questions.expansion import Expansion
from docqa.questions.wanted import Place, Scope, Size
from docqa.questions.wording import asks, begins_with_verb, content
from docqa.text.bounds import Measured, bounds, in_digits, measured
from docqa.text.codes import codes
from docqa.text.facts import Claims, quoted
from docqa.text.keys import key
from docqa.text.negations import denials, negations
from docqa.text.sentences import sentences
from docqa.text.words import fold, is_dense, stem, terms

# "about" asks for the document's own properties, "count" for what is counted over the rows of a table, "task" wants
# something written that takes a language model.
Kind = Literal[
    "fact", "whether", "list", "number", "count", "reason", "procedure", "description", "compare", "summary", "about",
    "greeting", "thanks", "capabilities", "task",
]  # fmt: skip


# What is answered without a search, from no document or from all of it.
NO_QUESTION = frozenset[Kind](("greeting", "thanks", "capabilities", "task", "about", "summary"))

Expected = Literal["person", "date", "number", "place"]


@dataclass(frozen=True)
class ChatOptions:
    """How a client wants to be answered. `language` is an ISO 639-1 code, "" for that of the question."""

    model_name: str = "GPT5_2"
    language: str = ""
    length: Literal["SHORT", "LONG"] = "SHORT"
    temperature: float = 0.7
    agent_mode: bool = True
    cite_source: bool = False


@dataclass(frozen=True)
class Part:
    """One thing that is asked, standing alone; `context` are words of the conversation that say what it is about,
    `wording` the text with what a user said of it, as passages are read for it, `follows` it was completed from them.

    `places` are the pages, chapters and sections it is about, `pages` the page numbers among them and `named` the
    search terms by which it names documents, each by the document's row id.
    `unit` is the word for what a number counts or measures, "" for none. `several`: it asks for more than one thing of
    a kind. `slips` are words that may be some: its language lacks them.
    """

    text: str
    language: str = "en"
    context: str = ""
    wording: str = ""
    follows: bool = False
    kind: Kind = "fact"
    expects: Expected | None = None
    unit: str = ""
    several: bool = False
    slips: frozenset[str] = frozenset()
    places: tuple[Place, ...] = ()
    pages: Mapping[int, frozenset[int]] = field(default_factory=dict)
    named: Mapping[int, frozenset[str]] = field(default_factory=dict)
    expansions: tuple[Expansion, ...] = ()

    @cached_property
    def as_read(self) -> str:
        """The text with the topic that a user named, as passages are read for it."""
        return self.wording or self.text

    @cached_property
    def searched(self) -> str:
        """The text with its context, as it is searched."""
        return f"{self.text} {self.context}".strip()

    @cached_property
    def searched_terms(self) -> tuple[str, ...]:
        """The search terms of the text with its context."""
        return tuple(terms(self.searched)) if self.context else self.terms

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The search terms of the text alone."""
        return tuple(terms(self.text))

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """The search terms of the names in it."""
        return frozenset(term for name in self.claims.names for term in terms(name))

    @cached_property
    def context_terms(self) -> tuple[str, ...]:
        """The search terms of the context."""
        return tuple(terms(self.context))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The words that say what the text is about."""
        return tuple(content(self.text, self.language))

    @cached_property
    def has_question_word(self) -> bool:
        """Whether the text has a word such as "which"."""
        return asks(self.text, self.language)

    @cached_property
    def begins_with_verb(self) -> bool:
        """Whether its first word asks for yes or no; its kind may be an opinion only."""
        return begins_with_verb(self.text, self.language)

    @cached_property
    def stems(self) -> Mapping[str, str]:
        """The stem of each word that says what the text is about."""
        return {word: stem(word) for word in self.content}

    @cached_property
    def searched_stems(self) -> frozenset[str]:
        """The stems of such words in the text with its context."""
        return frozenset(map(stem, content(self.searched, self.language)) if self.context else self.stems.values())

    @cached_property
    def folded(self) -> str:
        """The text as search folds it."""
        return fold(self.text)

    @cached_property
    def is_dense(self) -> bool:
        """Whether it is written without spaces between words."""
        return is_dense(self.text)

    @cached_property
    def claims(self) -> Claims:
        """The dates, numbers and names that the text states."""
        return Claims.of(self.text, self.language)

    @cached_property
    def subject(self) -> str:
        """What it asks about, where it asks about nothing besides: what is a lender?"""
        subject = " ".join(self.content)
        return subject if self.has_question_word and subject in self.text else ""

    @cached_property
    def name(self) -> str:
        """The name that it asks about, where it asks about nothing besides: what is the Concept Plan?"""
        return self.subject if set(self.content) <= set(self.claims.names) else ""

    @cached_property
    def numbers(self) -> Claims:
        """The dates and numbers that the text with its context states."""
        return Claims.of(self.searched, self.language)._replace(names=[])

    @cached_property
    def measured(self) -> tuple[Measured, ...]:
        """The numbers that the text states, with their units; not those that it puts a bound to: more than two."""
        text = in_digits(self.text, self.language)
        for bound in bounds(text, self.language):
            text = text[: bound.start] + " " * (bound.end - bound.start) + text[bound.end :]
        return tuple(measured(text, self.language))

    @cached_property
    def is_negated(self) -> bool:
        """Whether a word in it denies something."""
        return bool(negations(self.language).search(self.text))

    @cached_property
    def denials(self) -> frozenset[str]:
        """The stems of the words in it that deny by themselves, of "forbidden", "without". What it quotes does not."""
        text = self.text
        for quotation in self.quotations:
            text = text.replace(quotation, " ")
        return frozenset(map(stem, denials(self.language).findall(text)))

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes that the text names."""
        return codes(self.text)

    @cached_property
    def quotations(self) -> tuple[str, ...]:
        """What the text puts in quotation marks."""
        return tuple(quoted(self.text))


@dataclass(frozen=True)
class Question:
    """A question within its conversation.

    `text` is the last user message as it was sent, but for long gaps, `core` the same without what it says of the form
    of the answer, `history` the earlier (sender, message) pairs, `system` the client's own system prompts. `language`
    is the question's; answers are in `answer_language`. `parts` are what it asks, each standing alone, at least one.
    `documents` are the row ids of those that are asked. `points_at_document`: it speaks of "this book", and not of "the
    book", which may be one that is told of. `wants_decisions`: it asks what was decided; `wants_signature`: who signed,
    and nothing more; `wants_reasons`: why; `wants_comparison`: two things side by side, or what tells them apart.
    `before` is the question before this one, standing alone, "" for none; `points_back`: a word such as "them" points
    to what was said.
    """

    text: str
    core: str = ""
    language: str = "en"
    options: ChatOptions = ChatOptions()
    history: tuple[tuple[str, str], ...] = ()
    system: tuple[str, ...] = ()
    documents: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()
    scope: Scope = Scope()
    size: Size = Size()
    points_at_document: bool = True
    wants_decisions: bool = False
    wants_signature: bool = False
    wants_reasons: bool = False
    wants_comparison: bool = False
    before: str = ""
    points_back: bool = False

    @property
    def answer_language(self) -> str:
        """The language that the client chose, else the question's."""
        return self.options.language or self.language

    @property
    def kind(self) -> Kind:
        """That of the first thing it asks."""
        return self.parts[0].kind if self.parts else "fact"

    @property
    def expects(self) -> Expected | None:
        """What the first thing it asks for is."""
        return self.parts[0].expects if self.parts else None

    @property
    def sums_up_topic(self) -> bool:
        """Whether it asks what one document says about something, in as many sentences as that takes."""
        scope = self.scope
        names_topic = scope.wanted == "summary" and bool(scope.topic) and not (scope.places or scope.labels)
        narrows_otherwise = self.wants_decisions or self.wants_reasons or bool(self.size.sentences)
        return names_topic and len(self.documents) == 1 and not narrows_otherwise

    @cached_property
    def stand_alone(self) -> str:
        """All that it asks, with what it leaves out filled in."""
        return " ".join(part.text for part in self.parts) or self.text

    @cached_property
    def said(self) -> tuple[frozenset[str], ...]:
        """The search terms of each sentence of the last answer."""
        answer = next((text for sender, text in reversed(self.history) if sender == "bot"), "")
        return tuple(filter(None, (frozenset(terms(answer[start:end])) for start, end in sentences(answer))))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All that it asks as words, numbers and signs that the names in a table are compared with."""
        return tuple(key(self.stand_alone).split())

    @cached_property
    def terms(self) -> frozenset[str]:
        """The search terms of the text as it was sent."""
        return frozenset(terms(self.text))

"""A question understood, once: from messages, options and what the documents are to one `Question`.

Pure and synchronous: no database, and no model but the detector of languages, whose file is loaded with the first
question. Nothing behind it reads raw text again; tests/test_house.py names who reads the text for other ends.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from docqa.languages import phrase
from docqa.questions.expansion import Expansion, expansions
from docqa.questions.follow_up import StandAlone, stand_alone
from docqa.questions.instructions import without_instructions
from docqa.questions.kind_opinion import KindOpinion
from docqa.questions.kinds import VERY_SURE, asks_for_several, expected, kind_of, settled, unit_of
from docqa.questions.language import question_language
from docqa.questions.named import labels_named, named_by, pages_of, places_named
from docqa.questions.parts import asking_sentence, parts
from docqa.questions.question import ChatOptions, Kind, Part, Question
from docqa.questions.scope import (
    asks_for_decisions,
    asks_for_signature,
    common_scope,
    names_document,
    points_at_document,
    scope_of,
    size_of,
    summed_up,
    topic_of,
)
from docqa.questions.small_talk import points_to_passages, small_talk
from docqa.questions.spelling import accented, possible_slips
from docqa.questions.wanted import Place, Scope
from docqa.questions.wording import asks, content, matches, points_to_conversation, says_enough
from docqa.text.words import terms

_GAP = re.compile(r"\s{3,}+")
FEW_WORDS = 3  # of its own; with as many, a question is about something in the document


class Document(Protocol):
    """What is known of a document before it is searched."""

    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def pages(self) -> int: ...


def question_kind(text: str, language: str, opinion: KindOpinion | None) -> Kind:
    """The kind of a question within what it wants: of all the document, of its properties, or as `kind_of` says."""
    scope = scope_of(text, language)
    if not settled(text, language):
        if scope.wanted == "properties" or scope.wanted in ("page_count", "contents"):
            return "about"
        if scope.wanted == "summary":
            return "summary"
    return kind_of(text, language, opinion)


def last_question(messages: Sequence[Mapping[str, str]], documents: Sequence[Document]) -> tuple[str, str]:
    """(the sentence of the last message of a user that asks, or all of it, the message's language); two empty strings
    without one."""
    texts = [message["message"] for message in messages if message["sender"] == "user"]
    if not texts:
        return "", ""
    earlier = texts[-2] if len(texts) > 1 else ""
    language = question_language(texts[-1], earlier, [document.language for document in documents])
    return asking_sentence(texts[-1], language), language


def wants_opinion(text: str, language: str) -> bool:
    """Whether it counts what kind of question a model takes a text for: no words settle it."""
    return bool(text) and settled(text, language) is None


def understand(
    messages: Sequence[Mapping[str, str]],
    options: ChatOptions,
    documents: Sequence[Document],
    opinion: KindOpinion | None = None,
    language: str = "",
) -> Question:
    """The question that the last message of the sender `user` asks of these documents; without messages, for a summary.

    Messages have a `sender` (user, bot, system) and a `message`. `opinion` is what a model takes the last one for, or
    the sentence of it that asks: it counts where the message asks one thing only. `language` is its own, where
    `last_question` has told it already.
    """
    languages = [document.language for document in documents]
    if not messages:
        language = question_language("", "", languages)
        messages = [{"sender": "user", "message": phrase("phrases.summarize", language)}]
    last = max(index for index, message in enumerate(messages) if message["sender"] == "user")
    text = _without_gaps(messages[last]["message"])
    history = tuple(
        (m["sender"], _without_gaps(m["message"]) if m["sender"] == "user" else m["message"])
        for m in messages[:last]
        if m["sender"] != "system"
    )
    earlier = next((message for sender, message in reversed(history) if sender == "user"), "")
    language = language or question_language(text, earlier, languages)
    core = accented(without_instructions(text, language), language)
    pieces = _standing_alone(core, history, language) if options.agent_mode else [_as_sent(core, earlier, language)]
    compares = matches("difference", core, language) or (len(pieces) > 1 and matches("comparing", core, language))
    return Question(
        text=text,
        core=core,
        language=language,
        options=options,
        history=history,
        system=tuple(message["message"] for message in messages if message["sender"] == "system"),
        documents=tuple(document.id for document in documents),
        parts=tuple(
            replace(part, expansions=(*part.expansions, *_where(text, core, language)))
            for part in _parts(pieces, language, documents, opinion)
        ),
        scope=_scope(pieces, text, earlier, language, opinion if len(pieces) == 1 else None),
        size=size_of(text, language),
        points_at_document=points_at_document(text, language),
        wants_decisions=asks_for_decisions(text),
        wants_signature=asks_for_signature(text, language),
        wants_reasons=matches("reason", text, language),
        wants_comparison=compares,
        before=_before(history, language),
        points_back=points_to_conversation(core, language),
    )


def _before(history: Sequence[tuple[str, str]], language: str) -> str:
    """The last question of the history, standing alone; "" without one."""
    last = max((at for at, (sender, _) in enumerate(history) if sender == "user"), default=None)
    return "" if last is None else stand_alone(history[last][1], history[:last], language).text


def _without_gaps(message: str) -> str:
    """The message with short gaps for long ones: patterns that allow for spaces look through a run of them again and
    again."""
    return _GAP.sub(lambda gap: "\n\n" if "\n" in gap[0] else " ", message)


def _where(text: str, core: str, language: str) -> Iterator[Expansion]:
    """The terms of what a message says of its answer, which may be where it stands: by the balance sheet."""
    if core != text:
        yield from (own for own in expansions(text, language) if own.term not in core)


def _scope(pieces: Sequence[StandAlone], text: str, earlier: str, language: str, opinion: KindOpinion | None) -> Scope:
    """The scope of a question; "who wrote it?" after a question about something else asks of that, not of the
    document."""
    scope = common_scope([scope_of(alone.text, language) for alone in pieces])
    if scope == Scope() and opinion and opinion.kind == "summary" and opinion.probability >= VERY_SURE:
        # "So what should I know from this?"
        return Scope("summary") if len(topic_of(text, "filler", "document", "kinds")) < FEW_WORDS else scope
    if scope.wanted != "properties" or not earlier or names_document(text):
        return scope
    return scope if scope_of(earlier, language).wanted != "passages" or small_talk(earlier) else Scope()


def _standing_alone(text: str, history: Sequence[tuple[str, str]], language: str) -> list[StandAlone]:
    """Each part of the question, with what it needs of the history and of the parts before it."""
    said, alone = list(history), []
    for part in parts(text, language):
        alone.append(stand_alone(part, said, language))
        said.append(("user", part))
    return alone


def _as_sent(text: str, earlier: str, language: str) -> StandAlone:
    """The question as it was sent; with the one before where it has too few words of its own to search by."""
    return StandAlone(text, "" if says_enough(content(text, language), language) else earlier)


def _parts(
    pieces: Sequence[StandAlone], language: str, documents: Sequence[Document], opinion: KindOpinion | None
) -> Iterator[Part]:
    """The parts; one that names no place is about that of the part before: "In chapter 2, who pays and when?"."""
    places: Sequence[Place] = ()
    for alone in pieces:
        places = places_named(alone.text, language) or labels_named(alone.text, language) or places
        yield _part(alone, places, language, documents, opinion if len(pieces) == 1 else None)


def _part(
    alone: StandAlone,
    own: Sequence[Place],
    language: str,
    documents: Sequence[Document],
    opinion: KindOpinion | None,
) -> Part:
    text, places = alone.text, own or places_named(alone.whole, language)
    wanting = alone.asking or asking_sentence(text, language)
    kind = question_kind(wanting, language, None if alone.asking else opinion)
    if kind == "summary" and (topic := summed_up(text, language)):
        kind_of_topic = kind_of(topic, language)
        if kind_of_topic != "fact" or asks(topic, language):  # sum up how, why, what happens if
            kind = "description" if kind_of_topic == "fact" else kind_of_topic
        text = topic
    if kind == "capabilities" and alone.context and points_to_passages(text, language):
        kind = question_kind(alone.wording, language, opinion)
    expects = expected(wanting, language)
    unit = unit_of(wanting, language) if expects == "number" else ""
    pages = {document.id: pages_of(places, document.pages) for document in documents}
    return Part(
        text=text,
        language=language,
        context=alone.context,
        wording=alone.wording,
        follows=alone.follows or bool(alone.context),
        kind=kind,
        expects="number" if expects is None and kind == "number" else expects,
        unit=unit,
        several=kind == "list" or asks_for_several(wanting, language),
        slips=possible_slips(text, language),
        places=tuple(own),
        pages={id_: numbers for id_, numbers in pages.items() if numbers},
        named=named_by(terms(alone.whole), {document.id: document.name for document in documents}),
        expansions=expansions(alone.whole, language),
    )

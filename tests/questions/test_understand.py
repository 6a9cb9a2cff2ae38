"""A question understood once: from messages, options and documents to one record."""

import time
from dataclasses import dataclass

import pytest

from docqa.questions.question import ChatOptions, Question
from docqa.questions.understand import last_question, understand


@dataclass(frozen=True)
class Document:
    id: int
    name: str
    language: str = "en"
    pages: int = 10


LEASE = Document(1, "Lease_Hartmann.pdf")
MILL = Document(2, "Lease_Mill.pdf")


def ask(*messages: tuple[str, str], documents: tuple[Document, ...] = (LEASE, MILL), agent: bool = True) -> Question:
    sent = [{"sender": sender, "message": text} for sender, text in messages]
    return understand(sent, ChatOptions(agent_mode=agent), documents)


def test_the_last_user_message_is_the_question_and_the_rest_its_history() -> None:
    question = ask(
        ("system", "Be brief."), ("user", "Who built it?"), ("bot", "Roe."), ("user", "When was the mill sold?")
    )
    assert question.text == "When was the mill sold?"
    assert question.history == (("user", "Who built it?"), ("bot", "Roe."))
    assert question.system == ("Be brief.",)
    assert question.documents == (1, 2)


def test_documents_and_pages_are_named() -> None:
    [part] = ask(("user", "What does the Hartmann lease say on page 4?")).parts
    assert set(part.named) == {1}
    assert part.pages == {1: frozenset({4}), 2: frozenset({4})}


def test_parts_and_follow_ups_stand_alone_in_agent_mode() -> None:
    question = ask(("user", "How much is the rent in Bergen?"), ("bot", "900"), ("user", "And in Oslo?"))
    assert [part.text for part in question.parts] == ["How much is the rent in Oslo?"]
    assert [part.expects for part in question.parts] == ["number"]
    two = ask(("user", "Who built the mill? When was it sold?"))
    assert [part.text for part in two.parts] == ["Who built the mill?", "When was it sold?"]
    assert "mill" in two.parts[1].searched


@pytest.mark.parametrize(
    ("earlier", "question", "wanted"),
    [
        ("Who dies in chapter 3?", "And in chapter 4?", "passages"),
        ("How many pages are in chapter 3?", "And in chapter 4?", "page_count"),
        ("Summarize chapter 3", "And chapter 4?", "summary"),
    ],
)
def test_the_scope_of_a_follow_up_is_that_of_the_question_it_continues(
    earlier: str, question: str, wanted: str
) -> None:
    scope = ask(("user", earlier), ("bot", "That."), ("user", question)).scope
    assert (scope.wanted, [place.first for place in scope.places]) == (wanted, [(4,)])


@pytest.mark.parametrize(
    ("question", "kind", "expects"),
    [
        ("and if the kiln is cold?", "number", "number"),
        ("and last year?", "number", "number"),
        ("and who sees to it?", "fact", "person"),
        ("can that be shortened?", "whether", None),
    ],
)
def test_what_a_fragment_wants_is_what_was_wanted_before(question: str, kind: str, expects: str | None) -> None:
    [part] = ask(("user", "How long must the glaze dry?"), ("bot", "Two days."), ("user", question)).parts
    assert (part.kind, part.expects, part.follows) == (kind, expects, True)


@pytest.mark.parametrize(
    ("earlier", "question", "is_talk"),
    [
        ("What does the blue lamp mean?", "what can i do then?", False),
        ("What is the eco wash?", "how does this work?", False),
        ("What does the blue lamp mean?", "can you help me with this?", True),
        ("What does the blue lamp mean?", "what can i ask?", True),
        ("hello", "how does this work?", True),
        ("", "what can i do?", True),
    ],
)
def test_what_points_to_an_answer_does_not_ask_what_can_be_done_here(
    earlier: str, question: str, is_talk: bool
) -> None:
    history = [("user", earlier), ("bot", "The pump has stopped.")] if earlier else []
    assert (ask(*history, ("user", question)).kind == "capabilities") is is_talk


@pytest.mark.parametrize(
    ("question", "language", "expects"),
    [
        ("cuantos botes hay en el barco", "es", "number"),
        ("¿y cuando zarpa el barco?", "es", "date"),
        ("ou se trouve le port ?", "fr", "place"),
    ],
)
def test_a_question_word_without_its_accent_is_known_at_the_beginning(
    question: str, language: str, expects: str
) -> None:
    document = Document(3, "Puerto.pdf", language)
    assert ask(("user", question), documents=(document,)).expects == expects


@pytest.mark.parametrize(
    ("message", "asking"),
    [
        ("the pump stood still last night. will it start again? it is a B30", "will it start again?"),
        ("The key is gone. Is there a second key", "Is there a second key"),
        ("Mein Hund wiegt 5 kg. Darf er mit? Danke.", "Darf er mit?"),
        ("我家的狗五公斤。可以带吗？", "可以带吗？"),
    ],
)
def test_the_kind_is_that_of_the_sentence_that_asks(message: str, asking: str) -> None:
    sent = [{"sender": "user", "message": message}]
    wanted, language = last_question(sent, [LEASE])
    assert wanted == asking
    [part] = understand(sent, ChatOptions(), [LEASE], language=language).parts
    assert (part.text, part.kind) == (message, "whether")


def test_each_part_has_the_place_that_it_names() -> None:
    question = ask(("user", "What is the rent in chapter 2 and what is the deposit in chapter 5?"))
    assert [[place.first for place in part.places] for part in question.parts] == [[(2,)], [(5,)]]
    assert question.scope.wanted == "passages"


def test_a_part_without_a_place_is_about_that_of_the_part_before() -> None:
    question = ask(("user", "In chapter 2, how much is the rent and how much is the deposit?"))
    assert [[place.first for place in part.places] for part in question.parts] == [[(2,)], [(2,)]]


def test_chapters_that_are_compared_are_one_scope() -> None:
    scope = ask(("user", "Compare chapter 2 and chapter 3")).scope
    assert (scope.wanted, [place.first for place in scope.places]) == ("summary", [(2,), (3,)])


@pytest.mark.parametrize(
    ("text", "compares"),
    [
        ("Compare the rent of the boat with the rent of the lorry.", True),
        ("What is the difference between the boat and the lorry?", True),
        ("Vergleiche die Miete des Bootes mit der Miete des Lastwagens.", True),
        ("Do both tenants pay?", False),
        ("Who signed the lease, and when does it end?", False),
    ],
)
def test_two_things_side_by_side_are_a_comparison(text: str, compares: bool) -> None:
    assert ask(("user", text)).wants_comparison is compares


def test_a_question_that_wants_several_things_is_answered_from_passages() -> None:
    assert ask(("user", "What is this document about and who wrote it?")).scope.wanted == "passages"


def test_without_agent_mode_a_question_is_searched_as_it_was_sent() -> None:
    question = ask(("user", "How much is the rent in Bergen?"), ("bot", "900"), ("user", "And in Oslo?"), agent=False)
    assert [part.text for part in question.parts] == ["And in Oslo?"]
    assert "rent" in question.parts[0].searched


@pytest.mark.parametrize(
    ("language", "text"), [("de", "Fasse die Dokumente zusammen."), ("", "Summarize the documents.")]
)
def test_without_messages_a_summary_is_asked_for_in_the_language_of_the_documents(language: str, text: str) -> None:
    question = ask(documents=(Document(1, "a.txt", language),))
    assert (question.text, question.scope.wanted) == (text, "summary")


def test_the_client_may_choose_another_language_for_the_answer() -> None:
    question = understand([{"sender": "user", "message": "Who built the mill?"}], ChatOptions(language="fr"), [LEASE])
    assert (question.language, question.answer_language) == ("en", "fr")


def test_a_long_gap_is_a_short_one_also_once_the_question_is_history() -> None:
    """Else the prompt of a follow-up would not go on from that of its question."""
    asked_first = {"sender": "user", "message": f"Which pump{' ' * 400}leaks?"}
    first = understand([asked_first], ChatOptions(), [])
    later = understand([asked_first, {"sender": "user", "message": "And why?"}], ChatOptions(), [])
    assert first.text == "Which pump leaks?" and later.history == (("user", "Which pump leaks?"),)


@pytest.mark.parametrize(
    "long",
    [
        "a" * 32_000,
        f"page 3{'3, ' * 10_000} and pump?",
        f"第{'3、' * 15_000}章",
        "step 3, " * 4_000,
        "who and " * 4_000,
    ],
    ids=lambda long: long[:12],
)
def test_a_question_as_long_as_it_may_be_is_understood_in_no_time(long: str) -> None:
    begun = time.process_time()
    understand([{"sender": "user", "message": long}], ChatOptions(), [])
    assert time.process_time() - begun < 5

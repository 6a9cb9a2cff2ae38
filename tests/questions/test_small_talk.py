"""Greetings, thanks, what can be done here, and work for a language model are told from questions about documents."""

import pytest

from docqa.questions.small_talk import is_work, small_talk


@pytest.mark.parametrize(
    ("text", "talk", "language"),
    [
        ("Hello!", "greeting", "en"),
        ("hi there, how are you?", "greeting", "en"),
        ("thank you so much for the quick help", "thanks", "en"),
        ("okay great", "thanks", "en"),
        ("Hey, could you help me with these files?", "capabilities", "en"),
        ("what kind of questions can I ask?", "capabilities", "en"),
        ("Guten Morgen", "greeting", "de"),
        ("super, danke dir", "thanks", "de"),
        ("Was kannst du alles?", "capabilities", "de"),
        ("muchas gracias por todo", "thanks", "es"),
        ("Bonjour, pouvez-vous m'aider ?", "capabilities", "fr"),
        ("您好", "greeting", "zh"),
        ("你能做什么？", "capabilities", "zh"),
        ("ありがとうございました", "thanks", "ja"),
        ("감사합니다", "thanks", "ko"),
    ],
)
def test_small_talk_is_known_with_its_language(text: str, talk: str, language: str) -> None:
    assert small_talk(text, "en") == (talk, language)


@pytest.mark.parametrize(
    "text",
    [
        "Hello World is printed by which program?",
        "Who says thanks to the captain?",
        "What can the pump do?",
        "thanks, and what does the lift cost?",
        "Help desk opening hours",
        "Was kann die Pumpe?",
    ],
)
def test_a_question_is_no_small_talk(text: str) -> None:
    assert small_talk(text, "en") is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Write a letter to the tenant", "en"),
        ("could you please draft an email about the delay", "en"),
        ("make me ten flashcards", "en"),
        ("Translate the second page into Dutch", "en"),
        ("Schreib bitte ein Gedicht darüber", "de"),
        ("Rédige une lettre de réclamation", "fr"),
        ("Traduce esto al inglés", "es"),
        ("把这段话翻译成英文", "zh"),
        ("把这几页翻译成英文", "zh"),
        ("写一封信给房东，说明为什么要退租", "zh"),
        ("何か詩を書いて", "ja"),
    ],
)
def test_what_has_to_be_written_is_work(text: str, language: str) -> None:
    assert is_work(text, language)


@pytest.mark.parametrize(
    "text",
    [
        "Who wrote the letter?",
        "Write a summary",
        "Make a list of the fees",
        "How do I create an account?",
        "Give me the rent",
    ],
)
def test_a_question_or_a_summary_is_no_work(text: str) -> None:
    assert not is_work(text, "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("谁翻译了这本书？", "zh"),
        ("什么时候改写的？", "zh"),
        ("誰が翻訳していますか", "ja"),
        ("在埃施被处死后路德写了哪首赞美诗？", "zh"),
        ("什么导致路德写作赞美诗？", "zh"),
        ("天文台发出什么信号时电车厂会暂停服务？", "zh"),
        ("どんな手紙を書いていますか", "ja"),
    ],
)
def test_who_once_did_such_work_may_be_asked_where_words_are_not_separated(text: str, language: str) -> None:
    assert not is_work(text, language)

"""The prompt of one answer. Its sentences are in docqa/languages, in the language of the answer where there are any."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from docqa.answering.phrasing import language_name
from docqa.languages import entry, phrase
from docqa.questions.question import Question

# The kinds of questions that have no instruction of their own; a task is one itself.
_AS = {"count": "number", "about": "fact", "greeting": "", "thanks": "", "capabilities": "", "task": ""}
# What chat templates put between messages (ChatML, Llama 2 to 4, Mistral, Gemma, Phi, DeepSeek); in a text it would
# begin a new message.
_TEMPLATE_MARK = re.compile(
    r"<[|｜][^<>|｜\n]{1,60}[|｜]>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\]"
    r"|<</?SYS>>|</?(?:s|bos|eos)>|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
_SOURCE_MARK = re.compile(r" \[\d{1,3}\]")
MAX_TOKENS = {"SHORT": 160, "LONG": 600}


class Shown(NamedTuple):
    """What stands around one of the user's questions: its passages before it, how to answer it after it."""

    passages: tuple[str, ...] = ()
    instruction: str = ""


def chat(
    question: Question, now: Shown, earlier: Iterable[Shown] = (), *, is_brief: bool = False
) -> list[dict[str, str]]:
    """Messages (`role`, `content`) for a chat model: the client's system prompts, then the rules, which override them;
    the history; the passages, the question and how to answer it.

    `earlier` is what stood around the user's questions in the history, in order; questions beyond its end have nothing.
    `is_brief`: with fewer words, for a small model, which takes seconds to read them and follows none of many rules.
    """
    language = question.answer_language
    messages = [{"role": "system", "content": "\n".join([*question.system, *_rules(question, is_brief)])}]
    shown = iter(earlier)
    for sender, text in question.history:
        # The marks of sources are ours: a model that saw them would write some, and would not find its own words again.
        messages.append(
            _message("assistant", _SOURCE_MARK.sub("", text))
            if sender == "bot"
            else _user_message(text, next(shown, Shown()), language)
        )
    messages.append(_user_message(question.text, now, language))
    return [message | {"content": _TEMPLATE_MARK.sub(" ", message["content"])} for message in messages]


def instruction(question: Question, *, is_unsure: bool = False) -> str:
    """How to answer a question of this kind; `is_unsure`: that the passages may not answer it."""
    language = question.answer_language
    lines = []
    if kind := _AS.get(question.kind, question.kind):
        answers = {word: phrase(f"polarity.{word}", language) for word in ("yes", "no")}
        lines.append(phrase(f"prompts.kinds.{kind}", language).format(**answers))
    if is_unsure:
        lines.append(phrase("prompts.unsure", language))
    return " ".join(lines)


def sum_up_part(language: str) -> str:
    """The question of which the answer is the summary of a part."""
    return phrase("prompts.part", language)


def _rules(question: Question, is_brief: bool) -> list[str]:
    language, length = question.answer_language, question.options.length
    rules = phrase("prompts.rules_brief" if is_brief else "prompts.rules", language)
    lines = [rules.format(not_found=phrase("phrases.not_found", language))]
    if not is_brief or length == "LONG":
        lines.append(phrase(f"prompts.{length.lower()}", language))
    if not is_brief or entry("prompts.language", language) is None:
        tongue = language if entry("prompts.language", language) else "en"
        lines.append(phrase("prompts.language", language).format(language=language_name(language, tongue)))
    return lines


def _user_message(text: str, shown: Shown, language: str) -> dict[str, str]:
    """A question after its passages, which have no numbers: code decides which of them an answer rests on, not the
    model."""
    if not shown.passages and not shown.instruction:
        return _message("user", text)
    parts = []
    if shown.passages:
        data = "\n\n".join(map(quote, shown.passages))
        parts = [f"{phrase('prompts.passages', language)}\n{data}\n"]
        text = phrase("prompts.question", language).format(question=text)
    return _message("user", "\n".join([*parts, text, *filter(None, [shown.instruction])]))


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def quote(passage: str) -> str:
    """The passage as data: each line, by any line end, begins with >, so that none can pose as the end of the
    passages."""
    return "\n".join(f"> {line}" for line in passage.splitlines())

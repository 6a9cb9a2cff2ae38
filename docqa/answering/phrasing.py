"""The sentences around an answer: that nothing was found, and where the sources are."""

import re
from collections.abc import Collection, Iterable, Sequence

from docqa.catalog.recognition import for_iso
from docqa.languages import entry, phrase

_NAMED = re.compile(r" ?[(（]\{languages\}[)）]")


def refusal(
    nearest: Iterable[tuple[str, int]],
    language: str,
    foreign: Iterable[str] = (),
    *,
    by_words: bool = False,
    preparing: bool = False,
) -> str:
    """A sentence saying that nothing was found, and the nearest (document name, page number) pairs by document.

    `foreign` are the languages of the documents where no installed embedding model knows both theirs and the
    question's: the answer then says so, and what to install. So it does where texts in the question's own language were
    searched `by_words` alone because the model does not know it, or where the documents are only being prepared for
    questions in it.
    """
    pages: dict[str, list[int]] = {}
    for name, page_number in dict.fromkeys(nearest):
        pages.setdefault(name, []).append(page_number)
    listed = ", ".join(f"{name} ({', '.join(map(str, sorted(numbers)))})" for name, numbers in pages.items())
    foreign = list(dict.fromkeys(foreign))
    parts = [_foreign(foreign, language)]
    if listed:
        parts.append(phrase("phrases.nearest", language).format(pages=listed))
    if by_words and not foreign:
        parts.append(phrase("phrases.about.by_words", language))
    if preparing:
        parts.append(phrase("phrases.about.preparing", language))
    return " ".join(parts)


def other_pages(pages: Collection[tuple[str, int]], language: str, *, by_name: bool) -> str:
    """A sentence that names further pages, given as for `refusal`, in their order; `by_name`, with their documents."""
    named = ", ".join(f"{name} ({number})" if by_name else str(number) for name, number in pages)
    return phrase("phrases.others", language).format(pages=named)


def _foreign(codes: Sequence[str], language: str) -> str:
    """That nothing was found, and why not where the documents are in these other languages."""
    if not codes:
        return phrase("phrases.not_found", language)
    sentence = phrase("phrases.about.foreign", language)
    names = [language_name(code, language) for code in codes]
    return sentence.format(languages=", ".join(names)) if all(names) else _NAMED.sub("", sentence)


def language_name(code: str, language: str) -> str:
    """A language's name in the language of an answer; "" where that is not known."""
    known = entry(f"language_names.{code}", language if entry("language_names", language) else "en")
    recognised = for_iso(code)
    return str(known or (recognised.name if recognised else ""))


def sources_block(sources: Sequence[tuple[int, str, int, str]], language: str) -> str:
    """The closing block of a plain-text stream, "" without sources: (number, document name, page number, passage)
    each."""
    if not sources:
        return ""
    page = phrase("phrases.page", language)
    lines = [
        f"[{number}] {name}, {page} {page_number}: {' '.join(text.split())}"
        for number, name, page_number, text in sources
    ]
    return f"\n\n{phrase('phrases.sources', language)}:\n" + "\n".join(lines) + "\n"

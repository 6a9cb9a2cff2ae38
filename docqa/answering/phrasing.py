"""The sentences around an answer: that nothing was found, and where the sources are."""

from collections.abc import Iterable, Sequence

from docqa.languages import entry, phrase


def refusal(nearest: Iterable[tuple[str, int]], language: str, foreign: Iterable[str] = ()) -> str:
    """A sentence saying that nothing was found, and the nearest (document name, page number) pairs by document.

    `foreign` are the languages of the documents where no installed embedding model knows both theirs and the
    question's: the answer then says so, and what to install.
    """
    pages: dict[str, list[int]] = {}
    for name, page_number in dict.fromkeys(nearest):
        pages.setdefault(name, []).append(page_number)
    listed = ", ".join(f"{name} ({', '.join(map(str, sorted(numbers)))})" for name, numbers in pages.items())
    not_found = phrase("phrases.not_found", language)
    parts = [not_found]
    if names := ", ".join(language_name(code, language) for code in dict.fromkeys(foreign)):
        parts.append(phrase("phrases.about.foreign", language).format(languages=names))
    if listed:
        parts.append(phrase("phrases.nearest", language).format(pages=listed))
    return " ".join(parts)


def language_name(code: str, language: str) -> str:
    """A language's name: in English for those who ask in English, else its own name for itself."""
    return str(entry("name" if language == "en" else "own_name", code) or code)


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

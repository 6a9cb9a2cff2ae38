"""The sentences around an answer: that nothing was found, and where the sources are."""

from collections.abc import Iterable, Sequence

from docqa.languages import phrase


def refusal(nearest: Iterable[tuple[str, int]], language: str) -> str:
    """A sentence saying that nothing was found, and the nearest (document name, page number) pairs by document."""
    pages: dict[str, list[int]] = {}
    for name, page_number in dict.fromkeys(nearest):
        pages.setdefault(name, []).append(page_number)
    listed = ", ".join(f"{name} ({', '.join(map(str, sorted(numbers)))})" for name, numbers in pages.items())
    not_found = phrase("phrases.not_found", language)
    return f"{not_found} {phrase('phrases.nearest', language).format(pages=listed)}" if listed else not_found


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

"""The names on many pages of a document: whose report it is."""

import re
from collections import Counter
from collections.abc import Sequence

from docqa.text.detect import is_function_word
from docqa.text.keys import key

_LEAST_PAGES, _OFTEN = 5, 0.2  # pages with a name, that make it one of the document's own
# The first letter stands first: where it does, most of a text is passed over at once.
_NAME = re.compile(r"[A-Z0-9](?<!\w.)(?:(?<=[A-Z])|(?=\w*[^\W\d_]))[\w&-]+")


def recurring_names(pages: Sequence[str]) -> list[str]:
    """The words of names on many pages, which hardly stand there in small letters, sorted."""
    counts = Counter(name for text in pages for name in set(_NAME.findall(text)))
    often = {name: count for name, count in counts.items() if count >= max(_LEAST_PAGES, _OFTEN * len(pages))}
    names = (name for name, count in often.items() if name.lower() == name or 4 * _in_small(name, pages) < count)
    return sorted({word for name in names for word in key(name).split() if not is_function_word(word)})


def _in_small(name: str, pages: Sequence[str]) -> int:
    small = f" {name.lower()}"
    return sum(small in text for text in pages)

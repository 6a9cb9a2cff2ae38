"""Web pages: the article that readability finds, or the whole page's text where that is far too little."""

import re

from readability import Document  # type: ignore[import-untyped]
from readability.readability import Unparseable  # type: ignore[import-untyped]

from docqa.errors import Unreadable
from docqa.extract.encoding import codec, decode
from docqa.extract.markup import Prose, parse, prose, title
from docqa.extract.pages import Reading, clean, paginate

LEAST_SHARE = 0.1
LEAST = 250
MOST_RESTORED = 2.5
_META = re.compile(rb"""<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]*encoding=["']([\w.:-]+)""")


def read(data: bytes, charset: str = "") -> Reading:
    """`charset` is the one that the server named. Raises Unreadable for binary data and for a page without a tree."""
    source = clean(decode(data, _charset(data, charset)))
    root = parse(re.sub(r"^\s*<\?xml[^>]*\?>", "", source))
    if root is None:
        raise Unreadable("The page holds no HTML that can be read.")
    name = title(root)
    text = _article(source, prose(root))
    return Reading("html", name, paginate(text.text, text.headings))


def _charset(data: bytes, named: str) -> str:
    """The server's word, else the page's own; a name that no codec has does not count."""
    for found in (_XML.search(data[:200]), _META.search(data[:8192])):
        if not codec(named or "-") and found:
            named = found.group(1).decode("ascii", "replace")
    return named


def _article(source: str, whole: Prose) -> Prose:
    root = parse(source)
    if root is None:
        return whole
    try:
        summary = parse(Document(root).summary())
    except (Unparseable, ValueError, TypeError, AttributeError, RecursionError):
        return whole  # readability gives up on some pages; their whole text is better than none
    article = prose(summary) if summary is not None else Prose()
    if len(article.text) < max(LEAST, LEAST_SHARE * len(whole.text)):
        return whole
    return _without_last_headings(_restored(article, whole))


def _restored(article: Prose, whole: Prose) -> Prose:
    """All that stands between the article's first and last line: readability drops lists and short paragraphs from its middle."""
    lines = article.text.split("\n")
    start = whole.text.find("\n".join(lines[:3]))
    last = next(line for line in reversed(lines) if len(line) >= min(40, max(map(len, lines))))
    end = whole.text.rfind(last)
    if start < 0 or end < start:
        return article
    tail = article.text[article.text.rfind(last) :]
    end += len(tail) if whole.text.startswith(tail, end) else len(last)
    if end - start > MOST_RESTORED * len(article.text):
        return article
    return Prose(whole.text[start:end], [(place - start, name) for place, name in whole.headings if start <= place < end])


def _without_last_headings(page: Prose) -> Prose:
    """A heading at the very end announces what was left out, such as related posts."""
    text, headings = page.text, list(page.headings)
    while headings and text[headings[-1][0] :].strip() == headings[-1][1]:
        text = text[: headings.pop()[0]].rstrip()
    return Prose(text, headings)

"""Which pages or slides a question names: "on page 4", "the last slide", "auf Seite 12", "第3页". Chapters and sections are not known by number."""

import re

_WORDS = (
    r"pages?|slides?|pp?\.|seiten?|folien?|páginas?|paginas?|diapositivas?|diapositives?|pagin[ae]|bladzijde|stron[aiey]\w*|sayfa\w*|страниц\w*|стр\.|слайд\w*"
    r"|صفحة|الصفحة|עמוד|בעמוד|पृष्ठ"
)
_DENSE_WORDS = "页|頁|ページ|쪽|페이지|张幻灯片|枚目"
_ORDINALS = {
    1: "first|erste[nrs]?|premi[eè]re?|primer[ao]?|primeir[ao]|prim[ao]|eerste",
    2: "second|zweite[nrs]?|deuxi[eè]me|segund[ao]|second[ao]|tweede",
    3: "third|dritte[nrs]?|troisi[eè]me|tercer[ao]?|terceir[ao]|terz[ao]|derde",
    4: "fourth|vierte[nrs]?|quatri[eè]me|cuart[ao]|quart[ao]|vierde",
    5: "fifth|fünfte[nrs]?|cinqui[eè]me|quint[ao]|vijfde",
    -1: "last|final|letzte[nrs]?|derni[eè]re?|últim[ao]|ultim[ao]|laatste",
}
_NUMBERED = re.compile(
    rf"(?<!\w)(?:{_WORDS})\s*(\d{{1,5}})(?:\s*[-–]\s*(\d{{1,5}}))?(?!\w|[.,]\d)|(?<!\d)(\d{{1,5}})\s*(?:{_DENSE_WORDS})",
    re.IGNORECASE,
)
_COUNTED = [
    (number, re.compile(rf"(?<!\w)(?:{words})\s+(?:{_WORDS})(?!\w)", re.IGNORECASE))
    for number, words in _ORDINALS.items()
]
_MOST = 20  # pages of one range


def pages_named(question: str, pages: int) -> frozenset[int]:
    """The 1-based numbers of the pages that are named, as far as a document of so many pages has them."""
    named: set[int] = set()
    for first, last, dense in _NUMBERED.findall(question):
        start = int(first or dense)
        named.update(range(start, min(int(last or start), start + _MOST) + 1))
    named.update(number if number > 0 else pages for number, pattern in _COUNTED if pattern.search(question))
    return frozenset(number for number in named if 1 <= number <= pages)

"""Which pictures beside the text of pages and slides are worth reading: the large ones that belong to no template."""

from collections import Counter
from collections.abc import Iterable

LARGE = 0.08  # of the page's area: a smaller one is a logo or an ornament
LEAST_PIXELS = 40_000
MOST_ON_A_PAGE = 4
MOST_PAGES = 200  # of a document whose pictures are read
_ON_PAGES = 3  # a picture at the same place of so many pages belongs to their template


class Templates:
    """Tells the pictures of a template, which return on page after page, from those of a page."""

    def __init__(self) -> None:
        self._seen: Counter[object] = Counter()
        self._pages = 0

    def count(self, pictures: Iterable[object]) -> int:
        """How many of a page's pictures, each told by what makes it the same elsewhere, are to be read."""
        new = 0
        for picture in set(pictures):
            self._seen[picture] += 1
            new += self._seen[picture] < _ON_PAGES
        if not new or self._pages == MOST_PAGES:
            return 0
        self._pages += 1
        return min(new, MOST_ON_A_PAGE)

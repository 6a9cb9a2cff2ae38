"""Which documents are searched."""

import pytest

from docqa.search.filters import Filters
from docqa.store.documents import StoredDocument


def document(name: str, **about: str) -> StoredDocument:
    known = {"kind": "pdf", "language": "en", "dated": "", "created": "2026-11-25T10:00:00.000Z"} | about
    return StoredDocument(id=1, doc_id=name, name=name, pages=1, summary="", **known)


LEASE = document("lease", dated="2024-05-03")
BOOK = document("book", kind="epub", dated="2019")
VERTRAG = document("vertrag", language="de", dated="2024-06")
NOTE = document("note", kind="txt")


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (Filters(), ["lease", "book", "vertrag", "note"]),
        (Filters(language="de"), ["vertrag"]),
        (Filters(kind="epub"), ["book"]),
        (Filters(date_from="2024-05-03"), ["lease", "vertrag", "note"]),
        (Filters(date_from="2024-05-04", date_to="2024-12-31"), ["vertrag"]),
        (Filters(date_to="2019-03-01"), ["book"]),
        (Filters(date_from="2024-06-15", date_to="2024-06-15"), ["vertrag"]),
        (Filters(date_from="2026-11-25"), ["note"]),
        (Filters(kind="pdf", language="en", date_to="2024-05-02"), []),
    ],
)
def test_documents_are_chosen_by_language_kind_and_their_own_date_or_that_they_were_added(
    filters: Filters, names: list[str]
) -> None:
    assert [chosen.name for chosen in filters.choose([LEASE, BOOK, VERTRAG, NOTE])] == names

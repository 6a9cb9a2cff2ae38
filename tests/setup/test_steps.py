"""Which models an installation brings."""

import pytest

from docqa.catalog.catalog import SHIPPED, Catalog
from docqa.settings import Settings
from docqa.setup.steps import wanted_models

SERVER = "compatible:http://127.0.0.1:8080/v1#multilingual-e5-base"


@pytest.mark.parametrize(
    ("embedder", "reader", "expected"),
    [
        ("auto", False, ["all-MiniLM-L6-v2", "multilingual-e5-small"]),
        ("all-MiniLM-L6-v2", False, ["all-MiniLM-L6-v2"]),
        ("multilingual-e5-small", False, ["multilingual-e5-small"]),
        ("none", False, []),
        (SERVER, False, []),
        (SERVER, True, ["all-MiniLM-L6-v2"]),
    ],
)
def test_where_a_server_makes_vectors_only_what_reads_is_brought(
    embedder: str, reader: bool, expected: list[str]
) -> None:
    settings = Settings(models=SHIPPED.parent, embedder=embedder, reader=reader, verifier=False)
    catalog = Catalog(SHIPPED.parent / "nothing-here", Catalog.load(SHIPPED.parent).entries)
    assert [entry.name for entry in wanted_models(catalog, settings, {"embedding"})] == expected

"""Summaries of a topic and of what was decided: whose sentences are in them, and how much is weighed for them."""

import httpx
import pytest
from test_overview import ask

from conftest import upload
from docqa.answering import focus

pytestmark = pytest.mark.anyio

FILLING = "The garden of house {i} was in good order all through the long summer of that year. " * 9
OIL = "The pump in the cellar of house {i} takes {i} litres of oil every month in winter. "
DECIDED = "The council decided in May to build a new bridge beside house {i}. "


def pages(*said: str) -> str:
    """A text with a page for each of these."""
    return "\f".join(f"{FILLING}\n\n{text}".format(i=i) for i, text in enumerate(said, 1))


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages whose sentences were weighed; more than 10 passages are many."""
    pages_weighed: list[int] = []
    notes = focus.notes_of
    monkeypatch.setattr(focus, "WEIGHED", 10)
    monkeypatch.setattr(
        focus,
        "notes_of",
        lambda chunks, of: pages_weighed.extend(chunk.page_number for chunk in chunks) or notes(chunks, of),
    )
    return pages_weighed


async def test_only_documents_that_speak_of_a_topic_are_in_its_summary(client: httpx.AsyncClient) -> None:
    speaking = await upload(client, pages(OIL, OIL, OIL), "pumps.txt")
    silent = await upload(client, pages("", DECIDED), "gardens.txt")
    message, _ = await ask(client, [silent, speaking], "Summarise what they say about oil")
    assert message.startswith("pumps.txt: The pump in the cellar of house 1 takes 1 litres of oil")
    assert "garden" not in message


async def test_of_many_passages_those_with_the_topic_are_weighed(client: httpx.AsyncClient, weighed: list[int]) -> None:
    doc_id = await upload(client, pages(*[""] * 20, OIL, OIL, OIL, *[""] * 20))
    silent = await upload(client, pages("", ""), "gardens.txt")
    message, sources = await ask(client, [doc_id, silent], "Summarise what they say about oil")
    assert weighed == [21, 22, 23]
    assert "The pump in the cellar of house 21 takes 21 litres of oil" in message
    assert {source["page_number"] for source in sources} <= {21, 22, 23}


async def test_where_no_passage_has_all_words_of_a_topic_those_with_some_are_weighed(
    client: httpx.AsyncClient, weighed: list[int]
) -> None:
    doc_id = await upload(client, pages(*[""] * 20, OIL, OIL, OIL, DECIDED, DECIDED))
    silent = await upload(client, pages("", ""), "gardens.txt")
    message, _ = await ask(client, [doc_id, silent], "Summarise what they say about oil and the bridge")
    assert weighed == [21, 22, 23, 24, 25]
    assert "litres of oil" in message


async def test_of_many_passages_those_with_decisions_are_weighed(client: httpx.AsyncClient, weighed: list[int]) -> None:
    doc_id = await upload(client, pages(*[""] * 20, DECIDED, DECIDED, DECIDED))
    message, _ = await ask(client, [doc_id], "What was decided?")
    assert weighed == [21, 22, 23]
    assert "The council decided in May to build a new bridge beside house 21." in message


async def test_of_more_passages_with_the_topic_an_even_share_is_weighed(
    client: httpx.AsyncClient, weighed: list[int]
) -> None:
    doc_id = await upload(client, pages(*[OIL] * 50))
    silent = await upload(client, pages("", ""), "gardens.txt")
    message, _ = await ask(client, [doc_id, silent], "Summarise what they say about oil")
    assert weighed == [*range(1, 51, 5)]
    assert "litres of oil" in message

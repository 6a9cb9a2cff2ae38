"""Summaries over HTTP: of slides, stories, contracts, of a topic, and why something is so."""

import io

import httpx
import pptx
import pytest
from test_overview import ask

from conftest import upload

pytestmark = pytest.mark.anyio


def deck() -> bytes:
    made = pptx.Presentation()
    layout = made.slide_layouts[1]
    for title, items in (
        ("Harbours", ["The pier was rebuilt in May", "Two cranes were sold"]),
        ("Ships", ["Nine ships call each week"]),
        ("Crews", ["Forty sailors were trained"]),
        ("Thank you", ["Questions?"]),
    ):
        slide = made.slides.add_slide(layout)
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(items)
    held = io.BytesIO()
    made.save(held)
    return held.getvalue()


async def test_slides_are_summed_up_by_their_titles_and_what_stands_below(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/api/upload", files={"file": ("fleet.pptx", deck())})
    assert response.status_code == 201, response.text
    message, sources = await ask(client, [response.json()["doc_id"]], "Summarise the slides")
    assert message == (
        "This presentation has 4 slides.\n"
        "- Harbours: The pier was rebuilt in May; Two cranes were sold [1]\n"
        "- Ships: Nine ships call each week [2]\n"
        "- Crews: Forty sailors were trained [3]"
    )
    assert [source["page_number"] for source in sources] == [1, 2, 3]


INSPECTION = (
    "Report on Oak House\n\nSummary\n\nOak House is a home for thirty people near the old mill of the village. "
    "The house has three floors and a large garden with a pond. Medicines were not kept in a locked room. "
    "Staff were not trained to give medicines at night. The garden was in good order all through the summer. "
    "The records of the medicines were not kept up to date.\n\n"
    "Staff\n\nThe manager leads a team of twelve nurses. The nurses like their work in the house."
)


async def test_a_summary_of_something_narrower_is_of_what_speaks_of_it(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, INSPECTION)
    message, _ = await ask(client, [doc_id], "Give me a summary of the findings on medicines")
    assert "Medicines were not kept in a locked room." in message
    assert "garden" not in message


async def test_why_is_answered_by_what_was_not_so(client: httpx.AsyncClient) -> None:
    message, _ = await ask(client, [await upload(client, INSPECTION)], "Summarise why it got a bad rating")
    assert "Staff were not trained to give medicines at night." in message
    assert "garden" not in message


async def test_a_story_is_summed_up_with_the_names_in_it(client: httpx.AsyncClient) -> None:
    talk = (
        "The wind blew over the water, and old Tom looked for Mira on the pier. “Where is the boat?” asked Tom. “It is "
        "gone,” said Mira. They walked along the shore until Tom and Mira came to the mill of Bram. “Who is there?” "
        "shouted Bram. “Only Tom,” said Mira. \n\n"
    )
    message, _ = await ask(client, [await upload(client, talk * 15)], "What is this story about?", length="LONG")
    assert "Most often named: Tom, Mira, Bram." in message


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        (
            "Summarise it",
            (
                "Lease\n\nThis agreement is made on 3 May 2021 between Ann Lee (the Landlord) and Tom Roe (the Tenant).\n\n"
                "1. Rent\n\nThe rent is £900 a month and is due on the first day.\n\n2. Keys\n\nTwo keys are handed over."
            ),
            ["between Ann Lee (the Landlord) and Tom Roe", "The rent is £900 a month"],
        ),
        (
            "Fasse das zusammen",
            (
                "Abrechnung\n\nDie Wohnung hat eine Fläche von 60 Quadratmetern im dritten Stock. Es ergibt sich eine "
                "Nachzahlung von 300 € für das Jahr.\n\nBitte lesen Sie diese Abrechnung sorgfältig durch."
            ),
            ["Nachzahlung von 300 €"],
        ),
        (
            "Haz un resumen del documento",
            (
                "Aviso\n\nEl lunes se cierra la calle Mayor por obras en las tuberías. Las obras cuestan 300 € al mes "
                "y duran dos meses.\n\nLe agradecemos su paciencia durante las obras de la calle."
            ),
            ["Las obras cuestan 300 € al mes"],
        ),
        (
            "总结一下",
            "使用说明书\n\n本产品适用于家庭室内的空气净化。感谢您购买本公司的产品。请仔细阅读本说明书的全部内容。",
            ["本产品适用于家庭室内的空气净化。"],
        ),
    ],
)
async def test_a_short_document_is_summed_up_by_what_counts(
    client: httpx.AsyncClient, question: str, text: str, said: list[str]
) -> None:
    message, _ = await ask(client, [await upload(client, text)], question)
    assert all(part in message for part in said), message

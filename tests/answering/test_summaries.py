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


CONTRACT = (
    "Lease of a workshop\n\n1 Term\n\nThe lease begins on 1 May and runs for five years. It can be renewed once.\n\n"
    "2 Rent\n\nThe rent is 900 a month. It is due on the third working day. It rises with the price index.\n\n"
    "3 Deposit\n\n3.1 Amount. The tenant pays a deposit of 2,700 before he moves in. It bears no interest.\n\n"
    "3.2 Return. The deposit is paid back within two months after the keys are handed over. For each key that is "
    "missing 40 are kept.\n\n"
    "4 End of the lease\n\nIf the tenant dies, his heirs may leave the workshop within a month. Goods that they leave "
    "behind are stored for three months.\n\n5 Repairs\n\nThe landlord repairs the roof. The tenant repairs the doors."
)


async def test_a_summary_of_a_topic_is_what_its_section_says(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, CONTRACT)
    message, sources = await ask(client, [doc_id], "Sum up the rules on the deposit", length="LONG")
    assert "The tenant pays a deposit of 2,700 before he moves in." in message
    assert "The deposit is paid back within two months after the keys are handed over." in message
    assert not {"rent", "roof", "heirs"} & set(message.lower().split())
    assert sources


LEAVE = (
    "# Leave\n\n## Annual leave\n\nEverybody has 25 days a year.\n\n## Sick leave\n\nWhat is paid is shown below.\n\n"
    "| Part of the year | Days | Pay |\n|---|---|---|\n| First | 30 | full |\n| Second | 50 | half |\n\n"
    "Ring before nine on the first morning.\n\n## Parental leave\n\nIt is taken within a year of the birth.\n"
)


async def test_a_table_below_a_sentence_stands_under_its_section(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, LEAVE, "leave.md")
    message, _ = await ask(client, [doc_id], "Give me a summary of the sick leave rules", length="LONG")
    assert "Second: Days 50; Pay half" in message
    assert "Ring before nine on the first morning." in message
    assert "birth" not in message


async def test_a_summary_of_what_happens_answers_that(client: httpx.AsyncClient) -> None:
    message, _ = await ask(client, [await upload(client, CONTRACT)], "Sum up what happens if the tenant dies")
    assert message.startswith("If the tenant dies, his heirs may leave the workshop within a month.")
    assert "deposit" not in message


async def test_a_document_is_summed_up_whole_by_whatever_it_is_called(client: httpx.AsyncClient) -> None:
    doc_id = await upload(client, CONTRACT)
    for question in ("Sum up the workshop lease", "Sum up the whole bundle"):
        message, _ = await ask(client, [doc_id], question, length="LONG")
        assert "The lease begins on 1 May" in message, question
        assert "The landlord repairs the roof" in message, question


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

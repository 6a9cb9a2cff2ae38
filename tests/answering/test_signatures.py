"""Who signed: below a closing formula, behind a label, above an office at the end of a page."""

import httpx
import pytest
from test_overview import ask

from conftest import upload
from docqa.answering.signatures import signed
from docqa.store.chunks import StoredChunk

PROSE = "The harbour was dredged in spring, and the new pier is open to ships of every size."


def value(text: str) -> str:
    stated = signed([StoredChunk(1, 1, 1, "", "", text, "")])
    return stated.value if stated else ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"Dear members,\n{PROSE}\n\nYours sincerely,\n\nIngrid Solberg\nHarbour master", "Ingrid Solberg"),
        (f"{PROSE}\n\nKind regards\nDr. Omar van der Berg", "Dr. Omar van der Berg"),
        (f"Sehr geehrte Damen und Herren,\n{PROSE}\n\nMit freundlichen Grüßen\n\nJutta Öhler", "Jutta Öhler"),
        (f"{PROSE}\nCordialement,\nAnne Lefèvre", "Anne Lefèvre"),
        (f"{PROSE}\nAtentamente,\n\nMaría José Ruiz", "María José Ruiz"),
        ("本公司已完成检查。\n签名：王小明", "王小明"),
        (f"{PROSE}\nSigned: A. M. Lee, T. Roe", "A. M. Lee, T. Roe"),
        (f"{PROSE}\n\nMary Stone\n\nDirector of the Harbour Office\n\nProvince of Bergen", "Mary Stone"),
    ],
)
def test_a_signature_is_recognised(text: str, name: str) -> None:
    assert value(text) == name


def test_a_long_gap_behind_a_label_takes_no_longer_than_a_short_one() -> None:
    """Each space was once tried in three roles: a thousand of them took twenty seconds."""
    assert value(f"Signed{' ' * 20_000}_______{' ' * 20_000}") == ""


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        f"{PROSE}\n\nHarbour Office\n{PROSE}",
        "Harbour Office\nAnnual Report",
        f"It was signed on 3 May 2021. {PROSE}",
    ],
)
def test_other_lines_are_no_signature(text: str) -> None:
    assert value(text) == ""


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who signed the letter at the front?", "It is signed by Ingrid Solberg. [1]"),
        ("Wer hat den Brief unterschrieben?", "Unterzeichnet ist es von Ingrid Solberg. [1]"),
        ("Qui a signé la lettre ?", "Il est signé par Ingrid Solberg. [1]"),
        ("¿Quién firmó la carta?", "Está firmado por Ingrid Solberg. [1]"),
        ("这封信是谁签的？", "签署人是Ingrid Solberg。"),
    ],
)
async def test_who_signed_is_answered_with_its_source(client: httpx.AsyncClient, question: str, answer: str) -> None:
    doc_id = await upload(client, f"Dear members,\n{PROSE}\n\nYours sincerely,\n\nIngrid Solberg\nHarbour master")
    message, sources = await ask(client, [doc_id], question)
    assert message.startswith(answer)
    assert "Ingrid Solberg" in sources[0]["source_chunk"]

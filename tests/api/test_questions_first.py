"""What reads files stops while somebody's question is worked on."""

import signal

import httpx
import pytest
from starlette.applications import Starlette

from conftest import upload
from stand_ins import NotingSignals

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="nothing can be stopped on Windows"),
]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/{}?model_name=QUOTES", [{"sender": "user", "message": "When does the lease end?"}]),
        ("/v1/api/retrieve", {"query": "end of the lease", "top_k": 1}),
    ],
    ids=["chat", "passages"],
)
async def test_a_question_stops_what_reads_files(
    app: Starlette, client: httpx.AsyncClient, path: str, body: object
) -> None:
    doc_id = await upload(client, "The lease ends on 31 March 2030.")
    reader = NotingSignals()
    with app.state.services.intake.reading.precedence.stops(reader):
        (await client.get("/v1/api/documents")).raise_for_status()
        await upload(client, "Another text.")
        assert reader.signals == []
        (await client.post(path.format(doc_id), json=body)).raise_for_status()
    assert reader.signals == [signal.SIGSTOP, signal.SIGCONT]

"""OpenAI's API over the documents: each is a model that can be asked, and so are knowledge bases and all of them."""

from collections.abc import Sequence
from dataclasses import asdict

from starlette.responses import JSONResponse, Response

from docqa import store
from docqa.api.endpoint import Endpoint, Given
from docqa.api.endpoints.chat import TARGET_HEADER
from docqa.api.filters import filters_of
from docqa.api.openai.body import COMPLETION_BODY, options_of
from docqa.api.openai.errors import OPENAI
from docqa.api.openai.naming import ALL, card, everything, id_in
from docqa.api.openai.records import Completion, ModelCard, ModelCards
from docqa.api.openai.reply import Reply
from docqa.api.streaming import SSE, stream_events
from docqa.errors import NotFound, ProviderFailed, Unavailable
from docqa.services import Services
from docqa.store.askable import Askable
from docqa.store.documents import StoredDocument
from docqa.store.filters import NONE, Filters

TAG = "OpenAI"


async def list_openai_models(services: Services, account: int, given: Given) -> ModelCards:
    """All documents as one model, each knowledge base, each of the newest documents."""
    async with services.db.read() as conn:
        askables = await store.askable.askables(conn, account)
    return ModelCards("list", [everything(), *map(card, askables)])


async def read_openai_model(services: Services, account: int, given: Given) -> ModelCard:
    """One model. Raises NotFound."""
    model = given.path["model"]
    return everything() if model == ALL else card(await _askable(services, account, model))


async def complete_chat(services: Services, account: int, given: Given) -> Response:
    """The answer of a model, whole or as events. Raises NotFound for an unknown model."""
    from docqa.api.asking import begin

    documents = await documents_named(services, account, given.body["model"], filters_of(given.body["filters"]))
    answer = await begin(services, documents, given.body["messages"], options_of(given.body))
    reply, headers = Reply(answer, given.body["model"], given.base), {TARGET_HEADER: answer.target}
    if given.body["stream"]:
        return stream_events(reply.events(), headers)
    return JSONResponse(asdict(await reply.whole()), headers=headers)


async def _askable(services: Services, account: int, model: str) -> Askable:
    async with services.db.read() as conn:
        try:
            return await store.askable.askable(conn, account, id_in(model))
        except NotFound as error:
            what = f"No document and no knowledge base is the model {model[:200]!r}"
            raise NotFound(f"{what}: GET /v1/models lists those there are.") from error


async def documents_named(
    services: Services, account: int, model: str, filters: Filters = NONE
) -> Sequence[StoredDocument]:
    """The documents that a model stands for, those of them that fit. Raises NotFound."""
    if model == ALL:
        async with services.db.read() as conn:
            return await store.askable.newest_documents(conn, account, filters)
    what = await _askable(services, account, model)
    async with services.db.read() as conn:
        return await store.documents.fitting(conn, await store.askable.documents_of(conn, account, what), filters)


LIST = Endpoint(
    path="/v1/models",
    handler=list_openai_models,
    summary="List documents and knowledge bases as OpenAI's models",
    answers=ModelCards,
    tag=TAG,
    errors_as=OPENAI,
)
READ = Endpoint(
    path="/v1/models/{model}",
    handler=read_openai_model,
    summary="Read a document or a knowledge base as OpenAI's model",
    answers=ModelCard,
    tag=TAG,
    errors=(NotFound,),
    errors_as=OPENAI,
)
COMPLETE = Endpoint(
    path="/v1/chat/completions",
    methods=("POST",),
    handler=complete_chat,
    summary="Chat with a document, a knowledge base or all documents as with OpenAI's models",
    answers=(Completion, SSE),
    tag=TAG,
    lane="chats",
    body=COMPLETION_BODY,
    errors=(NotFound, ProviderFailed, Unavailable),
    errors_as=OPENAI,
)

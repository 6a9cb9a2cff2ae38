"""Questions made from a user's own files, asked of a service that is opened for them alone, and what came of it.

It measures whether the service finds and repeats what the files say; it does not know what a user would really ask.
"""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docqa import store
from docqa.answering.answer import answer, read_question
from docqa.answering.gather import question_language
from docqa.api.app import create
from docqa.api.declarations import CHAT_QUERY
from docqa.errors import DocqaError, NotFound, TooLarge, Unavailable, Unreadable
from docqa.evaluation.figures import CUTS, Result, holds
from docqa.evaluation.questions import Made, choose, make_controls, make_questions
from docqa.ingest.add import add_file
from docqa.languages import phrase
from docqa.models.chat.local import LocalModel
from docqa.records import Source
from docqa.search.passages import Passage
from docqa.search.search import search
from docqa.services import Services
from docqa.settings import Settings
from docqa.store.documents import StoredDocument

ACCOUNT = "evaluation"
CONTROLS = 4  # one question in so many is a control
POLL = 0.1  # seconds
COLDEST = 0.1  # the lowest temperature: two runs of a local model should differ by the settings and not by chance
_MARK = re.compile(r" \[\d+\]")  # of a source: no number that the answer says
# Settings that say where the service is and not how it answers, and one that is told anyway.
_NOT_TOLD = {"host", "port", "data", "log_level", "embedder"}


async def evaluate(
    settings: Settings, files: Sequence[Path], model: str, count: int, tell: Callable[[str], None]
) -> list[Result]:
    """Ask `count` questions at most about the files, each of its own file; `tell` gets a sentence now and then, also for each file left out.

    The data are in a temporary folder, which is gone at the end. Raises NotFound for an unknown model, Unreadable when no file could be read.
    """
    with TemporaryDirectory(prefix="docqa-eval-") as folder:
        app = create(replace(settings, data=Path(folder)))
        async with app.router.lifespan_context(app):
            services: Services = app.state.services
            chat = _chat(services, model)
            for sentence in (*services.notes(), _described(services, model)):
                tell(sentence)
            documents = await _add(services, files, tell)
            chosen = await _choose(services, documents, count)
            first = services.chat_models.open(services.chat_models.targets(model)[0])
            if isinstance(first, LocalModel):
                await first.start()  # that it loads is no part of its first answer
            tell(f"Asking {len(chosen)} questions ...")
            return [await _ask(services, documents[made.document], made, chat) for made in chosen]


def _chat(services: Services, model: str) -> dict[str, Any]:
    names = services.known()["models"]
    if model not in names:
        raise NotFound(f"There is no model {model}; there are {', '.join(names)}.")
    chat: dict[str, Any] = CHAT_QUERY.read(
        {"model_name": model, "cite_source": True, "temperature": COLDEST}, services.known()
    )
    return chat


def _described(services: Services, model: str) -> str:
    """Who answers, who embeds, and every other setting that is not as it comes."""
    kind = next(one.model_provider_name for one in services.models() if one.name == model)
    embedder = services.encoders.embedder
    shown = [f"model {model} ({kind})", f"embedding model {embedder.name if embedder else 'none'}"]
    settings = services.settings
    shown += [
        f"{one.name} {getattr(settings, one.name)}"
        for one in fields(settings)
        if one.name not in _NOT_TOLD and getattr(settings, one.name) != one.default
    ]
    return "; ".join(shown)


async def _add(services: Services, files: Sequence[Path], tell: Callable[[str], None]) -> dict[int, StoredDocument]:
    """The documents by their row ids, when the background work on them is done."""
    async with services.db.write() as conn:
        account = await store.accounts.account_named(conn, ACCOUNT)
    doc_ids: list[str] = []
    for path in files:
        try:
            doc_ids.append(await _add_one(services, account, path))
        except (OSError, DocqaError) as error:
            tell(f"{path} is left out: {error.strerror if isinstance(error, OSError) else error}")
    if not doc_ids:
        raise Unreadable("None of the files could be read: there is nothing to ask.")
    tell(f"Indexing {len(doc_ids)} of {len(files)} files ...")
    while True:
        async with services.db.read() as conn:
            if not await store.jobs.indexing(conn):
                break
        await asyncio.sleep(POLL)
    async with services.db.read() as conn:
        for doc_id in doc_ids:
            if message := (await store.documents.document_status(conn, account, doc_id)).message:
                tell(f"{(await store.documents.stored_document(conn, account, doc_id)).name}: {message}")
        return {document.id: document for document in await store.documents.stored_documents(conn, account, doc_ids)}


async def _add_one(services: Services, account: int, path: Path) -> str:
    limit = services.settings.upload_mb
    if path.stat().st_size > limit << 20:
        raise TooLarge(f"The file is larger than {limit} MB (DOCQA_UPLOAD_MB).")
    data = await asyncio.to_thread(path.read_bytes)
    return await add_file(services.intake, account, data, path.name, "", ("body", "file"))


async def _choose(services: Services, documents: dict[int, StoredDocument], count: int) -> list[Made]:
    """Questions and controls, chosen from all that can be made."""
    async with services.db.read() as conn:
        chunks = {id_: await store.chunks.chunks(conn, id_) for id_ in documents}
    made = [one for id_, document in documents.items() for one in make_questions(chunks[id_], document.language)]
    controls = [
        one for id_, document in documents.items() for one in make_controls(made, id_, document.language, chunks[id_])
    ]
    chosen = choose(controls, count // CONTROLS)
    return choose(made, count - len(chosen)) + chosen


async def _ask(services: Services, document: StoredDocument, made: Made, chat: dict[str, Any]) -> Result:
    passages = await search(services.index, [document], made.text, question_language(made.text, [document]), max(CUTS))
    rank = next((number for number, passage in enumerate(passages, 1) if _is_origin(passage, made)), 0)
    question = read_question([{"sender": "user", "message": made.text}], chat, [document])
    started = time.perf_counter()
    try:
        answered = await answer(services.answering, [document], question, chat)
        async with aclosing(answered.tokens) as tokens:
            text = "".join([token async for token in tokens])
    except Unavailable as error:
        return Result(made, document.name, "", rank, False, False, 0, 0, time.perf_counter() - started, str(error))
    seconds = time.perf_counter() - started
    verbatim = [await _is_verbatim(services, document, source) for source in answered.sources]
    refused = phrase("phrases.not_found", answered.question.language) in text
    return Result(
        made,
        document.name,
        text,
        rank,
        holds(_MARK.sub("", text), made.value),
        refused,
        sum(verbatim),
        len(verbatim),
        seconds,
    )


def _is_origin(passage: Passage, made: Made) -> bool:
    """Whether the question was made from this passage, or from a statement that stands in it too, or from its section."""
    if made.section:
        return passage.chunk.section == made.section
    return passage.chunk.id == made.chunk or bool(made.evidence) and made.evidence in " ".join(passage.text.split())


async def _is_verbatim(services: Services, document: StoredDocument, source: Source) -> bool:
    async with services.db.read() as conn:
        page = await store.documents.page_text(conn, document.id, source.page_number)
    return " ".join(source.source_chunk.split()) in " ".join(page.split())

"""Evaluation on a user's own files: generated questions are put to a service that is opened for them alone.

It measures whether the service finds and repeats what the files say; it does not know what a user would really ask.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from docqa import store
from docqa.answering.answer import answer
from docqa.api.app import create
from docqa.errors import DocqaError, NotFound, TooLarge, Unavailable, Unreadable
from docqa.evaluation.controls import make_controls
from docqa.evaluation.figures import CUTS, Result
from docqa.ingest.add import add_file
from docqa.ingest.made_questions import MadeQuestion, choose, holds, make_questions
from docqa.ingest.spool import Spool
from docqa.languages import phrase
from docqa.models.chat.local import LocalModel
from docqa.questions.question import ChatOptions
from docqa.questions.understand import understand
from docqa.records import Source
from docqa.search.passages import Passage
from docqa.search.search import search
from docqa.services import Services
from docqa.settings import Settings
from docqa.store.documents import StoredDocument

ACCOUNT = "evaluation"
CONTROLS = 4  # every so many questions there is a control question
POLL = 0.1  # seconds
TEMPERATURE = 0.1  # the lowest: two runs of a local model should differ by the settings and not by chance
# Settings that do not change the answers, and the embedder, which is reported by name.
_UNREPORTED = {"host", "port", "data", "log_level", "embedder"}


async def evaluate(
    settings: Settings, files: Sequence[Path], model: str, count: int, report: Callable[[str], None]
) -> list[Result]:
    """Put at most `count` questions to the service, each about the file it was made from.

    `report` gets a line of progress now and then, and one for each file left out. All data is kept in a temporary
    folder, which is deleted at the end. Raises NotFound for an unknown model, and Unreadable if no file could be read.
    """
    with TemporaryDirectory(prefix="docqa-eval-") as folder:
        app = create(replace(settings, data=Path(folder)))
        async with app.router.lifespan_context(app):
            services: Services = app.state.services
            options = _chat_options(services, model)
            for line in (*services.notes(), _configuration(services, model)):
                report(line)
            documents = await _add_files(services, files, report)
            questions = await _choose(services, documents, count)
            first = services.chat_models.open(services.chat_models.targets(model)[0])
            if isinstance(first, LocalModel):
                await first.start()  # so that loading does not count as part of the first answer
            report(f"Asking {len(questions)} questions ...")
            return [await _ask(services, documents[question.document], question, options) for question in questions]


def _chat_options(services: Services, model: str) -> ChatOptions:
    names = services.known()["models"]
    if model not in names:
        raise NotFound(f"There is no model {model}; there are {', '.join(names)}.")
    return ChatOptions(model_name=model, cite_source=True, temperature=TEMPERATURE)


def _configuration(services: Services, model: str) -> str:
    """The model that answers, the embedding model, and every other setting that is not at its default."""
    provider = services.model(model).model_provider_name
    embedder, settings = services.encoders.embedder, services.settings
    changed = [
        f"{field.name} {getattr(settings, field.name)}"
        for field in fields(settings)
        if field.name not in _UNREPORTED and getattr(settings, field.name) != field.default
    ]
    return "; ".join(
        [f"model {model} ({provider})", f"embedding model {embedder.name if embedder else 'none'}", *changed]
    )


async def _add_files(
    services: Services, files: Sequence[Path], report: Callable[[str], None]
) -> dict[int, StoredDocument]:
    """The documents by row id, once they are fully indexed."""
    async with services.db.write() as conn:
        account = await store.accounts.account_named(conn, ACCOUNT)
    doc_ids: list[str] = []
    for path in files:
        try:
            doc_ids.append(await _add_file(services, account, path))
        except (OSError, DocqaError) as error:
            report(f"{path} is left out: {error.strerror if isinstance(error, OSError) else error}")
    if not doc_ids:
        raise Unreadable("None of the files could be read: there is nothing to ask.")
    report(f"Indexing {len(doc_ids)} of {len(files)} files ...")
    while True:
        async with services.db.read() as conn:
            if not await store.jobs.indexing(conn):
                break
        await asyncio.sleep(POLL)
    async with services.db.read() as conn:
        for doc_id in doc_ids:
            if message := (await store.documents.document_status(conn, account, doc_id)).message:
                report(f"{(await store.documents.stored_document(conn, account, doc_id)).name}: {message}")
        return {document.id: document for document in await store.documents.stored_documents(conn, account, doc_ids)}


async def _add_file(services: Services, account: int, path: Path) -> str:
    limit = services.settings.upload_mb
    if path.stat().st_size > limit << 20:
        raise TooLarge(f"The file is larger than {limit} MB (DOCQA_UPLOAD_MB).")
    data = await asyncio.to_thread(path.read_bytes)
    return await add_file(services.intake, account, Spool.of(data), path.name, "", ("body", "file"))


async def _choose(services: Services, documents: dict[int, StoredDocument], count: int) -> list[MadeQuestion]:
    """Questions and control questions, chosen from all that can be made."""
    async with services.db.read() as conn:
        chunks = {id_: await store.chunks.chunks(conn, id_) for id_ in documents}
    answerable = [
        question for id_, document in documents.items() for question in make_questions(chunks[id_], document.language)
    ]
    controls = [
        question
        for id_, document in documents.items()
        for question in make_controls(answerable, id_, document.language, chunks[id_])
    ]
    chosen = choose(controls, count // CONTROLS)
    return choose(answerable, count - len(chosen)) + chosen


async def _ask(services: Services, document: StoredDocument, question: MadeQuestion, options: ChatOptions) -> Result:
    understood = understand([{"sender": "user", "message": question.text}], options, [document])
    passages = await search(services.index, [document], understood.parts[0], max(CUTS))
    rank = next((number for number, passage in enumerate(passages, 1) if _is_origin(passage, question)), 0)
    started = time.perf_counter()
    try:
        answered = await answer(services.answering, [document], understood)
        async with aclosing(answered.tokens) as tokens:
            text = "".join([token async for token in tokens])
    except Unavailable as error:
        seconds = time.perf_counter() - started
        return Result(question, document.name, "", rank, False, False, 0, 0, seconds, error=str(error))
    seconds = time.perf_counter() - started
    verbatim = [await _is_verbatim(services, document, source) for source in answered.sources]
    return Result(
        question=question,
        file=document.name,
        answer=text,
        rank=rank,
        right=holds(text, question.value),
        refused=phrase("phrases.not_found", answered.question.answer_language) in text,
        quoted=sum(verbatim),
        sources=len(verbatim),
        seconds=seconds,
    )


def _is_origin(passage: Passage, question: MadeQuestion) -> bool:
    """Whether the question was made from this passage or its section, or the passage repeats the statement."""
    if question.section:
        return passage.chunk.section == question.section
    if passage.chunk.id == question.chunk:
        return True
    return bool(question.evidence) and question.evidence in " ".join(passage.text.split())


async def _is_verbatim(services: Services, document: StoredDocument, source: Source) -> bool:
    async with services.db.read() as conn:
        page = await store.documents.page_text(conn, document.id, source.page_number)
    return " ".join(source.source_chunk.split()) in " ".join(page.split())

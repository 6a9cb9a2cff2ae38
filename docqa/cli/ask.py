"""`ask`, `search` and `chat`: questions, passages, conversations."""

from typing import Any

import click

from docqa.cli.client.conversation import Conversation, put_sources, with_names
from docqa.cli.client.names import scope_of
from docqa.cli.client.service import Message, Record, Service
from docqa.cli.options import Command, as_json, document_names, in_base, with_filters, with_service
from docqa.cli.terminal import put, put_json, say

NOT_SAID = 3  # exit code: the documents do not say anything about the question


def _with_answer_options(command: Command) -> Command:
    """Add what says how an answer should be: `options` of a chat."""
    for option in (
        click.option("--model", "model_name", metavar="NAME", help="Which model answers; `status` lists them."),
        click.option("--language", metavar="NAME", help="Of the answer, such as GERMAN; else that of the question."),
        click.option("--long", is_flag=True, help="A longer answer."),
    ):
        command = option(command)
    return command


def _options(model_name: str | None, language: str | None, long: bool) -> dict[str, str]:
    given = {"model_name": model_name, "language": language and language.upper(), "length": "LONG" if long else None}
    return {name: value for name, value in given.items() if value}


@click.command()
@click.argument("words", metavar='[DOC]... "QUESTION"', nargs=-1, required=True, shell_complete=document_names)
@in_base
@with_filters
@_with_answer_options
@as_json
@with_service
def ask(service: Service, words: tuple[str, ...], kb: str | None, filters: Record, as_json: bool, **given: Any) -> int:
    """Ask all documents, some, or a knowledge base.

    The answer goes to stdout while it is made, its sources to stderr. Exits with 3 if the documents do not say anything
    about it. DOC is a name or an id."""
    *documents, question = words
    if kb and documents:
        raise click.UsageError("Name documents or a knowledge base, not both; is the question in quotes?")
    scope = scope_of(service, documents, kb, filters)
    messages: list[Message] = [{"sender": "user", "message": question}]
    with service.chat(scope, messages, **_options(**given)) as reply:
        text = ""
        for piece in reply.pieces:
            text += piece
            if not as_json:
                put(piece, end="")
    sources = with_names(service, reply.sources)
    if as_json:
        put_json(
            {
                "question": question,
                "answer": text,
                "answered": reply.says_it,
                "answered_by": reply.target,
                "sources": sources,
            }
        )
    else:
        put("")
        put_sources(sources)
    return 0 if reply.says_it else NOT_SAID


@click.command()
@click.argument("words", metavar='[DOC]... "WORDS"', nargs=-1, required=True, shell_complete=document_names)
@in_base
@with_filters
@click.option("-n", "count", type=click.IntRange(1, 100), default=5, show_default=True, help="Passages at most.")
@as_json
@with_service
def search(service: Service, words: tuple[str, ...], kb: str | None, filters: Record, count: int, as_json: bool) -> int:
    """Show the passages that fit best, without an answer. Exits with 3 if there are none. DOC is a name or an id."""
    *documents, query = words
    if kb and documents:
        raise click.UsageError("Name documents or a knowledge base, not both; are the words in quotes?")
    scope = scope_of(service, documents, kb, filters)
    body = {"query": query, "top_k": count, **scope.place()}
    results = with_names(service, service.call("POST", "/v1/api/retrieve", body=body)["results"])
    if as_json:
        put_json(results)
    else:
        for result in results:
            put(f"{result['name']}, page {result['page_number']}\n{result['source_chunk'].strip()}\n")
        if not results:
            say("Nothing fits.")
    return 0 if results else NOT_SAID


@click.command()
@click.argument("documents", metavar="[DOC]...", nargs=-1, shell_complete=document_names)
@in_base
@with_filters
@_with_answer_options
@with_service
def chat(service: Service, documents: tuple[str, ...], kb: str | None, filters: Record, **given: Any) -> None:
    """Ask one question after the other; each may refer to those before it."""
    if kb and documents:
        raise click.UsageError("Name documents or a knowledge base, not both.")
    Conversation(service, scope_of(service, documents, kb, filters), _options(**given)).hold()

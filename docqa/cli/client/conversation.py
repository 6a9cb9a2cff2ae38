"""A conversation in a terminal, and how the sources of an answer are shown."""

import sys
from collections.abc import Sequence
from contextlib import suppress

from docqa.cli.client.service import Message, Record, Refused, Scope, Service
from docqa.cli.terminal import put, say

HELP = "/new begins anew, /sources shows the passages in full, /quit (or Ctrl-D) ends. Ctrl-C stops an answer."
PROMPT = "? "
QUOTED = 160  # characters of a source below an answer


def with_names(service: Service, places: Sequence[Record]) -> list[Record]:
    """Passages, each with the name of its document."""
    names = {
        id_: service.call("GET", f"/v1/api/documents/{id_}")["name"] for id_ in {place["doc_id"] for place in places}
    }
    return [{**place, "name": names[place["doc_id"]]} for place in places]


def put_sources(sources: Sequence[Record], *, whole: bool = False) -> None:
    """Write what an answer rests on to stderr."""
    for source in sources:
        text = " ".join(source["source_chunk"].split())
        quoted = text if whole or len(text) <= QUOTED else f"{text[:QUOTED].rsplit(' ', 1)[0]} ..."
        say(f"[{source['id']}] {source['name']}, page {source['page_number']}: {quoted}")


class Conversation:
    """Questions from stdin, answers to stdout."""

    def __init__(self, service: Service, scope: Scope, options: dict[str, str]) -> None:
        self._service, self._scope, self._options = service, scope, options
        self._messages: list[Message] = []
        self._sources: list[Record] = []

    def hold(self) -> None:
        """Until /quit or the end of the input."""
        if sys.stdin.isatty():
            with suppress(ImportError):  # Windows, whose console edits lines by itself
                import readline  # noqa: F401 - input() edits lines and remembers them
            say(HELP)
        while True:
            try:
                line = input(PROMPT if sys.stdin.isatty() else "").strip()
            except EOFError:
                return
            if line in ("/quit", "/exit"):
                return
            self._take(line)

    def _take(self, line: str) -> None:
        if line == "/new":
            self._messages.clear()
            say("Nothing said so far is kept.")
        elif line == "/sources":
            put_sources(self._sources, whole=True)
        elif line.startswith("/"):
            say(HELP)
        elif line:
            self._answer(line)

    def _answer(self, question: str) -> None:
        """Ask; what fails or is stopped leaves the conversation as it was."""
        messages = [*self._messages, {"sender": "user", "message": question}]
        text = ""
        try:
            with self._service.chat(self._scope, messages, **self._options) as reply:
                for piece in reply.pieces:
                    text += piece
                    put(piece, end="")
        except Refused as error:
            say(f"docqa: {error}")
            return
        except KeyboardInterrupt:
            say("\nStopped.")
            return
        put("")
        self._sources = with_names(self._service, reply.sources)
        put_sources(self._sources)
        self._messages = [*messages, {"sender": "bot", "message": text}]

"""The service over HTTP, as commands use it: requests, their refusals as sentences, and streamed answers."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from urllib.parse import urlsplit

import httpx

from docqa import COMMAND, __version__
from docqa.errors import DocqaError
from docqa.loopback import is_loopback

TIMEOUT = httpx.Timeout(300, connect=5)  # seconds; a large file takes minutes to be read
PAGE_SIZE = 100
REFUSAL = "refusal"  # what X-DocQA-Target says of an answer that the documents do not hold
Message = dict[str, str]
Record = dict[str, Any]


class Unreachable(DocqaError):
    """No answer came, or not all of it."""


class Refused(DocqaError):
    """The server's reason; `code` is the HTTP status, `retry_after` in seconds when to try again, 0 if never."""

    def __init__(self, reason: str, code: int, retry_after: int = 0) -> None:
        super().__init__(reason)
        self.code, self.retry_after = code, retry_after


@dataclass(frozen=True)
class Scope:
    """What a question is put to: documents, or a knowledge base; those of them that fit the filters of the API."""

    doc_ids: tuple[str, ...] = ()
    knowledge_base_id: str = ""
    filters: Record = field(default_factory=dict)

    def place(self) -> Record:
        """As `POST /v1/api/retrieve` takes it."""
        if self.knowledge_base_id:
            return {"knowledge_base_id": self.knowledge_base_id, **self.filters}
        return {"doc_ids": list(self.doc_ids), **self.filters}

    def chat(self, messages: Sequence[Message]) -> tuple[str, Any]:
        """(path, body) of a chat."""
        body = {"messages": messages, "filters": self.filters}
        if self.knowledge_base_id:
            return f"/v1/api/knowledge/{self.knowledge_base_id}/chat", body
        if len(self.doc_ids) == 1 and not self.filters:
            return f"/v1/chat/{self.doc_ids[0]}", messages
        return "/v1/api/knowledge_base_chat", {"documents": self.doc_ids, **body}


@dataclass
class Reply:
    """An answer in progress: `sources` is complete once `pieces` has ended. `target` is what wrote it."""

    target: str
    pieces: Iterator[str]
    sources: list[Record] = field(default_factory=list)

    @property
    def says_it(self) -> bool:
        """Whether the documents say anything about the question."""
        return self.target != REFUSAL


class Service:
    """The service at `url`; `own`: it ends with the command, and nobody else goes on with its background work.
    `memory` is a folder for what commands must remember of it, which may not exist yet."""

    def __init__(self, url: str, key: str, memory: Path, *, own: bool = False) -> None:
        self.url, self.memory, self.own = url.rstrip("/"), memory, own
        host = urlsplit(url).hostname or ""
        self._client = httpx.Client(
            base_url=self.url,
            headers={"x-api-key": key, "User-Agent": f"docqa/{__version__}"},
            timeout=TIMEOUT,
            trust_env=not is_loopback(host),  # no proxy leads to this machine
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def call(self, method: str, path: str, *, body: Any = None, **query: Any) -> Any:
        """The decoded answer. Raises Refused, Unreachable."""
        content = {} if body is None else {"json": body}
        with self._sent(method, path, params=query, **content) as response:
            return json.loads(response.read())

    def upload(self, name: str, content: IO[bytes], tags: Sequence[str] = ()) -> str:
        """Add a file; its doc_id, an old one where the account has these bytes. Raises Refused, Unreachable."""
        files, query = {"file": (name, content)}, {"tag": list(tags)}
        with self._sent("POST", "/v1/api/upload", files=files, params=query) as response:
            return str(json.loads(response.read())["doc_id"])

    def link(self, url: str, tags: Sequence[str] = ()) -> str:
        """Add what a link leads to; its doc_id. Raises Refused, Unreachable."""
        return str(self.call("GET", "/v1/api/download_pdf", url=url, tag=list(tags))["doc_id"])

    def documents(self, **filters: str) -> Iterator[Record]:
        """All documents that fit the filters of the API, newest first."""
        return self._all("/v1/api/documents", "documents", **filters)

    def knowledge_bases(self) -> Iterator[Record]:
        """All knowledge bases, newest first."""
        return self._all("/v1/api/knowledge", "knowledge_bases")

    @contextmanager
    def chat(self, scope: Scope, messages: Sequence[Message], **options: Any) -> Iterator[Reply]:
        """Ask; the answer is made while its pieces are read. Raises Refused, Unreachable."""
        path, body = scope.chat(messages)
        query = {"stream": "true", "cite_source": "true", **options}
        headers = {"Accept": "text/event-stream"}
        with self._sent("POST", path, params=query, json=body, headers=headers) as response:
            reply = Reply(response.headers.get("X-DocQA-Target", ""), iter(()))
            reply.pieces = self._pieces(response, reply)
            yield reply

    def _all(self, path: str, name: str, **query: str) -> Iterator[Record]:
        page, pages = 1, 1
        while page <= pages:
            answer = self.call("GET", path, page=page, page_size=PAGE_SIZE, **query)
            yield from answer[name]
            page, pages = page + 1, answer["total_pages"]

    @contextmanager
    def _sent(self, method: str, path: str, **request: Any) -> Iterator[httpx.Response]:
        try:
            with self._client.stream(method, path, **request) as response:
                if response.status_code >= 400:
                    response.read()
                    raise _refused(response)
                yield response
        except httpx.ConnectError as error:
            raise Unreachable(
                f"Nothing answers at {self.url}. `{COMMAND} serve` starts the server; --url names another one."
            ) from error
        except httpx.TransportError as error:
            raise Unreachable(f"{self.url} broke the connection off: {error}.") from error
        except httpx.InvalidURL as error:
            raise Unreachable(f"{self.url} is no address of a server: {error}.") from error

    def _pieces(self, response: httpx.Response, reply: Reply) -> Iterator[str]:
        event = ""
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data":
                data = json.loads(value)
                if event == "token":
                    yield data["text"]
                elif event == "sources":
                    reply.sources += data
                elif event == "error":
                    raise Refused(_reason(data["detail"]), response.status_code)
                elif event == "done":
                    return
        raise Unreachable(f"{self.url} broke the answer off.")


def _refused(response: httpx.Response) -> Refused:
    try:
        reason = _reason(json.loads(response.content)["detail"])
    except (ValueError, KeyError, TypeError):  # another program answers there
        reason = f"{response.url} answers {response.status_code}: is that a DocQA server?"
    if response.status_code == 401:
        reason += ". `key add NAME` prints a new key, to be given as DOCQA_KEY or --key."
    after = response.headers.get("Retry-After", "")
    return Refused(reason, response.status_code, int(after) if after.isdecimal() else 0)


def _reason(detail: Any) -> str:
    """A sentence of what an error's body holds: a text, or faults with their places."""
    if isinstance(detail, str):
        return detail
    return "; ".join(
        fault["msg"] if fault["type"] == "unreadable" else f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
        for fault in detail
    )

"""Vectors by another server that speaks OpenAI's API, in the place of a process that holds a model.

Source: https://platform.openai.com/docs/api-reference/embeddings; llama.cpp, Ollama, vLLM, LM Studio and Google answer
likewise. Vectors are asked for in base64, which takes a sixth of the bytes; servers that know numbers alone send those.
"""

import asyncio
import base64
import binascii
import hashlib
import json
import math
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from docqa.catalog.catalog import Catalog
from docqa.catalog.keys import ProviderKeys
from docqa.catalog.targets import EMBEDDING, Target
from docqa.errors import ProviderFailed, Unavailable
from docqa.models.chat.http import HttpClient, Peer
from docqa.models.chat.openai import OpenAI
from docqa.models.chat.remote import PROVIDERS, obstacle
from docqa.models.cosines import Scale, dot
from docqa.models.embedder import Embedder
from docqa.models.packing import pack
from docqa.models.pairs import PAIRS
from docqa.settings import environment_name
from docqa.workers.loop import Header
from docqa.workers.process import Frame

SECONDS = 30.0  # each wait for the server, and twice over all retries together
LARGEST = 16 << 20  # bytes of an answer: 16 vectors of 4,096 numbers take two
PATH = "/embeddings"
CHANGED = "{target} makes vectors of another length than before. Start DocQA again to have all vectors made anew."


@dataclass(frozen=True)
class _Wire(OpenAI):
    path: ClassVar[str] = PATH
    optional: ClassVar[Mapping[str, str]] = {"encoding_format": ""}


class _NoVectors(Exception):
    """An answer that holds no vectors for what was asked; the message says what is wrong with it."""


class RemoteVectors:
    """A `Runner` that asks a server. Where that fails, a short text tells whether the server or the text is to blame;
    the server counts as failed until it is started again."""

    def __init__(self, peer: Peer, prefixes: tuple[str, str]) -> None:
        self.hello: Header = {}
        self._peer, self._prefixes = peer, dict(zip(("query", "document"), prefixes, strict=True))
        self._failure, self._loading = "", False

    @property
    def state(self) -> str:
        """`stopped`, `loading`, `ready` or `failed: why`."""
        if self._loading:
            return "loading"
        if self._failure:
            return f"failed: {self._failure}"
        return "ready" if self.hello else "stopped"

    async def start(self) -> Header:
        """Have the server make vectors of short texts, which tell their dimension and how alike unrelated texts are.
        Raises Unavailable."""
        if self.state == "ready":
            return self.hello
        self._loading = True
        try:
            questions = await self._made([question for question, _ in PAIRS], "query")
            passages = await self._made([passage for _, passage in PAIRS], "document")
        except Unavailable as error:
            self._failure = str(error)
            raise
        finally:
            self._loading = False
        dimension = len(passages[0]) // 4
        if dimension % 8:
            self._failure = f"{self._peer.target} makes vectors of {dimension} numbers; only multiples of 8 are stored."
            raise Unavailable(self._failure)
        if self.hello.get("dimension", dimension) != dimension:
            self._failure = CHANGED.format(target=self._peer.target)
            raise Unavailable(self._failure)
        self._failure = ""
        self.hello = {"dimension": dimension, "unrelated": await asyncio.to_thread(_unrelated, questions, passages)}
        return self.hello

    async def call(self, header: Header, blob: bytes = b"", *, urgent: bool = False) -> Frame:
        """The vectors of `texts`, which are questions or passages by their `role`, `packed` where that is asked for.
        Raises Unavailable."""
        if self._failure:
            raise Unavailable(self._failure)
        try:
            vectors = await self._made(header["texts"], header["role"])
            if len(vectors[0]) != 4 * self.hello["dimension"]:
                self._failure = (
                    f"{self._peer.target} makes vectors of another length than before: its model was changed."
                )
                raise Unavailable(self._failure)
        except Unavailable:
            await self._blame()
            raise
        if header.get("packed"):
            return {}, await asyncio.to_thread(pack, vectors, self.hello["dimension"])
        return {}, b"".join(vectors)

    async def close(self) -> None:
        """Nothing: the connections are shared."""

    async def _blame(self) -> None:
        """Count as failed if the server makes no vector of a short text either."""
        self._peer.down = None
        try:
            await self._made([PAIRS[0][0]], "query")
        except Unavailable as error:
            self._failure = self._failure or str(error)

    async def _made(self, texts: Sequence[str], role: str) -> list[bytes]:
        """A vector of length 1 for each text. Raises Unavailable."""
        # Servers reject JSON with half a surrogate pair, which some PDFs contain, and a text without words.
        sent = [self._prefixes[role] + (text.encode("utf-8", "replace").decode().strip() or "-") for text in texts]
        body = {"model": self._peer.target.model, "input": sent, "encoding_format": "base64"}
        try:
            answer = await self._peer.post_whole(PATH, body, LARGEST)
            return await asyncio.to_thread(_vectors, answer, len(sent))
        except ProviderFailed as error:
            raise Unavailable(str(error)) from error
        except _NoVectors as error:
            raise Unavailable(f"{self._peer.target} sent no embeddings: {error}.") from error


def _vectors(answer: bytes, count: int) -> list[bytes]:
    """The vectors in an answer, in the order of the texts, float32 of length 1. Raises _NoVectors."""
    try:
        data = json.loads(answer)["data"]
        if any("index" in item for item in data):
            data = sorted(data, key=lambda item: item["index"])
        numbers = [_numbers(item["embedding"]) for item in data]
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, binascii.Error) as error:
        raise _NoVectors("its answer does not have the form of OpenAI's") from error
    if len(numbers) != count or len(set(map(len, numbers))) != 1 or not numbers[0]:
        raise _NoVectors(f"{len(numbers)} vectors for {count} texts, or vectors of several lengths")
    return [_of_length_one(vector) for vector in numbers]


def _numbers(embedding: Any) -> "array[float]":
    """An embedding as float32; in base64 it is little-endian."""
    if not isinstance(embedding, str):
        if embedding and isinstance(embedding[0], list):
            raise _NoVectors("a vector for each token; start it with pooling, as llama-server with `--pooling mean`")
        return array("f", embedding)
    vector = array("f", base64.b64decode(embedding, validate=True))
    if sys.byteorder == "big":
        vector.byteswap()
    return vector


def _of_length_one(vector: "array[float]") -> bytes:
    length = math.hypot(*vector)
    if not (math.isfinite(length) and length > 0):
        raise _NoVectors("a vector of zeros or of what is no number")
    scaled = array("f", (number / length for number in vector))
    if sys.byteorder == "big":
        scaled.byteswap()
    return scaled.tobytes()


def _unrelated(questions: Sequence[bytes], passages: Sequence[bytes]) -> float:
    """The mean cosine of questions and passages that have nothing to do with each other."""
    cosines = [dot(q, p) for i, q in enumerate(questions) for j, p in enumerate(passages) if i != j]
    return round(sum(cosines) / len(cosines), 4)


@dataclass(frozen=True)
class RemoteEmbedders:
    """Opens the embedders of remote targets; nothing is sent until one is loaded. `urls` are addresses of providers
    that are not their own."""

    catalog: Catalog
    keys: ProviderKeys
    http: HttpClient
    offline: bool
    urls: Callable[[], Mapping[str, str]]

    def obstacle(self, target: Target) -> str:
        """Why a target must not be asked, "" where it may."""
        return obstacle(self._placed(target), self.keys, self.offline)

    def open(self, target: Target) -> Embedder:
        """The embedder of a target. A model that the catalogue has by the same name is given the texts as that is."""
        target = self._placed(target)
        address, _ = PROVIDERS[target.kind]
        url, key = (target.url or address).rstrip("/"), self.keys.of(target.kind, target.url)
        peer = Peer(target, _Wire(), url, key, self.http, SECONDS, environment_name("embedder"))
        known = next(
            (e for e in self.catalog.entries if e.kind == "embedding" and e.name.lower() == target.model.lower()), None
        )
        prefixes = (known.query_prefix, known.passage_prefix) if known else ("", "")
        return Embedder(
            str(target),
            self.catalog.models_dir,
            hashlib.sha256(str(target).encode()).hexdigest(),
            0,
            known.languages if known else (),
            scales={key: Scale(*means) for key, means in known.cosines.items()} if known else None,
            remote=RemoteVectors(peer, prefixes),
        )

    def named(self, name: str) -> Embedder | None:
        """The embedder that stored vectors name; None for a model of this machine, and where it must not be asked."""
        target = Target.parse(name) if name.partition(":")[0] in EMBEDDING else None
        return self.open(target) if target and not self.obstacle(target) else None

    def _placed(self, target: Target) -> Target:
        return replace(target, url=self.urls().get(target.kind, target.url))

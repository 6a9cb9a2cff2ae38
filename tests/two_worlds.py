"""Two accounts on one server, and one of them on a server of its own: both see the same, whatever the other one does.

Hypothesis draws operations of both accounts. Those of `alice` are done in two worlds: in one she is alone, in the other
`bob` uploads, asks, deletes and guesses beside her, with words like hers, and takes what she shares. Her answers are
compared byte by byte, apart from ids, which are drawn, and times; and of hers bob sees what is shared, as long as it is.
"""

import asyncio
import re
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule
from starlette.applications import Starlette

from conftest import client_of, key_for
from docqa.api.app import create
from docqa.settings import Settings

WORDS = (
    "ferry",
    "mill",
    "Lauterach",
    "rye",
    "harbour",
    "lease",
    "keeper",
    "crane",
    "the",
    "of",
    "1733",
    "12,400 euros",
)
QUESTIONS = (
    *("When does the ferry sail?", "Who is the keeper of the mill?", "What is the lease of the harbour?", "rye"),
    *("How many cranes are there?", "Was wurde 1733 gebaut?", "Where is Lauterach mentioned?", "Summarise this."),
    *("What is the total rent?", "Which of these documents speak of a crane?", "Is there a ferry?", "zeppelin"),
)
SCORE = re.compile(r"\d+\.\d{4,}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)|(?<=\"created\":)\d{10}|chatcmpl-\w+")
UNKNOWN = "0" * 24
LOG = "The ferry to Lauterach sails at dawn.\n\nThe keeper of the mill grinds rye.\n\nThe crane was built in 1733." * 30
PROBE = "Which ferry, crane or zeppelin does the keeper of the mill in the harbour of Lauterach lease?"
SECRET = "Xylograph"  # a word that bob alone has
READY_SECONDS = 300.0  # two embedding models are loaded at once

sentences = st.lists(st.sampled_from(WORDS), min_size=3, max_size=9).map(lambda words: f"The {' '.join(words)}.")
texts = st.lists(st.lists(sentences, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8).map("\n\n".join)
tables = st.lists(st.tuples(st.sampled_from(WORDS[:8]), st.integers(1, 99)), min_size=2, max_size=9).map(
    lambda rows: "Name,Rent\n" + "".join(f"{name},{rent}\n" for name, rent in rows)
)
files = st.one_of(st.tuples(st.just("text.txt"), texts), st.tuples(st.just("table.csv"), tables))
questions = st.sampled_from(QUESTIONS)


@dataclass
class World:
    """A server in this process, with clients of both accounts; `ids` are the ids of alice's things by their names.

    `digits` of scores are compared; all of them where it is None."""

    app: Starlette
    alice: httpx.AsyncClient
    bob: httpx.AsyncClient
    ids: dict[str, str] = field(default_factory=dict)
    digits: int | None = None

    async def request(self, method: str, path: str, **options: Any) -> tuple[int, str, str]:
        """(status, media type, body) of alice's request, in which her ids are written by their names in braces."""
        response = await self.alice.request(method, self._filled(path), **self._filled(options))
        body = TIME.sub("TIME", response.content.decode("utf-8", "surrogateescape"))
        if self.digits is not None:
            body = SCORE.sub(lambda score: f"{float(score[0]):.{self.digits}f}", body)
        for name, id_ in self.ids.items():
            body = body.replace(id_, f"{{{name}}}").replace(id_[:12], f"{{{name}}}")  # as models begin with
        return response.status_code, response.headers.get("content-type", ""), body

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            for name, id_ in self.ids.items():
                value = value.replace(f"{{{name}}}", id_)
            return value
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        return [self._filled(item) for item in value] if isinstance(value, list) else value

    async def ready(self, name: str) -> None:
        """Wait for the background work on a document, on which its summary depends."""
        async with asyncio.timeout(READY_SECONDS):
            while (await self.alice.get(f"/v1/api/documents/{self.ids[name]}/status")).json()["state"] == "indexing":
                await asyncio.sleep(0.01)


class TwoAccounts(RuleBasedStateMachine):
    """The machine. `settings_of(folder)` are the settings of each server."""

    _runner = asyncio.Runner()  # one loop for all runs: a process that ends is reported to the loop that started it
    documents, bases = Bundle("documents"), Bundle("bases")
    bobs_documents, bobs_bases = Bundle("bobs_documents"), Bundle("bobs_bases")

    digits: int | None = None

    def __init__(self) -> None:
        super().__init__()
        self._stack = AsyncExitStack()
        self._count = 0
        self.lent: dict[str, tuple[list[str], bool]] = {}  # her base → its share in each world, whether with originals
        self.alone, self.beside = self._runner.run(self._open())

    @staticmethod
    def settings_of(folder: Path) -> Settings:
        """Without models: answers are quotes, and every byte of them is determined."""
        return Settings(data=folder / "data", embedder="none", models=folder / "no-models")

    async def _open(self) -> list[World]:
        worlds = []
        for _ in range(2):
            folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
            app = create(self.settings_of(folder))
            await self._stack.enter_async_context(app.router.lifespan_context(app))
            keys = [await key_for(app, account) for account in ("alice", "bob")]
            clients = [await self._stack.enter_async_context(client_of(app, key)) for key in keys]
            worlds.append(World(app, *clients, digits=self.digits))
        return worlds

    def teardown(self) -> None:
        """Close both servers."""
        self._runner.run(self._stack.aclose())

    def _same(self, method: str, path: str, **options: Any) -> tuple[int, str, str]:
        """Alice's answer, which is the same in both worlds."""

        async def both() -> list[tuple[int, str, str]]:
            return [await world.request(method, path, **options) for world in (self.alone, self.beside)]

        alone, beside = self._runner.run(both())
        assert beside == alone, f"{method} {path} {options}"
        assert alone[0] < 500 and SECRET not in alone[2]
        return alone

    def _added(self, kind: str, key: str, path: str, **options: Any) -> str:
        """The name of a thing that alice adds in both worlds; of the one she has where it is the same."""
        name = f"{kind}{self._count}"
        self._count += 1

        async def add(world: World) -> str:
            response = await world.alice.post(path, **world._filled(options))
            assert response.status_code == 201, response.text
            id_ = str(response.json()[key])
            names = {there: known for known, there in world.ids.items()}
            world.ids.setdefault(names.get(id_, name), id_)
            return names.get(id_, name)

        async def both() -> list[str]:
            return await asyncio.gather(add(self.alone), add(self.beside))

        alone, beside = self._runner.run(both())
        assert alone == beside
        return alone

    def _bob(self, method: str, path: str, **options: Any) -> httpx.Response:
        response = self._runner.run(self.beside.bob.request(method, path, **options))
        assert response.status_code < 500
        return response

    # --- what alice does ----------------------------------------------------------------------------------------------

    @initialize(target=documents)
    def alice_has_a_log(self) -> str:
        """What every run begins with, so that even a short one asks something."""
        return self.alice_uploads(("log.txt", LOG))

    @initialize(target=bobs_documents)
    def bob_has_a_log(self) -> str:
        return self.bob_uploads(("log.txt", LOG))

    @invariant()
    def no_score_of_alices_log_changes(self) -> None:
        """Whatever happens; a probe of words that stand in some of it, and in more of bob's."""
        ids = [f"{{{name}}}" for name in self.alone.ids if name.startswith("doc")]
        self._same("POST", "/v1/api/retrieve", json={"query": PROBE, "doc_ids": ids[:1], "top_k": 9})

    @rule(target=documents, file=files)
    def alice_uploads(self, file: tuple[str, str]) -> str:
        name = self._added("doc", "doc_id", "/v1/api/upload", files={"file": (file[0], file[1].encode())})

        async def both() -> None:
            await asyncio.gather(self.alone.ready(name), self.beside.ready(name))

        self._runner.run(both())
        return name

    @rule(document=documents, part=st.sampled_from(("", "/status", "/file", "/pages/1", "/pages/2")))
    def alice_reads(self, document: str, part: str) -> None:
        self._same("GET", f"/v1/api/documents/{{{document}}}{part}")

    @rule(page=st.integers(1, 2), size=st.sampled_from((1, 3, 100)))
    def alice_lists(self, page: int, size: int) -> None:
        self._same("GET", f"/v1/api/documents?page={page}&page_size={size}")
        self._same("GET", f"/v1/api/knowledge?page={page}&page_size={size}")
        self._same("GET", "/v1/api/search/knowledge?query=e")
        self._same("GET", "/v1/api/models")
        self._same("GET", "/v1/models")

    @rule(among=st.lists(documents, min_size=1, max_size=4), question=questions, top_k=st.sampled_from((1, 5, 50)))
    def alice_retrieves(self, among: list[str], question: str, top_k: int) -> None:
        ids = [f"{{{name}}}" for name in among]
        self._same("POST", "/v1/api/retrieve", json={"query": question, "doc_ids": ids, "top_k": top_k})

    @rule(question=questions)
    def alice_asks_everything(self, question: str) -> None:
        """Without saying which documents, in the words of each API: bob's would be the next ones."""
        self._same("POST", "/v1/api/retrieve", json={"query": question})
        message = {"role": "user", "content": question}
        self._same("POST", "/v1/chat/completions", json={"model": "docqa", "messages": [message]})
        self._same("POST", "/retrieval", json={"knowledge_id": "docqa", "query": question, "retrieval_setting": {}})

    @rule(document=documents, question=questions, query=st.sampled_from(("", "&stream=true", "&agent_mode=false")))
    def alice_asks_a_document(self, document: str, question: str, query: str) -> None:
        message = [{"sender": "user", "message": question}]
        self._same("POST", f"/v1/chat/{{{document}}}?cite_source=true&length=LONG{query}", json=message)

    @rule(among=st.lists(documents, min_size=1, max_size=3), asked_first=st.lists(questions, max_size=2))
    def alice_asks_documents(self, among: list[str], asked_first: list[str]) -> None:
        """Without messages: their summary."""
        messages = [{"sender": "user", "message": question} for question in asked_first]
        body = {"documents": [f"{{{name}}}" for name in among], "messages": messages}
        self._same("POST", "/v1/api/knowledge_base_chat?cite_source=true", json=body)

    @rule(target=bases, among=st.lists(documents, max_size=3))
    def alice_makes_a_base(self, among: list[str]) -> str | Any:
        ids = [f"{{{name}}}" for name in dict.fromkeys(among)]
        if any(self._same("GET", f"/v1/api/documents/{id_}")[0] == 404 for id_ in ids):
            self._same("POST", "/v1/api/knowledge", json={"name": "one", "document_ids": ids})
            return multiple()
        return self._added(
            "base", "knowledge_base_id", "/v1/api/knowledge", json={"name": "ferries", "document_ids": ids}
        )

    @rule(base=bases, among=st.lists(documents, max_size=3), question=questions)
    def alice_changes_and_asks_a_base(self, base: str, among: list[str], question: str) -> None:
        ids = [f"{{{name}}}" for name in among]
        self._same("PUT", f"/v1/api/knowledge/{{{base}}}", json={"document_ids": ids})
        self._same("GET", f"/v1/api/knowledge/{{{base}}}")
        body = {"messages": [{"sender": "user", "message": question}]}
        self._same("POST", f"/v1/api/knowledge/{{{base}}}/chat?cite_source=true", json=body)

    @rule(document=documents)
    def alice_deletes_a_document(self, document: str) -> None:
        """Its name stays among those that are drawn: what is gone is gone in both worlds."""
        self._same("DELETE", f"/v1/api/documents/{{{document}}}")

    @rule(base=bases)
    def alice_deletes_a_base(self, base: str) -> None:
        self._same("DELETE", f"/v1/api/knowledge/{{{base}}}")

    @rule(base=bases, originals=st.booleans())
    def alice_shares_a_base_with_bob(self, base: str, originals: bool) -> None:
        """He takes it in the world where he is; the share that he had of it ends."""
        path, body = f"/v1/api/knowledge/{{{base}}}/shares", {"name": "Bob", "originals": originals}

        async def both() -> list[httpx.Response]:
            return [await world.alice.post(world._filled(path), json=body) for world in (self.alone, self.beside)]

        made = self._runner.run(both())
        assert made[0].status_code == made[1].status_code
        if made[1].status_code == 201:
            taken = self._bob("POST", "/v1/api/shares", json={"code": made[1].json()["code"]})
            assert taken.json()["access"] == ("originals" if originals else "read")
            self.lent[base] = [each.json()["share_id"] for each in made], originals

    @rule(base=bases)
    def alice_withdraws_a_share(self, base: str) -> None:
        shares, _ = self.lent.pop(base, ([UNKNOWN, UNKNOWN], False))
        self.alone.ids["share"], self.beside.ids["share"] = shares
        self._same("DELETE", f"/v1/api/knowledge/{{{base}}}/shares/{{share}}")

    # --- what bob does, and what alice sees of it ---------------------------------------------------------------------

    @rule(target=bobs_documents, file=files)
    def bob_uploads(self, file: tuple[str, str]) -> str:
        name, text = file
        content = f"{text}\n{SECRET},7\n" if name.endswith("csv") else f"{text}\n\nThe {SECRET} of the ferry. {text}"
        return str(self._bob("POST", "/v1/api/upload", files={"file": (name, content.encode())}).json()["doc_id"])

    @rule(target=bobs_documents, file=files)
    def bob_uploads_what_alice_may_have(self, file: tuple[str, str]) -> str:
        return str(self._bob("POST", "/v1/api/upload", files={"file": (file[0], file[1].encode())}).json()["doc_id"])

    @rule(target=bobs_bases, documents=st.lists(bobs_documents, max_size=2))
    def bob_makes_a_base(self, documents: list[str]) -> str | Any:
        body = {"name": f"ferries {SECRET}", "document_ids": documents}
        response = self._bob("POST", "/v1/api/knowledge", json=body)
        return str(response.json()["knowledge_base_id"]) if response.status_code == 201 else multiple()

    @rule(document=bobs_documents, question=questions)
    def bob_asks(self, document: str, question: str) -> None:
        self._bob("POST", f"/v1/chat/{document}?cite_source=true", json=[{"sender": "user", "message": question}])

    @invariant()
    def bob_sees_of_hers_what_is_shared_and_nothing_else(self) -> None:
        async def look() -> None:
            there, readable, with_file = set(), set(), set()
            for base, (_, originals) in self.lent.items():
                stored = await self.beside.alice.get(f"/v1/api/knowledge/{self.beside.ids[base]}")
                if stored.status_code == 200:
                    there.add(self.beside.ids[base])
                    members = {member["doc_id"] for member in stored.json()["document_details"]}
                    readable |= members
                    with_file |= members if originals else set()
            listed = (await self.beside.bob.get("/v1/api/knowledge?page_size=100")).json()["knowledge_bases"]
            assert {base["knowledge_base_id"] for base in listed if base["access"] != "own"} == there
            for doc_id in [id_ for name, id_ in self.beside.ids.items() if name.startswith("doc")]:
                path = f"/v1/api/documents/{doc_id}"
                statuses = [(await self.beside.bob.get(path + part)).status_code for part in ("", "/pages/1", "/file")]
                file = 200 if doc_id in with_file else 403
                assert statuses == ([200, 200, file] if doc_id in readable else [404] * 3)

        self._runner.run(look())

    @rule(base=bases, document=documents, own=bobs_documents, question=questions)
    def bob_uses_what_he_has_of_hers(self, base: str, document: str, own: str, question: str) -> None:
        """Whether he may or not: he asks it, keeps the answer, and tries to change it."""
        knowledge, doc_id = f"/v1/api/knowledge/{self.beside.ids[base]}", self.beside.ids[document]
        asked_first = [{"sender": "user", "message": question}]
        answer = self._bob("POST", f"{knowledge}/chat?cite_source=true", json={"messages": asked_first})
        if answer.status_code == 200:
            turn = {"question": question, "answer": answer.json()["answer"]["message"]}
            turn["sources"] = answer.json()["sources"]
            self._bob("POST", "/v1/api/chats", json={"title": question, "turns": [turn]})
        for refused in (
            self._bob("PUT", knowledge, json={"name": "bob's", "document_ids": [own]}),
            self._bob("POST", f"{knowledge}/shares", json={"name": "Carol"}),
            self._bob("PATCH", f"/v1/api/documents/{doc_id}", json={"name": "bob's", "tags": ["bob"]}),
            self._bob("DELETE", f"/v1/api/documents/{doc_id}"),
            self._bob("POST", "/v1/api/knowledge", json={"name": "bob's", "document_ids": [own, doc_id]}),
        ):
            assert refused.status_code in (403, 404)

    @rule(base=bases)
    def bob_gives_back_what_he_has_of_hers(self, base: str) -> None:
        given_back = self._bob("DELETE", f"/v1/api/knowledge/{self.beside.ids[base]}")
        assert given_back.status_code == 404 or self.lent.pop(base)

    @rule(base=bobs_bases)
    def bob_shares_a_base_with_somebody_else(self, base: str) -> None:
        assert self._bob("POST", f"/v1/api/knowledge/{base}/shares", json={"name": "Carol"}).status_code == 201

    @rule(document=consumes(bobs_documents))
    def bob_deletes(self, document: str) -> None:
        self._bob("DELETE", f"/v1/api/documents/{document}")

    @rule()
    def somebody_guesses_keys(self) -> None:
        async def guess() -> set[int]:
            async with client_of(self.beside.app, "wrong") as client:
                return {(await client.get("/v1/api/documents")).status_code for _ in range(25)}

        assert self._runner.run(guess()) <= {401, 429}

    @rule(document=bobs_documents, question=questions, own=documents)
    def alice_reaches_for_bobs_document(self, document: str, question: str, own: str) -> None:
        """Each answer is that to an id which nobody has."""
        self.alone.ids["foreign"], self.beside.ids["foreign"] = UNKNOWN, document
        message = [{"sender": "user", "message": question}]
        mixed = [f"{{{own}}}", "{foreign}"]
        answers = [
            *[
                self._same("GET", f"/v1/api/documents/{{foreign}}{part}")
                for part in ("", "/status", "/file", "/pages/1")
            ],
            self._same("DELETE", "/v1/api/documents/{foreign}"),
            self._same("POST", "/v1/chat/{foreign}", json=message),
            self._same("POST", "/v1/api/retrieve", json={"query": question, "doc_ids": mixed}),
            self._same("POST", "/v1/api/knowledge_base_chat", json={"documents": mixed, "messages": message}),
            self._same("POST", "/v1/api/knowledge", json={"name": "both", "document_ids": mixed}),
        ]
        assert {status for status, _, _ in answers} == {404}

    @rule(base=bobs_bases)
    def alice_reaches_for_bobs_base(self, base: str) -> None:
        self.alone.ids["foreign"], self.beside.ids["foreign"] = UNKNOWN, base
        message = {"messages": [{"sender": "user", "message": "Is there a ferry?"}]}
        answers = [
            self._same("GET", "/v1/api/knowledge/{foreign}"),
            self._same("PUT", "/v1/api/knowledge/{foreign}", json={"document_ids": []}),
            self._same("POST", "/v1/api/knowledge/{foreign}/chat", json=message),
            self._same("POST", "/v1/api/retrieve", json={"query": "ferry", "knowledge_base_id": "{foreign}"}),
            self._same("GET", "/v1/api/knowledge/{foreign}/shares"),
            self._same("POST", "/v1/api/knowledge/{foreign}/shares", json={"name": "Alice"}),
            self._same("POST", "/v1/api/shares", json={"code": "{foreign}"}),
            self._same("GET", "/v1/api/documents?knowledge_base_id={foreign}"),
            self._same("DELETE", "/v1/api/knowledge/{foreign}"),
        ]
        assert {status for status, _, _ in answers} == {404}

"""Nothing is ever a 500: python tests/torture/api.py [MINUTES] [SEED] [--schemathesis PROGRAM]

A server of its own, with a few documents and a knowledge base, gets for some MINUTES (2) what Schemathesis makes of its
/openapi.json, where that program is there, and meanwhile requests as bytes, spoiled in every way (raw_requests.py), some
of them with links to a server of bad answers (bad_links.py). The parsers of requests, links and questions get the same
kinds of input in this process (parsers.py), for a tenth of the time.

A finding is any 5xx but 503 and 507, a status, type or body that /openapi.json does not declare, an answer that is not
whole or does not come, a traceback or an error in the log, a /healthz that does not answer, a stop without exit code 0.
Every TEN minutes the server is stopped and another one is started, with the next seed. It runs without models unless the
environment says otherwise (DOCQA_EMBEDDER and so on). Prints a table; what was sent and the logs are kept where something
was found, in a folder that is named. Exits with 1 then.
"""

import argparse
import asyncio
import json
import logging
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import httpx

from conftest import Server, start_server, stop_server
from docqa import ROOT
from tests.torture import parsers
from tests.torture.answers import Declared, read_answer, understood
from tests.torture.bad_links import bad_links
from tests.torture.raw_requests import Maker, Operation, World, operations

TEN = 600.0  # seconds with one server
SLICE = 180.0  # seconds of one run of Schemathesis: it deletes the documents whose ids it is given
CONNECTIONS = 4  # at once; fewer than what one account may have in hand, or every answer would be 503
BETWEEN = 100  # requests between two looks at /healthz
FEWEST, MOST = 3, 60  # documents
PATIENCE = 150.0  # seconds for an answer: an upload may take 135 on a busy machine, a chat 50
MOMENT = 0.3  # seconds for an answer to a request that is not complete
SERVER = {
    "DOCQA_EMBEDDER": "none",
    "DOCQA_VERIFIER": "off",
    "DOCQA_READER": "off",
    "DOCQA_LOG_LEVEL": "warning",
    # Nothing is downloaded.
    "HF_ENDPOINT": "http://127.0.0.1:9",
    "PIP_NO_INDEX": "1",
}
# Named here and not on the command line, which would overrule what is set for one operation.
CONFIG = """[checks]
enabled = false
not_a_server_error = {{ enabled = true, expected-statuses = ["2xx", "3xx", "4xx", 503, 507] }}
status_code_conformance.enabled = true
content_type_conformance.enabled = true
response_headers_conformance.enabled = true
response_schema_conformance.enabled = true
unsupported_method.enabled = true
allow_header_conformance.enabled = true
use_after_free.enabled = true
ensure_resource_availability.enabled = true
[dictionaries.ids]
values = {ids}
[parameters]
"path.doc_id" = {{dictionary = "ids", probability = 0.5}}
"path.knowledge_base_id" = {{dictionary = "ids", probability = 0.5}}
[generation.dictionaries]
string = {{dictionary = "ids", probability = 0.1}}
[[operations]]
include-operation-id = "read_file"
# A file is what its owner said that it is, JSON or not.
checks.response_schema_conformance.enabled = false
"""


@dataclass
class Tally:
    """What was done and what came of it, over all rounds."""

    folder: Path
    sent: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)

    def find(self, what: str, sent: bytes = b"") -> None:
        """Count a finding, and keep what was sent for the first of its kind."""
        if not self.findings[what]:
            print(f"FOUND {what}", flush=True)
            (self.folder / f"{len(self.findings):03}").write_bytes(f"{what}\n".encode() + sent)
        self.findings[what] += 1

    def table(self, seconds: float) -> str:
        """All of it as Markdown."""
        answers = ", ".join(f"{number:,} x {status}" for status, number in sorted(self.answers.items()))
        rows = [f"| {what} | {number:,} |" for what, number in self.sent.items()]
        findings = [f"- {number} x {what}" for what, number in self.findings.most_common()]
        return "\n".join(
            [
                "| what | sent |",
                "|---|---|",
                *rows,
                "",
                f"answers to the raw requests: {answers}",
                f"{seconds / 60:.1f} minutes, {len(self.findings)} findings",
                *findings,
            ]
        )


async def furnish(client: httpx.AsyncClient, world: World) -> None:
    """See that there are some documents and knowledge bases, but not ever more, and what they are called."""
    documents, knowledge = [await client.get(f"/v1/api/{what}?page_size=100") for what in ("documents", "knowledge")]
    if not documents.is_success or not knowledge.is_success:
        return  # an intended 503; what is known serves on
    known = [document["doc_id"] for document in documents.json()["documents"]]
    for doc_id in known[MOST // 2 :] if len(known) > MOST else ():
        await client.delete(f"/v1/api/documents/{doc_id}")
    known = known[: MOST // 2] if len(known) > MOST else known
    for number in range(len(known), FEWEST):
        text = f"The monthly rent of warehouse {number} in Bergen is {number}00 euros.\n\nKari signed the lease in 2021. {random.random()}"
        answer = await client.post("/v1/api/upload", files={"file": (f"lease {number}.txt", text.encode())})
        if answer.status_code == 201:
            known.append(answer.json()["doc_id"])
    names = [base["knowledge_base_id"] for base in knowledge.json()["knowledge_bases"]]
    for base in names[MOST // 2 :] if len(names) > MOST else ():
        await client.delete(f"/v1/api/knowledge/{base}")
    if len(names) < 2:
        made = await client.post("/v1/api/knowledge", json={"name": "Leases", "document_ids": known[:3]})
        names += [made.json()["knowledge_base_id"]] if made.status_code == 201 else []
    world.documents, world.bases = known or ["0"], names[: MOST // 2] or ["0"]


async def send(port: int, data: bytes, declared: Declared, tally: Tally) -> None:
    """Send these bytes on one connection, and hold what comes back against what is declared."""
    meant = understood(data)
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 26)
    except OSError as error:
        tally.find(f"no connection: {error}")
        return await asyncio.sleep(1)
    tally.sent["raw requests"] += max(1, len(meant.requests))
    try:
        writer.write(data)
        came = 0
        for method, target in meant.requests:
            answer = await asyncio.wait_for(read_answer(reader, method), PATIENCE)
            if answer is None:
                break  # the server has closed behind an earlier answer
            came += 1
            tally.answers[str(answer.status)] += 1
            for fault in declared.faults(method, target, answer):
                tally.find(fault, data)
            if answer.headers.get("connection") == "close":
                return
        if meant.requests and not came:
            tally.find(f"{meant.requests[0][0]} has no answer", data)
        if came == len(meant.requests) and (meant.open or meant.broken):
            with suppress(TimeoutError):
                method, target = meant.open or ("GET", "/")
                if answer := await asyncio.wait_for(read_answer(reader, method), PATIENCE if meant.broken else MOMENT):
                    tally.answers[str(answer.status)] += 1
                    for fault in declared.faults(method, target, answer):
                        tally.find(fault, data)
    except TimeoutError:
        tally.find(f"no answer within {PATIENCE:g} s: {meant.requests[:1]}", data)
    except ValueError as error:
        tally.find(f"an answer that is no HTTP: {error}", data)
    except ConnectionError:
        tally.answers["reset"] += 1
    finally:
        writer.close()


async def raw(
    base: str, key: str, seed: str, tally: Tally, *, seconds: float = 3600, requests: int = sys.maxsize
) -> None:
    """Spoiled requests to the server at `base`, on several connections at once, for so many seconds or requests."""
    end, port = time.monotonic() + seconds, int(base.rpartition(":")[2])
    async with (
        bad_links(seed) as links,
        httpx.AsyncClient(base_url=base, headers={"x-api-key": key}, timeout=PATIENCE) as client,
    ):
        description = (await client.get("/openapi.json")).json()
        declared, world = Declared(description), World(key, links=links)
        await furnish(client, world)
        every: list[Operation] = operations(description)
        makers = [Maker(random.Random(f"{seed}.{number}"), every, world) for number in range(CONNECTIONS)]
        done = 0
        while time.monotonic() < end and done < requests:
            share = min(BETWEEN, requests - done) // CONNECTIONS

            async def some(maker: Maker, share: int = share) -> None:
                for _ in range(share):
                    if time.monotonic() < end:
                        await send(port, maker.request(), declared, tally)

            await asyncio.gather(*(some(maker) for maker in makers))
            done += share * CONNECTIONS
            try:
                await furnish(client, world)
                answer = await client.get("/healthz", timeout=30)
                if answer.status_code != 200:
                    tally.find(f"/healthz: {answer.status_code} {answer.text[:200]}")
            except httpx.HTTPError as error:
                tally.find(f"no answer to what is asked between: {error!r}")


async def schemathesis(server: Server, program: str, seed: int, seconds: float, tally: Tally, folder: Path) -> None:
    """Schemathesis against the server, again and again, with the documents that are there then."""
    end, number = time.monotonic() + seconds, 0
    while (left := end - time.monotonic()) > 1:
        number += 1
        (folder / f"{number}").mkdir()
        await _schemathesis(server, program, 100 * seed + number, min(left, SLICE), tally, folder / f"{number}")


async def _schemathesis(server: Server, program: str, seed: int, seconds: float, tally: Tally, folder: Path) -> None:
    """One run of it; what it finds is a finding each, its report is kept with the logs."""
    world = World(server.key)
    async with httpx.AsyncClient(base_url=server.base, headers={"x-api-key": server.key}, timeout=PATIENCE) as client:
        await furnish(client, world)
    config, report = folder / "schemathesis.toml", folder / "schemathesis.json"
    config.write_text(CONFIG.format(ids=json.dumps([*world.documents, *world.bases])))
    command = (
        f"{program} --no-color --config-file {config} run --header x-api-key:{server.key} --mode all "
        f"--continue-on-failure --seed {seed} --max-time {max(1, round(seconds))} --request-timeout {PATIENCE:g} "
        f"--generation-database none --report json --report-json-path {report} {server.base}/openapi.json"
    )
    with (folder / "schemathesis.txt").open("w") as out:
        process = await asyncio.create_subprocess_exec(*command.split(), stdout=out, stderr=out, cwd=folder)
        try:
            code = await asyncio.wait_for(process.wait(), 3 * seconds + 120)
        except TimeoutError:
            process.kill()
            await process.wait()
            return tally.find("Schemathesis did not end")
    if not report.exists():
        return tally.find(f"Schemathesis ended with {code} and without a report")
    made = json.loads(report.read_text())
    tally.sent["Schemathesis cases"] += made["test_cases"]["generated"]
    if made["test_cases"]["errored"]:
        tally.find(f"Schemathesis could not send or read something, as {folder.name}/schemathesis.txt says")
    for failure in made["failures"]:
        where = ", ".join(map(str, failure["operations"]))
        tally.find(f"Schemathesis: {failure['title']}: {where[:300]}")


def log_findings(log: Path, tally: Tally) -> None:
    """Tracebacks and errors of a server's log."""
    text = log.read_text(errors="replace")
    for match in re.finditer(r"Traceback \(most recent call last\):\n(?:[ +|].*\n|\n)*(.*)", text):
        tally.find(f"traceback: {match[1][:200]}")
    for line in re.findall(r"^\S+ \S+ (?:ERROR|CRITICAL) (?!uvicorn.error: Exception in ASGI).*", text, re.MULTILINE):
        tally.find(f"log: {re.sub(r'[0-9a-f]{24}|[0-9]+', '#', line.partition(' ')[2].partition(' ')[2])[:200]}")


def linked_models(folder: Path) -> Path:
    """The models as links in a folder of their own: the requests may remove them."""
    folder.mkdir()
    for file in (ROOT / "models").iterdir():
        if file.is_file():
            (folder / file.name).symlink_to(file)
    return folder


async def attempt(seed: int, seconds: float, program: str | None, tally: Tally) -> None:
    """One server, from its start to its stop."""
    folder = tally.folder / str(seed)
    folder.mkdir()
    environ = {name: os.environ.get(name, value) for name, value in SERVER.items()}
    environ["DOCQA_MODELS"] = str(linked_models(folder / "models"))
    server = await asyncio.to_thread(start_server, folder / "data", **environ)
    try:
        jobs: list[Awaitable[None]] = [raw(server.base, server.key, str(seed), tally, seconds=seconds)]
        if program:
            jobs.append(schemathesis(server, program, seed, seconds, tally, folder))
        await asyncio.gather(*jobs)
    finally:
        code = await asyncio.to_thread(stop_server, server)
    if code:
        tally.find(f"the server ended with exit code {code}")
    log_findings(folder / "data.log", tally)
    shutil.rmtree(folder / "data")


def parse(seed: str, tally: Tally, *, seconds: float = 3600, inputs: int = sys.maxsize) -> None:
    """The parsers, in turn, for so many seconds together, or inputs each."""
    for name, function in parsers.EVERY.items():
        end, number = time.monotonic() + seconds / len(parsers.EVERY), 0
        while time.monotonic() < end and number < inputs:
            number += 1
            _parse(name, function, seed, number, tally)
        tally.sent[f"parser: {name}"] += number


def _parse(name: str, function: Callable[[random.Random], None], seed: str, number: int, tally: Tally) -> None:
    began = time.process_time()
    try:
        function(random.Random(f"{seed} {name} {number}"))
    except Exception as error:  # noqa: BLE001 - whatever a parser raises beside what it may is what is looked for
        at = error.__traceback__
        while at and at.tb_next:
            at = at.tb_next
        line = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at else ""
        tally.find(f"parser {name}: {type(error).__name__} at {line}: {str(error)[:120]}", f"{number}".encode())
    if time.process_time() - began > parsers.SLOW:
        tally.find(f"parser {name} takes more than {parsers.SLOW} s", f"{number}".encode())


def main() -> int:
    """The time that was asked for."""
    options = argparse.ArgumentParser()
    options.add_argument("minutes", type=float, nargs="?", default=2.0)
    options.add_argument("seed", type=int, nargs="?", default=random.SystemRandom().randrange(10**6))
    options.add_argument("--schemathesis", default=shutil.which("schemathesis"))
    given = options.parse_args()
    logging.getLogger("python_multipart").setLevel("ERROR")  # a line for each form that is none
    tally, began = Tally(Path(tempfile.mkdtemp(prefix="docqa-api-"))), time.monotonic()
    print(f"seed {given.seed}; Schemathesis: {given.schemathesis or 'is not there, and left out'}", flush=True)
    seed, left = given.seed, given.minutes * 60
    while left > 0:
        asyncio.run(attempt(seed, 0.9 * min(TEN, left), given.schemathesis, tally))
        parse(str(seed), tally, seconds=0.1 * min(TEN, left))
        seed, left = seed + 1, left - TEN
        print(
            f"{(time.monotonic() - began) / 60:.0f} minutes: {sum(tally.sent.values()):,} sent, {len(tally.findings)} findings",
            flush=True,
        )
    print(tally.table(time.monotonic() - began))
    if not tally.findings:
        shutil.rmtree(tally.folder)
        return 0
    print(f"What was sent and the logs are in {tally.folder}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())

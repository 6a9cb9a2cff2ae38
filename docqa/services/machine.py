"""What else belongs to the machine: providers, text recognition, the disk, and what `doctor` finds."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable

from docqa import COMMAND, store
from docqa.catalog.keys import KINDS, variable
from docqa.catalog.recognition import languages
from docqa.catalog.targets import Target, embedding_target
from docqa.errors import DocqaError, Unavailable
from docqa.formats.pictures.data import files, has_rapid
from docqa.models.chat.registry import ChatModels
from docqa.models.chat.remote import open_remote
from docqa.models.remote_embedder import RemoteEmbedders
from docqa.services.machine_records import (
    DoctorFinding,
    MachineStorage,
    ProviderKey,
    Providers,
    Recognition,
    RecognitionLanguage,
    RemoteTarget,
    TargetTest,
)
from docqa.settings import Settings
from docqa.store.ballast import free_space
from docqa.store.database import Database
from docqa.workers.environment import child_environment

QUESTION = "What is the capital of France? Answer with one word."
TEST_SECONDS = 20.0  # for one target to answer
TEST_TOKENS = 64
TOO_LATE = f"{{target}} was not done within {TEST_SECONDS:g} s."
SHOWN = 200  # characters of an answer
DOCTOR = "docqa.setup.findings_child"


class Machine:
    """What the settings show of a machine; nothing of it belongs to an account."""

    def __init__(self, settings: Settings, db: Database, chat_models: ChatModels, embedders: RemoteEmbedders) -> None:
        self._settings, self._db, self._chat_models, self._embedders = settings, db, chat_models, embedders
        self._embedding = embedding_target(settings.embedder)
        self._examining = asyncio.Lock()

    def providers(self) -> Providers:
        """Which keys are set, and which remote targets can be used; none of them is asked."""
        known = self._chat_models.keys.providers()
        keys = [ProviderKey(kind, variable(kind), kind in known) for kind in KINDS]
        keys += [ProviderKey(address, "", True) for address in known if address not in KINDS]
        remote = self._chat_models.remote_targets()
        targets = [
            RemoteTarget(str(target), names, target.leaves_machine, self._chat_models.why_not(target))
            for target, names in remote.items()
        ]
        if target := self._embedding:
            obstacle = self._embedders.obstacle(target)
            targets.append(RemoteTarget(str(target), [], target.leaves_machine, obstacle))
        return Providers(keys, targets)

    async def ask_providers(self) -> list[TargetTest]:
        """What each remote target says to a short question now, all asked at once; the one for search makes vectors."""
        pending = [self._ask(target) for target in self._chat_models.remote_targets()]
        if self._embedding:
            pending.append(self._have_vectors(self._embedding))
        return await asyncio.gather(*pending)

    async def _have_vectors(self, target: Target) -> TargetTest:
        async def made() -> str:
            embedder = self._embedders.open(target)
            await embedder.load()
            return f"vectors of {embedder.dimension} numbers"

        return await _tried(target, self._embedders.obstacle(target), made)

    async def _ask(self, target: Target) -> TargetTest:
        async def answered() -> str:
            # Opened anew: one that failed lately would not be asked.
            model = open_remote(target, self._chat_models.keys, client=self._chat_models.http, seconds=TEST_SECONDS)
            messages, text = [{"role": "user", "content": QUESTION}], ""
            async for piece in model.generate(messages, temperature=0.1, max_tokens=TEST_TOKENS):
                text += piece
            return text.strip()[:SHOWN]

        return await _tried(target, self._chat_models.why_not(target), answered)

    def recognition(self) -> Recognition:
        """Which languages text recognition reads, and which can be had."""
        here, known = files(), languages()
        unlisted = [RecognitionLanguage(code, "", code, 0) for code in here if code not in known]
        listed = [RecognitionLanguage(entry.code, entry.iso, entry.name, entry.size) for entry in known.values()]
        return Recognition(
            [entry for entry in listed if entry.code in here] + unlisted,
            [entry for entry in listed if entry.code not in here],
            has_rapid(),
            f"{COMMAND} ocr add",
        )

    async def storage(self) -> MachineStorage:
        """What the database takes, and what is free."""
        async with self._db.read() as conn:
            space = await store.space.space(conn)

        def sizes() -> tuple[int, int]:
            file = self._settings.database
            parts = (file, file.with_name(f"{file.name}-wal"))
            return sum(part.stat().st_size for part in parts if part.exists()), free_space(file.parent)

        database, free = await asyncio.to_thread(sizes)
        indexes = max(0, database - space.originals - space.unused)
        return MachineStorage(database, space.originals, indexes, space.unused, free)

    async def findings(self) -> list[DoctorFinding]:
        """What `doctor` finds, by a process of its own, one at a time: it reads the database and a model to their end.
        Raises Unavailable where it cannot look."""
        environ = child_environment(self._settings.environment())
        command = (sys.executable, "-P", "-m", DOCTOR)
        pipe = asyncio.subprocess.PIPE
        async with self._examining:
            process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=environ)
            try:
                out, said = await process.communicate()
            finally:
                if process.returncode is None:  # whoever asked has left
                    process.kill()
                    await process.wait()
        if process.returncode:
            last = said.decode(errors="replace").strip().rpartition("\n")[2]
            raise Unavailable(f"`{COMMAND} doctor` says more: what it looks for could not be looked for ({last}).")
        return [DoctorFinding(**finding) for finding in json.loads(out)]


async def _tried(target: Target, obstacle: str, work: Callable[[], Awaitable[str]]) -> TargetTest:
    """What a target does now, unless there is an obstacle: what `work` says of it, or why it failed."""
    if obstacle:
        return TargetTest(str(target), False, f"Not asked: {obstacle}.", 0.0)
    started = time.monotonic()
    try:
        async with asyncio.timeout(TEST_SECONDS):
            works, said = True, await work()
    except TimeoutError:
        return TargetTest(str(target), False, TOO_LATE.format(target=target), TEST_SECONDS)
    except DocqaError as error:
        works, said = False, str(error)
    return TargetTest(str(target), works, said, round(time.monotonic() - started, 2))

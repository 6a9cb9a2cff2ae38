"""What belongs to the machine beside its models, for the account of the first key; and what each account keeps."""

import asyncio

from docqa import store
from docqa.api.endpoint import Endpoint, Given
from docqa.errors import Unavailable
from docqa.ingest.quotas import Quotas
from docqa.services import Services
from docqa.services.machine_records import (
    AccountStorage,
    DoctorFinding,
    MachineStorage,
    Providers,
    Recognition,
    TargetTest,
)

TAG = "Machine"


async def list_providers(services: Services, account: int, given: Given) -> Providers:
    """Which provider keys are set and which remote targets can be used; asks nobody."""
    return services.machine.providers()


async def ask_providers(services: Services, account: int, given: Given) -> list[TargetTest]:
    """What each remote target says to a short question of ours, now."""
    return await services.machine.ask_providers()


async def list_recognition(services: Services, account: int, given: Given) -> Recognition:
    """The languages of text recognition."""
    return await asyncio.to_thread(services.machine.recognition)


async def machine_storage(services: Services, account: int, given: Given) -> MachineStorage:
    """What the database takes of the disk."""
    return await services.machine.storage()


async def doctor(services: Services, account: int, given: Given) -> list[DoctorFinding]:
    """What machine and data lack. Raises Unavailable where that cannot be looked for."""
    return await services.machine.findings()


async def account_storage(services: Services, account: int, given: Given) -> AccountStorage:
    """What the account keeps, and the most that it may."""
    quotas = Quotas.of(services.settings)
    async with services.db.read() as conn:
        return AccountStorage(
            await store.accounts.count_documents(conn, account),
            await store.accounts.count_bytes(conn, account),
            await store.accounts.count_knowledge_bases(conn, account),
            quotas.documents,
            quotas.megabytes << 20,
            quotas.knowledge_bases,
        )


STORAGE = Endpoint(
    path="/v1/api/storage",
    handler=account_storage,
    summary="What the account keeps, and the most that it may",
    answers=AccountStorage,
    tag=TAG,
)
MACHINE_STORAGE = Endpoint(
    path="/v1/api/machine/storage",
    handler=machine_storage,
    summary="What the database takes of the disk, and what is free",
    answers=MachineStorage,
    tag=TAG,
    of_machine=True,
)
PROVIDERS = Endpoint(
    path="/v1/api/machine/providers",
    handler=list_providers,
    summary="Which provider keys are set, and which remote targets can be used",
    answers=Providers,
    tag=TAG,
    of_machine=True,
)
ASK_PROVIDERS = Endpoint(
    path="/v1/api/machine/providers/test",
    methods=("POST",),
    handler=ask_providers,
    summary="Ask each remote target a short question now, which its provider may bill",
    answers=list[TargetTest],
    tag=TAG,
    lane="chats",
    of_machine=True,
)
RECOGNITION = Endpoint(
    path="/v1/api/machine/recognition",
    handler=list_recognition,
    summary="Which languages text recognition reads, and which can be added",
    answers=Recognition,
    tag=TAG,
    of_machine=True,
)
DOCTOR = Endpoint(
    path="/v1/api/machine/doctor",
    methods=("POST",),
    handler=doctor,
    summary="What machine and data lack, as the command `doctor` finds it",
    answers=list[DoctorFinding],
    tag=TAG,
    of_machine=True,
    errors=(Unavailable,),
)

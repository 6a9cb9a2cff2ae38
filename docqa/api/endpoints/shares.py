"""Knowledge bases shared read-only with other accounts, each by a code that is good for the account that takes it."""

import hashlib
import secrets
from dataclasses import dataclass

from docqa import records, store
from docqa.api import declarations as given_by
from docqa.api.endpoint import Endpoint, Given
from docqa.api.endpoints.knowledge import TAG
from docqa.errors import DiskFull, Forbidden, NotFound, TooLarge
from docqa.services import Services
from docqa.store.shares import Share

MOST = 100  # shares of a knowledge base
CODE = "ds-"  # how codes begin: the random characters alone may begin like an option of a command


@dataclass(frozen=True)
class ShareCreated:
    """A new share; `code` is told this once and kept nowhere: whoever takes it first may read the knowledge base."""

    share_id: str
    code: str


def _hashed(code: str) -> bytes:
    """SHA-256 without salt: the code is 256 random bits, which nobody guesses and no table holds."""
    return hashlib.sha256(code.encode()).digest()


async def list_shares(services: Services, account: int, given: Given) -> list[Share]:
    """The shares of a knowledge base, newest first. Raises NotFound, Forbidden."""
    async with services.db.read() as conn:
        return await store.shares.shares(conn, account, given.path["knowledge_base_id"])


async def create_share(services: Services, account: int, given: Given) -> ShareCreated:
    """Shares a knowledge base. Raises NotFound, Forbidden, TooLarge where it has as many shares as it may."""
    knowledge_base_id, body = given.path["knowledge_base_id"], given.body
    share_id, code = secrets.token_hex(12), f"{CODE}{secrets.token_urlsafe(32)}"
    async with services.db.write() as conn:
        if len(await store.shares.shares(conn, account, knowledge_base_id)) >= MOST:
            raise TooLarge(f"The knowledge base has {MOST} shares, the most it may have. Withdraw some first.")
        await store.shares.add_share(
            conn, account, knowledge_base_id, share_id, body["name"], body["originals"], _hashed(code)
        )
    return ShareCreated(share_id, code)


async def withdraw_share(services: Services, account: int, given: Given) -> records.Message:
    """Ends a share, at once and in the kept chats of its reader too. Raises NotFound, Forbidden."""
    knowledge_base_id = given.path["knowledge_base_id"]
    services.db.ballast.release()
    async with services.db.write() as conn, store.shares.losing(conn, knowledge_base_id):
        await store.shares.withdraw_share(conn, account, knowledge_base_id, given.path["share_id"])
    services.intake.deleted.set()
    return records.Message("Share withdrawn")


async def take_share(services: Services, account: int, given: Given) -> records.KnowledgeBase:
    """Lets the account read what was shared by this code. Raises NotFound."""
    async with services.db.write() as conn:
        knowledge_base_id = await store.shares.take_share(conn, account, _hashed(given.body["code"]))
        return await store.knowledge.knowledge_base(conn, account, knowledge_base_id)


LIST = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}/shares",
    handler=list_shares,
    summary="List the shares of a knowledge base, newest first",
    answers=list[Share],
    tag=TAG,
    errors=(NotFound, Forbidden),
)
CREATE = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}/shares",
    methods=("POST",),
    handler=create_share,
    summary="Share a knowledge base with another account, read-only: a code for it, shown this once",
    answers=ShareCreated,
    status=201,
    tag=TAG,
    body=given_by.SHARE_BODY,
    errors=(NotFound, Forbidden, DiskFull),
)
WITHDRAW = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}/shares/{share_id}",
    methods=("DELETE",),
    handler=withdraw_share,
    summary="Withdraw a share",
    answers=records.Message,
    tag=TAG,
    errors=(NotFound, Forbidden, DiskFull),
)
TAKE = Endpoint(
    path="/v1/api/shares",
    methods=("POST",),
    handler=take_share,
    summary="Take a knowledge base that was shared by a code",
    answers=records.KnowledgeBase,
    status=201,
    tag=TAG,
    body=given_by.TAKE_BODY,
    errors=(NotFound, DiskFull),
)

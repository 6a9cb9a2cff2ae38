"""The account's API keys: listed, made and shown once, named, revoked."""

from docqa import records, store
from docqa.api import declarations as given_by
from docqa.api.auth import id_of, new_key
from docqa.api.endpoint import Endpoint, Given
from docqa.errors import DiskFull, Fault, InvalidRequest, NotFound, TooLarge
from docqa.services import Services

TAG = "API keys"
MOST = 100  # valid keys of an account
MOST_REVOKED = 100  # that are listed


async def list_keys(services: Services, account: int, given: Given) -> list[records.ApiKey]:
    """The account's keys, newest first."""
    async with services.db.read() as conn:
        return await store.accounts.account_keys(conn, account, given.key_id, MOST_REVOKED)


async def create_key(services: Services, account: int, given: Given) -> records.ApiKeyCreated:
    """Makes a key. Raises TooLarge where the account has as many as it may."""
    name = given.body["name"]
    async with services.db.write() as conn:
        if await store.accounts.count_keys(conn, account) >= MOST:
            raise TooLarge(f"The account has {MOST} valid API keys, the most it may have. Revoke one first.")
        key = await new_key(conn, account, name)
    return records.ApiKeyCreated(id_of(key), name, key)


async def rename_key(services: Services, account: int, given: Given) -> records.Message:
    """Gives a key another name. Raises NotFound."""
    async with services.db.write() as conn:
        await store.accounts.rename_account_key(conn, account, given.path["key_id"], given.body["name"])
    return records.Message("API key renamed")


async def revoke_key(services: Services, account: int, given: Given) -> records.Message:
    """Revokes a key, at once. Raises NotFound, and InvalidRequest for the request's own unless the query says so: who
    revokes the last one by mistake can reach the documents only from this machine."""
    key_id = given.path["key_id"]
    if key_id == given.key_id and not given.query["itself"]:
        msg = "This is the key that the request was sent with. Use another one, or add itself=true to the query."
        raise InvalidRequest([Fault(("path", "key_id"), msg, "value_error")])
    async with services.db.write() as conn:
        await store.accounts.revoke_account_key(conn, account, key_id)
    return records.Message("API key revoked")


LIST = Endpoint(
    path="/v1/api/keys",
    handler=list_keys,
    summary="List the account's API keys, newest first",
    answers=list[records.ApiKey],
    tag=TAG,
)
CREATE = Endpoint(
    path="/v1/api/keys",
    methods=("POST",),
    handler=create_key,
    summary="Make an API key, which is shown this once",
    answers=records.ApiKeyCreated,
    status=201,
    tag=TAG,
    body=given_by.KEY_BODY,
    errors=(DiskFull,),
)
RENAME = Endpoint(
    path="/v1/api/keys/{key_id}",
    methods=("PUT",),
    handler=rename_key,
    summary="Give an API key another name",
    answers=records.Message,
    tag=TAG,
    body=given_by.KEY_BODY,
    errors=(NotFound, DiskFull),
)
REVOKE = Endpoint(
    path="/v1/api/keys/{key_id}",
    methods=("DELETE",),
    handler=revoke_key,
    summary="Revoke an API key; the request's own only with `itself=true`",
    answers=records.Message,
    tag=TAG,
    query=given_by.REVOKE_QUERY,
    errors=(NotFound, DiskFull),
)

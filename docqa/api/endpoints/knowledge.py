"""Knowledge bases: named groups of documents, the account's own and those that were shared with it."""

import secrets

from docqa import records, store
from docqa.api import declarations as given_by
from docqa.api.endpoint import Endpoint, Given
from docqa.errors import DiskFull, Forbidden, NotFound
from docqa.services import Services

TAG = "Knowledge bases"


async def list_knowledge(services: Services, account: int, given: Given) -> records.KnowledgeBaseList:
    """A page of the knowledge bases that the account may read."""
    query = given.query
    return await services.db.lists.look(
        lambda conn: store.knowledge.knowledge_bases(conn, account, query["page"], query["page_size"], query["order"])
    )


async def create_knowledge(services: Services, account: int, given: Given) -> records.KnowledgeBaseCreated:
    """Creates a knowledge base of some documents. Raises NotFound if one of them is unknown, Forbidden if it is another
    account's, TooLarge where the account may not keep more."""
    knowledge_base_id = secrets.token_hex(12)
    async with services.db.write() as conn:
        await services.intake.quotas.check_knowledge_bases(conn, account)
        members = await store.documents.own_documents(conn, account, given.body["document_ids"])
        await store.knowledge.add_knowledge_base(conn, account, knowledge_base_id, given.body["name"], members)
    return records.KnowledgeBaseCreated(knowledge_base_id)


async def read_knowledge(services: Services, account: int, given: Given) -> records.KnowledgeBase:
    """A knowledge base with its documents. Raises NotFound."""
    return await services.db.lists.look(
        lambda conn: store.knowledge.knowledge_base(conn, account, given.path["knowledge_base_id"])
    )


async def update_knowledge(services: Services, account: int, given: Given) -> records.KnowledgeBase:
    """Gives a knowledge base another name and other documents. Raises NotFound for it or one of them, Forbidden where
    it or one of them is another account's."""
    knowledge_base_id = given.path["knowledge_base_id"]
    async with services.db.write() as conn:
        await store.knowledge.own_row(conn, account, knowledge_base_id)
        members = await store.documents.own_documents(conn, account, given.body["document_ids"])
        async with store.shares.losing(conn, knowledge_base_id):
            await store.knowledge.update_knowledge_base(conn, account, knowledge_base_id, given.body["name"], members)
        updated = await store.knowledge.knowledge_base(conn, account, knowledge_base_id)
    services.intake.deleted.set()  # a reader's answer on what was taken out
    return updated


async def delete_knowledge(services: Services, account: int, given: Given) -> records.Message:
    """Deletes a knowledge base, but not its documents; gives one back that was shared. Raises NotFound."""
    knowledge_base_id = given.path["knowledge_base_id"]
    services.db.ballast.release()
    async with services.db.write() as conn, store.shares.losing(conn, knowledge_base_id):
        await store.knowledge.delete_knowledge_base(conn, account, knowledge_base_id)
    services.intake.deleted.set()
    return records.Message("Knowledge base deleted")


async def search_knowledge(services: Services, account: int, given: Given) -> list[records.KnowledgeBase]:
    """The knowledge bases whose names hold the query."""
    async with services.db.read() as conn:
        return await store.knowledge.search_knowledge_bases(conn, account, given.query["query"])


LIST = Endpoint(
    path="/v1/api/knowledge",
    handler=list_knowledge,
    summary="List knowledge bases",
    answers=records.KnowledgeBaseList,
    tag=TAG,
    query=given_by.KNOWLEDGE_QUERY,
)
CREATE = Endpoint(
    path="/v1/api/knowledge",
    methods=("POST",),
    handler=create_knowledge,
    summary="Create a knowledge base",
    answers=records.KnowledgeBaseCreated,
    status=201,
    tag=TAG,
    body=given_by.KNOWLEDGE_CREATE_BODY,
    errors=(NotFound, Forbidden, DiskFull),
)
READ = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}",
    handler=read_knowledge,
    summary="Read a knowledge base",
    answers=records.KnowledgeBase,
    tag=TAG,
    errors=(NotFound,),
)
UPDATE = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}",
    methods=("PUT",),
    handler=update_knowledge,
    summary="Replace the members of a knowledge base, and its name if one is given",
    answers=records.KnowledgeBase,
    tag=TAG,
    body=given_by.KNOWLEDGE_UPDATE_BODY,
    errors=(NotFound, Forbidden, DiskFull),
)
DELETE = Endpoint(
    path="/v1/api/knowledge/{knowledge_base_id}",
    methods=("DELETE",),
    handler=delete_knowledge,
    summary="Delete a knowledge base, whose documents stay, or give one back that was shared",
    answers=records.Message,
    tag=TAG,
    errors=(NotFound, DiskFull),
)
SEARCH = Endpoint(
    path="/v1/api/search/knowledge",
    handler=search_knowledge,
    summary="Search knowledge bases by name",
    answers=list[records.KnowledgeBase],
    tag=TAG,
    query=given_by.SEARCH_QUERY,
)

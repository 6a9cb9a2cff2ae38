"""Knowledge bases, changed: the API replaces all members at once."""

from collections.abc import Iterable

from docqa.cli.client.service import Record, Service


def members(record: Record) -> list[str]:
    """The doc_ids of a knowledge base."""
    return [member["doc_id"] for member in record["document_details"]]


def make(service: Service, name: str, ids: Iterable[str]) -> Record:
    """A new knowledge base of these documents, each once."""
    made = service.call("POST", "/v1/api/knowledge", body={"name": name, "document_ids": list(dict.fromkeys(ids))})
    record: Record = service.call("GET", f"/v1/api/knowledge/{made['knowledge_base_id']}")
    return record


def update(service: Service, record: Record, ids: Iterable[str], name: str | None = None) -> Record:
    """Give a knowledge base these documents, each once, and another name if there is one; what it is then."""
    body = {"document_ids": list(dict.fromkeys(ids)), **({"name": name} if name else {})}
    changed: Record = service.call("PUT", f"/v1/api/knowledge/{record['knowledge_base_id']}", body=body)
    return changed


def put_into(service: Service, name: str, ids: Iterable[str]) -> None:
    """Put documents into the knowledge base of this name or id; one of this name is made if there is none."""
    for record in service.knowledge_bases():
        if name in (record["name"], record["knowledge_base_id"]):
            update(service, record, [*members(record), *ids])
            return
    make(service, name, ids)

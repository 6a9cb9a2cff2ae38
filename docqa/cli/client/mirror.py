"""Keeps the documents as a folder is: what has come, changed or gone since the last look is done to them too."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path, PurePath

from docqa.cli.client.items import files_in
from docqa.cli.client.ledger import Entry, Ledger
from docqa.cli.client.service import Record, Refused, Service
from docqa.cli.kb import members, update
from docqa.errors import NotFound, TooLarge, Unreadable

SETTLED = 2.0  # seconds without a change, after which a file is whole
ADD, DELETE, FORGET, MOVE = "add", "delete", "forget", "move"
FOR_GOOD = (Unreadable.status, TooLarge.status)  # of refusals that the same bytes get again
Say = Callable[[str], None]


@dataclass(frozen=True)
class Change:
    """What is to be done for a file: ADD it, DELETE its document, FORGET it (the document is not ours), or MOVE what is
    here already under another path. `entry` is what the file is now, and None of one that has gone."""

    action: str
    path: str
    entry: Entry | None = None


class Mirror:
    """A folder and its documents. With `bases`, each folder right below it is a knowledge base."""

    def __init__(self, service: Service, folder: Path, ledger: Ledger, *, bases: bool, say: Say) -> None:
        self._service, self._folder, self._ledger, self._bases, self._say = service, folder, ledger, bases, say
        self._known: set[str] | None = None

    def changes(self) -> Iterator[Change]:
        """What has changed since the last look; first what has come, so that what was moved is still there."""
        present = {str(path.relative_to(self._folder)): path for path in files_in(self._folder)}
        for name, path in present.items():
            if change := self._change(name, path):
                yield change
        if not present and self._ledger.files:
            self._say(f"{self._folder} is empty, or not mounted: nothing is deleted.")
            return
        for name, entry in list(self._ledger.files.items()):
            if name not in present:
                yield Change(DELETE if entry.ours else FORGET, name)

    def follow(self) -> None:
        """Do what has changed. Raises Unreachable, and Refused for what may be done at the next look."""
        self._known = None
        changed = False
        self._clear()  # what the last start did not come to
        for change in self.changes():
            self._do(change)
            self._clear()
            changed = True
        if changed:
            self._place()

    def _change(self, name: str, path: Path) -> Change | None:
        try:
            stat = path.stat()
            if time.time() - stat.st_mtime < SETTLED:
                return None
            last = self._ledger.files.get(name)
            base = self._base(name)
            if last and (last.size, last.mtime_ns, last.base) == (stat.st_size, stat.st_mtime_ns, base):
                return None
            with path.open("rb") as content:
                digest = file_digest(content, "sha256").hexdigest()
        except OSError as error:  # it has just gone, or must not be read
            self._say(f"{name} cannot be read: {error.strerror}.")
            return None
        entry = Entry(digest, stat.st_size, stat.st_mtime_ns, base)
        twin = last if last and last.sha256 == digest else self._ledger.of_content(digest)
        if twin is None:
            return Change(ADD, name, entry)
        return Change(MOVE, name, replace(entry, doc_id=twin.doc_id, ours=twin.ours))

    def _base(self, name: str) -> str:
        parts = PurePath(name).parts
        return parts[0] if self._bases and len(parts) > 1 else ""

    def _do(self, change: Change) -> None:
        last = self._ledger.files.get(change.path)
        if change.entry is None:
            del self._ledger.files[change.path]
            self._say(f"gone: {change.path}")
        else:
            entry = self._added(change.path, change.entry) if change.action == ADD else change.entry
            self._ledger.files[change.path] = entry
        if last and last.ours:
            self._ledger.leaving.append(last.doc_id)
        self._ledger.save()

    def _clear(self) -> None:
        """Delete the documents that no file stands behind any more."""
        for doc_id in list(self._ledger.leaving):
            if not self._ledger.uses(doc_id):
                self._delete(doc_id)
            self._ledger.leaving.remove(doc_id)
            self._ledger.save()

    def _added(self, name: str, entry: Entry) -> Entry:
        """The entry with its document. What is known to be there before is not ours: between a kill in the middle of
        this and the next start, a document may come to be taken for somebody else's, never the other way."""
        if self._known is None:
            self._known = {record["doc_id"] for record in self._service.documents()}
        try:
            with (self._folder / name).open("rb") as content:
                doc_id = self._service.upload(PurePath(name).name, content)
        except Refused as error:
            if error.code not in FOR_GOOD:
                raise
            self._say(f"refused {name}: {error}")
            return entry
        ours = doc_id not in self._known
        self._known.add(doc_id)
        self._say(f"{'added' if ours else 'there already:'} {name}")
        return replace(entry, doc_id=doc_id, ours=ours)

    def _delete(self, doc_id: str) -> None:
        try:
            self._service.call("DELETE", f"/v1/api/documents/{doc_id}")
        except Refused as error:
            if error.code != NotFound.status:  # somebody was faster
                raise

    def _place(self) -> None:
        """Put documents into the knowledge bases of their folders, and take out those that were put there before."""
        ledger = self._ledger
        wanted: dict[str, list[str]] = {}
        here = {record["doc_id"] for record in self._service.documents()}  # somebody may have deleted one
        for entry in ledger.files.values():
            if entry.base and entry.doc_id in here:
                wanted.setdefault(entry.base, []).append(entry.doc_id)
        records = {record["name"]: record for record in self._service.knowledge_bases()}
        for name in dict.fromkeys([*wanted, *ledger.placed]):
            self._fill(name, records.get(name), wanted.get(name, []))
        ledger.save()

    def _fill(self, name: str, record: Record | None, wanted: list[str]) -> None:
        ledger = self._ledger
        if record is None and wanted:
            body = {"name": name, "document_ids": list(dict.fromkeys(wanted))}
            self._service.call("POST", "/v1/api/knowledge", body=body)
            ledger.placed[name], ledger.made = wanted, [*ledger.made, name]
            self._say(f"made the knowledge base {name}")
            return
        placed = set(ledger.placed.pop(name, []))
        if record is None:
            return
        here = members(record)
        kept = [id_ for id_ in here if id_ not in placed or id_ in wanted]
        if wanted:
            ledger.placed[name] = [id_ for id_ in wanted if id_ in placed or id_ not in here]
        if not kept and not wanted and name in ledger.made:
            self._service.call("DELETE", f"/v1/api/knowledge/{record['knowledge_base_id']}")
            ledger.made.remove(name)
            self._say(f"deleted the knowledge base {name}, which was empty")
        elif set(here) != {*kept, *wanted}:
            update(self._service, record, [*kept, *wanted])

"""Makes a small database as a commit's migrations make it, with two documents of ours: python tests/files/schemas/make.py COMMIT

To be run before a migration is added, for the commit that has the last one. Columns that a schema does not have are left out.
"""

import hashlib
import lzma
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[3])]

from docqa.store.database import connect

FOLDER = Path(__file__).parent
LEASE = (
    "The lease of the warehouse in Bergen ends on 31 March 2027.\n\n"
    "The monthly rent is 12,400 euros, and it is paid on the first working day."
)
LEASE_TERMS = (
    "leas lease warehouse warehous bergen ends end 31 march 2027 monthly month rent 12,400 12 400 euros euro paid"
)
RENTS = "Flat,Rent\nHill,1200\nPark,1050"
ROWS = (("Hill", 1200, 10), ("Park", 1050, 20))
TIME = "2026-11-21T09:00:00.000Z"


def git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def vector(seed: int) -> bytes:
    chance = random.Random(seed)
    numbers = [chance.gauss(0, 1) for _ in range(384)]
    length = math.hypot(*numbers)
    return struct.pack("384f", *(number / length for number in numbers))


class Filler:
    """Puts rows into a database, each with the columns that its table has."""

    def __init__(self, conn: Any) -> None:
        self.conn = conn

    def columns(self, table: str) -> list[str]:
        return [row[1] for row in self.conn.execute(f"PRAGMA table_info({table})")]

    def put(self, table: str, **values: Any) -> None:
        known = {name: value for name, value in values.items() if name in self.columns(table)}
        if known:
            places = ", ".join("?" * len(known))
            self.conn.execute(f"INSERT INTO {table} ({', '.join(known)}) VALUES ({places})", list(known.values()))

    def fill(self) -> None:
        """Two documents, their vectors, a table, a knowledge base."""
        self.put("account", id=1, name="alice", created=TIME)
        self.document(1, "lease.txt", "txt", LEASE, LEASE_TERMS)
        self.document(2, "rents.csv", "csv", RENTS, "flat rent hill 1200 park 1050")
        self.put(
            "embedding_model", id=1, slot=0, state="serving", name="all-MiniLM-L6-v2", sha256="53aa", dimension=384
        )
        if self.columns("table_column"):
            self.table()
        self.put(
            "knowledge_base",
            id=1,
            knowledge_base_id="schemakb",
            account=1,
            name="Both",
            folded_name="both",
            created=TIME,
        )
        for document in (1, 2):
            self.put("member", knowledge_base=1, document=document, position=document)

    def document(self, id_: int, name: str, kind: str, text: str, terms: str) -> None:
        about = {"summary": "A summary.", "created": TIME, "state": "ready", "title": "Lease" if id_ == 1 else ""}
        done = {"examined": 1, "sentences_embedded": 1, "tables_stored": 1, "chunks": 1}
        digest = hashlib.sha256(text.encode()).digest()
        table = "any_document" if self.columns("any_document") else "document"
        known = {"doc_id": f"schema{id_}", "account": 1, "name": name, "kind": kind, "sha256": digest}
        self.put(table, id=id_, language="en", pages=1, **known, **about, **done)
        self.put("original", document=id_, media_type="text/plain", size=len(text.encode()), bytes=text.encode())
        self.put("original_piece", document=id_, start=0, bytes=text.encode())
        self.put("page", document=id_, page_number=1, section="", text=text, scan="")
        place = {"document": id_, "page_number": 1, "start": 0, "section": "", "columns": ""}
        chunks = "stored_chunk" if self.columns("stored_chunk") else "chunk"
        self.put(chunks, id=id_, text=text, terms=terms, embedding=vector(id_), **place)
        self.put("embedding_0", chunk=id_, vector=vector(id_))
        if self.columns("chunk_vec"):
            sql = "INSERT INTO chunk_vec (rowid, embedding, document) VALUES (?1, vec_quantize_binary(?2), ?1)"
            self.conn.execute(sql, (id_, vector(id_)))

    def table(self) -> None:
        about = {"name": "", "headings": '["Flat","Rent"]', "title": "", "before": "", "scale": ""}
        self.put("document_table", id=2, document=2, number=0, **about)
        of = {"in_table": 2, "document": 2}
        for place, (name, kind) in enumerate((("Flat", "text"), ("Rent", "number"))):
            self.put("table_column", **of, place=place, name=name, kind=kind, unit="", decimals=0, is_year=0)
        for row, (flat, rent, start) in enumerate(ROWS):
            cells = {"cells": f'["{flat}", {rent}]', "written": f'["{flat}", "{rent}"]', "above": ""}
            self.put("table_row", **of, row=row, page_number=1, start=start, stop=start + 9, **cells)
            self.put("table_value", **of, key=flat.lower(), place=0, value=flat)


def main() -> None:
    """Write the next file of the folder."""
    commit = git("rev-parse", "--short=7", sys.argv[1]).strip()
    files = git("ls-tree", "-r", "--name-only", commit).split()
    scripts = sorted((file for file in files if "/migrations/0" in file), key=lambda file: Path(file).name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sqlite"
        conn = connect(path)
        conn.execute("PRAGMA secure_delete = 1")
        for script in scripts:
            version = int(Path(script).name[:4])
            sql = git("show", f"{commit}:{script}")
            conn.executescript(f"BEGIN;\n{sql}\n;PRAGMA user_version = {version};COMMIT;")
        Filler(conn).fill()
        conn.close()
        number = len(list(FOLDER.glob("*.xz"))) + 1
        made = FOLDER / f"{number:02}-{commit}.sqlite.xz"
        made.write_bytes(lzma.compress(path.read_bytes(), preset=9))
    print(f"{made}: schema {version}, {made.stat().st_size} bytes")


if __name__ == "__main__":
    main()

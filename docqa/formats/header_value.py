"""A field such as Content-Type or Content-Disposition, whoever wrote it: a value and its parameters."""

from email.message import Message

UNKNOWN_TYPE = "application/octet-stream"  # that of bytes of which nobody says what they are
# RFC 8187: others need not be known, and Python's own registry holds codecs that are no charsets of texts.
_CHARSETS = {"utf-8": "utf-8", "iso-8859-1": "latin-1", "us-ascii": "latin-1"}
_LONGEST = 8_192  # characters; the time to take a field apart grows with the square of its quotation marks


class HeaderValue:
    """What a header's field says, by the rules that mail and the web share (RFC 2045, 2231, 8187).

    One that is too long, or contradicts itself, has no parameters.
    """

    def __init__(self, text: str) -> None:
        message = Message()
        message["Content-Type"] = text if len(text) <= _LONGEST else text.partition(";")[0][:_LONGEST]
        self.media_type: str = message.get_content_type()  # in lower case, `text/plain` where it is none
        try:
            self._parameters = message.get_params([])
        except (TypeError, ValueError):  # parts of a parameter with and without numbers, or numbers without end
            self._parameters = []

    def parameter(self, name: str) -> str | None:
        """A parameter's text; None where there is none of this name, which is in lower case.

        The extended form (`filename*=`) keeps characters that the plain one beside it may have lost, and is preferred.
        """
        given = [value for key, value in self._parameters if key.lower() == name]
        extended = [_decoded(*value) for value in given if isinstance(value, tuple)]
        return next(iter(extended or map(str, given)), None)


def _decoded(charset: str | None, language: str | None, value: str) -> str:
    """A parameter in the extended form, which has been unquoted into Latin-1."""
    raw = value.encode("latin-1", "replace")
    return raw.decode(_CHARSETS.get((charset or "").lower(), "utf-8"), "replace")

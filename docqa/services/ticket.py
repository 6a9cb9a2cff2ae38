"""The link that signs a person in: a ticket that is exchanged for the first API key, once."""

import hmac
import secrets
from pathlib import Path

from docqa.errors import Unauthorized

USED = (
    "This link has been used, or is of an earlier start of the server. Enter the key, or start the server again for "
    "another link."
)


class Ticket:
    """At most one ticket at a time; `key_file` holds the key that it stands for."""

    def __init__(self, key_file: Path) -> None:
        self._key_file, self._ticket = key_file, ""

    def issue(self) -> str:
        """A new ticket, "" where there is no key for it; the one before is void."""
        self._ticket = secrets.token_urlsafe(24) if self._key_file.is_file() else ""
        return self._ticket

    def redeem(self, ticket: str) -> str:
        """The key. Raises Unauthorized for anything but the ticket of now, which is void afterwards."""
        if not self._ticket or not hmac.compare_digest(ticket.encode(), self._ticket.encode()):
            raise Unauthorized(USED)
        self._ticket = ""
        try:
            return self._key_file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise Unauthorized(f"The key cannot be read: {error}") from error

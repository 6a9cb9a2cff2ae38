"""What it means when a provider refuses a request or breaks off its answer: a sentence to act on, and whether to retry.

No sentence holds a key, nor more of a response than the provider's own short message.
"""

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from docqa.catalog.keys import FILE, variable
from docqa.catalog.targets import Target
from docqa.errors import DocqaError, ProviderFailed, Unavailable
from docqa.models.chat.wire import Complaint

RETRY_PAUSE = 1.0  # seconds before the next try, where the provider names no time
RETRY_AFTER = 5  # seconds that clients are told to wait, where the provider names no time
LONGEST_WAIT = 3600.0  # seconds that a provider may name
MESSAGE_LIMIT = 200  # characters of a provider's own message that are passed on
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # 529: Anthropic is overloaded
NO_CREDIT = "insufficient_quota"  # OpenAI also answers 429 to an account that has run out of credit


class Failure(NamedTuple):
    """A failed try: its error, and `retry_in` seconds another may succeed; None where none will."""

    error: DocqaError
    retry_in: float | None


@dataclass(frozen=True)
class Failures:
    """The failures of one target, which is called with `key` and written in `place`."""

    target: Target
    key: str
    place: str = "models.toml"

    def refused(self, status: int, retry_after: str, complaint: Complaint) -> Failure:
        """What a status other than 200 means; `retry_after` is the header of that name, "" if there is none."""
        quoted = self._quoted(complaint.message)
        if status in BUSY and complaint.code != NO_CREDIT:
            wait = seconds_of(retry_after)
            advised = max(1, round(RETRY_AFTER if wait is None else wait))
            problem = "accepts no more requests for now" if status in (429, 529) else f"failed with status {status}"
            error = Unavailable(f"{self.target} {problem}{quoted}. Try again in {advised} s.", advised)
            return Failure(error, RETRY_PAUSE if wait is None else wait)
        return Failure(ProviderFailed(self._advice(status, quoted)), None)

    def _advice(self, status: int, quoted: str) -> str:
        if status in (401, 403):  # the provider's message may quote a part of the key
            problem = "refused the key" if self.key else "asks for a key"
            names = f"{variable(self.target.kind)} or {FILE}"
            return f"{self.target} {problem} (status {status}). Put a valid key into {names}."
        if 300 <= status < 400:
            return (
                f"{self.target} redirects to another address (status {status}), which is not followed. "
                f"Put the right address into {self.place}."
            )
        if status == 404:
            return f"{self.target} was not found (status 404{quoted}). Correct its name or address in {self.place}."
        return f"{self.target} refused the request (status {status}{quoted})."

    def in_stream(self, complaint: Complaint) -> Unavailable:
        """The error for a complaint in mid-stream: the request was accepted, so the provider is at fault."""
        quoted = self._quoted(complaint.message or complaint.code)
        return Unavailable(f"{self.target} broke off its answer{quoted}. Try again.", RETRY_AFTER)

    def _quoted(self, message: str) -> str:
        """The provider's own message, shortened and without the key, to be appended to a sentence."""
        message = message.replace(self.key, "***") if self.key else message
        return f": {message[:MESSAGE_LIMIT]}{'…' * (len(message) > MESSAGE_LIMIT)}".rstrip(".") if message else ""


def seconds_of(retry_after: str) -> float | None:
    """The seconds of a `Retry-After` header (RFC 9110, 10.2.3): a number or an HTTP date; None for anything else."""
    try:
        wait = (
            float(retry_after)
            if retry_after.replace(".", "", 1).isdecimal()
            else parsedate_to_datetime(retry_after).timestamp() - time.time()
        )
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, wait), LONGEST_WAIT)

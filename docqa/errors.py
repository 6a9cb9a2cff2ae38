"""What can go wrong, and the HTTP status each of it has.

    DocqaError                 500
    ├── InvalidRequest         422  a list of faults: loc, msg, type
    │   └── Unreadable         422  a file or link that holds no text we can read
    ├── Unauthorized           401  an unknown key, a revoked key
    │   ├── KeyMissing         401  no key
    │   └── TooManyFailures    429  too many wrong keys from one address; `retry_after` says when
    ├── Forbidden              403  the machine's, which this account may not change
    ├── NotFound               404  no such thing, or it is somebody else's
    ├── Conflict               409  what is there now does not allow it
    ├── TooLarge               413  over a limit that the message names
    ├── ProviderFailed         502  a remote provider refused the request, or its answer is no answer
    ├── Unavailable            503  not now; `retry_after` says when
    │   ├── Busy               503  a queue is full
    │   ├── OutOfTime          503  no word came in time
    │   │   └── TooSlow        503  a model would take longer than there is time for
    │   └── ChildDied          503  a child process ended in the middle of its work
    ├── DiskFull               507  no room for what should be stored
    └── CannotStart            500  a setting or the data folder keeps the server from starting

Code below HTTP just raises what happened; one table in `app` turns it into a response.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One item of a 422 body: where (`loc`), a sentence (`msg`) and pydantic's word for it (`type`)."""

    loc: tuple[str | int, ...]
    msg: str
    type: str

    def under(self, *outer: str | int) -> "Fault":
        """The same fault, seen from the value that holds this one."""
        return Fault((*outer, *self.loc), self.msg, self.type)


class DocqaError(Exception):
    """Base of everything this program raises on purpose; `str(error)` is a sentence a person can act on."""

    status = 500

    def detail(self) -> object:
        """The value of `detail` in the response's JSON body."""
        return str(self)

    def headers(self) -> dict[str, str]:
        """Response headers that belong to this error."""
        return {}


class InvalidRequest(DocqaError):
    """A request with one or more faults, each at its place."""

    status = 422

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(fault.msg for fault in faults))
        self.faults = faults

    def detail(self) -> list[dict[str, object]]:
        """The faults, as FastAPI writes them."""
        return [{"loc": list(fault.loc), "msg": fault.msg, "type": fault.type} for fault in self.faults]


class Unreadable(InvalidRequest):
    """A file or link without text that we can read; `loc` names the request's field that gave it."""

    def __init__(self, msg: str, loc: tuple[str | int, ...] = ("body", "file")) -> None:
        super().__init__([Fault(loc, msg, "unreadable")])


class Unauthorized(DocqaError):
    """A request without a valid API key."""

    status = 401


class KeyMissing(Unauthorized):
    """A request without an API key."""


class TooManyFailures(Unauthorized):
    """A wrong key, after many others from the same address; `retry_after` is when to try again, in seconds."""

    status = 429

    def __init__(self, msg: str, retry_after: int) -> None:
        super().__init__(msg)
        self.retry_after = retry_after

    def headers(self) -> dict[str, str]:
        """`Retry-After`, in seconds."""
        return {"Retry-After": str(self.retry_after)}


class Forbidden(DocqaError):
    """What belongs to the machine, asked for by an account that may not change it."""

    status = 403


class NotFound(DocqaError):
    """What is named does not exist, or belongs to another account."""

    status = 404


class Conflict(DocqaError):
    """What is there now does not allow it; the sentence says what would have to be otherwise."""

    status = 409


class TooLarge(DocqaError):
    """More than a limit allows; the sentence names the limit."""

    status = 413


class ProviderFailed(DocqaError):
    """Asking again does not help: somebody has to change the key, the name of the model or the address."""

    status = 502


class Unavailable(DocqaError):
    """Not now; `retry_after` is when to ask again, in seconds."""

    status = 503

    def __init__(self, msg: str, retry_after: int = 5) -> None:
        super().__init__(msg)
        self.retry_after = retry_after

    def headers(self) -> dict[str, str]:
        """`Retry-After`, in seconds."""
        return {"Retry-After": str(self.retry_after)}


class Busy(Unavailable):
    """A queue is full."""


class OutOfTime(Unavailable):
    """No word came within the time for one answer."""


class TooSlow(OutOfTime):
    """A whole answer would take longer than the time for it: about `seconds`."""

    def __init__(self, seconds: float, limit: float) -> None:
        super().__init__(
            f"The model would take about {seconds:.0f} s to answer here, and {limit:g} s are left. "
            "Choose a smaller model, or raise DOCQA_ANSWER_SECONDS."
        )
        self.seconds = seconds


class ChildDied(Unavailable):
    """A child process ended in the middle of its work."""


class DiskFull(DocqaError):
    """No room on the disk for what should be stored; nothing of it was."""

    status = 507


class CannotStart(DocqaError):
    """A setting or the data folder keeps the server from starting."""

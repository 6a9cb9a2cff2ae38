"""A route's declaration, and what its handler is given."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from docqa.api.error_shapes import OWN, ErrorShape
from docqa.api.rules import Known, Rule, optional, record
from docqa.errors import DocqaError, Fault, InvalidRequest
from docqa.ingest.spool import Spool


@dataclass(frozen=True)
class Upload:
    """A file as it was sent; `name` is a bare file name without folders, and may be empty. Who reads the request closes
    `content`."""

    name: str
    media_type: str
    content: Spool


@dataclass(frozen=True)
class Given:
    """What a request gave, checked: `query` and `body` have a value for every declared field.

    `file` is None where the endpoint takes none; `accept` is that header in lower case, `if_none_match` that one.
    `key_id` is the public id of the key that the request was sent with, "" where it needs none; `base` the address that
    it was sent to, as `permalink` wants it.
    """

    path: dict[str, str]
    query: dict[str, Any]
    body: Any
    file: Upload | None
    accept: str = ""
    if_none_match: str = ""
    key_id: str = ""
    base: str = ""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One route. Requests are checked against its declaration, and /openapi.json is made from it.

    `answers` is what a reply of `status` holds: dataclasses of `records`, `list[...]` of one, or media types such as
    "application/pdf"; one of them, or a tuple of several. `file` is the name of a multipart part; it is a document, and
    refused as soon as its beginning shows that it is none, unless it may be `any_file`. `lane`: where requests count
    that take time, as `Lanes.of` names it. `errors` are those of this endpoint alone; what every endpoint shares (401,
    413, 422, 503) follows from the rest of the declaration. `errors_as` is how they are written.
    What is `of_machine` belongs to no account, and is open to that of the first key alone (403).
    """

    path: str
    handler: Callable[..., Any]
    summary: str
    answers: Any
    tag: str
    methods: tuple[str, ...] = ("GET",)
    query: Rule | None = None
    body: Rule | None = None
    file: str | None = None
    any_file: bool = False
    status: int = 200
    lane: str = ""
    errors: tuple[type[DocqaError], ...] = ()
    errors_as: ErrorShape = OWN
    needs_key: bool = True
    of_machine: bool = False
    deprecated: bool = False

    @property
    def body_rule(self) -> Rule | None:
        """The rule of the body, for a file that of the whole form; None where a body is ignored."""
        return self.body if self.file is None else record({self.file: _FILE})

    @cached_property
    def rule(self) -> Rule:
        """The rule of query and body together."""
        return record({"query": self.query or record({}), "body": self.body_rule or optional(record({}))})


def _check_file(raw: Any, known: Known) -> Upload:
    if not isinstance(raw, Upload):
        raise InvalidRequest([Fault((), "Value error, Expected UploadFile, received: <class 'str'>", "value_error")])
    return raw


_FILE = Rule(_check_file, lambda known: {"type": "string", "format": "binary"})

"""The HTTP API as the tools ask it: JSON in, JSON out, refusals as sentences."""

from typing import Any

import httpx
from starlette.types import ASGIApp

from docqa import COMMAND
from docqa.errors import DocqaError
from docqa.loopback import is_loopback

SECONDS = 90.0  # for one request; a chat answers within 60


class Refused(DocqaError):
    """The server refused a request or cannot be reached; the sentence says what to do about it."""


class Rest:
    """A client of the API at the address `base`, without a slash at its end, with an account's key.

    `app` is asked directly where it is given, in this process.
    """

    def __init__(self, base: str, key: str, app: ASGIApp | None = None) -> None:
        self.base = base
        # A proxy leads to other machines, and not to this one.
        through_proxy = app is None and not is_loopback(httpx.URL(base).host)
        self._client = httpx.AsyncClient(
            base_url=base,
            headers={"x-api-key": key},
            timeout=SECONDS,
            transport=httpx.ASGITransport(app) if app else None,
            trust_env=through_proxy,
        )

    async def get(self, path: str, **query: Any) -> Any:
        """What a GET answers. Raises Refused."""
        return await self._send("GET", path, params=query)

    async def post(self, path: str, body: Any) -> Any:
        """What a POST of this JSON answers. Raises Refused."""
        return await self._send("POST", path, json=body)

    async def upload(self, name: str, content: bytes) -> Any:
        """What the upload of a file answers. Raises Refused."""
        return await self._send("POST", "/v1/api/upload", files={"file": (name, content)})

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send(self, method: str, path: str, **options: Any) -> Any:
        try:
            response = await self._client.request(method, path, **options)
        except httpx.HTTPError as error:
            raise Refused(f"DocQA does not answer at {self.base} ({error}). Is `{COMMAND}` running?") from error
        try:
            body = response.json()
        except ValueError as error:
            raise Refused(f"What answers at {self.base} is not DocQA.") from error
        if response.is_success:
            return body
        raise Refused(_sentence(body) or f"DocQA answered {response.status_code}.")


def _sentence(body: Any) -> str:
    """What an error says, in the API's shape or OpenAI's."""
    if not isinstance(body, dict):
        return ""
    if isinstance(error := body.get("error"), dict):
        return str(error.get("message", ""))
    detail = body.get("detail", "")
    return "; ".join(str(fault.get("msg")) for fault in detail) if isinstance(detail, list) else str(detail)

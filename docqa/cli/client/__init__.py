"""How a command reaches the service: the server that runs on the data folder, one that is named, or one of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from urllib.parse import urlsplit

from docqa import COMMAND
from docqa.cli.client.service import Service, Unreachable
from docqa.cli.presence import running
from docqa.cli.terminal import say
from docqa.errors import CannotStart
from docqa.loopback import is_loopback
from docqa.settings import Settings, environment_name


@contextmanager
def opened(settings: Settings, url: str | None, key: str | None, *, alone: bool) -> Iterator[Service]:
    """The service that a command talks to. Where no server runs and it may go on `alone`, the command is one while it
    lasts: what it does goes one way, and a second command beside it finds it.

    Raises CannotStart where there is no key or the data cannot be opened.
    """
    memory = settings.data / "watch"
    if url:
        with Service(url, key or _key_for(settings, url), memory / sha256(url.encode()).hexdigest()[:16]) as service:
            yield service
    elif address := running(settings.data):
        with Service(address, key or _stored_key(settings), memory) as service:
            yield service
    elif not alone:
        raise Unreachable(f"No server works on {settings.data}. `{COMMAND} serve` starts one; --url names another.")
    else:
        from docqa.cli.client.own_server import own_server  # it loads all that serves

        say(f"No server runs here, so this command opens {settings.database} itself.")
        with (
            own_server(settings) as address,
            Service(address, key or _stored_key(settings), memory, own=True) as service,
        ):
            yield service


def _key_for(settings: Settings, url: str) -> str:
    check_is_here(settings, url)
    return _stored_key(settings)


def check_is_here(settings: Settings, url: str) -> None:
    """The stored key is told to this machine alone. Raises CannotStart for an address on another one."""
    if is_loopback(urlsplit(url).hostname or ""):
        return
    if settings.offline:
        raise CannotStart(f"{environment_name('offline')} is on, and {url} is another machine.")
    raise CannotStart(f"{url} needs a key of its own: give it as DOCQA_KEY or --key.")


def _stored_key(settings: Settings) -> str:
    try:
        return settings.key_file.read_text("utf-8").strip()
    except OSError as error:
        raise CannotStart(
            f"The API key cannot be read: {error}. `key add NAME` prints a new one, to be given as DOCQA_KEY or --key."
        ) from error

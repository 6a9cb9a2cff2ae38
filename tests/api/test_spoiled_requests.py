"""Nothing is ever a 500: the short version of tests/torture/api.py, with the same requests each time."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest

from conftest import key_for
from docqa.api.app import create
from docqa.cli.web_server import Server
from docqa.settings import Settings
from tests.torture.api import Tally, parse, raw


@pytest.fixture
async def served(settings: Settings) -> AsyncIterator[tuple[str, str]]:
    """The address and a key of a server that follows links to this machine."""
    networks = (ip_network("127.0.0.0/8"),)
    app = create(replace(settings, private_networks=networks, link_ports=tuple(range(1, 65_536))))
    started = asyncio.Event()
    server = Server(app, "127.0.0.1", 0, started.set)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    task = asyncio.create_task(server.serve())
    await started.wait()
    yield "http://{}:{}".format(*server.address), await key_for(app, "alice")
    server.should_exit = True
    await task


@pytest.mark.anyio
async def test_spoiled_requests_get_what_is_declared_and_leave_no_error_in_the_log(
    served: tuple[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tally = Tally(tmp_path)
    await raw(*served, "short", tally, requests=300)
    assert not tally.findings
    assert {"200", "201", "400", "401", "404", "405", "422"} <= tally.answers.keys()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_spoiled_input_surprises_no_parser(tmp_path: Path) -> None:
    tally = Tally(tmp_path)
    parse("short", tally, inputs=15)
    assert not tally.findings

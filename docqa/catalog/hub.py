"""A model hub: which files a repository has, and getting one of them, gone on with where an earlier try stopped.

The hub is huggingface.co, or what HF_ENDPOINT says. Whether a file is the right one is for the caller to check.
"""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docqa.errors import DocqaError


class HubFailed(DocqaError):
    """The hub, or the way to it, does not give what was asked for; the message says why."""


@dataclass(frozen=True)
class HubFile:
    """A file of a repository: large ones have a SHA-256 there, the others the hash that git gives their content."""

    path: str
    size: int
    sha256: str
    git_sha1: str


def list_files(repository: str, revision: str) -> tuple[str, list[HubFile]]:
    """The commit that `revision` stands for, and its files. Raises HubFailed."""
    with _failing(repository):
        from huggingface_hub import HfApi

        info = HfApi(endpoint=_endpoint()).model_info(repository, revision=revision, files_metadata=True)
        files = [
            HubFile(one.rfilename, one.size or 0, one.lfs.sha256 if one.lfs else "", one.blob_id or "")
            for one in info.siblings or []
        ]
        return info.sha or revision, files


def download(repository: str, revision: str, path: str, size: int, target: Path) -> None:
    """Get one file of `size` bytes into `target`, after the bytes that are there already; its progress is shown. Raises HubFailed."""
    if target.exists() and target.stat().st_size > size:
        target.unlink()
    with _failing(repository), target.open("ab") as out:
        from huggingface_hub import hf_hub_url
        from huggingface_hub.file_download import http_get  # hf_hub_download forgets what an earlier process got
        from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

        url = hf_hub_url(repository, path, revision=revision, endpoint=_endpoint())
        if out.tell() < size:
            http_get(
                url,
                out,
                resume_size=out.tell(),
                headers=build_hf_headers(),
                expected_size=size,
                displayed_filename=path,
            )
            out.flush()
            os.fsync(out.fileno())


def _endpoint() -> str | None:
    return os.environ.get("HF_ENDPOINT") or None


@contextmanager
def _failing(repository: str) -> Iterator[None]:
    """Every failure inside as one HubFailed."""
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubFailed("the package huggingface_hub is not installed")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # of whichever httpx it was built on

    try:
        yield
    except (HTTPError, OSError, ValueError) as error:
        raise HubFailed(f"{repository}: {(str(error) or type(error).__name__).strip().splitlines()[0]}") from error

"""A model hub: lists the files of a repository and downloads them, resuming where an earlier try stopped.

The hub is huggingface.co, or what HF_ENDPOINT names. Checking a file's content is up to the caller.
"""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docqa.errors import DocqaError


class HubFailed(DocqaError):
    """The hub cannot be reached or refuses; the message says why."""


@dataclass(frozen=True)
class HubFile:
    """A file of a repository; the hub has a SHA-256 of large files, and git's hash of the others."""

    path: str
    size: int
    sha256: str
    git_sha1: str


def list_files(repository: str, revision: str) -> tuple[str, list[HubFile]]:
    """The commit of `revision` and its files. Raises HubFailed."""
    with _as_hub_failed(repository):
        from huggingface_hub import HfApi

        info = HfApi(endpoint=_endpoint()).model_info(repository, revision=revision, files_metadata=True)
        files = [
            HubFile(file.rfilename, file.size or 0, file.lfs.sha256 if file.lfs else "", file.blob_id or "")
            for file in info.siblings or []
        ]
        return info.sha or revision, files


def download(repository: str, revision: str, path: str, size: int, target: Path) -> None:
    """Download a file of `size` bytes to `target`, appending to what is there, with a progress bar.

    Raises HubFailed.
    """
    if target.exists() and target.stat().st_size > size:
        target.unlink()
    with _as_hub_failed(repository), target.open("ab") as out:
        from huggingface_hub import hf_hub_url
        from huggingface_hub.file_download import http_get  # hf_hub_download does not resume across processes
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
def _as_hub_failed(repository: str) -> Iterator[None]:
    """Turn every failure inside into HubFailed."""
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubFailed("the package huggingface_hub is not installed")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # of whichever HTTP library it uses

    try:
        yield
    except (HTTPError, OSError, ValueError) as error:
        raise HubFailed(f"{repository}: {(str(error) or type(error).__name__).strip().splitlines()[0]}") from error

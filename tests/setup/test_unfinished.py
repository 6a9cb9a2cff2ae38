"""What a stopped pip left half installed is installed anew."""

from importlib.metadata import distributions
from pathlib import Path

import pytest

from docqa.setup.unfinished import drop_unfinished


def install(site: Path, name: str, *, record: bool = True) -> Path:
    """A package of one module with its metadata; its module."""
    module, metadata = site / f"{name}.py", site / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    module.write_text("answer = 42\n")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    if record:
        (metadata / "RECORD").write_text(
            f"{name}.py,sha256=x,12\n{name}-1.0.dist-info/RECORD,,\n__pycache__/{name}.pyc,,\n"
        )
    return module


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "lib" / "python3.11" / "site-packages"


def names(site: Path) -> set[str]:
    return {each.metadata["Name"] for each in distributions(path=[str(site)])}


def test_whole_packages_stay(site: Path) -> None:
    install(site, "whole")
    assert drop_unfinished(site.parents[2]) == []
    assert names(site) == {"whole"}


def test_a_package_without_a_record_a_file_or_its_end_is_dropped(site: Path) -> None:
    install(site, "whole")
    install(site, "unrecorded", record=False)
    install(site, "gone").unlink()
    install(site, "cut").write_text("answer")
    dropped = drop_unfinished(site.parents[2])
    assert sorted(dropped) == ["cut-1.0.dist-info", "gone-1.0.dist-info", "unrecorded-1.0.dist-info"]
    assert names(site) == {"whole"}

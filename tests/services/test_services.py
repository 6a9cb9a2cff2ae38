"""What is opened at start is closed at stop, also where the start fails midway."""

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from docqa.errors import CannotStart
from docqa.services import ALL_QUOTES, NO_LANGUAGE_MODEL, open_services
from docqa.settings import Settings
from docqa.store.database import Database

pytestmark = pytest.mark.anyio


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[Database]:
    """The databases that were closed."""
    closed: list[Database] = []
    close = Database.close

    async def noted(db: Database) -> None:
        closed.append(db)
        await close(db)

    monkeypatch.setattr(Database, "close", noted)
    return closed


async def test_without_models_answers_are_quotes_and_it_says_so(settings: Settings, closed: list[Database]) -> None:
    async with AsyncExitStack() as stack:
        services = await open_services(settings, stack)
        assert ALL_QUOTES in services.notes()
        assert {model.model_provider_name for model in services.models()} == {NO_LANGUAGE_MODEL}
        assert closed == []
    assert closed == [services.db]


async def test_a_start_that_fails_closes_what_it_had_opened(
    settings: Settings, tmp_path: Path, closed: list[Database]
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "catalog.toml").write_text("no catalogue")
    with pytest.raises(CannotStart):
        async with AsyncExitStack() as stack:
            await open_services(replace(settings, models=models), stack)
    assert len(closed) == 1

"""Whether an excerpt answers a question, by a small language model with an adapter: the server's side.

`verifier_child` is the process that holds the model. The reader takes the likeliest words even where they answer
another question; whether the language model continues after "Answer:" shows whether there is anything to say.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docqa import ROOT
from docqa.catalog.catalog import Catalog
from docqa.catalog.gguf import NotGguf, read_header
from docqa.errors import CannotStart
from docqa.models.chat.local import available
from docqa.models.reader import Span, around
from docqa.settings import Settings
from docqa.workers.child import Child

log = logging.getLogger(__name__)

FILE = "verifier.lora"  # a GGUF file, but not a model of its own
SHIPPED = ROOT / "models" / FILE
PREFIX = "docqa."  # of our keys in the adapter's header
EXCERPT = "Passage: {}"
QUESTION = "\nQuestion: {}\nAnswer:"
CONTEXT = 512  # tokens of excerpt and question; longer ones are cut
# A span's score: of 64 questions about held-out articles with a lower one, none was answered correctly.
HOPELESS = -10.0


@dataclass(frozen=True)
class Adapter:
    """The file of an adapter: `base` is the SHA-256 of its model, `languages` (ISO 639-1) are those it was trained in.

    Its log odds count `weight` times as much as the reader's; together they must reach `margin`.
    """

    path: Path
    base: str
    languages: tuple[str, ...]
    weight: float
    margin: float

    def combine(self, spans: Sequence[Sequence[Span]], best: int, log_odds: float) -> tuple[list[list[Span]], bool]:
        """The spans of all passages after verifying the best span of passage `best`, and whether it was accepted.

        The combined score decides. Below 0, it caps all scores; otherwise that passage's scores are raised until the
        best is at least 0.
        """
        score = spans[best][0].score
        combined = score + self.weight * log_odds - self.margin
        if combined < 0:
            return [[span._replace(score=min(span.score, combined)) for span in each] for each in spans], False
        raised = max(0.0, -score)
        return [
            [span._replace(score=span.score + raised * (index == best)) for span in each]
            for index, each in enumerate(spans)
        ], True


def find_adapter(models_dir: Path) -> Adapter | None:
    """The adapter in the models folder, else the shipped one, None without either.

    Raises CannotStart for a damaged file.
    """
    path = next((path for path in (models_dir / FILE, SHIPPED) if path.is_file()), None)
    if path is None:
        return None
    try:
        header = read_header(path).metadata
        ours = {name.removeprefix(PREFIX): str(value) for name, value in header.items() if name.startswith(PREFIX)}
        return Adapter(
            path, ours["base"], tuple(ours["languages"].split()), float(ours["weight"]), float(ours["margin"])
        )
    except (OSError, NotGguf, ValueError, LookupError) as error:
        raise CannotStart(
            f"{path} is not an adapter of the verifier ({type(error).__name__}: {error}); delete it or get it again"
        ) from error


def usable_adapter(settings: Settings, catalog: Catalog) -> tuple[Path, Adapter] | None:
    """The file of the verifier's model and its adapter; None if switched off, or if model or llama.cpp are missing.

    Raises CannotStart for a damaged adapter.
    """
    adapter = find_adapter(settings.models) if settings.verifier and available() else None
    entry = catalog.with_weights("gguf", adapter.base) if adapter else None
    return (catalog.path(entry), adapter) if adapter and entry else None


def to_verify(texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> tuple[int, str] | None:
    """The passage with the best span of all and the excerpt around that span; None if there is none worth verifying.

    If it is rejected, runners-up are not tried: of the questions they would answer, as many have no answer.
    """
    best = max(
        (index for index, each in enumerate(spans) if each), key=lambda index: spans[index][0].score, default=None
    )
    if best is None or spans[best][0].score < HOPELESS:
        return None
    return best, texts[best][slice(*around(texts[best], spans[best][0]))]


class Verifier:
    """The language model in the file `model` with its adapter."""

    def __init__(self, model: Path, adapter: Adapter) -> None:
        self.adapter = adapter
        # A text is short, and reading it cannot be aborted.
        self._child = Child("docqa.models.verifier_child", [str(model), str(adapter.path)], name="verifier", grace=30.0)

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return self._child.state == "ready"

    async def load(self) -> None:
        """Load the model if it is not loaded. Raises Unavailable."""
        await self._child.start()
        log.info("The verifier is ready")

    async def log_odds(self, question: str, excerpt: str) -> float:
        """The log odds that the excerpt answers the question, as the adapter was trained to tell.

        Raises Unavailable.
        """
        answer, _ = await self._child.call({"question": question, "excerpt": excerpt}, urgent=True)
        return float(answer["log_odds"])

    async def close(self) -> None:
        """Unload the model for good."""
        await self._child.close()

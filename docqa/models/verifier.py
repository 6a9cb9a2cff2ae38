"""Whether an excerpt answers a question, by a small language model with an adapter: the server's side (`Verifier`) and the child process that holds the model
(`python -m docqa.verifier MODEL ADAPTER`).

The reader takes the likeliest words even where they answer another question; who reads on after "Answer:" hears whether there is anything to say.
"""

import logging
import math
import sys
import threading
from collections.abc import Generator, Sequence
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
from docqa.workers.loop import Handler, Header, serve

log = logging.getLogger(__name__)

FILE = "verifier.lora"  # a GGUF file, but none that answers by itself
SHIPPED = ROOT / "models" / FILE
ABOUT = "docqa."  # before the names of what the adapter's header tells us
EXCERPT = "Passage: {}"
ASKED = "\nQuestion: {}\nAnswer:"
CONTEXT = 512  # tokens of excerpt and question; what is longer is cut
HOPELESS = -10.0  # of a span's score: of 64 questions about articles kept apart that were below, none was answered rightly, so that nobody has to wait


@dataclass(frozen=True)
class Adapter:
    """The file of an adapter: `base` is the SHA-256 of the model that it belongs to, `languages` are those it was trained in.

    How sure it is counts `weight` times as much as the reader; `margin` is what both together must reach.
    """

    path: Path
    base: str
    languages: tuple[str, ...]
    weight: float
    margin: float

    def weighed(self, found: Sequence[Sequence[Span]], best: int, sureness: float) -> tuple[list[list[Span]], bool]:
        """The spans of all passages after the best span of passage `best` was verified, and whether it is believed.

        What both opinions are together decides: where that is below 0 no score is above it, else those of that passage are raised so far that the best is 0."""
        score = found[best][0].score
        together = score + self.weight * sureness - self.margin
        if together < 0:
            return [[span._replace(score=min(span.score, together)) for span in spans] for spans in found], False
        more = max(0.0, -score)
        return [
            [span._replace(score=span.score + more * (index == best)) for span in spans]
            for index, spans in enumerate(found)
        ], True


def shipped_adapter(models_dir: Path) -> Adapter | None:
    """That of the folder of models, or the shipped one where that has none. Raises CannotStart for a damaged file."""
    path = next((path for path in (models_dir / FILE, SHIPPED) if path.is_file()), None)
    if path is None:
        return None
    try:
        known = {
            name.removeprefix(ABOUT): str(value)
            for name, value in read_header(path).metadata.items()
            if name.startswith(ABOUT)
        }
        return Adapter(
            path, known["base"], tuple(known["languages"].split()), float(known["weight"]), float(known["margin"])
        )
    except (OSError, NotGguf, ValueError, LookupError) as error:
        raise CannotStart(
            f"{path} is not an adapter of the verifier ({type(error).__name__}: {error}); delete it or get it again"
        ) from error


def usable_adapter(settings: Settings, catalog: Catalog) -> tuple[Path, Adapter] | None:
    """The file of the model and its adapter, where they are wanted and here, and llama.cpp can read them. Raises CannotStart for a damaged adapter."""
    adapter = shipped_adapter(settings.models) if settings.verifier and available() else None
    entry = catalog.with_weights("gguf", adapter.base) if adapter else None
    return (catalog.path(entry), adapter) if adapter and entry else None


def to_verify(texts: Sequence[str], found: Sequence[Sequence[Span]]) -> tuple[int, str] | None:
    """The passage whose best span is the best of all, and the excerpt around that, unless there is no hope for it. Where it is doubted the others are not
    asked for: of the questions that they would answer, as many have no answer."""
    best = max(
        (index for index, spans in enumerate(found) if spans), key=lambda index: found[index][0].score, default=None
    )
    if best is None or found[best][0].score < HOPELESS:
        return None
    return best, texts[best][slice(*around(texts[best], found[best][0]))]


class Verifier:
    """The language model at `model` with its adapter."""

    def __init__(self, model: Path, adapter: Adapter) -> None:
        self.adapter = adapter
        # A text is short and its reading cannot be stopped half-way.
        self._child = Child("docqa.models.verifier", [str(model), str(adapter.path)], name="verifier", grace=30.0)

    @property
    def ready(self) -> bool:
        return self._child.state == "ready"

    async def load(self) -> None:
        """Load the model if it is not. Raises Unavailable."""
        await self._child.start()
        log.info("The verifier is ready")

    async def sureness(self, question: str, excerpt: str) -> float:
        """How much more probable (a logarithm) it is that the excerpt answers the question than that it does not, as it was trained. Raises Unavailable."""
        answer, _ = await self._child.call({"question": question, "excerpt": excerpt}, urgent=True)
        return float(answer["sureness"])

    async def close(self) -> None:
        await self._child.close()


# The child's side


class Judge:
    """The model in this process."""

    def __init__(self, model: str, adapter: str) -> None:
        """Raises Unavailable."""
        from docqa.models.chat.llama import Engine

        self._engine = Engine(model, CONTEXT, "f16")
        self._engine.adapt(adapter)

    def sureness(self, question: str, excerpt: str) -> float:
        asked = self._engine.tokenize(ASKED.format(question))
        text = self._engine.tokenize(EXCERPT.format(excerpt))
        # The last token of the context is left to what would follow.
        scores = self._engine.following([*text[: max(0, CONTEXT - 1 - len(asked))], *asked][1 - CONTEXT :])
        ending = scores.pop(self._engine.end)
        most = max(scores)
        return most + math.log(math.fsum(math.exp(score - most) for score in scores)) - ending

    def handle(
        self, body: Header, _blob: bytes, _cancelled: threading.Event
    ) -> Generator[tuple[Header, bytes], None, None]:
        yield {"sureness": self.sureness(body["question"], body["excerpt"])}, b""


def _load() -> tuple[Header, Handler]:
    judge = Judge(*sys.argv[1:])
    return {}, judge.handle


if __name__ == "__main__":
    serve(_load)

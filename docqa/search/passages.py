"""What a search returns: chunks with their scores, one by one by name, and their units: sentences, items, rows."""

from dataclasses import dataclass

from docqa.models.reader import Span, YesNo
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.blocks import Block
from docqa.text.sentences import sentences
from docqa.text.units import Unit


@dataclass(frozen=True, kw_only=True)
class Scores:
    """How well a chunk fits a question. Shares and cosines are from 0 to 1 (a cosine may be slightly below 0).

    `bm25` is 1 for the best match; `cosine` is None without vectors. `coverage` is the share of the question's weight
    that the chunk's words carry by their rarity in the documents that are asked, `lexical_coverage` by that in the
    language, where it is known. `expansion` (0 to 2) adds up BM25 and cosine to what the question's terms stand for,
    `document_name` is the share of the question's weight that names its document. `on_named_page`: the question names
    the chunk's page. `table`: how well the rows of a table in it fit what the question's terms stand for; 1 where it
    introduces what the question asks about.
    """

    bm25: float = 0.0
    cosine: float | None = None
    coverage: float = 0.0
    lexical_coverage: float = 0.0
    expansion: float = 0.0
    document_name: float = 0.0
    on_named_page: bool = False
    table: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ScoredUnit:
    """A unit of a passage, in its coordinates; the scores are as in `Scores`.

    `verified` is the verifier's best span in it, as log odds against "no answer"; None where it did not read the unit.
    `yes_no` is what that says to a yes/no question.
    """

    unit: Unit
    coverage: float
    cosine: float | None = None
    lexical_coverage: float = 0.0
    verified: float | None = None
    yes_no: YesNo | None = None

    @property
    def start(self) -> int:
        """Where it begins in the passage."""
        return self.unit.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.unit.end

    @property
    def score(self) -> float:
        """0 to 2 with vectors, 0 to 1 without."""
        return self.coverage + (self.cosine or 0.0)


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A chunk that a search returned; `score` orders passages.

    `before` and `after` complete a chunk that was cut out of a paragraph; `blocks` are those of the whole, `units`
    those of the chunk alone, both in the coordinates of `text`.
    `spans` are the reader's answers, best first, None where it did not read the passage. `across`: it is not in
    the question's language, so that vectors alone compare them, and stand in for words in its scores.
    """

    chunk: StoredChunk
    document: StoredDocument
    scores: Scores
    score: float
    blocks: tuple[Block, ...] = ()
    units: tuple[ScoredUnit, ...] = ()
    before: str = ""
    after: str = ""
    spans: tuple[Span, ...] | None = None
    across: bool = False

    @property
    def text(self) -> str:
        """The completed chunk, verbatim from its page."""
        return self.before + self.chunk.text + self.after

    @property
    def lead(self) -> str:
        """The sentence before the chunk's first, where the chunk was cut out of a paragraph; else ""."""
        return next((self.before[start:end] for start, end in reversed(sentences(self.before))), "")

    def heading_of(self, unit: Unit) -> str:
        """The heading or line that one of its units stands under: in the passage, else in its document; "" for what
        stands before the heading of its section."""
        if unit.lead_start is None or unit.lead_end is None:
            return "" if self._begins_section else self.chunk.section
        return self.text[unit.lead_start : unit.lead_end]

    def section_of(self, unit: Unit) -> str:
        """The heading of the section that one of its units stands in: the last one before it; else as `heading_of`."""
        headings = [block for block in self.blocks if block.kind == "heading" and block.end <= unit.start]
        return self.text[headings[-1].start : headings[-1].end] if headings else self.heading_of(unit)

    @property
    def _begins_section(self) -> bool:
        """Whether the section that most of it stands under begins in it."""
        headings = (self.text[block.start : block.end] for block in self.blocks if block.kind == "heading")
        return any(" ".join(heading.split()) == self.chunk.section for heading in headings)

    @property
    def fit(self) -> float:
        """How well its best unit fits the search, 0 to 1, as can be compared between searches: the mean of coverage and
        cosine, the former alone without vectors."""
        scored = [(unit.coverage, unit.cosine) for unit in self.units] or [(self.scores.coverage, self.scores.cosine)]
        return max(
            min(1.0, coverage if cosine is None else (coverage + max(0.0, cosine)) / 2) for coverage, cosine in scored
        )

    @property
    def nearest(self) -> float | None:
        """The cosine of the unit nearest to the question; None without vectors."""
        return max((scored.cosine for scored in self.units if scored.cosine is not None), default=None)

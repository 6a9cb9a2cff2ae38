"""The encoder with the reader's heads, which are trained together: `docqa.models.reader.network` describes them, and
reads with what was trained."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from torch import Tensor, nn

from docqa.models.reader.network import NEITHER, NO, ROUNDING, TOKENS, YES
from docqa.models.tokens import Tokens
from docqa.tables.reading.plan import OUTPUTS, WHOLE
from docqa.training.reader.batch import Batch, Tokenised
from docqa.training.reader.encoder import Encoder

CLASSES = len((NEITHER, YES, NO))
# The score and the log-likelihood of what cannot be right, which `spans_of` leaves out: with minus infinity the
# gradients would be no numbers.
NEVER = -1e4
SELDOM = -3.0  # the score that a part of a plan starts with: of all tests that are possible few hold


class Outputs(NamedTuple):
    """The scores of a batch: `first` and `last` (batch, tokens), `yes_no` (batch, classes)."""

    first: Tensor
    last: Tensor
    yes_no: Tensor


class Network(nn.Module):
    """Questions with passages to scores of being the answer's first and last token, (batch, tokens) each; where it
    `reads_tables`, it has heads for them too."""

    def __init__(self, model_dir: Path, dropout: float = 0.1, *, reads_tables: bool = False) -> None:
        super().__init__()
        self.tokens = Tokens(model_dir, TOKENS, multiple=ROUNDING)
        self.encoder = Encoder.load(model_dir, dropout)
        width = self.encoder.config.hidden_size
        self.head = nn.Linear(width, 2)
        self.yes_no_head = nn.Linear(width, CLASSES)
        if reads_tables:
            self.whole_head, self.spot_head = nn.Linear(width, len(WHOLE)), nn.Linear(width, OUTPUTS)
            nn.init.constant_(self.spot_head.bias, SELDOM)

    def encode(self, pairs: Sequence[tuple[str, str]]) -> Batch:
        """The tokens of (question, passage) pairs. Raises ValueError for a question that fills them."""
        return Batch.of(self.tokens.of_pairs(pairs))

    def forward(self, encoded: Tokenised) -> tuple[Tensor, Tensor]:
        """The scores of each token as the first and as the last of the answer, (batch, tokens) each."""
        return self.scores(encoded, self.hidden(encoded))

    def hidden(self, encoded: Tokenised) -> Tensor:
        """The last layer's hidden states, (batch, tokens, hidden)."""
        hidden: Tensor = self.encoder(*encoded.tensors)
        return hidden

    def outputs(self, encoded: Tokenised, hidden: Tensor) -> Outputs:
        """The scores of all heads from the last layer's hidden states."""
        first, last = self.scores(encoded, hidden)
        return Outputs(first, last, self.yes_no_head(hidden[:, 0].float()))

    def of_table(self, states: Tensor, spots: list[int]) -> tuple[Tensor, Tensor]:
        """The scores of a table, (whole,), and of its spots, (spots, outputs), from the states of its tokens."""
        return self.whole_head(states[0]), self.spot_head(states[spots])

    def states(self, encoded: Tokenised) -> list[Tensor]:
        """The hidden states of each layer, the embeddings first: (batch, tokens, hidden) each."""
        return self.encoder.states(*encoded.tensors)

    def scores(self, encoded: Tokenised, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """The result of `forward` from the last layer's hidden states."""
        scores = self.head(hidden.float())
        allowed = encoded.of_second.clone()
        allowed[:, 0] = True
        return scores[..., 0].masked_fill(~allowed, NEVER), scores[..., 1].masked_fill(~allowed, NEVER)

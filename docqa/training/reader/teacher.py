"""What a larger encoder, the teacher, predicts for a question and a passage: answer probabilities and hidden states."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from docqa.text.sentences import sentences
from docqa.training.reader.batch import Batch
from docqa.training.reader.network import Network

# The layers whose states are kept, as shares of the depth: one compares question and passage, one has nearly finished.
TEACHER_DEPTHS = 2 / 3, 11 / 12
COMPONENTS = 96  # principal components of the states that are kept
SAMPLE = 96  # pairs from which the components are computed
REPORT_EVERY = 100  # batches
WHOLE_PASSAGES = 0.12  # share of the passages that are not cut
EXCERPT_TOKENS = 40, 110
KEPT_PROBABILITY = 0.85  # least share of the teacher's probability that an excerpt must keep
SURE = 0.9  # probability


@dataclass(frozen=True, eq=False)
class TeacherScores:
    """The teacher's output for one pair.

    `first` and `last`, each of shape (1 + passage tokens): the probabilities that there is no answer, and that each
    token is the first or last one of the answer. `states`, of shape (layers, 1 + question tokens + passage tokens,
    COMPONENTS): the layers' states of the first token, the question and the passage.
    """

    question: str
    passage: str
    first: Tensor
    last: Tensor
    states: Tensor


def layers_at(network: Network, depths: Sequence[float]) -> list[int]:
    """The numbers of the layers at these depths, from 0 to 1."""
    return [round(depth * network.encoder.config.num_hidden_layers) for depth in depths]


def token_indices(encoded: Batch, row: int) -> tuple[list[int], list[int]]:
    """The indices of the question's tokens and of the passage's in a row of a batch."""
    question = [token for token, part in enumerate(encoded.encodings[row].sequence_ids) if part == 0]
    return question, encoded.of_second[row].nonzero()[:, 0].tolist()


def score_pairs(
    teacher: Network, pairs: Sequence[tuple[str, str]], size: int, rng: random.Random, report: Callable[[str], None]
) -> list[TeacherScores]:
    """The teacher's scores for all (question, passage) pairs, read in batches of `size`, shortest passages first."""
    teacher.eval()
    layers = layers_at(teacher, TEACHER_DEPTHS)
    ordered = sorted(pairs, key=lambda pair: len(pair[1]))
    scored: list[TeacherScores] = []
    with torch.inference_mode():
        sample = rng.sample(ordered, min(SAMPLE, len(ordered)))
        components = _principal_components(
            [_states(teacher, sample[at : at + size], layers) for at in range(0, len(sample), size)]
        )
        for at in range(0, len(ordered), size):
            scored += _score_batch(teacher, ordered[at : at + size], layers, components)
            if (at // size + 1) % REPORT_EVERY == 0:
                report(f"the teacher has read {len(scored)} of {len(ordered)} questions")
    no_answer = [float(scores.first[0]) for scores in scored]
    sure = sum(max(probability, 1 - probability) > SURE for probability in no_answer)
    unanswered = sum(probability > 0.5 for probability in no_answer)
    report(f"the teacher finds no answer to {unanswered} of {len(scored)} questions; it is sure about {sure} of them")
    return scored


def _score_batch(
    teacher: Network,
    batch: Sequence[tuple[str, str]],
    layers: Sequence[int],
    components: Sequence[tuple[Tensor, Tensor]],
) -> list[TeacherScores]:
    encoded = teacher.encode(batch)
    states = teacher.states(encoded)
    first, last = teacher.scores(encoded, states[-1])
    reduced = torch.stack(
        [(states[layer].float() - mean) @ axes for layer, (mean, axes) in zip(layers, components, strict=True)]
    )
    scored = []
    for row, (question, passage) in enumerate(batch):
        question_tokens, passage_tokens = token_indices(encoded, row)
        begins, ends = (scores[row, [0, *passage_tokens]].softmax(-1).half() for scores in (first, last))
        kept = reduced[:, row, [0, *question_tokens, *passage_tokens]].half()
        scored.append(TeacherScores(question, passage, begins, ends, kept))
    return scored


def _states(network: Network, batch: Sequence[tuple[str, str]], layers: Sequence[int]) -> list[Tensor]:
    """For each of the layers the states of all tokens of the batch: (tokens, hidden)."""
    encoded = network.encode(batch)
    states, attended = network.states(encoded), encoded.attention_mask.bool()
    return [states[layer][attended].float() for layer in layers]


def _principal_components(samples: Sequence[Sequence[Tensor]]) -> list[tuple[Tensor, Tensor]]:
    """For each layer the mean and the principal axes (hidden, COMPONENTS).

    The axes share one scale per layer, so that those with more variance count more.
    """
    components = []
    for states in map(torch.cat, zip(*samples, strict=True)):
        mean = states.mean(0)
        _, _, axes = torch.linalg.svd(states - mean, full_matrices=False)
        axes = axes[:COMPONENTS].T
        components.append((mean, axes / ((states - mean) @ axes).std()))
    return components


class ExcerptCutter:
    """Cuts passages to the sentences around the teacher's likeliest answer, which are read in half the time."""

    def __init__(self, network: Network) -> None:
        self._tokens = network.tokens
        self._sentences: dict[str, list[tuple[int, int, int, int]]] = {}

    def cut(self, scores: TeacherScores, rng: random.Random) -> TeacherScores:
        """The scores of an excerpt of random length.

        They are returned unchanged if the passage is short, is to stay whole, or if too much of the teacher's
        probability lies outside the excerpt.
        """
        sentence_bounds, count = self._split(scores.passage), len(scores.first) - 1
        wanted = rng.randrange(*EXCERPT_TOKENS)
        if rng.random() < WHOLE_PASSAGES or len(sentence_bounds) < 3:
            return scores
        if not wanted + 20 <= count <= sentence_bounds[-1][3]:
            return scores
        likeliest = int((scores.first[1:].float() + scores.last[1:].float()).argmax())
        first, last = _grow(sentence_bounds, likeliest, wanted, rng)
        begin, end = sentence_bounds[first][2], min(sentence_bounds[last][3], count)
        kept = [0, *range(1 + begin, 1 + end)]
        begins, ends = scores.first[kept].float(), scores.last[kept].float()
        if min(float(begins.sum()), float(ends.sum())) < KEPT_PROBABILITY:
            return scores
        before = scores.states.shape[1] - count  # the first token and the question
        states = scores.states[:, [*range(before), *range(before + begin, before + end)]]
        passage = scores.passage[sentence_bounds[first][0] : sentence_bounds[last][1]]
        return TeacherScores(scores.question, passage, begins / begins.sum(), ends / ends.sum(), states)

    def _split(self, passage: str) -> list[tuple[int, int, int, int]]:
        """Start and end of each sentence, in characters and then in tokens."""
        if passage not in self._sentences:
            offsets = self._tokens.offsets(passage)
            self._sentences[passage] = [
                (start, end, sum(token < start for token, _ in offsets), sum(token < end for token, _ in offsets))
                for start, end in sentences(passage)
            ]
        return self._sentences[passage]


def _grow(bounds: Sequence[tuple[int, int, int, int]], token: int, wanted: int, rng: random.Random) -> tuple[int, int]:
    """The first and last of the sentences around `token` that together have the wanted number of tokens."""
    first = last = next((index for index, (_, _, begin, end) in enumerate(bounds) if begin <= token < end), 0)
    while bounds[last][3] - bounds[first][2] < wanted:
        if first > 0 and (last == len(bounds) - 1 or rng.random() < 0.5):
            first -= 1
        else:
            last += 1
    return first, last

"""A model's opinion of what kind of answer a question asks for."""

from collections.abc import Mapping
from typing import NamedTuple

from docqa.questions.question import NO_QUESTION, Kind


class KindOpinion(NamedTuple):
    """What kind a model takes a question for, and how probable it finds that, 0 to 1; `otherwise` the same where it is
    a question about what documents say, of a kind in NO_QUESTION alone."""

    kind: Kind
    probability: float
    otherwise: "KindOpinion | None" = None

    @classmethod
    def of(cls, chances: Mapping[Kind, float]) -> "KindOpinion":
        """The opinion of a model that gives every kind this probability."""
        best = max(chances, key=chances.__getitem__)
        others = {kind: chance for kind, chance in chances.items() if kind not in NO_QUESTION}
        if best in others or not others:
            return cls(best, chances[best])
        second = max(others, key=others.__getitem__)
        return cls(best, chances[best], cls(second, others[second] / sum(others.values())))

"""The parts that the words of a question play in a plan, and the first of them: its conditions. A part that has been
given is not given again."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docqa.languages import every_word, words
from docqa.store.table_plan import Filter, Measure, Operator
from docqa.tables.counting.mentions import Mention
from docqa.tables.counting.view import View
from docqa.tables.headings import NEAR, in_concept, likeness
from docqa.tables.words import codes_of, is_small

_OPERATORS: dict[str, Operator] = {
    "<": "<", "<=": "<=", ">": ">", ">=": ">=", "before": "<", "until": "<=", "after": ">", "since": ">=", "=": "=",
}  # fmt: skip
COMPARING = tuple(_OPERATORS)
_OF_TIME = ("before", "after", "since", "until")
AGGREGATES: tuple[Measure, ...] = ("sum", "mean", "median")
HIGH = ("highest", "best", "busiest", "slowest", "dearest", "youngest")
LOW = ("lowest", "worst", "quietest", "fastest", "cheapest")
_SKIPPED = ("filler", "=", "paying", "including")


@dataclass(frozen=True)
class Form:
    """How a question is put: its language, whether it wants yes or no, whether it asks several things, whether it wants
    facts, which a row may have, and no reasons or ways."""

    language: str
    is_whether: bool = False
    asks_more: bool = False
    wants_facts: bool = False


class Conditions:
    """The mentions of one question, which of them have their part in `used`, and the `filters` made of them."""

    def __init__(self, view: View, mentions: Sequence[Mention], tokens: Sequence[str], form: Form) -> None:
        self.view, self.tokens, self.form, self.language = view, tokens, form, form.language
        self.all = list(mentions)
        self.core = [
            mention
            for mention, following in pairwise([*mentions, None])
            if mention
            and mention.kind not in (*_SKIPPED, "unknown")
            # late "by more than two weeks" forms no groups
            and not (mention.kind == "group" and following and following.kind in COMPARING)
        ]
        self.kinds = {mention.kind for mention in self.core}
        self.used: set[int] = set()  # indexes in `core` that have their role
        self.filters: list[Filter] = []

        self.limit: int | None = None

    def _limits_and_comparisons(self) -> None:
        """Numbers: how many are wanted of a rank, or a comparison with the column beside."""
        ranks = (*HIGH, *LOW, "top")
        for at, mention in enumerate(self.core):
            if mention.kind != "number":
                continue
            [number] = mention.values
            beside = [self.core[near].kind for near in (at - 1, at + 1) if 0 <= near < len(self.core)]
            leads = bool(self.kinds & set(ranks)) and self._counts_ranked(at)
            if (
                mention.place < 0
                and isinstance(number, int)
                and 0 < number <= 1000
                and (leads or any(kind in ranks for kind in beside))
            ):
                self.limit = number
                self.used.add(at)
                continue
            operator = self.core[at - 1].kind if at and self.core[at - 1].kind in _OPERATORS else ""
            if operator and self._is_span(at):
                self.used |= {at - 1, at}
                continue
            behind = self._behind(at)
            if not operator and behind is not None:
                operator = self.core[behind].kind
            place = mention.place if mention.place >= 0 else self._measured_near(at, strict=not operator)
            if place is None and operator and operator not in _OF_TIME:
                place = next(iter(self._aged(at) or ([] if self._means_age(at) else self._main_amount())), None)
            if place is not None and isinstance(number, int | float):
                self.filters.append(Filter(place, _OPERATORS.get(operator, "="), (number,)))
                self.used |= {
                    at,
                    *(
                        near
                        for near in (at - 1, behind)
                        if near is not None and near >= 0 and operator and self.core[near].kind == operator
                    ),
                }
                self.used |= {
                    near
                    for near in range(len(self.core))
                    if self.core[near].kind == "column" and self.core[near].place == place and abs(near - at) <= 2
                }

    def _behind(self, at: int) -> int | None:
        """The comparison behind a number, or behind the column that it is of: 2 weeks (late) or more."""
        of_column = at + 1 < len(self.core) and self.core[at + 1].kind == "column"
        place = at + 1 + of_column
        return place if place < len(self.core) and self.core[place].kind in _OPERATORS else None

    def _counts_ranked(self, at: int) -> bool:
        """Whether a number says of how many a rank is: which 3 people had the most, the 3 customers with the most."""
        if at and self.core[at - 1].kind == "list":
            return True
        after = self.core[at + 1] if at + 1 < len(self.core) else None
        if after is None or after.start != self.core[at].end:
            return False
        return after.kind == "rows" or after.kind == "column" and self.view.table.columns[after.place].kind == "text"

    def _columns_compared(self) -> None:
        """A word of comparing before the name of an amount, where no number follows: below the minimum stock."""
        for at, mention in enumerate(self.core[1:], 1):
            before = self.core[at - 1]
            if mention.kind != "column" or at in self.used or before.kind not in ("<", "<=", ">", ">="):
                continue
            if at - 1 in self.used or not mention.is_exact or not self.view.is_amount(mention.place):
                continue
            beside = [m.place for m in reversed(self.core[: at - 1]) if m.kind == "column" and m.is_exact]
            kin = [place for place in range(len(self.view.headings)) if self.view.is_kind_of(mention.place, place)]
            place = next((p for p in (*beside, *kin) if p != mention.place and self.view.is_amount(p)), None)
            if place is not None:
                self.filters.append(Filter(place, _OPERATORS[before.kind], than=mention.place))
                self.used |= {at - 1, at, *(i for i, m in enumerate(self.core[:at]) if m.place == place)}

    def _is_span(self, at: int) -> bool:
        """Whether an article stands before the number that follows a word of comparing: over the two years."""
        between = self.tokens[self.core[at - 1].end : self.core[at].start]
        return any(word in words("evaluation.articles", self.language) for word in between)

    def _aged(self, at: int) -> list[int]:
        """The column of ages, where a number is compared with a word of age: older than 60."""
        words_before = self.tokens[max(0, self.core[at].start - 2) : self.core[at].start]
        if not any(in_concept(word, "age", self.language) for word in words_before):
            return []
        return [place for place, known in enumerate(self.view.headings) if "age" in known.concepts][:1]

    def _means_age(self, at: int) -> bool:
        """Whether a number without a currency is compared with people, whom a row is about: anyone over 50."""
        unit = " ".join(self.tokens[self.core[at].end :][:1])
        is_of_money = unit in codes_of("currency_names", self.language) or unit in every_word("tables.currencies")
        return self.view.is_of_people and not is_of_money

    def _measured_near(self, at: int, *, strict: bool) -> int | None:
        reach = 1 if strict else 3
        near = sorted(range(max(0, at - reach), min(len(self.core), at + reach + 1)), key=lambda other: abs(other - at))
        places = [
            self.core[other].place
            for other in near
            if self.core[other].kind == "column"
            and (self.core[other].is_exact or not strict)
            and self.view.table.columns[self.core[other].place].kind == "number"
        ]
        return places[0] if places else None

    def _conditions(self) -> None:
        """Values, periods, what is missing, and columns of yes and no."""
        values: dict[int, list[str]] = {}
        for at, mention in enumerate(self.core):
            if at in self.used:
                continue
            before = self.core[at - 1] if at else None
            denied = before is not None and before.kind in ("negation", "missing")
            if mention.kind == "value" and self._is_included(mention):
                self.used.add(at)
            elif mention.kind == "value":
                own = [str(value) for value in mention.values]
                if denied:
                    self.filters.append(Filter(mention.place, "!=", tuple(own)))
                    self.used.add(at - 1)
                else:
                    values.setdefault(mention.place, []).extend(own)
                self.used.add(at)
                for near in (at - 1, at + 1):  # the column beside only says where the value stands
                    if (
                        0 <= near < len(self.core)
                        and self.core[near].kind == "column"
                        and self.core[near].place == mention.place
                    ):
                        self.used.add(near)
            elif mention.kind == "period" and mention.period:
                self._within(at, mention, before)
            elif mention.kind == "column":
                beside_missing = [
                    near
                    for near in (at - 1, at + 1)
                    if 0 <= near < len(self.core) and self.core[near].kind == "missing" and near not in self.used
                ]
                if self.view.is_flag(mention.place) and not self._is_grouped(at):
                    wanted = self.view.yes(mention.place)
                    if denied or beside_missing:
                        wanted = (
                            Filter(mention.place, "missing")
                            if wanted.operator == "present"
                            else Filter(mention.place, "!=", wanted.values)
                        )
                        self.used |= {at - 1} if denied else set(beside_missing)
                    self.filters.append(wanted)
                    self.used.add(at)
                elif before is not None and before.kind == "negation" and self.view.has_gaps(mention.place):
                    self.filters.append(Filter(mention.place, "missing"))
                    self.used |= {at, at - 1}
                elif beside_missing and not self._is_grouped(at) and (lacking := self._lacking(mention.place)):
                    self.filters.append(lacking)
                    self.used |= {at, *beside_missing[:1]}
        self.filters += [Filter(place, "=", tuple(dict.fromkeys(own))) for place, own in values.items()]

    def _lacking(self, place: int) -> Filter | None:
        """The condition that a row has none of what a column is of: nothing stands there, or where something stands in
        each row, zero."""
        if self.view.has_gaps(place):
            return Filter(place, "missing")
        if self.view.is_amount(place) and self.view.contents.least[place] == 0:
            return Filter(place, "=", (0,))
        return Filter(place, "missing") if "count" in self.kinds else None

    def _is_included(self, mention: Mention) -> bool:
        """Whether a word beside says that this belongs to all that is asked for: including the cancelled ones."""
        said = [m for m in self.all if m is mention or m.kind not in ("filler", "=")]
        at = next(at for at, m in enumerate(said) if m is mention)
        return any(m.kind == "including" for m in (*said[max(0, at - 1) : at], *said[at + 1 : at + 2]))

    def _is_grouped(self, at: int) -> bool:
        return at > 0 and self.core[at - 1].kind in ("group", "list", "different")

    def _within(self, at: int, mention: Mention, before: Mention | None) -> None:
        assert mention.period
        years = [place for place, column in enumerate(self.view.table.columns) if column.is_year]
        place = self._date_named_by(at)
        word = before.kind if before is not None and before.kind in _OPERATORS else "="
        if place is None and not years:
            return
        if place is None:
            if mention.period.part is None and mention.period.start.endswith("-01-01"):
                self.filters.append(Filter(years[0], _OPERATORS[word], (int(mention.period.start[:4]),)))
                self.used.add(at)
            return
        self.filters += mention.period.filters(place, _OPERATORS[word])
        self.used.add(at)
        if word != "=":
            self.used.add(at - 1)
        for near in (at - 1, at - 2, at + 1):  # opened in March
            if 0 <= near < len(self.core) and self.core[near].kind == "column" and self.core[near].place == place:
                self.used.add(near)

    def _date_named_by(self, at: int) -> int | None:
        """The column of dates that a period belongs to: the one named nearest, else the first."""
        dates = self.view.dates
        near = [m.place for m in reversed(self.core[:at]) if m.kind == "column" and m.place in dates]
        near += [m.place for m in self.core[at:] if m.kind == "column" and m.place in dates]
        if not near:
            scored = [(self._named(place), place) for place in dates]
            near = [place for score, place in sorted(scored, reverse=True) if score >= NEAR]
        return near[0] if near else dates[0] if dates else None

    def _named(self, place: int, without: Collection[str] = ()) -> float:
        """How near any word of the question, but for those `without`, comes to the name of a column."""
        own = [word for word in self.view.headings[place].words if not is_small(word, self.language)]
        tokens = [token for token in self.tokens if token not in without]
        return max((likeness(token, word, self.language) for token in tokens for word in own), default=0.0)

    def _main_amount(self) -> list[int]:
        """The column that "how much" means where none is named: the only one of money, or the only amount."""
        amounts = [place for place in range(len(self.view.headings)) if self.view.is_amount(place)]
        money = [p for p in amounts if "money" in self.view.headings[p].concepts or p in self.view.totals]
        priced = [place for place in amounts if "price" in self.view.headings[place].concepts]
        sums = [place for place in money if not self.view.headings[place].is_rate]
        return next((some for some in (sums, money, priced, amounts) if len(some) == 1), [])

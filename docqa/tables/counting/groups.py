"""The groups that a question asks for: by a column, by a period of its dates, by what a rank is of."""

from typing import Literal

from docqa.languages import words
from docqa.store.table_plan import Period
from docqa.tables.counting.roles import COMPARING, HIGH, LOW, Conditions
from docqa.tables.headings import NEAR, in_concept, likeness
from docqa.tables.words import listed, spoken, vocabulary
from docqa.text.keys import key

PERIODS: tuple[Period, ...] = ("year", "quarter", "month", "week", "weekday", "day")


class Groups(Conditions):
    """Finds the groups among the mentions that have no part yet."""

    def _group(self) -> tuple[int | None, Period | None]:
        """The column whose values are the groups, with the period where it is one of dates."""
        ranked = bool(self.kinds & {*HIGH, *LOW, "top"})
        leading = {"group", "list", "top", "different", *HIGH, *LOW} | ({"number"} if self.limit else set())
        for at, mention in enumerate(self.core):
            period = self._period_at(at)
            if period is not None and at not in self.used and not self._is_of_amount(at):
                follows = at and self.core[at - 1].kind in leading
                ending = " ".join(self.tokens[mention.start : mention.end]) in words(
                    "tables.each_period", self.language
                )
                if (
                    (follows or ending)
                    and (place := self._date_named_by(at)) is not None
                    and "duration" not in self.kinds
                ):
                    self.used |= {at, *({at - 1} if follows and self.core[at - 1].kind in ("group", "list") else ())}
                    self._use_column(place)
                    return place, period
        for at, mention in enumerate(self.core):
            if mention.kind == "group":
                for near in (at + 1, at - 1):
                    if 0 <= near < len(self.core) and self._may_group(near):
                        self.used |= {at, near}
                        return self.core[near].place, self._period_of(near)
        if ranked or self.kinds & {"sum", "mean", "share"}:
            for at, mention in enumerate(self.core):
                leads = mention.kind in (
                    "list",
                    "top",
                    "different",
                    *(HIGH if ranked else ()),
                    *(LOW if ranked else ()),
                )
                following = at + 1
                while following < len(self.core) and self.core[following].kind in ("number", *HIGH, *LOW):
                    following += 1
                if leads and following < len(self.core) and self._may_group(following):
                    self.used.add(following)
                    return self.core[following].place, self._period_of(following)
        if ranked and "person" in self.kinds and (people := self._people()) is not None:
            self._use_column(people)
            self._use_likeness(people)
            return people, None
        if ranked:
            for at in range(len(self.core)):
                if self._may_group(at):
                    self.used.add(at)
                    return self.core[at].place, self._period_of(at)
        return None, None

    def _period_at(self, at: int) -> Period | None:
        """The period that a word names, also as the name of a column of dates: the cheapest month, of Month."""
        mention = self.core[at]
        kind = mention.kind
        if kind == "column" and mention.place in self.view.dates:
            kind = vocabulary(self.language).get(" ".join(self.tokens[mention.start : mention.end]), "")
        return next((period for period in PERIODS if period == kind), None)

    def _is_of_amount(self, at: int) -> bool:
        """Whether it says of which period a named amount is, which its column says too: what they pay per month, of
        Monthly fee."""
        kind = self.core[at].kind
        amounts = (m.place for m in self.core if m.kind == "column" and self.view.is_amount(m.place))
        if not any(
            vocabulary(self.language).get(word) == kind for p in amounts for word in self.view.headings[p].words
        ):
            return False
        self.used |= {at, *({at - 1} if at and self.core[at - 1].kind == "group" else ())}
        return True

    def _use_likeness(self, place: int) -> None:
        """Words of dates that are of the same family as the column: who borrowed, of Borrower and Borrowed on."""
        for at, m in enumerate(self.core):
            if m.kind == "column" and (m.place in self.view.dates or place in self.view.dates):
                own = self.tokens[m.start]
                if any(likeness(own, word, self.language) >= NEAR for word in self.view.headings[place].words):
                    self.used.add(at)

    def _use_column(self, place: int) -> None:
        self.used |= {at for at, m in enumerate(self.core) if m.kind == "column" and m.place == place}

    def _may_group(self, at: int) -> bool:
        mention = self.core[at]
        if mention.kind != "column" or at in self.used or mention.place in self.view.identifiers:
            return False
        is_of_all = mention.start and self.tokens[mention.start - 1] in listed("every", self.language)
        if is_of_all and self.core[at - 1].kind != "group":  # what all sites cost
            return False
        column = self.view.table.columns[mention.place]
        return not self.view.is_amount(mention.place) and column.kind != "date" or False

    def _period_of(self, at: int) -> Period | None:
        return "day" if self.view.table.columns[self.core[at].place].kind == "date" else None

    def _people(self) -> int | None:
        """The column of people that "who" means: one whose name the question comes near to, else those who act before
        those who are served, but where it is asked who paid."""
        texts = [place for place, column in enumerate(self.view.table.columns) if column.kind == "text"]
        nouns = {token for m in self.core if m.kind == "rows" for token in self.tokens[m.start : m.end]}
        named = [place for place in texts if self._named(place, nouns) >= NEAR and not self.view.is_flag(place)]
        named = [place for place in named if not any(m.kind == "value" and m.place == place for m in self.core)]
        places = [place for place in texts if "people" in self.view.headings[place].concepts]
        later = "serving" if spoken("outgoing", self.tokens, self.language) else "served"
        places.sort(key=lambda place: any(in_concept(word, later) for word in self.view.headings[place].words))
        if self.view.is_of_people and not named and "rows" not in self.kinds:
            return next((place for place in places if place in self.view.identifiers), places[0] if places else None)
        free = [place for place in (*named, *places) if place not in self.view.identifiers] or places
        return free[0] if free else None

    @property
    def compares(self) -> bool:
        """Whether a word says that one thing is more, or less, than another."""
        return self.compares_by("higher") or self.compares_by("lower")

    @property
    def asks_whether(self) -> bool:
        """Whether yes or no is wanted: which of two is more is claimed, and no word asks for it."""
        asking = {key(word) for word in words("questions.words.asking", self.language)}
        others = (m for m in self.core if m.kind not in COMPARING)
        has_said = any(not asking.isdisjoint(self.tokens[m.start : m.end]) for m in others)
        return "or" not in self.kinds and (self.form.is_whether or self.compares and not has_said)

    def compares_by(self, direction: Literal["higher", "lower"]) -> bool:
        """Whether a word says so that compares with no number."""
        free = {m.kind for at, m in enumerate(self.core) if at not in self.used}
        taken = {at for i, m in enumerate(self.core) if i in self.used for at in range(m.start, m.end)}
        said = f" {' '.join(token for at, token in enumerate(self.tokens) if at not in taken)} "
        words = (f" {word} " for word in listed(direction, self.language))
        return (">" if direction == "higher" else "<") in free or any(word in said for word in words)

    def _compared(self) -> int | None:
        """The column of several values that are to be compared: compare north and south; more in north or in south."""
        if not self.compares and not set(self.tokens) & listed("comparing", self.language):
            return None
        return next((test.place for test in self.filters if test.operator == "=" and len(test.values) > 1), None)

    def _counts_in_rank(self) -> bool:
        """Whether a rank without a measure is one of numbers: the most orders, the busiest month, not the wettest."""
        most = spoken("most", self.tokens, self.language)
        return bool(most or self.kinds & {"busiest", "quietest", "top", "rows"})

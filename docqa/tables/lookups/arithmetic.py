"""What a question makes of several cells of documents' tables: it sets them side by side, subtracts, divides, adds
up or averages them. Every figure is computed here and shown with the values that it is made of."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from docqa.formats.columns import Column
from docqa.languages import entry, phrase
from docqa.languages import words as words_listed
from docqa.questions.question import Part
from docqa.tables.lookups.cells import Answered, Tables, attributes, measuring
from docqa.tables.lookups.columns_apart import columns_apart
from docqa.tables.lookups.derived import fitting_columns, value
from docqa.tables.lookups.lookup import Cell, is_sure, look_up, rows_of
from docqa.tables.lookups.operands import Operands, operands, whole_column
from docqa.tables.lookups.query import YEAR, Alike, Query
from docqa.tables.lookups.values import column_name, computed, name_of, sentence, value_of, with_unit
from docqa.tables.results import written
from docqa.tables.words import spoken, totals
from docqa.text.keys import key

LEAST_DERIVED = 0.6  # of the question, for a figure that is computed
LEAST_ARITHMETIC = 0.75  # for one of two rows or columns
MOST_LISTED = 12  # values that a sum or mean of a column is shown with
# What is done with the values, by the lists of words that say so; the first that the question has counts.
_OPERATIONS = (
    ("share", ("share",)),
    ("ratio", ("ratio",)),
    ("sum", ("combined",)),
    ("mean", ("mean",)),
    ("compare", ("apart", "higher", "lower", "comparing", "or")),
    ("sum over years", ("sum",)),
)


def calculated(
    tables: Tables, tokens: Sequence[str], part: Part, named: Sequence[str], language: str, alike: Alike | None = None
) -> Answered | None:
    """What the question has computed from several cells, or set side by side; None where it asks for nothing such, or
    does not surely name them."""
    said = {name: spoken(name, tokens, part.language) for _, names in _OPERATIONS for name in names}
    # A word that says what is measured too, such as "louder", still finds its row.
    measured = measuring(attributes(tokens, part.language))
    but = frozenset(word for name, own in said.items() for word in own if name != "sum") - measured
    query = Query(tokens, part.language, tables, named, but, alike)
    for operation, names in _OPERATIONS:
        words = {word for name in names for word in said[name]}
        is_joined = operation == "compare" and not words and part.kind not in ("whether", "compare")
        if not words and not is_joined and not (operation == "compare" and part.kind == "compare"):
            continue
        if tables.are_things and operation != "compare":  # three models' weights are no sum
            continue
        if operation == "sum over years":
            query = Query(tokens, part.language, tables, named, but | words, alike)
            return _folded(_of_years(query, words), language, "sum") if len(query.years) > 1 else None
        if operation == "compare" and not is_joined and (apart := columns_apart(query)):
            return apart
        is_ranked = bool(said["higher"] or said["lower"]) or part.expects == "number"
        chosen = operands(query, of_numbers=is_ranked or operation != "compare")
        is_open = (
            chosen and (is_joined or operation != "compare") and (chosen.columns or chosen.score < LEAST_ARITHMETIC)
        )
        if chosen and (is_open or words & _words_of(chosen) - {"or"}):
            chosen = None  # the table has a figure of this name, or the question leaves open which is meant
        if is_joined and not (chosen and _are_joined(query, chosen, part.language)):
            continue
        if operation in ("share", "ratio"):
            is_share = operation == "share"
            answer = _quotient(chosen or (_of_total(query) if is_share else None), language, is_share=is_share)
        elif operation in ("sum", "mean"):
            chosen = chosen or _of_years(query, words)
            answer = _folded(chosen, language, operation) if chosen else _of_column(query, words, language, operation)
        else:
            answer = _side_by_side(chosen, said, part, language) if chosen else None
        if answer:
            return answer
    return None


def _are_joined(query: Query, chosen: Operands, language: str) -> bool:
    """Whether "and" stands between the words by which the question names these cells and no others of them."""
    tokens = query.text.split()
    joining = {key(word) for word in words_listed("questions.words.joining", language)}
    names = [query.matched(name).keys() for name in chosen.names]
    places = []
    for name in names:
        own = name - set().union(*(other for other in names if other is not name))
        places += [min((at for at, word in enumerate(tokens) if word in own), default=-1)]
    return min(places) >= 0 and all(
        not joining.isdisjoint(tokens[first:last]) for first, last in pairwise(sorted(places))
    )


def _words_of(chosen: Operands) -> set[str]:
    texts = (chosen.of, *(cell.placed.row.cells[cell.named_by] for cell in chosen.cells))
    return {word for text in texts for word in key(text).split()}


# --- side by side -----------------------------------------------------------------------------------------------------


def _side_by_side(chosen: Operands, said: dict[str, set[str]], part: Part, language: str) -> Answered | None:
    """The values with their names, after the name of the one that is sought, or after yes or no; then how far they are
    apart, where that is asked."""
    if chosen.columns:
        return _whole_rows(chosen, language)
    years = [YEAR.findall(name) for name in chosen.names]
    if len(years) == 2 and all(len(own) == 1 for own in years) and years[0] != years[1]:
        (before, first), (after, last) = sorted(
            ((own[0], cell) for own, cell in zip(years, chosen.cells, strict=True)), key=lambda pair: pair[0]
        )
        return changed(first, last, language, years=(before, after), name=_of(chosen))
    names = chosen.names
    of = _of(chosen)
    pairs = list(zip(names, chosen.cells, strict=True))
    numbers = [value(cell) for cell in chosen.cells]
    is_higher, is_lower = bool(said["higher"]), bool(said["lower"])
    sign = 1 if is_higher and not is_lower else -1 if is_lower and not is_higher else 0
    stop = phrase("full_stop", language)
    begins = ""
    ordered = [(number * sign, pair) for number, pair in zip(numbers, pairs, strict=True) if number is not None]
    if sign and len(ordered) == len(pairs):
        if part.kind == "whether":
            is_so = all(ordered[0][0] > other for other, _ in ordered[1:])
            begins = f"{entry('polarity.yes' if is_so else 'polarity.no', language)}{stop} "
        elif len({number for number, _ in ordered}) > 1 and (said["or"] or part.expects != "number"):
            pairs = [pair for _, pair in sorted(ordered, key=lambda own: -own[0])]
            begins = f"{pairs[0][0]}{stop} "
    values = "; ".join(f"{name}: {value_of(cell)}" for name, cell in pairs)
    text = f"{begins}{of} – {values}" if of else begins + values
    text += "" if text.endswith((".", "!", "?", "。")) else stop
    if (said["apart"] or sign and part.expects == "number") and len(numbers) == 2 and None not in numbers:
        left, right = (number for number in numbers if number is not None)
        by = with_unit(computed(abs(left - right), chosen.cells[0]), chosen.cells[0])
        text += f" {phrase('phrases.tables.apart', language).format(by)}{stop}"
    return text, rows_of(chosen.cells)


def _whole_rows(chosen: Operands, language: str) -> Answered:
    """All that the rows have, column by column."""
    lines = [f"{'; '.join(chosen.names)}:"]
    for place in chosen.columns:
        cells = [replace(cell, column=place) for cell in chosen.cells]
        values = "; ".join(value_of(cell) or "–" for cell in cells)
        lines.append(f"- {column_name(cells[0])}: {values}")
    return "\n".join(lines), rows_of(chosen.cells)


def _of(chosen: Operands) -> str:
    """What the values are of: the heading of their column, the label of their row."""
    first = chosen.cells[0]
    if len({id(cell.placed.row) for cell in chosen.cells}) > 1:
        return column_name(first)
    return name_of(first, with_column=False)


def changed(
    first: Cell, last: Cell, language: str, sought: int = 0, *, years: tuple[str, str] | None = None, name: str = ""
) -> Answered | None:
    """How a value changed from one year to another, with both; None where one of them is no number.

    `sought`: after yes or no, whether it rose (1) or fell (-1). The `years` are those of the columns' headings, the
    `name` the row's, where they are not given.
    """
    before, after = value(first), value(last)
    if before is None or after is None:
        return None
    from_year, to_year = years or (YEAR.findall(cell.heading)[0] for cell in (first, last))
    text = "rose" if after > before else "fell" if after < before else "same"
    by = with_unit(computed(abs(after - before), last), last)
    if before and "%" not in value_of(last):
        share = written(float(100 * abs(after - before) / abs(before)), Column("", "number", decimals=1), language)
        by = f"{share} % ({by})"
    said = phrase(f"phrases.tables.{text}", language)
    name = name or name_of(last, with_column=False)
    text = said.format(name, by, value_of(first), from_year, value_of(last), to_year)
    stop = phrase("full_stop", language)
    if sought:
        text = f"{entry('polarity.yes' if sought * (after - before) > 0 else 'polarity.no', language)}{stop} {text}"
    rows = {id(cell.placed.row): cell.placed for cell in (first, last)}
    return text + stop, list(rows.values())


# --- quotients --------------------------------------------------------------------------------------------------------


def _quotient(chosen: Operands | None, language: str, *, is_share: bool) -> Answered | None:
    """One value divided by the other; of a share the smaller by the larger."""
    if chosen is None or len(chosen.cells) != 2 or any(YEAR.search(name) for name in chosen.names):
        return None
    if any("%" in value_of(cell) for cell in chosen.cells):
        return None
    pairs = [
        (number, cell, name)
        for cell, name in zip(chosen.cells, chosen.names, strict=True)
        if (number := value(cell)) is not None
    ]
    if len(pairs) < 2:
        return None
    if is_share:
        pairs.sort(key=lambda pair: abs(pair[0]))
    (over, upper, above), (under, lower, below) = pairs
    if not under:
        return None
    at = _of(chosen)
    decimals = 1 if is_share else 2
    quotient = written(
        float((100 if is_share else 1) * over / under), Column("", "number", decimals=decimals), language
    )
    stop = phrase("full_stop", language)
    if is_share:
        name = f"{above}, {at}" if at else above
        text = phrase("phrases.tables.part_of", language).format(
            name, quotient, below, value_of(upper), value_of(lower)
        )
    else:
        text = f"{above} / {below}{f', {at}' if at else ''}: {quotient} ({value_of(upper)} / {value_of(lower)})"
    return text + stop, rows_of(chosen.cells)


def _of_total(query: Query) -> Operands | None:
    """A row that is named, with the row of sums in its table."""
    cells = look_up(query)
    if not is_sure(cells, LEAST_DERIVED):
        return None
    cell = cells[0]
    sums = [
        placed
        for placed in query.tables.rows
        if placed.grid is cell.placed.grid and placed.names.get(0) and set(placed.names[0]) <= totals()
    ]
    if len(sums) != 1 or sums[0].row is cell.placed.row:
        return None
    whole = Cell(sums[0], cell.column)
    return Operands((cell, whole), (cell.placed.row.label, whole.placed.row.label), cell.heading, cell.score)


# --- sums and means ---------------------------------------------------------------------------------------------------


def _folded(chosen: Operands | None, language: str, operation: str) -> Answered | None:
    """The sum or the mean of the values, each of which is a number."""
    if chosen is None or len(chosen.cells) < 2 or len(chosen.cells) > MOST_LISTED:
        return None
    numbers = [number for cell in chosen.cells if (number := value(cell)) is not None]
    if len(numbers) < len(chosen.cells):
        return None
    result = sum(numbers, Decimal(0))
    last = chosen.cells[-1]
    if operation == "sum" and "%" in value_of(last):
        return None
    result = result / len(numbers) if operation == "mean" else result
    values = "; ".join(f"{name}: {value_of(cell)}" for name, cell in zip(chosen.names, chosen.cells, strict=True))
    said = phrase("phrases.tables.mean_of" if operation == "mean" else "phrases.tables.sum_of", language)
    text = said.format(_of(chosen), with_unit(computed(result, last), last), values)
    return text + phrase("full_stop", language), rows_of(chosen.cells)


def _of_years(query: Query, words: set[str]) -> Operands | None:
    """The values of a row over the years that the question names, or over all that the table has."""
    without = [token for token in query.text.split() if token not in query.years]
    cells = look_up(Query(without, query.language, query.tables, tuple(query.named), query.but, query.alike))
    if not is_sure(cells, LEAST_DERIVED) or words & set(key(cells[0].placed.row.label).split()):
        return None
    values = dict(_by_year(cells[0], query.years))
    if len(values) < max(2, len(query.years)):
        return None
    return Operands(tuple(values.values()), tuple(values), name_of(cells[0], with_column=False), cells[0].score)


def _by_year(cell: Cell, wanted: Sequence[str]) -> Iterator[tuple[str, Cell]]:
    seen = set()
    for place, heading in enumerate(cell.placed.grid.columns):
        years = YEAR.findall(heading)
        if place and len(years) == 1 and years[0] not in seen and (not wanted or years[0] in wanted):
            seen.add(years[0])
            yield years[0], replace(cell, column=place)


def _of_column(query: Query, words: set[str], language: str, operation: str) -> Answered | None:
    """All values of the column that the question names, with what its rows are, added up or as a mean. Where the table
    ends in a row with another sum, as after taxes, that is the sum; what one thing costs is not added up."""
    is_sum = operation == "sum"
    grid, places = fitting_columns(query, query.tables, adds_up=is_sum)
    if not grid or len(places) != 1 or words & set(key(grid.columns[places[0]]).split()):
        return None
    cells = whole_column(grid, places[0], query.tables.rows)
    column = Operands(cells, tuple(_label(cell) for cell in cells), grid.columns[places[0]], 1.0)
    *_, last = (placed for placed in query.tables.rows if placed.grid is grid)
    whole = Cell(last, places[0], named_by=min(last.names, default=0))
    numbers = [number for cell in cells if (number := value(cell)) is not None]
    if is_sum and last.is_of_sums and value(whole) not in (None, sum(numbers)):
        return sentence(whole, language), [last]
    return _folded(column, language, operation)


def _label(cell: Cell) -> str:
    return cell.placed.row.cells[cell.placed.grid.naming]

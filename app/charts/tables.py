"""Tables as data: one object from which a page, a CSV file and a LaTeX table are made."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.words import gettext, human_number, in_locale

Mark = Literal["", "best", "worst", "same", "moved", "significant"]
MARK_SIGNS: dict[Mark, str] = {"": "", "best": "", "worst": "", "same": " ≈", "moved": " ↕", "significant": " *"}
MISSING = "–"


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with its 95 % interval, shown as +up −down."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, shown as a percentage with both counts."""

    count: int
    of: int

    @property
    def percent(self) -> float | None:
        """0-100; None of nothing."""
        return 100 * self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value from so many draws, the smallest of which is a bound; without draws an exact one."""

    value: float
    draws: int | None

    def in_words(self, decimals: int) -> str:
        """ "0.042", or "≤ 0.001" where no draw was as extreme, or an exact one is less than can be shown."""
        least = 10**-decimals if self.draws is None else 1.000001 / (self.draws + 1)
        is_bound = self.value <= least
        return f"≤ {number(max(self.value, 10**-decimals), decimals)}" if is_bound else number(self.value, decimals)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A number and the rank that it gives."""

    value: float
    rank: float


Value = str | int | float | Measured | Share | PValue | Ranked | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``key`` in CSV, ``title`` and ``unit`` in the head, one precision; ``term`` names a definition."""

    key: str
    title: str
    unit: str = ""
    decimals: int = 2
    term: str = ""
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A value and what it is marked as; the caption says what a mark means.

    link: where more of it is, for pages. in_csv: the text in its place for programs, whole and without signs.
    """

    value: Value
    mark: Mark = ""
    link: str = ""
    in_csv: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A cell in words: the number, and beside it what is smaller (interval or counts)."""

    text: str
    up: str = ""
    down: str = ""
    note: str = ""
    sign: str = ""
    sort_key: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns.

    marks: what bold and underlined mean, for pages and LaTeX, which can show them. only_in_csv: names and values of
    the CSV file's last columns, the same in all rows: what elsewhere the title says.
    """

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    marks: str = ""
    only_in_csv: tuple[tuple[str, str], ...] = ()

    @property
    def printed_caption(self) -> str:
        """The caption where marks can be seen."""
        return " ".join(part for part in (self.caption, self.marks) if part)

    def shown_rows(self) -> list[list[tuple[Column, Cell, Shown]]]:
        """For pages: each cell with its column and its words."""
        return [
            [(column, cell, show(cell, column)) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def flat_columns(self) -> list[str]:
        """Column names of the CSV file: an interval takes three, a share takes three."""
        names = [name for position in range(len(self.columns)) for name in self._names(position)]
        return names + [name for name, _ in self.only_in_csv]

    def flat_rows(self) -> Iterator[dict[str, str | int | float | None]]:
        """Rows of the CSV file with all digits that mean something, not rounded for the eye."""
        for row in self.rows:
            flat: dict[str, str | int | float | None] = {}
            for position, cell in enumerate(row):
                values = map(_without_noise, _flat(cell.in_csv or cell.value, self._kind(position)))
                flat |= dict(zip(self._names(position), values, strict=True))
            yield flat | dict(self.only_in_csv)

    def _names(self, position: int) -> list[str]:
        key, kind = self.columns[position].key, self._kind(position)
        if kind is Measured:
            return [key, f"{key}_low", f"{key}_high"]
        if kind is Ranked:
            return [key, f"{key}_rank"]
        return [f"{key}_percent", f"{key}_count", f"{key}_of"] if kind is Share else [key]

    def _kind(self, position: int) -> type | None:
        kinds = {type(row[position].value) for row in self.rows} & {Measured, Share, Ranked}
        return next(iter(kinds), None)


def _without_noise(value: str | int | float | None) -> str | int | float | None:
    """Results have ten decimals; what stands behind the twelfth digit came by multiplying with 100."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _flat(value: Value, kind: type | None) -> list[str | int | float | None]:
    if isinstance(value, Measured):
        return [value.value, value.low, value.high]
    if isinstance(value, Share):
        return [value.percent, value.count, value.of]
    if isinstance(value, Ranked):
        return [value.value, value.rank]
    if isinstance(value, PValue):
        return [value.value]
    return [value] if kind is None else [value, None, None]


def number(value: float, decimals: int) -> str:
    """A number as journals print it: thousands apart, a true minus, never "−0.00"."""
    text = f"{value:,.{decimals}f}"
    if text.startswith("-"):
        text = text[1:] if float(text.replace(",", "")) == 0 else "−" + text[1:]
    return in_locale(text)


def show(cell: Cell, column: Column) -> Shown:
    """The cell in words, at the column's precision."""
    value, sign, decimals = cell.value, MARK_SIGNS[cell.mark], column.decimals
    match value:
        case None:
            shown = Shown(MISSING)
        case Measured():
            shown = _show_measured(value, decimals, sign)
        case Share():
            shown = _show_share(value, decimals, sign)
        case Ranked():
            note = gettext("rank %(rank)s", rank=in_locale(f"{value.rank:g}"))
            shown = Shown(number(value.value, decimals), note=note, sign=sign, sort_key=repr(value.value))
        case PValue():
            note = gettext("exact") if value.draws is None else ""
            shown = Shown(value.in_words(decimals), note=note, sort_key=repr(value.value))
        case str():
            shown = Shown(value, sign=sign, sort_key=value)
        case _:
            shown = Shown(number(value, decimals), sign=sign, sort_key=repr(value))
    return shown


def _show_share(value: Share, decimals: int, sign: str) -> Shown:
    if value.percent is None:
        return Shown(MISSING)
    note = gettext("%(done)s of %(total)s", done=human_number(value.count), total=human_number(value.of))
    return Shown(number(value.percent, decimals), note=note, sign=sign, sort_key=repr(value.percent))


def _show_measured(value: Measured, decimals: int, sign: str) -> Shown:
    if value.value is None:
        return Shown(MISSING)
    text, key = number(value.value, decimals), repr(value.value)
    if value.low is None or value.high is None:
        return Shown(text, sign=sign, sort_key=key)
    up, down = value.high - value.value, value.value - value.low
    return Shown(text, f"+{number(up, decimals)}", f"−{number(down, decimals)}", sign=sign, sort_key=key)

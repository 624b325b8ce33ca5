"""What a topic of the synthetic corpus is made of: measures, rows and breakdowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One quantity that a table can be about. No two measures share a name, so that a name identifies it.

    Attributes:
        subject: Key of the quantity; a pool holds at most one table for each (subject, place, year).
        title: As a table's title prints it.
        names: As a question says it, without an article: "number of people in work". A mass noun (no "the")
            starts with "~".
        unit: As a title or a header prints it.
        spoken: After a number in a question: "above 120 thousand".
        base: Total of a place of ordinary size, in printed units; for a rate its usual value.
        decimals: Decimals that are printed.
        rate: Whether values are rates, which are never added up.
        flow: Whether values of several years may be added up.
        also: Further subjects that such a table reports, so that no other table of the pool answers for them.
    """

    subject: str
    title: str
    names: tuple[str, ...]
    unit: str
    spoken: str
    base: float
    decimals: int = 0
    rate: bool = False
    flow: bool = True
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table.

    Attributes:
        label: As the table prints it; unique within the topic.
        names: As a question says it.
        group: Label of the group that it stands in, "" at the outermost level.
        weight: Its part of the total before chance (a factor on the base for rates); 0 where it is computed.
        parts: Labels whose values add up to this row; a leading "-" subtracts.
    """

    label: str
    names: tuple[str, ...]
    group: str = ""
    weight: float = 0.0
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One member of a breakdown: its printed label, its phrases in a question and its share of the whole.

    Phrases of a ``quarter`` hold ``{year}`` and replace the time of the question.
    """

    label: str
    phrases: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """A second dimension: sex, residence, quarter. ``total`` is the label of the sum of its parts."""

    key: str
    by: str
    parts: tuple[Part, ...]
    total: str
    total_first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A template of tables.

    Attributes:
        key: Its name; queries of one topic stand in one split.
        kind: ``statistics`` (by a statistics office) or ``company`` (from an annual report).
        sector: For a company: which companies report it, "" for any.
        by: What a row is, in the singular: "industry"; "" for the lines of a financial statement.
        by_plural: The same in the plural.
        measures: Alternatives, of which a table is about one.
        rows: The lines in printed order.
        phrase: How a question joins a row's name to the measure: "in {}".
        total: Label of the row that is the sum of all, "" for none; shares refer to it.
        breakdowns: Keys of the breakdowns that suit it.
        years: ``calendar``, ``school`` (2018/19) or ``fiscal``.
        statement: Whether rows are the lines of a financial statement, each a quantity of its own.
        section: Chapter of the publication that it stands in.
    """

    key: str
    kind: str
    by: str
    by_plural: str
    measures: tuple[Measure, ...]
    rows: tuple[Row, ...]
    phrase: str
    total: str = ""
    breakdowns: tuple[str, ...] = ()
    years: str = "calendar"
    statement: bool = False
    sector: str = ""
    section: str = ""

    def row(self, label: str) -> Row:
        """The row with this label."""
        return next(row for row in self.rows if row.label == label)

    @property
    def leaves(self) -> tuple[Row, ...]:
        """The rows that are not sums of others."""
        return tuple(row for row in self.rows if not row.parts)


def leaf(label: str, weight: float, *names: str, group: str = "") -> Row:
    """A row with values of its own; without ``names`` a question uses the label in lower case."""
    return Row(label=label, names=names or (spoken(label),), group=group, weight=weight)


def total_row(label: str, parts: Sequence[str], *names: str, group: str = "") -> Row:
    """A row that is the signed sum of other rows."""
    return Row(label=label, names=names or (spoken(label),), group=group, parts=tuple(parts))


def flat(total: str, *items: Row, name: str = "") -> tuple[Row, ...]:
    """A total and its items; without a ``total`` only the items."""
    if not total:
        return items
    return (total_row(total, [item.label for item in items], name or spoken(total)), *items)


def tree(
    total: str,
    groups: dict[str, tuple[Row, ...]],
    *,
    name: str = "",
    group_names: dict[str, str] | None = None,
) -> tuple[Row, ...]:
    """Groups with their items: a group is the sum of its items, ``total`` the sum of the groups.

    ``group_names`` says how a question calls the groups where that is not their label in lower case.
    """
    called = group_names or {}
    rows = [total_row(total, list(groups), name or spoken(total))]
    for group, items in groups.items():
        rows.append(total_row(group, [item.label for item in items], called.get(group, spoken(group))))
        rows += [Row(label=i.label, names=i.names, group=group, weight=i.weight) for i in items]
    return tuple(rows)


def spoken(label: str) -> str:
    """A label within a sentence: lower case at the start unless it is a name or an abbreviation."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]

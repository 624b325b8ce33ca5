"""Questions whose answer is a cell of one table, or is computed from its cells."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tabrag.data.synthetic.companies import TOPICS
from tabrag.data.synthetic_documents.draft import Draft, says
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.story import Line, Sheet
from tabrag.data.synthetic_documents.words import MEASURES, ROWS

_STATEMENTS = ("income", "balance", "cash")
_BY_SEGMENT = ("segments", "quarters", "quarter segments")
_BY_COUNTRY = ("markets", "staff", "quarter markets")
_LINE_NAMES = {row.label: row.names for topic in TOPICS if topic.statement for row in topic.rows}
_LOOKUPS = (
    "What was the {m} {i} at {c}{when}?",
    "How high was the {m} {i} at {c}{when}?",
    "At {c}, what was the {m} {i}{when}?",
    "Which {m} did {c} report {i}{when}?",
    "I need the {m} {i} at {c}{when}.",
)
_DIRECT: dict[tuple[str, str], tuple[str, ...]] = {
    ("board", "Member since"): (
        "Since which year has {r} belonged to the board of {c}{when}?",
        "When did {r} become a director of {c}{when}?",
    ),
    ("board", "Meetings attended"): (
        "At how many sittings of the board of {c} was {r} present{when}?",
        "What is the attendance record of {r} at meetings of the directors of {c}{when}?",
    ),
    ("borrowings", "Due in"): (
        "When must {c} pay back the {r}{when}?",
        "In which year does the {r} of {c} mature{when}?",
    ),
    ("borrowings", "Interest (%)"): (
        "What interest does {c} pay on the {r}{when}?",
        "Which coupon, in percent, does the {r} of {c} carry{when}?",
    ),
    ("holdings", "Interest held (%)"): (
        "What percentage of {r} belongs to {c}{when}?",
        "How large is the stake of {c} in {r}{when}?",
    ),
    ("holdings", "Country"): (
        "In which country does {r} have its seat, in which {c} holds an interest{when}?",
        "Where is {r}, an affiliate of {c}, based{when}?",
    ),
    ("holdings", "Equity"): (
        "How much equity does {r}, a holding of {c}, show{when}?",
        "What are the net assets of {r} in the books of {c}{when}?",
    ),
    ("sites", "Main user"): (
        "Which business of {c} uses the {r} works most{when}?",
        "Whose products does {c} chiefly make at {r}{when}?",
    ),
    ("sites", "Capacity use"): (
        "To what extent was the plant at {r} of {c} utilised{when}?",
        "How well filled, in percent, was the {r} site of {c}{when}?",
    ),
    ("plan", "Budget"): (
        "What is set aside for the {r} of {c}{when}?",
        "How much may the {r} of {c} cost{when}?",
    ),
    ("plan", "Ready"): (
        "In which year is the {r} of {c} to be finished{when}?",
        "When will work on the {r} of {c} be done{when}?",
    ),
    ("plan", "Spent so far"): ("How much has {c} already put into the {r}{when}?",),
    ("targets", "Margin"): (
        "Which return on sales does {c} want to reach with {r} in the medium term{when}?",
        "How high is the margin that {c} aims for with {r} four years on{when}?",
    ),
    ("targets", "Growth"): (
        "How fast does {c} plan to grow with {r} in the medium term{when}?",
        "What rate of growth is the goal of {c} for {r} four years on{when}?",
    ),
}


def table_questions(material: Material, rng: random.Random) -> Iterator[Draft]:
    """Questions on single tables in turn, without end; some may be equal."""
    sheets = list(material.sheets.values())
    while True:
        for sheet in rng.sample(sheets, len(sheets)):
            chance = rng.random()
            draft = None
            if chance < 0.5 or not _is_plain(sheet):
                draft = lookup(material, sheet, rng)
            elif chance < 0.65:
                draft = _change(material, sheet, rng)
            elif chance < 0.85:
                draft = _pair(material, sheet, rng)
            else:
                draft = _extreme(material, sheet, rng)
            if draft is not None:
                yield draft


def lookup(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """A question for one cell; None where the text says it too."""
    line = rng.choice(
        [line for line in sheet.lines if line.values and line.labels[-1] not in ("Group", "Total")]
    )
    label = line.labels[-1]
    if _is_plain(sheet):
        column = rng.choice(_columns(sheet))
        template = rng.choice(_LOOKUPS) if not _is_row(sheet) else rng.choice(_LOOKUPS[:3])
        template = _said(template, material, sheet, line, column, rng)
    else:
        choices = [
            (column, texts)
            for column in sheet.columns
            for (key, name), texts in _DIRECT.items()
            if key == sheet.key
            and any(part.startswith(name) for part in column)
            and (key != "targets" or column[0] != "Today")
            and (key != "sites" or column[-1] != str(material.story.year - 1))
        ]
        if sheet.key == "pay":
            column = rng.choice(sheet.columns[:-1])
            texts: tuple[str, ...] = (
                "What was the {m} of {r} at {c}{when}?",
                "How much did {r} get from {c} as {m}{when}?",
            )
            template = (
                rng.choice(texts).replace("{m}", rng.choice(MEASURES[column[-1]])).replace("{r}", label)
            )
        else:
            column, texts = rng.choice(choices)
            template = rng.choice(texts).replace("{r}", label)
    answer = sheet.value(label, column)
    if says(material.story.prose(), answer):
        return None
    return Draft(kind="table", template=template, answer=answer, facts=(sheet.fact(label, column),))


def number(text: str) -> float:
    """The value of a printed number; parentheses only mark a deduction."""
    return float(text.strip("()").replace(",", ""))


def measure_of(sheet: Sheet, column: tuple[str, ...], rng: random.Random) -> str:
    """What people call the quantity of a column."""
    name = next((part for part in column if part in MEASURES), "")
    if not name and sheet.key == "quarter markets":
        name = "Net sales"
    return rng.choice(MEASURES[name])


def item_of(material: Material, sheet: Sheet, line: Line, rng: random.Random) -> str:
    """What people call a row of segments or countries, with its preposition."""
    label, company = line.labels[-1], material.story.company
    if sheet.key in _BY_SEGMENT:
        row = next(row for row in company.segments if row.label == label)
        return rng.choice(("in the {} business", "of the {} division", "in {}")).format(rng.choice(row.names))
    if label == "All markets":
        return "in all countries together"
    region = company.region_names.get(label)
    if region is not None:
        return f"in {region} as a whole"
    row = next(row for row in company.countries if row.label == label)
    return f"in {rng.choice(row.names)}"


def _is_plain(sheet: Sheet) -> bool:
    return sheet.key in (*_BY_SEGMENT, *_BY_COUNTRY) or _is_row(sheet)


def _is_row(sheet: Sheet) -> bool:
    """Whether the rows themselves are the quantities."""
    return sheet.key in (*_STATEMENTS, "environment", "indicators", "debt")


def _columns(sheet: Sheet) -> list[tuple[str, ...]]:
    return [column for place, column in enumerate(sheet.columns) if place not in sheet.texts]


def _said(
    template: str, material: Material, sheet: Sheet, line: Line, column: tuple[str, ...], rng: random.Random
) -> str:
    """A template with its measure, row and time."""
    if _is_row(sheet):
        names = ROWS.get(line.labels[-1]) or _LINE_NAMES.get(line.labels[-1]) or (line.labels[-1].lower(),)
        template = template.replace("{m}", rng.choice(names)).replace(" {i}", "")
    else:
        template = template.replace("{m}", measure_of(sheet, column, rng))
        template = template.replace("{i}", item_of(material, sheet, line, rng))
    return template.replace("{when}", time_of(material, column))


def time_of(material: Material, column: tuple[str, ...]) -> str:
    """``{when}``, or the words for another time than that of the publication."""
    story = material.story
    last = str(story.year - 1)
    for part in column:
        if part.startswith("Target"):
            return f", as the goal for {story.year + 5} set{{when}}"
        if part.startswith("Goal"):
            return f", as the goal for {story.year + 1} set{{when}}"
        if part.endswith(last):
            when = part if part != last else last
            return f" in {when}, the comparative figure in the {story.edition}"
        if part.startswith("Q") and not story.is_deck:
            return f" in {part} according to the {story.edition}"
    return "{when}"


def _lines(sheet: Sheet) -> list[Line]:
    """Rows that are no sums."""
    return [line for line in sheet.lines if line.values and not line.total]


def _change(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """How much a quantity grew or shrank from one year to the next."""
    year = material.story.year
    pairs = [
        (now, before)
        for now in sheet.columns
        for before in sheet.columns
        if now[-1].endswith(str(year)) and before == (*now[:-1], now[-1].replace(str(year), str(year - 1)))
    ]
    if not pairs:
        return None
    now, before = rng.choice(pairs)
    line = rng.choice(_lines(sheet))
    label = line.labels[-1]
    values = [number(sheet.value(label, column)) for column in (now, before)]
    difference = values[0] - values[1]
    if abs(difference) < 0.05:
        return None
    word = rng.choice(("higher", "greater") if difference > 0 else ("lower", "smaller"))
    template = _said(
        f"How much {word} was the {{m}} {{i}} at {{c}}{{when}} than in the year before?",
        material,
        sheet,
        line,
        now,
        rng,
    )
    facts = tuple(sheet.fact(label, column) for column in (now, before))
    return Draft(
        kind="table",
        template=template,
        answer=_printed(abs(difference), sheet.value(label, now)),
        facts=facts,
    )


def _pair(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """The sum or the difference of two rows."""
    if _is_row(sheet) and sheet.key not in _STATEMENTS:
        return None
    column = rng.choice(_columns(sheet))
    if any("%" in part for part in column):
        return None
    if _is_row(sheet):
        groups: dict[str, list[Line]] = {}
        for line in _lines(sheet):
            if len(line.labels) > 1:
                groups.setdefault(line.labels[0], []).append(line)
        first, second = rng.sample(rng.choice([lines for lines in groups.values() if len(lines) > 1]), 2)
    else:
        first, second = rng.sample(_lines(sheet), 2)
    values = [number(sheet.value(line.labels[-1], column)) for line in (first, second)]
    facts = tuple(sheet.fact(line.labels[-1], column) for line in (first, second))
    printed = sheet.value(first.labels[-1], column)
    if values[0] > values[1] and not _is_row(sheet) and rng.random() < 0.5:
        template = _said(
            "By how much did the {m} {i} exceed that {j} at {c}{when}?", material, sheet, first, column, rng
        )
        template = template.replace("{j}", item_of(material, sheet, second, rng))
        return Draft(
            kind="table", template=template, answer=_printed(values[0] - values[1], printed), facts=facts
        )
    if _is_row(sheet):
        names = [
            rng.choice(_LINE_NAMES.get(line.labels[-1], (line.labels[-1].lower(),)))
            for line in (first, second)
        ]
        template = "What do {} and {} of {{c}} add up to{}?".format(*names, time_of(material, column))
    else:
        template = _said(
            "What is the combined {m} {i} and {j} at {c}{when}?", material, sheet, first, column, rng
        )
        template = template.replace("{j}", item_of(material, sheet, second, rng))
    return Draft(kind="table", template=template, answer=_printed(sum(values), printed), facts=facts)


def _extreme(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """Which row is the largest or the smallest."""
    if sheet.key not in (*_BY_SEGMENT, *_BY_COUNTRY):
        return None
    column = rng.choice(_columns(sheet))
    values = {line.labels[-1]: number(sheet.value(line.labels[-1], column)) for line in _lines(sheet)}
    is_largest = rng.random() < 0.6
    best = (max if is_largest else min)(values.values())
    winners = [label for label, value in values.items() if value == best]
    if len(winners) > 1:
        return None
    kind = "division" if sheet.key in _BY_SEGMENT else "country"
    word = rng.choice(("largest", "highest") if is_largest else ("smallest", "lowest"))
    template = (
        f"Which {kind} of {{c}} shows the {word} {measure_of(sheet, column, rng)}{time_of(material, column)}?"
    )
    if kind == "country":
        template = f"In which country was the {measure_of(sheet, column, rng)} of {{c}} {word}{time_of(material, column)}?"
    facts = tuple(sheet.fact(label, column) for label in values)
    return Draft(kind="table", template=template, answer=winners[0], facts=facts)


def _printed(value: float, like: str) -> str:
    """A number with as many decimals as another one."""
    decimals = len(like.strip("()").partition(".")[2])
    return f"{value:,.{decimals}f}"

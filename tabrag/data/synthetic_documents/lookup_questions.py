"""Questions whose answer is a cell of one table; how people speak of its rows, columns and times."""

from __future__ import annotations

import random

from tabrag.data.synthetic.companies import TOPICS
from tabrag.data.synthetic_documents.draft import Draft, says
from tabrag.data.synthetic_documents.material import Material
from tabrag.data.synthetic_documents.story import Line, Sheet
from tabrag.data.synthetic_documents.words import MEASURES, ROWS

STATEMENTS = ("income", "balance", "cash")
BY_SEGMENT = ("segments", "quarters", "quarter segments")
BY_COUNTRY = ("markets", "staff", "quarter markets")
LINE_NAMES = {row.label: row.names for topic in TOPICS if topic.statement for row in topic.rows}
_LOOKUPS = (
    "What was the {m} {i} at {c}{when}?",
    "How high was the {m} {i} at {c}{when}?",
    "At {c}, what was the {m} {i}{when}?",
    "What {m} did {c} report {i}{when}?",
    "Please look up the {m} {i} at {c}{when}.",
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


def lookup(material: Material, sheet: Sheet, rng: random.Random) -> Draft | None:
    """A question for one cell; None where the text says it too."""
    line = rng.choice(
        [line for line in sheet.lines if line.values and line.labels[-1] not in ("Group", "Total")]
    )
    label = line.labels[-1]
    if is_plain(sheet):
        column = rng.choice(number_columns(sheet))
        template = rng.choice(_LOOKUPS) if not is_row(sheet) else rng.choice(_LOOKUPS[:3])
        template = said(template, material, sheet, line, column, rng)
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
    if says(material.prose, answer):
        return None
    said_so = signed(answer, sheet, label)
    return Draft(kind="table", template=template, answer=said_so, facts=(sheet.fact(label, column),))


def signed(text: str, sheet: Sheet, label: str) -> str:
    """A printed number as an answer: parentheses mean a deduction, which the question names, or a minus."""
    if not text.startswith("("):
        return text
    is_negative = sheet.key == "debt" or label == "Net change in cash"
    return f"{'-' * is_negative}{text.strip('()')}"


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
    if sheet.key in BY_SEGMENT:
        row = next(row for row in company.segments if row.label == label)
        return rng.choice(("in the {} business", "of the {} division", "in {}")).format(rng.choice(row.names))
    if label == "All markets":
        return "in all countries together"
    region = company.region_names.get(label)
    if region is not None:
        return f"in {region} as a whole"
    row = next(row for row in company.countries if row.label == label)
    return f"in {rng.choice(row.names)}"


def is_plain(sheet: Sheet) -> bool:
    """Whether one wording fits all its cells: rows, columns and times are exchanged."""
    return sheet.key in (*BY_SEGMENT, *BY_COUNTRY) or is_row(sheet)


def is_row(sheet: Sheet) -> bool:
    """Whether the rows themselves are the quantities."""
    return sheet.key in (*STATEMENTS, "environment", "indicators", "debt")


def number_columns(sheet: Sheet) -> list[tuple[str, ...]]:
    """Columns that hold numbers."""
    return [column for place, column in enumerate(sheet.columns) if place not in sheet.texts]


def said(
    template: str, material: Material, sheet: Sheet, line: Line, column: tuple[str, ...], rng: random.Random
) -> str:
    """A template with its measure, row and time."""
    if is_row(sheet):
        names = ROWS.get(line.labels[-1]) or LINE_NAMES.get(line.labels[-1]) or (line.labels[-1].lower(),)
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

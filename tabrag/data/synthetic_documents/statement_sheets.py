"""The financial statements of an annual report, and the note on its debt."""

from __future__ import annotations

import random

from tabrag.data.synthetic_documents.company import Company
from tabrag.data.synthetic_documents.figures import Figures
from tabrag.data.synthetic_documents.report_sheets import amount
from tabrag.data.synthetic_documents.story import Line, Sheet

_INCOME = (
    *(
        ("Revenue",),
        ("Revenue", "Products"),
        ("Revenue", "Services"),
        ("Total revenue",),
        ("-Cost of sales",),
    ),
    *(("Gross profit",), ("Operating expenses",), ("Operating expenses", "-Research and development")),
    *(
        ("Operating expenses", "-Selling and marketing"),
        ("Operating expenses", "-General and administrative"),
    ),
    *(("Operating profit",), ("-Finance costs",), ("Profit before tax",), ("-Income tax expense",)),
    ("Profit for the year",),
)
_BALANCE = (
    *(
        ("Current assets",),
        ("Current assets", "Cash and cash equivalents"),
        ("Current assets", "Trade receivables"),
    ),
    *(("Current assets", "Inventories"), ("Total current assets",), ("Non-current assets",)),
    ("Non-current assets", "Property, plant and equipment"),
    *(
        ("Non-current assets", "Goodwill and intangible assets"),
        ("Total non-current assets",),
        ("Total assets",),
    ),
    *(("Liabilities",), ("Liabilities", "Trade payables"), ("Liabilities", "Borrowings")),
    *(("Liabilities", "Provisions"), ("Total liabilities",), ("Total equity",)),
)
_CASH = (
    *(("Operating activities",), ("Operating activities", "Cash generated from operations")),
    *(("Operating activities", "-Taxes paid"), ("Net cash from operating activities",)),
    *(("Investing activities",), ("Investing activities", "-Purchases of equipment")),
    *(("Investing activities", "-Acquisitions of businesses"), ("-Net cash used in investing activities",)),
    *(("Financing activities",), ("Financing activities", "-Dividends paid")),
    *(("Financing activities", "-Repayment of debt"), ("-Net cash used in financing activities",)),
    ("Net change in cash",),
)
_STATEMENTS = {
    "income": ("Consolidated income statement", _INCOME),
    "balance": ("Consolidated balance sheet at 31 December", _BALANCE),
    "cash": ("Consolidated cash flow statement", _CASH),
}


def statement_sheet(
    company: Company, year: int, figures: Figures, key: str, number: str, *, signs: bool
) -> Sheet:
    """A statement: ``income``, ``balance`` or ``cash``; with ``signs`` deductions stand in parentheses."""
    name, rows = _STATEMENTS[key]
    lines = []
    for path in rows:
        *groups, label = path
        minus, label = label.startswith("-"), label.removeprefix("-")
        labels = (*groups, label)
        if (label, year) not in figures.line:
            lines.append(Line(labels=labels))
            continue
        values = tuple(amount(figures.line[label, one], minus=minus and signs) for one in (year, year - 1))
        lines.append(
            Line(labels=labels, values=values, total=label.startswith(("Total", "Net", "Profit for")))
        )
    return Sheet(
        key=key,
        caption=f"Table {number}: {name} ({company.currency} million)",
        corner="For the year" if key != "balance" else "As reported",
        columns=((str(year),), (str(year - 1),)),
        lines=tuple(lines),
    )


def borrowings_sheet(company: Company, year: int, figures: Figures, number: str, rng: random.Random) -> Sheet:
    """Bonds and loans: rates, maturities, amounts, which add up to the balance sheet's borrowings."""
    kinds = ("Bond", "Private placement", "Term loan", "Schuldschein", "Export credit", "Lease liabilities")
    names = [f"{kind} {mark}" for kind in kinds for mark in ("I", "II")]
    totals = [figures.line["Borrowings", one] for one in (year, year - 1)]
    weights = [[rng.uniform(0.5, 2.0) for _ in names] for _ in totals]
    columns = []
    for total, row in zip(totals, weights, strict=True):
        values = [round(total * weight / sum(row)) for weight in row[:-1]]
        columns.append([*values, total - sum(values)])
    lines = [
        Line(
            labels=(name,),
            values=(
                rng.choice(("EUR", "USD", "GBP", "CHF", "SEK")),
                f"{rng.uniform(0.6, 6.2):.2f}",
                str(year + rng.randint(1, 12)),
                *(amount(column[place]) for column in columns),
            ),
        )
        for place, name in enumerate(names)
    ]
    lines.append(Line(labels=("Total",), values=("", "", "", *(amount(t) for t in totals)), total=True))
    return Sheet(
        key="borrowings",
        caption=f"Table {number}: Borrowings ({company.currency} million)",
        corner="Instrument",
        columns=(
            *(("Terms", "Currency"), ("Terms", "Interest (%)"), ("Terms", "Due in")),
            *(("Carrying amount", str(year)), ("Carrying amount", str(year - 1))),
        ),
        lines=tuple(lines),
        texts=(0,),
    )

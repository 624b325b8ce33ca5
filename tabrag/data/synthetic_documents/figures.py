"""The numbers of a company in one year and the year before: what adds up in one table adds up in all."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from tabrag.data.synthetic_documents.company import Company

_SALES = 8200.0
_MONTHS = 12


@dataclass(slots=True, kw_only=True)
class Figures:
    """Amounts in millions; every dictionary ends with the year as the last part of its key.

    Attributes:
        segment: (measure, segment, year); measures are ``revenue``, ``profit``, ``capex`` and ``staff``.
        country: (measure, country, year); measures are ``revenue``, ``assets`` and ``staff``.
        quarter: (measure, segment, quarter 1..4, year); measures are ``revenue`` and ``orders``.
        line: (line of a statement, year).
    """

    segment: dict[tuple[str, str, int], int] = field(default_factory=dict)
    country: dict[tuple[str, str, int], int] = field(default_factory=dict)
    quarter: dict[tuple[str, str, int, int], int] = field(default_factory=dict)
    line: dict[tuple[str, int], int] = field(default_factory=dict)

    def total(self, measure: str, year: int) -> int:
        """The sum of a measure over all segments."""
        return sum(v for (m, _, y), v in self.segment.items() if (m, y) == (measure, year))


def make_figures(company: Company, year: int, seed: int) -> Figures:
    """Figures of ``year`` and ``year - 1``."""
    figures = Figures()
    for one in (year - 1, year):
        _segments(company, one, seed, figures)
        _countries(company, one, seed, figures)
        _quarters(company, one, seed, figures)
    _statements(company, year, seed, figures)
    return figures


def _rng(company: Company, seed: int, *names: object) -> random.Random:
    return random.Random(
        "/".join(map(str, ("tabrag synthetic documents figures", seed, company.key, *names)))
    )


def _level(company: Company, seed: int, year: int, *names: object) -> float:
    """A level that drifts from year to year, the same from whichever year it is looked at."""
    level = _rng(company, seed, *names).lognormvariate(0.0, 0.25)
    drift = _rng(company, seed, *names, "drift").gauss(0.03, 0.03)
    noise = _rng(company, seed, *names, year).gauss(0.0, 0.05)
    return level * math.exp(drift * (year - 2018) + noise)


def _segments(company: Company, year: int, seed: int, figures: Figures) -> None:
    for row in company.segments:
        rng = _rng(company, seed, row.label, "margins")
        margin, capex, productivity = (
            rng.uniform(0.06, 0.15),
            rng.uniform(0.03, 0.08),
            rng.uniform(0.18, 0.34),
        )
        sales = _SALES * company.size * row.weight / 100 * _level(company, seed, year, row.label)
        noise = _rng(company, seed, row.label, "noise", year)
        values = {
            "revenue": sales,
            "profit": sales * margin * noise.uniform(0.8, 1.2),
            "capex": sales * capex * noise.uniform(0.7, 1.4),
            "staff": sales / productivity * noise.uniform(0.95, 1.05),
        }
        for measure, value in values.items():
            figures.segment[measure, row.label, year] = max(round(value), 3)


def _countries(company: Company, year: int, seed: int, figures: Figures) -> None:
    rows = company.countries
    for measure, total in (
        ("revenue", figures.total("revenue", year)),
        ("staff", figures.total("staff", year)),
        ("assets", round(figures.total("revenue", year) * 0.61)),
    ):
        weights = [row.weight * _level(company, seed, year, measure, row.label) for row in rows]
        values = [max(round(total * weight / sum(weights)), 1) for weight in weights]
        largest = max(range(len(values)), key=values.__getitem__)
        values[largest] += total - sum(values)
        for row, value in zip(rows, values, strict=True):
            figures.country[measure, row.label, year] = value


def _quarters(company: Company, year: int, seed: int, figures: Figures) -> None:
    for row in company.segments:
        rng = _rng(company, seed, row.label, "quarters", year)
        total = figures.segment["revenue", row.label, year]
        weights = [rng.uniform(0.85, 1.15) for _ in range(4)]
        values = [round(total * weight / sum(weights)) for weight in weights[:3]]
        for number, value in enumerate([*values, total - sum(values)], start=1):
            figures.quarter["revenue", row.label, number, year] = value
            figures.quarter["orders", row.label, number, year] = round(value * rng.uniform(0.85, 1.25))


def _statements(company: Company, year: int, seed: int, figures: Figures) -> None:
    line = figures.line
    for one in (year - 1, year):
        rng = _rng(company, seed, "statements", one)
        sales, profit = figures.total("revenue", one), figures.total("profit", one)
        products = round(sales * rng.uniform(0.68, 0.8))
        costs = round(sales * rng.uniform(0.54, 0.6))
        research, selling = round(sales * rng.uniform(0.06, 0.09)), round(sales * rng.uniform(0.09, 0.12))
        finance = round(sales * rng.uniform(0.008, 0.018))
        tax = round((profit - finance) * rng.uniform(0.2, 0.29))
        values = {
            "Products": products,
            "Services": sales - products,
            "Total revenue": sales,
            "Cost of sales": costs,
            "Gross profit": sales - costs,
            "Research and development": research,
            "Selling and marketing": selling,
            "General and administrative": sales - costs - research - selling - profit,
            "Operating profit": profit,
            "Finance costs": finance,
            "Profit before tax": profit - finance,
            "Income tax expense": tax,
            "Profit for the year": profit - finance - tax,
        }
        earned = profit + round(sales * rng.uniform(0.05, 0.07))
        capex = figures.total("capex", one)
        bought = round(sales * rng.uniform(0.005, 0.03))
        dividends, repaid = round((profit - finance - tax) * rng.uniform(0.3, 0.45)), round(sales * 0.011)
        change = earned - tax - capex - bought - dividends - repaid
        values |= {
            "Cash generated from operations": earned,
            "Taxes paid": tax,
            "Net cash from operating activities": earned - tax,
            "Purchases of equipment": capex,
            "Acquisitions of businesses": bought,
            "Net cash used in investing activities": capex + bought,
            "Dividends paid": dividends,
            "Repayment of debt": repaid,
            "Net cash used in financing activities": dividends + repaid,
            "Net change in cash": change,
        }
        line.update({(name, one): value for name, value in values.items()})
    _balance(company, year, seed, figures)


def _balance(company: Company, year: int, seed: int, figures: Figures) -> None:
    line = figures.line
    sales = figures.total("revenue", year - 1)
    cash = round(sales * 0.14) + abs(line["Net change in cash", year])
    for one in (year - 1, year):
        rng = _rng(company, seed, "balance", one)
        sales = figures.total("revenue", one)
        cash += line["Net change in cash", one] if one == year else 0
        values = {
            "Cash and cash equivalents": cash,
            "Trade receivables": round(sales * rng.uniform(0.14, 0.18)),
            "Inventories": round(sales * rng.uniform(0.1, 0.15)),
            "Property, plant and equipment": round(sales * rng.uniform(0.3, 0.36)),
            "Goodwill and intangible assets": round(sales * rng.uniform(0.2, 0.28)),
            "Trade payables": round(sales * rng.uniform(0.12, 0.16)),
            "Borrowings": round(sales * rng.uniform(0.2, 0.26)),
            "Provisions": round(sales * rng.uniform(0.04, 0.06)),
        }
        current = sum(
            values[name] for name in ("Cash and cash equivalents", "Trade receivables", "Inventories")
        )
        fixed = values["Property, plant and equipment"] + values["Goodwill and intangible assets"]
        owed = sum(values[name] for name in ("Trade payables", "Borrowings", "Provisions"))
        values |= {
            "Total current assets": current,
            "Total non-current assets": fixed,
            "Total assets": current + fixed,
            "Total liabilities": owed,
            "Total equity": current + fixed - owed,
        }
        line.update({(name, one): value for name, value in values.items()})

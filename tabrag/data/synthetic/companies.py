"""Topics from annual reports: segments, regional sales, and the financial statements."""

from __future__ import annotations

from tabrag.data.synthetic.topic import Measure, Row, Topic, flat, leaf, total_row, tree

_MILLIONS = "{currency} millions"


def _money(
    subject: str, title: str, *names: str, base: float, flow: bool = True, also: tuple[str, ...] = ()
) -> Measure:
    return Measure(
        subject=subject,
        title=title,
        names=names,
        unit=_MILLIONS,
        spoken="million",
        base=base,
        flow=flow,
        also=also,
    )


_SEGMENT_MEASURES = (
    _money("revenue", "Revenue", "~turnover", "~revenue", base=8200),
    _money("operating profit", "Operating income", "~segment profit", "~profit before interest", base=1150),
    _money(
        "capital expenditure", "Additions to property, plant and equipment", "~capex", "~investment", base=540
    ),
)


def _segments(key: str, sector: str, *rows: Row) -> Topic:
    return Topic(
        key=key,
        kind="company",
        sector=sector,
        section="Segment information",
        by="segment",
        by_plural="segments",
        measures=_SEGMENT_MEASURES,
        rows=flat("Total segments", *rows, name="all segments"),
        phrase="in the {} business",
        total="Total segments",
        breakdowns=("quarter", "market"),
        years="fiscal",
    )


_INCOME = (
    leaf("Products", 71, "revenue from goods", "product revenue", group="Revenue"),
    leaf("Services", 29, "revenue from services", "service revenue", group="Revenue"),
    total_row(
        "Total revenue", ("Products", "Services"), "total turnover", "overall revenue", group="Revenue"
    ),
    leaf("Cost of sales", 58, "cost of goods and services sold", "COGS"),
    total_row(
        "Gross profit", ("Total revenue", "-Cost of sales"), "gross margin in money terms", "gross profit"
    ),
    leaf("Research and development", 9, "development outlay", "research expense", group="Operating expenses"),
    leaf("Selling and marketing", 11, "sales and marketing cost", group="Operating expenses"),
    leaf("General and administrative", 5, "overhead", "G&A", group="Operating expenses"),
    total_row(
        "Total operating expenses",
        ("Research and development", "Selling and marketing", "General and administrative"),
        "opex",
        "overall operating cost",
        group="Operating expenses",
    ),
    total_row("Operating profit", ("Gross profit", "-Total operating expenses"), "EBIT", "operating result"),
    leaf("Finance costs", 1.5, "interest paid on borrowings", "financing charge"),
    total_row(
        "Profit before tax", ("Operating profit", "-Finance costs"), "pre-tax profit", "result before tax"
    ),
    leaf("Income tax expense", 3.4, "tax charge", "tax bill"),
    total_row(
        "Profit for the year", ("Profit before tax", "-Income tax expense"), "net income", "net profit"
    ),
)

_BALANCE = (
    leaf("Cash and cash equivalents", 12, "cash position", "cash pile", group="Current assets"),
    leaf("Trade receivables", 15, "money owed by customers", group="Current assets"),
    leaf("Inventories", 13, "stock of goods", "value of goods in stock", group="Current assets"),
    total_row(
        "Total current assets",
        ("Cash and cash equivalents", "Trade receivables", "Inventories"),
        "value of short-term assets",
        group="Current assets",
    ),
    leaf(
        "Property, plant and equipment",
        34,
        "value of fixed tangible assets",
        "PP&E",
        group="Non-current assets",
    ),
    leaf(
        "Goodwill and intangible assets",
        26,
        "value of goodwill and other intangibles",
        group="Non-current assets",
    ),
    total_row(
        "Total non-current assets",
        ("Property, plant and equipment", "Goodwill and intangible assets"),
        "value of long-term assets",
        group="Non-current assets",
    ),
    total_row("Total assets", ("Total current assets", "Total non-current assets"), "balance sheet total"),
    leaf("Trade payables", 16, "money owed to suppliers", group="Liabilities"),
    leaf("Borrowings", 29, "loan debt", "amount borrowed", group="Liabilities"),
    leaf("Provisions", 6, "sum set aside for provisions", group="Liabilities"),
    total_row(
        "Total liabilities",
        ("Trade payables", "Borrowings", "Provisions"),
        "overall liability position",
        group="Liabilities",
    ),
    total_row("Total equity", ("Total assets", "-Total liabilities"), "book equity", "net worth"),
)

_CASH_FLOW = (
    leaf("Cash generated from operations", 21, "cash earned by operations", group="Operating activities"),
    leaf("Taxes paid", 4, "cash outlay for tax", group="Operating activities"),
    total_row(
        "Net cash from operating activities",
        ("Cash generated from operations", "-Taxes paid"),
        "operating cash flow",
        group="Operating activities",
    ),
    leaf("Purchases of equipment", 8, "cash spent on equipment", group="Investing activities"),
    leaf("Acquisitions of businesses", 3, "cash paid for takeovers", group="Investing activities"),
    total_row(
        "Net cash used in investing activities",
        ("Purchases of equipment", "Acquisitions of businesses"),
        "investing outflow",
        group="Investing activities",
    ),
    leaf("Dividends paid", 2.4, "cash handed to shareholders as dividends", group="Financing activities"),
    leaf("Repayment of debt", 1.9, "cash used to pay back loans", group="Financing activities"),
    total_row(
        "Net cash used in financing activities",
        ("Dividends paid", "Repayment of debt"),
        "financing outflow",
        group="Financing activities",
    ),
    total_row(
        "Net change in cash",
        (
            "Net cash from operating activities",
            "-Net cash used in investing activities",
            "-Net cash used in financing activities",
        ),
        "overall movement in cash",
    ),
)


def _statement(
    key: str,
    title: str,
    total: str,
    rows: tuple[Row, ...],
    *,
    base: float,
    also: tuple[str, ...],
    flow: bool = True,
) -> Topic:
    return Topic(
        key=key,
        kind="company",
        section="Financial statements",
        by="",
        by_plural="",
        measures=(
            _money(
                key, f"Consolidated {title}", "group-wide", "consolidated", base=base, flow=flow, also=also
            ),
            _money(
                f"{key} parent",
                f"Parent company {title}",
                "parent-only",
                "stand-alone parent company",
                base=base * 0.42,
                flow=flow,
            ),
        ),
        rows=rows,
        phrase="{}",
        total=total,
        years="fiscal",
        statement=True,
    )


TOPICS: tuple[Topic, ...] = (
    _segments(
        "technology_segments",
        "technology",
        leaf("Cloud platforms", 34, "hosted computing", "cloud platforms"),
        leaf("Enterprise software", 27, "corporate software"),
        leaf("Devices", 19, "hardware", "gadgets"),
        leaf("Advertising", 12, "ads"),
        leaf("Consulting", 8, "advisory"),
    ),
    _segments(
        "consumer_segments",
        "consumer",
        leaf("Beverages", 29, "drinks"),
        leaf("Dairy", 18, "milk, cheese and yoghurt"),
        leaf("Confectionery", 16, "sweets and chocolate"),
        leaf("Frozen meals", 13, "frozen food"),
        leaf("Home care", 14, "cleaning products"),
        leaf("Pet nutrition", 10, "pet food"),
    ),
    _segments(
        "industrial_segments",
        "industrial",
        leaf("Aerospace components", 26, "aircraft parts"),
        leaf("Automation", 23, "robots and control systems"),
        leaf("Agricultural machinery", 20, "tractors and farm equipment"),
        leaf("Rail systems", 17, "trains and signalling"),
        leaf("Marine engines", 14, "ship propulsion"),
    ),
    Topic(
        key="regional_sales",
        kind="company",
        section="Geographical information",
        by="market",
        by_plural="markets",
        measures=(
            _money("revenue", "Net sales", "amount of sales to customers", "~customer turnover", base=8200),
            Measure(
                subject="headcount",
                title="Employees at year-end",
                names=("number of staff", "size of the workforce"),
                unit="persons",
                spoken="",
                base=31000,
                flow=False,
            ),
            _money(
                "long-lived assets",
                "Non-current assets",
                "fixed asset base",
                "long-lived asset base",
                base=5600,
                flow=False,
            ),
        ),
        rows=tree(
            "Group total",
            {
                "Europe, Middle East and Africa": (
                    leaf("Germany", 14, "Germany"),
                    leaf("United Kingdom", 10, "the UK", "Britain"),
                    leaf("France", 8, "France"),
                    leaf("Other EMEA", 12, "the rest of EMEA"),
                ),
                "Americas": (
                    leaf("United States", 27, "the US", "the USA"),
                    leaf("Brazil", 6, "Brazil"),
                    leaf("Other Americas", 4, "the rest of the Americas"),
                ),
                "Asia Pacific": (
                    leaf("China", 11, "China"),
                    leaf("Japan", 5, "Japan"),
                    leaf("Other Asia Pacific", 6, "the rest of Asia Pacific"),
                ),
            },
            name="all markets",
            group_names={
                "Europe, Middle East and Africa": "EMEA",
                "Americas": "the Americas",
                "Asia Pacific": "Asia Pacific",
            },
        ),
        phrase="in {}",
        total="Group total",
        years="fiscal",
    ),
    _statement(
        "income statement",
        "income statement",
        "Total revenue",
        _INCOME,
        base=8200,
        also=("revenue", "operating profit"),
    ),
    _statement(
        "balance sheet",
        "balance sheet",
        "Total assets",
        _BALANCE,
        base=10400,
        also=("long-lived assets",),
        flow=False,
    ),
    _statement(
        "cash flow",
        "cash flow statement",
        "Cash generated from operations",
        _CASH_FLOW,
        base=8200,
        also=("capital expenditure",),
    ),
)

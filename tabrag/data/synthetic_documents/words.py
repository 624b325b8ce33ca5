"""How people say what tables and charts print."""

from __future__ import annotations

MEASURES: dict[str, tuple[str, ...]] = {
    "Revenue": ("turnover", "sales figure", "revenue"),
    "Operating profit": ("operating result", "EBIT", "profit from operations"),
    "Capital expenditure": ("capex", "spending on fixed assets", "investment in plant"),
    "Net sales": ("turnover with customers", "value of sales to customers", "sales revenue"),
    "Non-current assets": ("long-lived asset base", "value of fixed assets", "amount of non-current assets"),
    "Employees at year-end": ("headcount", "number of staff", "size of the workforce"),
    "Women (%)": ("percentage of female employees", "share of women among staff"),
    "Order intake": ("value of new orders", "order intake", "amount of orders booked"),
    "Orders received": ("value of new orders", "incoming orders", "amount of orders booked"),
    "Base salary": ("base salary", "fixed annual pay without benefits"),
    "Benefits": ("value of benefits in kind", "amount of fringe benefits"),
    "Annual bonus": ("yearly bonus", "short-term incentive"),
    "Share plan": ("payout from the share plan", "long-term incentive in shares"),
    "Pension": ("pension contribution", "amount set aside for retirement"),
    "Growth (%)": ("growth rate", "percentage increase in sales"),
    "Employees": ("headcount", "number of people employed"),
    "Margin": ("margin", "return on sales"),
    "Growth": ("yearly growth", "growth rate"),
    "Budget": ("budget", "planned total cost"),
    "Spent so far": ("money already spent", "amount used up to now"),
}
"""Label of a column -> what people call it."""

ROWS: dict[str, tuple[str, ...]] = {
    "Electricity": ("consumption of electric power", "power used"),
    "Natural gas": ("gas consumption", "amount of natural gas burned"),
    "District heating": ("heat bought from district networks", "district heat used"),
    "Fresh water withdrawn": ("intake of fresh water", "water drawn"),
    "Waste water": ("volume of sewage", "waste water discharged"),
    "Recycled": ("quantity of waste that was recycled", "waste that went into recycling"),
    "Sent to landfill": ("quantity of waste that was dumped", "waste that ended in landfills"),
    "Scope 1": ("direct emission of greenhouse gases (scope 1)", "scope 1 footprint"),
    "Scope 2": ("emission caused by purchased energy (scope 2)", "scope 2 footprint"),
    "Business travel": ("emission from trips on business", "footprint of business trips"),
    "On-time delivery (%)": ("share of deliveries that arrived punctually", "punctuality of deliveries"),
    "Order backlog (days)": ("backlog of orders in days", "reach of the order book in days"),
    "Returns (%)": ("percentage of goods sent back", "rate of returned goods"),
    "Net promoter score": ("NPS", "customers' willingness to recommend (NPS)"),
    "Online orders (%)": ("percentage of orders placed on the web", "share of internet orders"),
    "Repeat buyers (%)": ("share of customers who came back", "percentage of returning customers"),
    "Cash earned by operations": (
        "effect of operating cash on net debt",
        "contribution of operations to net debt",
    ),
    "Investments paid": ("amount paid for investments", "outflow for capex"),
    "Interest and tax paid": ("outflow for interest and taxes", "amount paid to lenders and tax offices"),
    "Net debt at start of quarter": ("net debt when the quarter began", "opening net debt"),
    "Net debt at end of quarter": ("net debt when the quarter ended", "closing net debt"),
}
"""Label of a row -> what people call it, where the row is the quantity itself."""

CHARTS: dict[str, tuple[tuple[str, ...], str]] = {
    "enquiries": (("the bar chart of enquiries by month", "the chart on customer enquiries"), "month"),
    "satisfaction": (("the chart of customer satisfaction", "the bars with customers' marks"), "segment"),
    "channels": (("the pie chart of sales channels", "the chart on how orders come in"), "channel"),
    "energy": (("the pie chart of energy sources", "the chart on the energy mix"), "source of energy"),
    "emissions": (("the line chart of carbon intensity", "the curve of CO2 per unit"), "year"),
    "ages": (("the chart of age bands", "the bars on the age of the staff"), "age band"),
    "share price": (("the share price curve", "the chart of month-end prices"), "month"),
    "lead times": (("the chart of delivery times by region", "the bars on delivery times"), "region"),
    "market size": (("the chart of the addressable market", "the bars on market volume"), "year"),
}
"""Key of a chart -> ways to speak of it, and what its categories are."""

ABSENT_COUNTRIES = ("Mexico", "Sweden", "India", "Turkey", "Vietnam", "Egypt", "Morocco", "Peru", "Thailand")
"""Countries that no table names."""

"""Which tables the corpus holds: families of near-duplicates and the split of each topic."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tabrag.data.synthetic.breakdowns import BREAKDOWNS
from tabrag.data.synthetic.business import TOPICS as BUSINESS_TOPICS
from tabrag.data.synthetic.companies import TOPICS as COMPANY_TOPICS
from tabrag.data.synthetic.economy import TOPICS as ECONOMY_TOPICS
from tabrag.data.synthetic.entities import Entity, companies, regions
from tabrag.data.synthetic.living import TOPICS as LIVING_TOPICS
from tabrag.data.synthetic.society import TOPICS as SOCIETY_TOPICS
from tabrag.data.synthetic.style import Style, choose_style
from tabrag.data.synthetic.topic import Breakdown, Measure, Topic
from tabrag.errors import UserError

TOPICS: tuple[Topic, ...] = (
    *SOCIETY_TOPICS,
    *LIVING_TOPICS,
    *ECONOMY_TOPICS,
    *BUSINESS_TOPICS,
    *COMPANY_TOPICS,
)
FIRST_YEAR, LAST_YEAR = 1998, 2023
_SPLIT_PARTS = (("test", 0.15), ("dev", 0.15))


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """What one table is about and how it is laid out.

    Attributes:
        topic: Its template.
        measure: The quantity.
        entity: The place or company.
        years: Consecutive years; a school or fiscal year counts as the year in which it ends.
        breakdown: The second dimension, if any.
        style: The layout, the same for a whole family.
        family: Number of the family of near-duplicates.
    """

    topic: Topic
    measure: Measure
    entity: Entity
    years: tuple[int, ...]
    breakdown: Breakdown | None
    style: Style
    family: int

    @property
    def covers(self) -> set[tuple[str, str, int]]:
        """The (subject, entity, year) that this table answers for; no two tables of a pool share one."""
        subjects = (self.measure.subject, *self.measure.also)
        return {(subject, self.entity.name, year) for subject in subjects for year in self.years}


def plan_corpus(num_tables: int, seed: int) -> tuple[list[TablePlan], dict[str, str]]:
    """The plans of a corpus in the order of its pool, and the split of each topic."""
    rng = random.Random(f"tabrag synthetic/{num_tables}/{seed}")
    plans = plan_tables(num_tables, rng)
    splits = split_topics(plans, rng)
    # Families would otherwise stand together, and ties between near-duplicates be broken in their order.
    rng.shuffle(plans)
    return plans, splits


def plan_tables(num_tables: int, rng: random.Random) -> list[TablePlan]:
    """``num_tables`` plans in families of near-duplicates.

    Raises:
        UserError: The vocabulary does not give that many distinct tables.
    """
    places = regions(rng, count=max(4, num_tables // 24))
    firms = companies(rng, count=max(6, num_tables // 12))
    topics = rng.sample(TOPICS, len(TOPICS))
    plans: list[TablePlan] = []
    taken: set[tuple[str, str, int]] = set()
    family = 0
    misses = 0
    while len(plans) < num_tables:
        topic = topics[family % len(topics)]
        entities = places if topic.kind == "statistics" else _of_sector(firms, topic.sector)
        first = _first_plan(topic, entities, family, rng)
        family += 1
        if first.covers & taken:
            misses += 1
            if misses > 1000 + num_tables:
                raise UserError(
                    f"the vocabulary of the synthetic corpus is used up after {len(plans)} tables: "
                    f"ask for fewer than {num_tables}"
                )
            continue
        members = rng.randint(5, 9)
        if num_tables < 60:
            members = 3
        for member in [first, *_relatives(first, entities, rng)][: min(members, num_tables - len(plans))]:
            if not member.covers & taken:
                taken |= member.covers
                plans.append(member)
    return plans


def split_topics(plans: Sequence[TablePlan], rng: random.Random) -> dict[str, str]:
    """Topic key -> split. Topics go whole into a split, so that no near-duplicates stand in two of them.

    ``dev`` and ``test`` get about 15 % of the tables each and, where there are enough topics, both kinds of
    topic.
    """
    counts: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for plan in plans:
        counts[plan.topic.key] = counts.get(plan.topic.key, 0) + 1
        kinds[plan.topic.key] = plan.topic.kind
    drawn = rng.sample(sorted(counts), len(counts))
    rank = {key: [k for k in drawn if kinds[k] == kinds[key]].index(key) for key in drawn}
    # Kinds in turn, so that a split with room for two topics holds a statistic and a report.
    order = sorted(drawn, key=rank.__getitem__)
    splits = dict.fromkeys(order, "train")
    for split, part in _SPLIT_PARTS:
        free = [key for key in order if splits[key] == "train"]
        if len(free) < 2:
            break
        budget = part * len(plans)
        filled = 0
        for key in free[:-1]:
            if filled and filled + counts[key] / 2 > budget:
                continue
            splits[key] = split
            filled += counts[key]
    return splits


def _of_sector(firms: list[Entity], sector: str) -> list[Entity]:
    return [firm for firm in firms if not sector or firm.sector == sector]


def _first_plan(topic: Topic, entities: list[Entity], family: int, rng: random.Random) -> TablePlan:
    has_breakdown = bool(topic.breakdowns) and rng.random() < 0.75
    breakdown = BREAKDOWNS[rng.choice(topic.breakdowns)] if has_breakdown else None
    measure = rng.choice(topic.measures)
    if breakdown is not None and breakdown.key == "quarter" and not measure.flow:
        breakdown = None
    style = choose_style(topic, measure, breakdown, rng)
    length = rng.randint(2, 3 if breakdown is not None else 5)
    start = rng.randint(FIRST_YEAR + length, LAST_YEAR - length + 1)
    return TablePlan(
        topic=topic,
        measure=measure,
        entity=rng.choice(entities),
        years=tuple(range(start, start + length)),
        breakdown=breakdown,
        style=style,
        family=family,
    )


def _relatives(plan: TablePlan, entities: list[Entity], rng: random.Random) -> list[TablePlan]:
    """Plans of the same layout, each of which differs from ``plan`` or from an earlier one in one attribute.

    They are the combinations of two or three measures, places and periods, so that a question has rivals that
    differ in its measure alone, in its place alone and in its years alone.
    """
    # A stock has no sum over quarters, and a rate no total: the layout would have to change as well.
    quarterly = plan.breakdown is not None and plan.breakdown.key == "quarter"
    measures = [
        measure
        for measure in plan.topic.measures
        if measure.rate == plan.measure.rate and (measure.flow or not quarterly) and measure != plan.measure
    ]
    places = [entity for entity in entities if entity != plan.entity]
    length = len(plan.years)
    periods = [
        years
        for step in (-2, -1, 1, 2)
        for years in [tuple(year + step * length for year in plan.years)]
        if FIRST_YEAR <= years[0] and years[-1] <= LAST_YEAR
    ]
    combinations = itertools.product(
        [plan.measure, *rng.sample(measures, min(2, len(measures)))],
        [plan.entity, *rng.sample(places, min(rng.randint(1, 2), len(places)))],
        [plan.years, *rng.sample(periods, min(rng.randint(1, 2), len(periods)))],
    )
    relatives = [replace(plan, measure=m, entity=e, years=y) for m, e, y in combinations]
    rng.shuffle(relatives)
    # Those that differ from the first in one attribute come first: a family cut short stays connected.
    relatives.sort(key=lambda other: _num_differences(plan, other))
    return relatives[1:]


def _num_differences(first: TablePlan, second: TablePlan) -> int:
    return sum(
        (
            first.measure != second.measure,
            first.entity != second.entity,
            first.years != second.years,
        )
    )

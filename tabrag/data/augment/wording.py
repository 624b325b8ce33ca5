"""How a question says what a table prints: its quantity, its rows and columns, its topic and time."""

from __future__ import annotations

import random
import re

from tabrag.data.augment.facts import Facts, Line
from tabrag.data.augment.labels import Label, Role, is_measure
from tabrag.data.augment.subject import shortened
from tabrag.data.augment.vary import age, varied

_PERCENT_HEAD = re.compile(
    r"^(?:the )?(?:(?:number and )?per ?cent(?:age)?s?|proportions?|shares?|%|"
    r"(?:percentage |per ?cent )?distributions?|prevalence)(?: (?:of|by|in)(?: the)?\b| |$)",
    re.IGNORECASE,
)
_NUMBER_HEAD = re.compile(r"^(?:the )?(?:total )?(?:numbers?|counts?)(?: of(?: the)?\b| |$)", re.IGNORECASE)
_PERCENT_UNIT = re.compile(r"per ?cent|%|pct|proportion|share", re.IGNORECASE)
_LEADING_UNIT = re.compile(
    r"rank|years?|ratio|index|mean|median|average|rate|value|amount|total|no|estimates?", re.IGNORECASE
)
_MONEY_UNIT = re.compile(r"dollar|\$|usd|euro?\b|£|pounds?", re.IGNORECASE)
_SCALE_UNIT = re.compile(r"\b(thousand|million|billion)", re.IGNORECASE)
_PEOPLE = re.compile(
    r"^(?:wom[ae]n|m[ae]n|fe?males?|males?|boys?|girls?|people|persons?|individuals?|workers?|employees?|"
    r"students?|graduates?|immigrants?|youth|children|seniors?|adults?|those|respondents?|parents|families|"
    r"households?|mothers|fathers|aged)\b(?!['’])",
    re.IGNORECASE,
)
_LINKED = re.compile(
    r"^(?:of|for|in|among|with|without|from|on|at|by|under|over|to|than|less|more|not|did|had|has|have|is|was|"
    r"were|are|never|always)\b",
    re.IGNORECASE,
)


def _can_lead(label: Label) -> bool:
    """Whether "what was the ..." can go on with a header: also with units such as "rank" and "year"."""
    return label.role is Role.MEMBER or _LEADING_UNIT.fullmatch(label.text) is not None


class Wording:
    """Draws the phrases of one question.

    Args:
        facts: The table.
        rng: Source of choices.
    """

    def __init__(self, facts: Facts, rng: random.Random) -> None:
        self.facts = facts
        self.rng = rng
        self.topic = facts.subject.draw(rng)
        self._topic_is_said = False

    def say(self, text: str, *, inflect: bool = False) -> str:
        """A header in other words, long ones shortened."""
        text = shortened(text, self.rng) if len(text.split()) > 6 else text
        return varied(text, self.rng, inflect=inflect)

    def quantity(self, *lines: Line, opener: bool = True) -> tuple[str, tuple[Label, ...]]:
        """What is asked for, and the headers that are said by it.

        Args:
            lines: Rows and columns of the value, the one that more likely names a quantity first.
            opener: Begin with "what was the", "how many" and the like; otherwise "the ...".
        """
        labels = [label for line in lines for label in reversed(line.labels)]
        unit = next((label for label in labels if label.role is Role.UNIT), None)
        head = next((label for label in labels if label.role is Role.MEASURE), None)
        topic = self.topic.head
        leads = is_measure(topic) or (unit is not None and _PEOPLE.match(topic) is not None)
        if head is None and topic and leads and self.rng.random() < 0.75:
            self._topic_is_said = True
            text, used = varied(topic, self.rng, inflect=True), ()
        else:
            if head is None:
                head = next(filter(_can_lead, reversed(lines[0].labels)), None)
            if head is None and not self.facts.has_left_headers and lines[0].labels:
                head = lines[0].labels[-1]
            if head is None:
                head = next((label for label in labels if label.role is Role.MEMBER), None)
            text = self.say(head.text, inflect=True) if head else ""
            used = (head,) if head else ()
        said = self._opened(text, unit.text if unit else "") if opener else self._named(text, unit)
        return said, (*used, *((unit,) if unit else ()))

    def rest(self, used: tuple[Label, ...], *lines: Line, keep: float = 0.65) -> list[str]:
        """The other headers as phrases: "for women", "in 2016"; innermost ones always, others in part."""
        phrases = []
        for line in lines:
            left = [label for label in line.labels if label not in used]
            spoken = [label for label in left if label.role is not Role.UNIT]
            if not spoken and len(left) == len(line.labels):
                spoken = left[-1:]
            for label in spoken:
                is_leaf = label == spoken[-1]
                if label.role is Role.TOTAL and self.rng.random() < 0.7:
                    continue
                if is_leaf or self.rng.random() < keep:
                    phrases.append(self.linked(label))
        return phrases

    def percent_of(self, row: Line, column: Line) -> tuple[str, tuple[Label, ...]] | None:
        """ "what percent of women were employed" where both headers are members of a dimension."""
        if not row.labels or not column.labels:
            return None
        labels = [*row.labels, *column.labels]
        unit = next((label.text for label in labels if label.role is Role.UNIT), "")
        members = [
            label
            for line in (row, column)
            for label in [next((x for x in reversed(line.labels) if x.role is Role.MEMBER), None)]
            if label is not None
        ]
        if len(members) < 2 or not self._is_percent("", unit):
            return None
        first, second = members
        if _PEOPLE.match(second.text) or (not _PEOPLE.match(first.text) and self.rng.random() < 0.5):
            first, second = second, first
        verb = (
            "" if _LINKED.match(second.text) else self.rng.choice(("were", "had", "reported", "was", "are"))
        )
        what = self.rng.choice(("percentage", "percent", "proportion"))
        said = f"what {what} of {self.say(first.text)} {verb} {self.say(second.text)}"
        return said, tuple(label for label in labels if label in members or label.role is Role.UNIT)

    def linked(self, label: Label) -> str:
        """A header with a preposition."""
        if label.role is Role.TIME:
            return f"in {label.text}"
        if label.role is Role.TOTAL:
            return self.rng.choice(("overall", "in total", "for all"))
        if aged := age(label.text):
            return aged
        text = self.say(label.text)
        if _LINKED.match(text):
            return text
        if _PEOPLE.match(text):
            return f"{self.rng.choice(('among', 'of', 'for'))} {text}"
        return f"{self.rng.choice(('of', 'for', 'in'))} {text}"

    def about(self, *, has_time: bool = False, needed: bool = False) -> list[str]:
        """The topic, the place and the time of the title as phrases, in part.

        Args:
            has_time: A header says the time already.
            needed: The rest of the question says little: the topic must not be left out.
        """
        phrases = []
        head = self.topic.head
        if head and not self._topic_is_said and (needed or self.rng.random() < 0.6):
            link = "" if _LINKED.match(head) else self.rng.choice(("in ", "for ", "of "))
            head = _NUMBER_HEAD.sub("", _PERCENT_HEAD.sub("", head)).strip() or head
            phrases.append(link + varied(head, self.rng))
            self._topic_is_said = True
        if place := self.topic.place:
            link = "" if _LINKED.match(place) else "among " if _PEOPLE.match(place) else "in "
            phrases.append(link + varied(place, self.rng))
        if self.topic.time and not has_time:
            phrases.append(f"in {self.topic.time}")
        return phrases

    def joined(self, opening: str, phrases: list[str], context: list[str], *, end: str = "?") -> str:
        """A sentence; sometimes its time or its last phrase comes first, sometimes phrases change places."""
        parts = self._shuffled(phrases, 0.3) + self._shuffled(context, 0.2)
        movable = [part for part in parts if re.match(r"(?:in|among|for|by) ", part)]
        front = ""
        if movable and self.rng.random() < 0.25:
            times = [part for part in movable if re.fullmatch(r"in .{0,7}\d{4}.{0,8}", part)]
            front = times[0] if times else self.rng.choice(movable)
            parts.remove(front)
            front = front + self.rng.choice((", ", ", ", ",", " "))
        return f"{front}{' '.join((opening, *parts))}{end}"

    def _shuffled(self, phrases: list[str], chance: float) -> list[str]:
        return self.rng.sample(phrases, len(phrases)) if self.rng.random() < chance else list(phrases)

    def _opened(self, text: str, unit: str) -> str:
        rng = self.rng
        was = rng.choice(("was", "was", "was", "is", "is", "were"))
        if self._is_percent(text, unit):
            text = _PERCENT_HEAD.sub("", text)
            openers = [f"what {was} the percentage of", f"what {was} the percent of", "how many percent of"]
            openers += ["what percentage of", "what percent of", f"what {was} the proportion of"]
            openers += ["how many percentage points of", "what's the percentage of"]
            return f"{rng.choice(openers)} {text}".rstrip()
        scale = _SCALE_UNIT.search(unit)
        if scale and rng.random() < 0.6:
            many = f"how many {scale[0].lower()}{' dollars' if _MONEY_UNIT.search(unit) else ''}"
            return f"{many} {rng.choice(('of', 'was', 'were', 'did'))} {text}".rstrip()
        if _MONEY_UNIT.search(unit) and rng.random() < 0.5:
            much = rng.choice(("how much was the", "how many dollars was the", "how much"))
            return f"{much} {text}".rstrip()
        if _NUMBER_HEAD.match(text) or re.match(r"(?i)\W*(?:numbers?|n|count|#)\W*$", unit):
            text = _NUMBER_HEAD.sub("", text)
            openers = ["how many", "how many", f"what {was} the number of", f"what {was} the total number of"]
            return f"{rng.choice(openers)} {text}".rstrip()
        openers = [f"what {was} the", f"what {was} the", f"what {was}", "what's the"]
        return f"{rng.choice(openers)} {text}".rstrip()

    def _named(self, text: str, unit: Label | None) -> str:
        if self._is_percent(text, unit.text if unit else ""):
            text = _PERCENT_HEAD.sub("", text)
            share = self.rng.choice(("percentage", "share", "proportion"))
            return f"the {share} of {text}" if text else f"the {share}"
        return f"the {text}" if text else f"the {unit.text if unit else 'figure'}"

    def _is_percent(self, text: str, unit: str) -> bool:
        if _PERCENT_HEAD.match(text) or _PERCENT_UNIT.search(unit):
            return True
        return not unit and not is_measure(text) and _PERCENT_HEAD.match(self.facts.subject.main) is not None

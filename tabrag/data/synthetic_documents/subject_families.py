"""The kinds of events that happened to one division or country, whose figures stand in a table."""

from __future__ import annotations

from tabrag.data.synthetic_documents.events import Family

SEGMENT_EVENTS: tuple[Family, ...] = (
    Family(
        key="fire",
        place="operations",
        signs=("fire",),
        slots={"town": "town", "month": "month", "k": (3, 15, 1)},
        sentences=(
            "A fire at {town} in {month} put lines of {s} out of action for {k} weeks.",
            "For {s} the year was marked by the fire of {month}, which closed the works at {town} for {k} "
            "weeks.",
        ),
        about="segment",
        names=("the division whose works at {town} burned", "the business that suffered the blaze at {town}"),
    ),
    Family(
        key="leader",
        place="people",
        signs=("has led", "took over the management"),
        slots={"person": "person", "month": "month", "firm": "firm"},
        sentences=(
            "{person} has led {s} since {month}, after nine years at {firm}.",
            "In {month} {person} took over the management of {s}, coming from {firm}.",
        ),
        about="segment",
        names=("the business that {person} runs", "the division headed by {person}"),
    ),
    Family(
        key="integration",
        place="market",
        signs=("folded into", "reports to the management of"),
        slots={"firm": "firm", "month": "month"},
        sentences=(
            "{firm}, which joined us in {month}, was folded into {s} with all its staff.",
            "Since {month} the former owner's team at {firm} reports to the management of {s}.",
        ),
        about="segment",
        names=("the unit that absorbed {firm}", "the business into which {firm} was merged"),
    ),
    Family(
        key="award",
        place="market",
        signs=("prize", "award"),
        slots={"product": "product", "town": "town"},
        sentences=(
            "The jury of the {town} trade fair gave its design prize to the {product} from {s}.",
            "With the {product}, {s} won the innovation award of the {town} fair.",
        ),
        about="segment",
        names=("the division behind the prize-winning {product}", "the business that makes the {product}"),
    ),
    Family(
        key="lost customer",
        place="market",
        signs=("contract with",),
        slots={"firm": "firm", "month": "month"},
        sentences=(
            "The contract with {firm}, for years the biggest buyer from {s}, ran out in {month}.",
            "In {month} {s} lost the contract with {firm}, its most important customer.",
        ),
        about="segment",
        names=("the business that no longer supplies {firm}", "the division whose top client {firm} left"),
    ),
    Family(
        key="pilot",
        place="technology",
        signs=("pilot",),
        slots={"town": "town", "firm": "firm"},
        sentences=(
            "Driverless trucks from {firm} are in pilot use at {town}, in the halls of {s}.",
            "{s} is the pilot user of driverless trucks by {firm}, beginning with its site at {town}.",
        ),
        about="segment",
        names=(
            "the division that tries out the driverless vehicles of {firm}",
            "the business that hosts the self-driving trucks of {firm}",
        ),
    ),
)
COUNTRY_EVENTS: tuple[Family, ...] = (
    Family(
        key="joint venture",
        place="market",
        signs=("joint venture",),
        slots={"firm": "firm", "month": "month"},
        sentences=(
            "In {s} a joint venture with {firm} took up its work in {month}.",
            "The joint venture with {firm}, founded in {month}, serves customers in {s}.",
        ),
        about="country",
        names=("the country of the partnership with {firm}", "the market where it teamed up with {firm}"),
    ),
    Family(
        key="flood",
        place="operations",
        signs=("flood",),
        slots={"town": "town", "month": "month", "k": (2, 9, 1)},
        sentences=(
            "The flood of {month} cut our depot at {town} in {s} off from the roads for {k} weeks.",
            "In {s} deliveries were held up for {k} weeks when a flood reached the depot of {town} in "
            "{month}.",
        ),
        about="country",
        names=("the country where high water reached {town}", "the market whose {town} depot was inundated"),
    ),
    Family(
        key="country manager",
        place="people",
        signs=("country manager",),
        slots={"person": "person", "month": "month"},
        sentences=(
            "{person} was appointed country manager for {s} in {month}.",
            "As country manager for {s} we won {person}, who started in {month}.",
        ),
        about="country",
        names=("the country in the charge of {person}", "the market that {person} looks after"),
    ),
    Family(
        key="distributor",
        place="market",
        signs=("distribut",),
        slots={"firm": "firm", "month": "month"},
        sentences=(
            "Since {month} {firm} distributes our whole range in {s}.",
            "A distribution agreement with {firm} for {s} took effect in {month}.",
        ),
        about="country",
        names=("the country where {firm} sells its range", "the market served through {firm}"),
    ),
    Family(
        key="reorganisation",
        place="people",
        signs=("shared service",),
        slots={"town": "town", "n": (60, 420, 10)},
        sentences=(
            "The shared service centre at {town} in {s} took over the bookkeeping with {n} people.",
            "{n} accountants of the Group now work in the shared service centre of {town} in {s}.",
        ),
        about="country",
        names=(
            "the country where the {town} accounting hub stands",
            "the market that hosts the {town} back office",
        ),
    ),
)

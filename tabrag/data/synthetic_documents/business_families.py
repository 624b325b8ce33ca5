"""Kinds of events in plants, markets and laboratories whose sentence alone answers a question."""

from __future__ import annotations

from tabrag.data.synthetic_documents.events import Family

BUSINESS_EVENTS: tuple[Family, ...] = (
    Family(
        key="new line",
        place="operations",
        signs=("came on stream", "start-up of the line", "went into service"),
        slots={"town": "town", "n": (3000, 48000, 250), "month": "month"},
        sentences=(
            "In {month} the new line at {town} came on stream; at full load it adds {n} tonnes to annual "
            "output.",
            "The start-up of the line at {town} in {month} gives us a further {n} tonnes a year once the "
            "crews "
            "are trained.",
            "Since {month}, when the second line at {town} went into service, a further {n} tonnes can be "
            "made "
            "each year.",
        ),
        questions=(
            "By how many tonnes a year did the additional line at {town} lift the capacity of {c}{when}?",
            "How much extra yearly tonnage does {c} get out of its expansion at {town}{when}?",
        ),
        answer="n",
    ),
    Family(
        key="purchase",
        place="market",
        signs=("completed the purchase", "changed hands", "acquired for"),
        slots={"firm": "firm", "town": "town", "price": ("money", 18, 420), "date": "date"},
        sentences=(
            "On {date} we completed the purchase of {firm}, a family business from {town}, for {price} in "
            "cash.",
            "{firm}, with its head office in {town}, changed hands on {date}; the consideration was {price}, "
            "of which a tenth stays in escrow.",
            "The largest deal was {firm} of {town}, acquired for {price} and consolidated from {date}.",
        ),
        questions=(
            "What did {c} pay to take over {firm}{when}?",
            "How much money went to the sellers of {firm} when {c} bought it{when}?",
        ),
        answer="price",
    ),
    Family(
        key="recall",
        place="operations",
        signs=("recall", "taken back"),
        slots={"n": (1800, 64000, 50), "product": "product", "month": "month"},
        sentences=(
            "A faulty seal made a recall of {n} units of the {product} necessary in {month}.",
            "In {month} {n} units of {product} were taken back from customers because a part could overheat.",
            "The recall of the {product}, announced in {month}, concerned {n} units in eleven countries.",
        ),
        questions=(
            "How many pieces of the {product} had {c} to call back{when}?",
            "What number of {product} items was withdrawn from the market by {c}{when}?",
        ),
        answer="n",
    ),
    Family(
        key="patents",
        place="technology",
        signs=("patent",),
        slots={"n": (28, 460, 1), "k": (9, 27, 1), "town": "town"},
        sentences=(
            "Our engineers filed {n} patent applications, {k} of them from the centre in {town}.",
            "With {n} patent filings, of which {k} came out of {town}, the pipeline is fuller than ever.",
            "{n} inventions were submitted to patent offices; the team at {town} contributed {k}.",
        ),
        questions=(
            "How many inventions did {c} seek protection for{when}?",
            "What was the number of inventions that {c} registered with the authorities{when}?",
        ),
        answer="n",
    ),
    Family(
        key="intrusion",
        place="technology",
        signs=("intrusion", "attackers", "malware"),
        slots={"n": (9, 96, 1), "month": "month", "firm": "firm"},
        sentences=(
            "An intrusion into the systems of our hosting partner {firm} in {month} kept order entry "
            "offline for "
            "{n} hours.",
            "Attackers who came in through {firm} in {month} interrupted order entry for {n} hours; no "
            "data left "
            "the Group.",
            "After malware was found at {firm} in {month}, order entry was down for {n} hours.",
        ),
        questions=(
            "For how many hours could {c} take no orders after the hacking of {firm}{when}?",
            "How long, in hours, did the cyber incident at {firm} stop ordering at {c}{when}?",
        ),
        answer="n",
    ),
    Family(
        key="water plant",
        place="sustainability",
        signs=("recycling plant", "reclaimed", "treatment plant for process water"),
        slots={"town": "town", "p": (18, 63, 1), "month": "month"},
        sentences=(
            "The water recycling plant at {town}, which started in {month}, cuts the intake of fresh water "
            "there "
            "by {p} per cent.",
            "At {town} {p} per cent of the process water is now reclaimed, after a filter hall opened in "
            "{month}.",
            "Since {month} a treatment plant for process water saves {p} per cent of the site's intake at "
            "{town}.",
        ),
        questions=(
            "By what percentage did {c} bring down its use of fresh water at {town}{when}?",
            "What part of the water drawn at {town} does {c} save thanks to the new installation{when}?",
        ),
        answer="p",
    ),
    Family(
        key="supplier",
        place="operations",
        signs=("largest supplier", "purchasing volume"),
        slots={"firm": "firm", "p": (6, 24, 1)},
        sentences=(
            "Our largest supplier, {firm}, stood for {p} per cent of the purchasing volume.",
            "{p} per cent of the purchasing volume came from {firm} alone.",
            "No partner delivers more to us than {firm}, whose part in the purchasing volume was {p} per "
            "cent.",
        ),
        questions=(
            "How dependent, in percent of all buying, was {c} on {firm}{when}?",
            "What proportion of the goods and services bought by {c} did {firm} deliver{when}?",
        ),
        answer="p",
    ),
    Family(
        key="research centre",
        place="technology",
        signs=("development centre",),
        slots={"town": "town", "n": (45, 380, 5), "month": "month"},
        sentences=(
            "The development centre in {town} opened in {month} and has places for {n} engineers.",
            "{n} engineers moved into the new development centre at {town} in {month}.",
            "Since {month} the development centre of {town} brings {n} engineers under one roof.",
        ),
        questions=(
            "How many technical staff can {c} house in its new laboratory building at {town}{when}?",
            "What is the number of engineers at the {town} research site that {c} inaugurated{when}?",
        ),
        answer="n",
    ),
    Family(
        key="warehouse",
        place="operations",
        signs=("square metres",),
        slots={"town": "town", "n": (8000, 74000, 500), "k": (8, 20, 1)},
        sentences=(
            "For the warehouse at {town} with its {n} square metres a lease of {k} years was signed.",
            "We have rented {n} square metres of storage in {town} for {k} years.",
            "A lease over {k} years secures {n} square metres of racking and docks in {town}.",
        ),
        questions=(
            "How big is the storage space that {c} hired at {town}{when}?",
            "What floor area did {c} take on in {town} for logistics{when}?",
        ),
        answer="n",
    ),
    Family(
        key="solar",
        place="sustainability",
        signs=("solar", "photovoltaic"),
        slots={"town": "town", "p": (12, 48, 1)},
        sentences=(
            "The solar roof of {town} met {p} per cent of the site's need for electricity.",
            "At {town} {p} per cent of the power now comes from the solar field beside the car park.",
            "Photovoltaic panels at {town} produced {p} per cent of what the site consumed.",
        ),
        questions=(
            "What part of its electricity does the {town} site of {c} get from the sun{when}?",
            "How much of the power used at {town} is home-made by panels at {c}, in percent{when}?",
        ),
        answer="p",
    ),
    Family(
        key="prices",
        place="market",
        signs=("list prices", "price list"),
        slots={"x": ("decimal", 1.4, 8.9), "month": "month"},
        sentences=(
            "To make up for dearer inputs we raised list prices by {x} per cent on average in {month}.",
            "A new price list took effect in {month}, on average {x} per cent above the old one.",
            "In {month} list prices went up by {x} per cent, which most customers accepted.",
        ),
        questions=(
            "By how many percent did {c} make its goods dearer{when}?",
            "How strong was the average increase that {c} passed on to its buyers{when}?",
        ),
        answer="x",
    ),
    Family(
        key="planning system",
        place="technology",
        signs=("planning system", "migrated to"),
        slots={"n": (1200, 17800, 100), "month": "month"},
        sentences=(
            "The switch to the new planning system in {month} brought {n} users onto one platform.",
            "{n} users were migrated to the common platform over one weekend in {month}.",
            "With the {month} release the planning system serves {n} users.",
        ),
        questions=(
            "How many people at {c} work with the software platform that was rolled out{when}?",
            "What number of accounts was moved to the shared ERP of {c}{when}?",
        ),
        answer="n",
    ),
    Family(
        key="rail",
        place="sustainability",
        signs=("by rail", "rail's part"),
        slots={"p": (14, 57, 1), "q": (5, 13, 1)},
        sentences=(
            "By the end of the year {p} per cent of long-haul freight went by rail, compared with {q} per "
            "cent "
            "when the programme began.",
            "The part of long-haul freight that travels by rail grew from {q} to {p} per cent.",
            "Rail's part in long-haul freight has reached {p} per cent; it was {q} per cent at the outset.",
        ),
        questions=(
            "Which share of its long-distance shipments did {c} send on trains{when}?",
            "How far, in percent, has {c} shifted distant transports to the railway{when}?",
        ),
        answer="p",
    ),
)

"""The kinds of events whose sentence alone answers a question."""

from __future__ import annotations

from tabrag.data.synthetic_documents.events import Family

TOLD: tuple[Family, ...] = (
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
        key="finance chief of the arm",
        place="people",
        signs=("treasurer",),
        slots={"new": "person", "old": "person", "month": "month", "firm": "firm"},
        sentences=(
            "{new}, until then with {firm}, succeeded {old} as group treasurer at the beginning of {month}.",
            "The post of group treasurer passed from {old} to {new} in {month}, who came from {firm}.",
            "In {month} {old} retired as treasurer; {new} was hired from {firm} in her or his place.",
        ),
        questions=(
            "Who took charge of the treasury of {c} when {old} left{when}?",
            "Which manager follows {old} in running the treasury at {c}{when}?",
        ),
        answer="new",
    ),
    Family(
        key="credit line",
        place="finance",
        signs=("revolving credit", "syndicate", "lenders"),
        slots={"bank": "bank", "sum": ("money", 150, 1900), "k": ("three", "five", "seven"), "j": (6, 19, 1)},
        sentences=(
            "A revolving credit facility of {sum} was signed with {j} banks led by {bank}; it runs for {k} "
            "years.",
            "{bank} arranged the {k}-year revolving credit line of {sum}, in which {j} lenders take part.",
            "The syndicate of {j} banks under {bank} renewed the revolving credit of {sum} for {k} years.",
        ),
        questions=(
            "Which bank was in the lead when {c} agreed its {sum} standby loan{when}?",
            "Who headed the banks that grant {c} a drawable line of {sum}{when}?",
        ),
        answer="bank",
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
        key="settlement",
        place="governance",
        signs=("settled", "settlement", "out of court"),
        slots={"firm": "firm", "sum": ("money", 6, 95), "month": "month"},
        sentences=(
            "The long-running dispute with {firm} over licence fees was settled in {month} against payment "
            "of "
            "{sum}.",
            "In {month} the parties ended the suit brought by {firm} out of court, for which we paid {sum}.",
            "A settlement with {firm} was reached in {month}; {sum} was charged to administrative expenses.",
        ),
        questions=(
            "What did it cost {c} to end its quarrel with {firm}{when}?",
            "How much did {firm} receive from {c} so that the lawsuit was dropped{when}?",
        ),
        answer="sum",
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
        key="survey",
        place="people",
        signs=("survey of employees", "pulse survey", "staff poll"),
        slots={"p": (58, 94, 1), "q": (51, 88, 1), "month": "month"},
        sentences=(
            "In the {month} survey of employees {p} per cent of those asked took part, and {q} per cent "
            "would "
            "recommend us to a friend.",
            "The pulse survey of {month} had a response rate of {p} per cent; {q} per cent felt well "
            "informed.",
            "Of all staff, {p} per cent answered the staff poll in {month}, and {q} per cent rated their "
            "manager "
            "as good or very good.",
        ),
        questions=(
            "What share of the workforce of {c} filled in the questionnaire on working life{when}?",
            "How large, in percent, was the turnout when {c} asked its people for their opinion{when}?",
        ),
        answer="p",
    ),
    Family(
        key="accidents",
        place="people",
        signs=("lost-time",),
        slots={"x": ("decimal", 0.8, 3.9), "y": ("decimal", 4.0, 6.5)},
        sentences=(
            "The rate of lost-time injuries fell from {y} to {x} per million hours worked.",
            "Per million hours we counted {x} lost-time injuries after {y} in the year before.",
            "Lost-time injuries per million hours came down to {x}, from {y}.",
        ),
        questions=(
            "How often, per million hours, did people at {c} get hurt so badly that they missed work{when}?",
            "What frequency of accidents with absence does {c} give{when}?",
        ),
        answer="x",
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
        key="hedging",
        place="finance",
        signs=("hedged", "forward contracts"),
        slots={"p": (45, 92, 1), "k": (6, 18, 3)},
        sentences=(
            "At the reporting date {p} per cent of the dollar purchases expected over the next {k} months "
            "were "
            "hedged.",
            "Forward contracts covered {p} per cent of planned dollar purchases for the coming {k} months.",
            "We had hedged {p} per cent of our dollar needs for {k} months ahead when the books were closed.",
        ),
        questions=(
            "What part of its coming dollar needs had {c} locked in at the balance sheet date{when}?",
            "How much of the foreseeable buying in US currency was protected against rate moves at "
            "{c}{when}?",
        ),
        answer="p",
    ),
    Family(
        key="pension rate",
        place="finance",
        signs=("discount rate",),
        slots={"x": ("decimal", 0.9, 3.4), "y": ("decimal", 3.5, 4.8)},
        sentences=(
            "Pension obligations were measured with a discount rate of {x} per cent and assumed pay rises of "
            "{y} per cent.",
            "The actuaries used a discount rate of {x} per cent for pensions; wages were assumed to grow "
            "by {y} "
            "per cent.",
            "For retirement benefits the discount rate was set at {x} per cent, wage growth at {y} per cent.",
        ),
        questions=(
            "At what interest rate did {c} value what it owes its pensioners{when}?",
            "Which percentage was applied by {c} to bring future retirement payments to present value{when}?",
        ),
        answer="x",
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
        key="stoppage",
        place="people",
        signs=("stoppage", "walked out", "industrial action"),
        slots={"n": (3, 26, 1), "town": "town", "month": "month"},
        sentences=(
            "A stoppage at {town} in {month} lasted {n} days and ended with a new pay agreement.",
            "In {month} the crews at {town} walked out for {n} days before talks resumed.",
            "Industrial action closed the gates of {town} for {n} days in {month}.",
        ),
        questions=(
            "For how many days did workers of {c} strike at {town}{when}?",
            "How long was the labour conflict at {town}, in days, that {c} reports{when}?",
        ),
        answer="n",
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
        key="auditor",
        place="governance",
        signs=("auditor of the accounts", "audit mandate", "audit tender"),
        slots={"new": "auditor", "old": "auditor"},
        sentences=(
            "After an audit tender the board proposes {new} as auditor of the accounts in place of {old}.",
            "The audit mandate goes from {old} to {new}, subject to the vote of the shareholders.",
            "{new} was chosen in the audit tender; {old} had held the mandate for eleven years.",
        ),
        questions=(
            "Which firm shall check the books of {c} instead of {old}{when}?",
            "Who is to replace {old} as the independent examiner of the accounts at {c}{when}?",
        ),
        answer="new",
    ),
    Family(
        key="rating",
        place="finance",
        signs=("long-term rating", "creditworthiness"),
        slots={"agency": "agency", "rating": "rating", "better": "better", "month": "month"},
        sentences=(
            "{agency} raised our long-term rating from {rating} to {better} in {month}.",
            "In {month} {agency} lifted the long-term rating by one notch, from {rating} to {better}.",
            "Our creditworthiness is seen as better: {agency} moved us from {rating} to {better} in {month}.",
        ),
        questions=(
            "What grade does {agency} give the debt of {c} after the upgrade{when}?",
            "To which level was {c} upgraded by {agency}{when}?",
        ),
        answer="better",
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
        key="apprentices",
        place="people",
        signs=("apprentice", "trainees started"),
        slots={"n": (24, 520, 1), "k": (11, 23, 1), "month": "month"},
        sentences=(
            "In {month} {n} apprentices began their training in {k} trades.",
            "{n} young people joined as apprentices in {month}, spread over {k} trades.",
            "The {month} intake was large: {n} trainees started with us in {k} trades.",
        ),
        questions=(
            "How many newcomers did {c} take into vocational training{when}?",
            "What number of school leavers began learning a trade at {c}{when}?",
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
    Family(
        key="hotline",
        place="governance",
        signs=("hotline", "speak-up"),
        slots={"n": (31, 240, 1), "k": (4, 28, 1)},
        sentences=(
            "The compliance hotline took {n} reports, {k} of which proved to be well founded.",
            "{n} reports came in through the speak-up line; {k} were substantiated.",
            "Of {n} reports to the hotline, {k} led to disciplinary measures.",
        ),
        questions=(
            "How many tips about misconduct did {c} receive{when}?",
            "What number of concerns was raised with the whistle-blowing channel of {c}{when}?",
        ),
        answer="n",
    ),
    Family(
        key="buyback",
        place="finance",
        signs=("bought back", "own shares"),
        slots={"x": ("decimal", 0.6, 9.8), "y": ("decimal", 11.2, 64.0)},
        sentences=(
            "We bought back {x} million shares at an average price of {cur}{y}.",
            "{x} million own shares were purchased, on average at {cur}{y} apiece.",
            "Under the mandate of the general meeting {x} million shares were bought back for {cur}{y} "
            "each on "
            "average.",
        ),
        questions=(
            "What was the mean price at which {c} repurchased its stock{when}?",
            "How much did {c} spend per share on average when it took equity off the market{when}?",
        ),
        answer="y",
    ),
    Family(
        key="insurance",
        place="governance",
        signs=("insurers", "insurance proceeds"),
        slots={"sum": ("money", 4, 68), "town": "town", "month": "month"},
        sentences=(
            "The insurers paid {sum} for the storm damage at {town} in {month}.",
            "Insurance proceeds of {sum} for the damaged halls at {town} arrived in {month}.",
            "In {month} our insurers recognised the claim for {town} and transferred {sum}.",
        ),
        questions=(
            "What compensation did {c} get for the destruction at {town}{when}?",
            "How much was {c} reimbursed after the weather hit {town}{when}?",
        ),
        answer="sum",
    ),
    Family(
        key="head office",
        place="governance",
        signs=("head office will move", "registered office"),
        slots={"town": "town", "n": (140, 980, 10)},
        sentences=(
            "The head office will move to {town} in {next}, where {n} desks have been prepared.",
            "Shareholders agreed to transfer the registered office to {town}; {n} colleagues will work there "
            "from {next} on.",
            "In {next} the registered office and {n} jobs go to {town}.",
        ),
        questions=(
            "To which town does {c} relocate its headquarters{when}?",
            "Where will the central administration of {c} be from next year on{when}?",
        ),
        answer="town",
    ),
)
"""Events told by one sentence."""

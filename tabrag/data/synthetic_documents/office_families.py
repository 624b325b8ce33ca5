"""Kinds of events around people, money and rules whose sentence alone answers a question."""

from __future__ import annotations

from tabrag.data.synthetic_documents.events import Family

OFFICE_EVENTS: tuple[Family, ...] = (
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

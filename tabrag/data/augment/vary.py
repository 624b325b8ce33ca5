"""Small changes that people make to printed words: synonyms, other numbers, left-out words."""

from __future__ import annotations

import random
import re

_SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("percentage", "percent", "proportion", "share"),
    ("number", "total number", "count"),
    ("average", "mean"),
    ("women", "females"),
    ("female", "women"),
    ("male", "men"),
    ("men", "males"),
    ("population", "people", "residents"),
    ("persons", "people", "individuals"),
    ("increase", "rise", "growth"),
    ("decrease", "decline", "drop"),
    ("expenditures", "spending", "expenses"),
    ("earnings", "income", "pay"),
    ("income", "earnings"),
    ("youth", "young people"),
    ("children", "kids"),
    ("seniors", "older people"),
    ("employed", "working"),
    ("employment", "jobs", "work"),
    ("unemployed", "without a job", "jobless"),
    ("united states", "u.s.", "us"),
    ("united kingdom", "uk"),
    ("postsecondary", "post-secondary"),
    ("apps", "appearances"),
    ("pts", "points"),
    ("yds", "yards"),
    ("avg", "average"),
    ("pct", "percentage"),
    ("td", "touchdowns"),
    ("no.", "number"),
    ("pos", "position"),
    ("revenue", "sales", "turnover"),
    ("region", "area"),
    ("occupation", "job"),
    ("highest level of education", "education"),
    ("and over", "and older", "or over", "or older"),
    ("and older", "or over", "and over"),
    ("bachelor's degree", "bachelor degree"),
    ("per cent", "percent"),
)
_BY_WORD = {words[0]: words[1:] for words in _SYNONYMS}
_ANY = re.compile(
    r"(?<![\w-])(?:" + "|".join(sorted(map(re.escape, _BY_WORD), key=len, reverse=True)) + r")(?![\w'’-])",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_AGE = re.compile(
    r"(?:ages? |aged )?(?P<low>\d{1,2}) ?(?:to|-|–) ?(?P<high>\d{1,3})(?: years(?: of age| old)?)?",
    re.IGNORECASE,
)
_LINK_WORDS = frozenset(
    "a an the of for in on at to by and or with from as is was were are per not no".split()
)
_NO_NOUN = re.compile(r"(?:ed|ing|ly|al|ive|ous|ic|ary|er|or|ern|wn|ine|ible|able)$", re.IGNORECASE)
_NO_PLURAL = ("s", "people", "men", "children", "ed", "ing")
_SAME = frozenset("series species news status gas bus class business process address canvas analysis".split())


def varied(text: str, rng: random.Random, *, inflect: bool = False) -> str:
    """A header or title as somebody might say it.

    ``inflect`` allows another number of its last word: right for nouns, wrong for names.
    """
    if rng.random() < 0.8:
        text = _ASIDE.sub("", text) or text
    if rng.random() < 0.4:
        text = text.replace(" & ", " and ")
    if rng.random() < 0.4:
        text = re.sub(r"(?<=[^\W\d_])/(?=[^\W\d_])", " or ", text)

    def synonym(match: re.Match[str]) -> str:
        return rng.choice(_BY_WORD[match[0].lower()]) if rng.random() < 0.4 else match[0]

    text = _ANY.sub(synonym, text)
    words = text.split()
    if len(words) >= 5 and rng.random() < 0.3:
        droppable = [
            number
            for number, word in enumerate(words[1:-1], start=1)
            if word.isalpha()
            and word.lower() not in _LINK_WORDS
            and words[number - 1].lower() not in _LINK_WORDS
        ]
        if droppable:
            del words[rng.choice(droppable)]
    if inflect and words and words[-1].islower() and rng.random() < 0.2:
        words[-1] = other_number(words[-1])
    return " ".join(words)


def age(text: str) -> str | None:
    """ "aged 25 to 54" for an age group, None for another text."""
    match = _AGE.fullmatch(text)
    return f"aged {match['low']} to {match['high']}" if match else None


def plural(noun: str) -> str:
    """The plural of an English noun phrase, by the usual rules; one that has it already stays."""
    if " of " in noun:
        head, rest = noun.split(" of ", 1)
        return f"{plural(head)} of {rest}"
    if not noun or not noun[-1].isalpha() or noun.lower().endswith(_NO_PLURAL):
        return noun
    if re.search(r"(?:ch|sh|x|z)$", noun, re.IGNORECASE):
        return noun + "es"
    if re.search(r"[^aeiou]y$", noun, re.IGNORECASE):
        return noun[:-1] + "ies"
    return noun + "s"


def singular(noun: str) -> str:
    """The singular of an English noun phrase, by the usual rules."""
    last = noun.split()[-1].lower() if noun.split() else ""
    if (
        len(last) < 4
        or not last.isalpha()
        or last in _SAME
        or last.endswith(("ss", "us", "is"))
        or not last.endswith("s")
    ):
        return noun
    if last.endswith("ies") and len(last) > 5:
        return noun[:-3] + "y"
    if last.endswith(("ches", "shes", "xes", "sses")):
        return noun[:-2]
    return noun[:-1]


def other_number(word: str) -> str:
    """The plural of a singular word and the reverse; words that are no plain nouns stay."""
    if not word.isalpha() or len(word) < 4 or word.lower() in _LINK_WORDS or _NO_NOUN.search(word):
        return word
    return singular(word) if word.lower().endswith("s") else plural(word)


def without_link_words(text: str) -> str:
    """The words that carry the meaning."""
    return " ".join(word for word in text.split() if word.lower() not in _LINK_WORDS)


def content_words(text: str) -> set[str]:
    """The different words of a text that are no link words and longer than one letter."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return {word for word in words if word not in _LINK_WORDS and len(word) > 1}


def without_loose_end(text: str) -> str:
    """A cut text without the link words at its end."""
    words = text.split()
    while words and words[-1].lower() in _LINK_WORDS:
        words.pop()
    return " ".join(words)

"""Words of questions and of table texts as the rule reader compares them.

====================================  =====================================================================
rule                                  examples
====================================  =====================================================================
numbers are whole                     ``1,234`` = ``1 234`` = ``1234``; ``2.0`` = ``2``
forms of an English word              ``votes`` = ``voted`` = ``voter``; ``graduate`` = ``graduation``
irregular and like words              ``born`` = ``birth``, ``won`` = ``win``, ``women`` = ``female``
months                                ``Jan.`` = ``January``; days: ``24 February 2017`` = ``02/24/17``
a header's short form                 ``Pop.`` for ``population``, ``HS`` for ``high school``
one letter or sign                    a label where it is the whole text, or a capital: ``Zone B``
scripts without blanks                characters and pairs of neighbours, in any script
====================================  =====================================================================

Endings, irregular words and months are those of English; all else holds for any language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tabrag.evaluation.answer_dates import parse_date
from tabrag.index.tokens import tokenize

_STOP = frozenset(
    "a an the of in on at to for from by with and or is are was were be been do did does has had have having"
    " how many much what which who whom whose when where why that this these those it its as than then there"
    " their they he she his her him them i me my we our you your please tell know s t can could would will"
    " according listed table shown given 的 是 了 吗 呢 吧 啊 多 少 什 么 哪 谁 几 和 在".split()
)
_STOP_WORDS = _STOP - {"a", "i", "s", "t"}
_MONTHS = "january february march april may june july august september october november december".split()
_SAME = {
    **{month[:3]: month for month in _MONTHS}, "sept": "september",
    "percentage": "percent", "proportion": "percent", "pct": "percent", "percentagewise": "percent",
    "women": "female", "woman": "female", "girl": "female", "men": "male", "man": "male", "boy": "male",
    "aged": "age", "born": "birth", "died": "death", "dead": "death", "die": "death", "dying": "death",
    "won": "win", "winning": "win", "lost": "loss", "lose": "loss", "losing": "loss", "sold": "sale",
    "sell": "sale", "selling": "sale", "grew": "grow", "grown": "grow", "growth": "grow", "paid": "pay",
    "payable": "pay", "payment": "pay", "spent": "spend", "bought": "buy", "wrote": "writ", "written": "writ",
    "personal": "privat",
    "people": "person", "persons": "person", "children": "child", "held": "hold", "began": "begin",
    "begun": "begin", "drew": "draw", "drawn": "draw", "tie": "draw", "made": "make", "built": "build",
    "countries": "country", "cities": "city", "long": "length", "high": "height", "tall": "height",
    "heavy": "weight", "weigh": "weight", "wide": "width", "deep": "depth", "old": "age", "far": "distance",
    "cost": "price", "average": "mean", "avg": "mean", "temp": "temperature", "num": "number",
    "qty": "quantity", "closing": "end", "ending": "end", "opening": "begin", "beginning": "begin",
    "start": "begin", "previous": "prior", "last": "prior", "proportionate": "percent",
}  # fmt: skip
_NEAR = {
    "rat": ("percen",), "shar": ("percen",), "percen": ("rat", "shar"), "length": ("tim", "durati"),
    "birth": ("dat",), "death": ("dat",), "price": ("cost",),
}  # fmt: skip
_NEAR_WEIGHT = 0.6
_WEAK_WEIGHT = 0.7
_NUMBER_SIGN = re.compile(r"#|\bno(?:s?\.|s?(?=\s+of\b))", re.IGNORECASE)
_BLANK_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:[   ']\d{3})+(?![\d,.])")
_ZEROS = re.compile(r"(?<=\d)\.0+\b")
_ABBREVIATION = re.compile(r"\b([^\W\d_]{2,})\.(?!\w)")
_CAPITALS = re.compile(r"\b[A-Z]{2,5}\b")
_DATE = re.compile(
    r"\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2}(?:st|nd|rd|th)?(?:\s+of)?[\s-]+[A-Za-z]{3,9}\.?,?[\s-]+\d{4}\b"
    r"|\b[A-Za-z]{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}\b"
)
_SHORT_YEAR = re.compile(r"(\d{1,2}[-/.]\d{1,2}[-/.])(\d{2})")
_LETTER = re.compile(r"(?<=[\s(])(?!I\s+[a-z])[A-Z](?=[\s?,.;:)]|$)")
_REFERENCE = re.compile(
    r"\b(?:table|figure|fig|sheet|page|slide|chart|exhibit|tab|tabelle|abbildung)s?\.?\s*\d+(?:[.-]\d+)*\b|[表图圖]\s*\d+(?:[.-]\d+)*",
    re.IGNORECASE,
)
"""Names a table by its number; no row is meant."""
_YEARS = re.compile(
    r"(?<!\d)((?:1[5-9]|20)\d\d)\s*[-/–]\s*(?:(?:1[5-9]|20)(?=\d\d(?!\d)))?(\d\d)(?!\d|[-/.]\d)"
)
_CODE = re.compile(r"(?<![^\W_])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{2,12}(?![^\W_])", re.IGNORECASE)
_WEAK = frozenset({"person", "amount", "value"})
_UNDOUBLED = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question.

    Attributes:
        text: The question.
        weights: How much each of its words counts, up to 1.
        written: Its words as they are written, lower case, for short forms.
    """

    text: str
    weights: dict[str, float]
    written: tuple[str, ...]

    def says(self, word: str) -> bool:
        """Whether the word stands in the question, not one that is only near to it."""
        return self.weights.get(word, 0.0) > _NEAR_WEIGHT


def asked_words(question: str) -> Asked:
    """The words of a question with their weights."""
    weights = {word: _WEAK_WEIGHT if word in _WEAK else 1.0 for word in words(_REFERENCE.sub(" ", question))}
    for word in list(weights):
        for near in _NEAR.get(word, ()):
            weights.setdefault(near, _NEAR_WEIGHT)
    return Asked(question, weights, tuple(re.findall(r"[^\W\d_]+", question.casefold())))


@lru_cache(maxsize=100_000)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, each once, in order."""
    plain = _ZEROS.sub("", _BLANK_GROUPS.sub(lambda found: re.sub(r"\D", "", found[0]), text))
    plain = _NUMBER_SIGN.sub(" number ", plain).replace("%", " percent ")
    codes = [code.casefold() for code in _CODE.findall(plain)]
    plain = _CODE.sub(lambda found: _without_short_numbers(found[0]), plain)
    years = [f"{first}-{second}" for first, second in _YEARS.findall(plain)]
    plain = _YEARS.sub(r"\1 ", plain)
    found = [*(stem(word) for word in tokenize(plain, stop_words=_STOP_WORDS, stem=False)), *codes, *years]
    kept = [
        word
        for word in found
        if word not in _STOP and (len(word) > 1 or word.isdecimal() or ord(word) > 0x2E7F)
    ]
    if not kept and len(text.strip()) <= _UNDOUBLED:
        kept = [text.strip().casefold()] if text.strip() else []
    letters = [letter.casefold() for letter in _LETTER.findall(text)]
    return tuple(dict.fromkeys([*kept, *letters, *_dates(text)]))


def _without_short_numbers(code: str) -> str:
    return re.sub(r"\d+", lambda digits: digits[0] if len(digits[0]) >= _UNDOUBLED else " ", code)


def header_words(text: str, asked: Asked) -> frozenset[str]:
    """The words of a header, its short forms replaced by the question's words that they stand for."""
    return frozenset(words(text)) | _short_forms(text, asked.written) if text else frozenset()


@lru_cache(maxsize=100_000)
def _short_forms(text: str, written: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for short in _ABBREVIATION.findall(text):
        start = short.casefold()
        found.update(stem(word) for word in written if len(word) > len(start) and word.startswith(start))
    initials = "".join(word[0] for word in written)
    for capitals in _CAPITALS.findall(text):
        at = initials.find(capitals.casefold())
        if at >= 0:
            found.update(stem(word) for word in written[at : at + len(capitals)])
    return frozenset(found - _STOP)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """What the forms of a word share."""
    if not word.isalpha():
        return word
    word = _SAME.get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    word = _SAME.get(word, word)
    for ending in ("ing", "ed", "er", "or"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _UNDOUBLED and re.search("[aeiouy]", rest):
            word = (
                rest[:-1]
                if len(rest) > _UNDOUBLED and rest[-1] == rest[-2] and rest[-1] not in "ls"
                else rest
            )
            break
    if len(word) > _UNDOUBLED:
        word = word.removesuffix("e")
    return word[:6]


@lru_cache(maxsize=10_000)
def beginnings(word: str) -> tuple[str, ...]:
    """Patterns, one of which a text holds that has the word in one of its forms; capitals do not count."""
    start = r"\D?".join(word[:3]) if word[:3].isdecimal() else re.escape(word[:3])
    days = [word[2:4]] if re.fullmatch(r"\d{4}-\d+-\d+", word) else []
    return (start, *days, *sorted({re.escape(form[:3]) for form in _SAME if stem(form) == word}))


def _dates(text: str) -> list[str]:
    """The days that a text names, each reading."""
    found = []
    for written in _DATE.findall(text) if any(char.isdecimal() for char in text) else ():
        long = _SHORT_YEAR.fullmatch(written)
        read = parse_date(f"{long[1]}20{long[2]}" if long else written)
        if read is not None:
            found += [f"{year}-{month}-{day}" for year, month, day in dict.fromkeys(read) if year and day]
    return found

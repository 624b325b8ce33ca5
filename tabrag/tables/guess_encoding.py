"""Which encoding bytes have that are no Unicode: by the letters of languages that they would spell.

Files of tables are short and hold few letters, so that statistics of whole texts fail on them. Instead, each
encoding is tried with the alphabets of the languages that are written in it: the right one yields letters of
one language, in words of one script.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

_MAX_SAMPLE = 1 << 16
"""Bytes that are looked at."""
_MIN_SHARE = 0.8
"""Of the characters of an East Asian text that must be common ones."""
_WESTERN = (
    *("äöüß", "àâæçéèêëîïôùûüÿœ", "áéíñóúü", "àáâãçéêíóôõúü", "åäöéæøü", "àèéìíîòóù", "áéëïíóöü"),
    "áðéíóúýþæö",
)
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ")
_ALPHABETS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # Encoding, letters beyond ASCII of each language, the most frequent ones where it has its own script.
    ("cp1252", _WESTERN, ""),
    ("cp1250", _CENTRAL, ""),
    ("cp1254", ("çğıöşüâîû\u0307",), ""),
    ("cp1257", ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"), ""),
    ("mac_roman", _WESTERN, ""),
    ("cp850", _WESTERN, ""),
    ("cp1251", ("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґў",), "оеаинтсрвл"),
    ("koi8_r", ("абвгдежзийклмнопрстуфхцчшщъыьэюяё",), "оеаинтсрвл"),
    ("cp866", ("абвгдежзийклмнопрстуфхцчшщъыьэюяё",), "оеаинтсрвл"),
    ("cp1253", ("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰσ",), "αοιετσνηυρ"),
    ("cp1255", ("אבגדהוזחטיכךלמםנןסעפףצץקרשת",), "יוהלאמרתבש"),
    ("cp1256", ("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگ",), "اليمنوترهب"),
    ("cp874", ("".join(map(chr, range(0x0E01, 0x0E5C))),), "านรอกเงคมย"),
)
_UNION = 0.9
"""What letters of several languages of one encoding count beside those of one."""
_LATIN_BONUS, _FREQUENT_BONUS = 0.15, 0.3
_MIN_LETTERS = 5
"""Letters from which on it counts in full how frequent they are."""
_LINE = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
_WORD = re.compile(r"(?:[^\W\d_]|[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])+")  # Thai vowels are marks
_SIGNS = frozenset({"Sc", "Sm", "Po", "Pd", "Pi", "Pf", "No", "Zs"})
_MORE_SIGNS = "°©®™µªº"


def guess_encoding(data: bytes) -> str:
    """The most likely encoding of bytes that are neither ASCII nor Unicode.

    Args:
        data: The whole content.

    Returns:
        Name of one of Python's codecs; ``cp1252`` where nothing speaks for another one. Decode with
        ``errors="replace"``: a few bytes may be none of it.
    """
    sample = b"".join(_lines(data))
    if asian := _east_asian(sample):
        return asian
    best, encoding = 0.0, "cp1252"
    for name, alphabets, frequent in _ALPHABETS:
        score = _score(sample.decode(name, errors="replace"), alphabets, frequent)
        if score > best + 1e-9:
            best, encoding = score, name
    return encoding


def _lines(data: bytes) -> Iterator[bytes]:
    """The first lines that hold more than ASCII, which may begin late in a file."""
    length = 0
    for line in _LINE.finditer(data):
        yield line[0]
        length += len(line[0])
        if length > _MAX_SAMPLE:
            return


def _east_asian(data: bytes) -> str:
    """The multi-byte encoding in which nearly all characters are common ones; empty where none is."""
    shares = {name: _common_share(data, name, is_common) for name, is_common in _COMMON.items()}
    kana = _common_share(data, "euc_jp", lambda first, _: first in (0xA4, 0xA5))
    if kana < 0.05:  # without them Japanese in EUC cannot be told from Chinese
        shares["euc_jp"] = 0.0
    # The Hangul syllables are a part of the common Chinese signs, and the first of equal ones is taken.
    name = max(shares, key=lambda name: shares[name])
    return name if shares[name] >= _MIN_SHARE else ""


def _common_share(data: bytes, encoding: str, is_common: Callable[[int, int], bool]) -> float:
    """The share of characters beyond ASCII that are common ones; 0 where the bytes are of no such text."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    common = total = 0
    for char in text:
        if char > "\x7f":
            raw = char.encode(encoding)
            total += 1
            common += len(raw) == 2 and is_common(raw[0], raw[1])
    return common / total if total else 0.0


_COMMON: dict[str, Callable[[int, int], bool]] = {
    # First and second byte of the signs that the standards have in their first level, and of punctuation.
    "cp949": lambda first, second: 0xB0 <= first <= 0xC8 and second >= 0xA1,
    "euc_jp": lambda first, second: first in (0xA1, 0xA3, 0xA4, 0xA5) or 0xB0 <= first <= 0xCF,
    "gb18030": lambda first, second: (first in (0xA1, 0xA3) or 0xB0 <= first <= 0xD7) and second >= 0xA1,
    "big5": lambda first, second: 0xA1 <= first <= 0xC6,
    "cp932": lambda first, second: 0x81 <= first <= 0x83 or 0x88 <= first <= 0x97,
}


def _score(text: str, alphabets: tuple[str, ...], frequent: str) -> float:
    """How well a text spells words of one of the languages: 0 to 1, and up to 0.3 for frequent letters."""
    strange = [char for char in text if char > "\x7f"]
    if not strange:
        return 0.0
    letters = [char for word in _words(text, own_script=bool(frequent)) for char in word if char > "\x7f"]
    signs = _apart(text)
    shares = [sum(char in alphabet for char in letters) for alphabet in alphabets]
    union = "".join(alphabets)
    whole = max(*shares, _UNION * sum(char in union for char in letters)) + signs
    bonus = _LATIN_BONUS
    if frequent:
        bonus = _FREQUENT_BONUS * sum(char in frequent for char in letters) / max(_MIN_LETTERS, len(letters))
    return whole / len(strange) + bonus


def _words(text: str, *, own_script: bool) -> list[str]:
    """Words as the language writes them, in small letters: of its own script alone, or Latin ones, in which
    letters beyond ASCII are few; no capitals behind small letters."""
    found = []
    for word in _WORD.findall(text):
        num_strange = sum(char > "\x7f" for char in word)
        is_one_script = num_strange == len(word) if own_script else num_strange <= 1 + len(word) // 2
        is_cased = not any(a.islower() and b.isupper() for a, b in zip(word, word[1:], strict=False))
        if num_strange and is_one_script and is_cased:
            found.append(word.lower())
    return found


def _apart(text: str) -> int:
    """How many signs (of currencies, degrees, quotes, dashes) stand where signs do: not between letters."""
    return sum(
        char > "\x7f"
        and (char in _MORE_SIGNS or unicodedata.category(char) in _SIGNS)
        and not (text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha())
        for place, char in enumerate(text)
    )

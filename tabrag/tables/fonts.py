"""Installed fonts: which one covers a text, how wide its words are, and their ink.

Fonts come from the usual folders of Linux, macOS and Windows. Where none is installed, Latin text uses the
font that Pillow carries. A character that no font covers is an error: no picture shows an empty box.
"""

from __future__ import annotations

import io
import os
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, features

from tabrag.errors import UserError
from tabrag.tables.cmap import covered_characters

# File stems, regular and bold, best first. The last resort of every family is Pillow's own font.
_FAMILIES: dict[str, tuple[tuple[str, str], ...]] = {
    "sans": (
        ("dejavusans", "dejavusans-bold"),
        ("liberationsans-regular", "liberationsans-bold"),
        ("notosans-regular", "notosans-bold"),
        ("arial", "arialbd"),
    ),
    "serif": (
        ("dejavuserif", "dejavuserif-bold"),
        ("liberationserif-regular", "liberationserif-bold"),
        ("notoserif-regular", "notoserif-bold"),
        ("times", "timesbd"),
    ),
    "mono": (
        ("dejavusansmono", "dejavusansmono-bold"),
        ("liberationmono-regular", "liberationmono-bold"),
        ("notosansmono-regular", "notosansmono-bold"),
        ("cour", "courbd"),
    ),
    "condensed": (
        ("dejavusanscondensed", "dejavusanscondensed-bold"),
        ("liberationsansnarrow-regular", "liberationsansnarrow-bold"),
        ("dejavusans", "dejavusans-bold"),
        ("arial", "arialbd"),
    ),
}
_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/Library/Fonts",
    "C:/Windows/Fonts",
)
_PACKAGES = dict.fromkeys(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"), "fonts-noto-cjk")
# Joiners and marks that choose a glyph but have none of their own.
_INVISIBLE = {*range(0xFE00, 0xFE10), 0x200C, 0x200D}
# Hebrew to Myanmar, Khmer, joiners, and the presentation forms of Hebrew and Arabic.
_SHAPED = (("\u0590", "\u109f"), ("\u1780", "\u17ff"), ("\u200c", "\u200d"), ("\ufb1d", "\ufefe"))
_MAX_CACHED_WORDS = 5_000
_FIGURES = frozenset("0123456789.,%$+-()")
"""Characters of numbers: few, without kerning, and in ever new words, which are set from their cached ink."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The ink of one word: a mask, its place next to the pen on the baseline, and how far the pen moves."""

    mask: Image.Image
    left: int
    top: int
    advance: int


class Face:
    """One font family at one size, with other fonts standing in for characters that it lacks."""

    def __init__(self, family: str, size: int, bold: bool) -> None:
        self.size = size
        self._bold = bold
        self._files = _family_files(family, bold)
        font = _load(self._files[0], size, False)
        self.ascent, descent = font.getmetrics()
        self.line_height = self.ascent + descent
        self.space = max(1, round(font.getlength(" ")))
        self._words: dict[tuple[str, bool], Glyphs] = {}

    def glyphs(self, word: str, *, right_to_left: bool = False) -> Glyphs:
        """The ink of a word without blanks.

        Args:
            word: The text in logical order.
            right_to_left: Direction of the text around it (turns brackets and places signs).

        Raises:
            UserError: No installed font covers the word, or Pillow cannot shape its script.
        """
        key = (word, right_to_left)
        found = self._words.get(key)
        if found is None:
            if len(self._words) >= _MAX_CACHED_WORDS:
                self._words.clear()
            found = self._words[key] = self._draw(word, right_to_left)
        return found

    def _draw(self, word: str, right_to_left: bool) -> Glyphs:
        if 1 < len(word) and not right_to_left and _FIGURES.issuperset(word):
            return _join([self.glyphs(char) for char in word])
        shaped = right_to_left or needs_shaping(word)
        if shaped and not features.check("raqm"):
            raise UserError(
                f"{word!r} needs text shaping, which this Pillow cannot do: install a Pillow with raqm "
                f"(libraqm0 and libfribidi0 on Debian)"
            )
        direction = ("rtl" if right_to_left else "ltr") if shaped else None
        runs = _runs(drawable(word), self._files, self._bold)
        if right_to_left:
            runs.reverse()
        inks = [_ink(text, _load(file, self.size, shaped), direction) for text, file in runs]
        return inks[0] if len(inks) == 1 else _join(inks)


@lru_cache(maxsize=128)
def get_face(family: str, size: int, *, bold: bool = False) -> Face:
    """The face of a family (``sans``, ``serif``, ``mono``, ``condensed``) at a size in pixels."""
    return Face(family, size, bold)


def needs_shaping(text: str) -> bool:
    """Whether letters change their form or order, so that drawing them one by one would be wrong."""
    if text.isascii():
        return False
    return any(
        char >= "\u0300"
        and (unicodedata.combining(char) or any(low <= char <= high for low, high in _SHAPED))
        for char in text
    )


def drawable(text: str) -> str:
    """The text without characters that have no ink, such as soft hyphens and direction marks."""
    if text.isascii():
        return text if text.isprintable() else "".join(char for char in text if char.isprintable())
    return "".join(
        char
        for char in unicodedata.normalize("NFC", text)
        if ord(char) in _INVISIBLE or unicodedata.category(char) not in ("Cc", "Cf")
    )


def missing_characters(text: str) -> str:
    """The characters of a text that no installed font covers, each once."""
    fonts = (*_family_files("sans", False), *_fallback_files(False))
    return "".join(
        dict.fromkeys(char for char in drawable(text) if not char.isspace() and not _covering(char, fonts))
    )


def _ink(text: str, font: ImageFont.FreeTypeFont, direction: str | None) -> Glyphs:
    left, top, right, bottom = font.getbbox(text, anchor="ls", direction=direction)
    mask = Image.new("L", (int(right - left), int(bottom - top)))
    ImageDraw.Draw(mask).text((-left, -top), text, fill=255, font=font, anchor="ls", direction=direction)
    return Glyphs(mask, int(left), int(top), round(font.getlength(text, direction=direction)))


def _join(inks: list[Glyphs]) -> Glyphs:
    """One mask for runs of several fonts, side by side on one baseline; an empty one for no runs."""
    pens = [0, *accumulate(ink.advance for ink in inks)]
    places = list(zip(inks, pens[:-1], strict=True))
    left = min((pen + ink.left for ink, pen in places), default=0)
    top = min((ink.top for ink in inks), default=0)
    right = max((pen + ink.left + ink.mask.width for ink, pen in places), default=0)
    bottom = max((ink.top + ink.mask.height for ink in inks), default=0)
    mask = Image.new("L", (right - left, bottom - top))
    for ink, pen in places:
        mask.paste(255, (pen + ink.left - left, ink.top - top), ink.mask)
    return Glyphs(mask, left, top, pens[-1])


def _runs(text: str, own: tuple[str, ...], bold: bool) -> list[tuple[str, str]]:
    """Cut a word into (text, font file); one run where one font covers the whole word."""
    if not text:
        return []
    file = _covering(text, own) or _covering(text, _fallback_files(bold))
    if file is not None:
        return [(text, file)]
    runs: list[tuple[str, str]] = []
    fonts = (*own, *_fallback_files(bold))
    for char in text:
        file = runs[-1][1] if runs and _covering(char, (runs[-1][1],)) else _covering(char, fonts)
        if file is None:
            raise _not_covered(text, char)
        if runs and runs[-1][1] == file:
            runs[-1] = (runs[-1][0] + char, file)
        else:
            runs.append((char, file))
    return runs


def _not_covered(text: str, char: str) -> UserError:
    script = unicodedata.name(char, "UNNAMED").split()[0].split("-")[0]
    package = _PACKAGES.get(script, "fonts-noto-core")
    return UserError(
        f"no installed font covers {char!r} (U+{ord(char):04X}, script {script}) in {text!r}: install one, "
        f"for example the package '{package}' on Debian or a Noto font from https://fonts.google.com/noto"
    )


def _covering(text: str, files: tuple[str, ...]) -> str | None:
    wanted = {ord(char) for char in text} - _INVISIBLE
    return next((file for file in files if wanted <= _coverage(file)), None)


@lru_cache(maxsize=256)
def _coverage(file: str) -> frozenset[int]:
    return covered_characters(_builtin_bytes() if file == "" else Path(file).read_bytes())


@lru_cache(maxsize=1)
def _builtin_bytes() -> bytes:
    font = ImageFont.load_default(12)
    assert isinstance(font, ImageFont.FreeTypeFont) and isinstance(font.path, io.BytesIO)
    return font.path.getvalue()


@lru_cache(maxsize=256)
def _load(file: str, size: int, shaped: bool) -> ImageFont.FreeTypeFont:
    engine = ImageFont.Layout.RAQM if shaped else ImageFont.Layout.BASIC
    source: str | io.BytesIO = file or io.BytesIO(_builtin_bytes())
    return ImageFont.truetype(source, size, layout_engine=engine)


@lru_cache(maxsize=1)
def installed_fonts() -> tuple[str, ...]:
    """Paths of the font files in the usual folders, sorted."""
    found: set[str] = set()
    for folder in _FOLDERS:
        for root, _, names in os.walk(os.path.expanduser(folder)):
            found.update(
                os.path.join(root, name) for name in names if name.lower().endswith((".ttf", ".otf", ".ttc"))
            )
    return tuple(sorted(found))


def _family_files(family: str, bold: bool) -> tuple[str, ...]:
    """The file of the family, or "" for Pillow's own font."""
    by_stem = {Path(file).stem.lower(): file for file in reversed(installed_fonts())}
    for regular, heavy in _FAMILIES[family]:
        file = by_stem.get(heavy if bold else regular) or by_stem.get(regular)
        if file is not None:
            return (file,)
    return ("",)


@lru_cache(maxsize=2)
def _fallback_files(bold: bool) -> tuple[str, ...]:
    """All fonts, upright ones of the wanted weight first, in an order that does not change."""

    def rank(file: str) -> tuple[bool, bool, bool, str]:
        stem = Path(file).stem.lower()
        slanted = "italic" in stem or "oblique" in stem
        return ("mono" in stem, slanted, ("bold" in stem) != bold, stem)

    return tuple(sorted(installed_fonts(), key=rank))

"""Levels of headings and labels of lists in Word documents."""

from __future__ import annotations

from tabrag.documents.office.word_styles import WordNumbering, WordStyles
from tabrag.documents.office.xml import parse_xml


def _level(place: int, form: str, text: str, start: int = 1) -> str:
    return f"<lvl ilvl='{place}'><start val='{start}'/><numFmt val='{form}'/><lvlText val='{text}'/></lvl>"


def _numbering(nums: str, *levels: str) -> WordNumbering:
    shape = f"<abstractNum abstractNumId='7'>{''.join(levels)}</abstractNum>"
    return WordNumbering(parse_xml(f"<numbering>{shape}{nums}</numbering>".encode()))


_NUM = "<num numId='1'><abstractNumId val='7'/></num>"


def test_levels_count_on_and_begin_anew() -> None:
    levels = (_level(0, "decimal", "%1"), _level(1, "decimal", "%1.%2"), _level(2, "lowerLetter", "(%3)"))
    numbering = _numbering(_NUM, *levels)
    places = [0, 1, 1, 2, 2, 0, 1, 2]
    labels = [numbering.label("1", place) for place in places]
    assert labels == ["1", "1.1", "1.2", "(a)", "(b)", "2", "2.1", "(a)"]


def test_forms() -> None:
    found = []
    for form in ("upperRoman", "lowerRoman", "upperLetter", "decimalZero", "bullet", "none"):
        numbering = _numbering(_NUM, _level(0, form, "%1.", 28))
        found.append(numbering.label("1", 0))
    assert found == ["XXVIII.", "xxviii.", "BB.", "28.", "", ""]


def test_lists_of_one_shape_go_on_unless_they_start_again() -> None:
    again = "<num numId='{}'><abstractNumId val='7'/>{}</num>"
    start = "<lvlOverride ilvl='0'><startOverride val='5'/></lvlOverride>"
    numbering = _numbering(_NUM + again.format(2, "") + again.format(3, start), _level(0, "decimal", "%1."))
    assert [numbering.label(number, 0) for number in "11231"] == ["1.", "2.", "3.", "5.", "4."]
    assert numbering.label("9", 0) == "" and WordNumbering(None).label("1", 0) == ""


def test_levels_of_headings() -> None:
    styles = WordStyles(
        parse_xml(
            b"<styles><style type='paragraph' styleId='berschrift1'><name val='heading 1'/></style>"
            b"<style type='paragraph' styleId='Own'><name val='Own'/><basedOn val='berschrift1'/></style>"
            b"<style type='paragraph' styleId='Toc'><name val='TOC Heading'/><basedOn val='berschrift1'/>"
            b"<pPr><outlineLvl val='9'/></pPr></style>"
            b"<style type='paragraph' styleId='Loop'><name val='Loop'/><basedOn val='Loop'/></style></styles>"
        )
    )

    def level(inner: str) -> int:
        return styles.heading_level(parse_xml(f"<p><pPr>{inner}</pPr></p>".encode()))

    names = ("berschrift1", "Own", "Toc", "Loop", "Unknown")
    assert [level(f"<pStyle val='{name}'/>") for name in names] == [1, 1, 0, 0, 0]
    assert level("<outlineLvl val='2'/>") == 3 and level("<pStyle val='Own'/><outlineLvl val='9'/>") == 0

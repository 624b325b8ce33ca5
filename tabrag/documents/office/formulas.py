"""Formulas of Office documents in one line: ``(a+b)/2``, ``x^2``, ``sqrt(y)``."""

from __future__ import annotations

from lxml.etree import _Element

from tabrag.documents.office.xml import find, local, value

_SKIPPED = frozenset(
    {"ctrlPr", "rPr", "fPr", "sSupPr", "sSubPr", "sSubSupPr", "radPr", "naryPr", "dPr", "oMathParaPr"}
)


def formula_text(element: _Element) -> str:
    """The formula below an element as one line of text."""
    name = local(element)
    if name in _SKIPPED:
        return ""
    if name == "t":
        return element.text or ""
    if name == "f":
        return f"{_part(element, 'num', group=True)}/{_part(element, 'den', group=True)}"
    if name == "rad":
        degree = _part(element, "deg")
        return f"{f'root({degree})' if degree else 'sqrt'}({_part(element, 'e')})"
    if name == "sSup":
        return f"{_part(element, 'e')}^{_part(element, 'sup', group=True)}"
    if name == "sSub":
        return f"{_part(element, 'e')}_{_part(element, 'sub', group=True)}"
    if name == "sSubSup":
        base = f"{_part(element, 'e')}_{_part(element, 'sub', group=True)}"
        return f"{base}^{_part(element, 'sup', group=True)}"
    if name == "nary":
        sign = value(find(element, "naryPr", "chr")) or "∫"
        limits = "".join(
            f"{mark}{_part(element, part, group=True)}"
            for mark, part in (("_", "sub"), ("^", "sup"))
            if _part(element, part)
        )
        return f"{sign}{limits} {_part(element, 'e')}"
    inner = "".join(map(formula_text, element))
    return f"({inner})" if name == "d" else inner


def _part(element: _Element, name: str, *, group: bool = False) -> str:
    part = find(element, name)
    text = "" if part is None else "".join(map(formula_text, part)).strip()
    return f"({text})" if group and len(text) > 1 and not text.isalnum() else text

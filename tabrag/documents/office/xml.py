"""Elements of Office XML by their local names: files mix versions of one schema with other namespaces."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from lxml.etree import _Element


def parse_xml(data: bytes) -> _Element:
    """Parse a part without entities, network or unbounded depth.

    Raises:
        ValueError: It is no XML.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"broken XML: {error}") from error


def local(element: _Element) -> str:
    """The name without its namespace; empty for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: _Element, name: str) -> Iterator[_Element]:
    """Its children of a name."""
    return (child for child in element if local(child) == name)


def find(element: _Element, *path: str) -> _Element | None:
    """The first descendant along a path of names."""
    for name in path:
        found = next(children(element, name), None)
        if found is None:
            return None
        element = found
    return element


def value(element: _Element | None, name: str = "val") -> str:
    """An attribute by its local name; empty where there is none."""
    if element is None:
        return ""
    for key, text in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(text)
    return ""


def is_on(element: _Element | None) -> bool:
    """Whether a switch is there and not set to off."""
    return element is not None and value(element).lower() not in ("0", "false", "off", "none")


def number(text: str, default: int = 0) -> int:
    """A whole number in an attribute, bounded to nine digits."""
    digits = text.strip().split(".")[0]
    return int(digits) if digits.lstrip("-").isdigit() and len(digits) < 10 else default


def preferred(alternatives: _Element) -> Iterator[_Element]:
    """What an ``AlternateContent`` shows: the newer form where there is one, else the fallback."""
    choice = find(alternatives, "Choice")
    shown = choice if choice is not None else find(alternatives, "Fallback")
    return iter(()) if shown is None else iter(shown)

"""Asking a chat model to say in sentences what a table, a header of it, or a picture lets a reader look up.

Of a table the input is the template's text (:mod:`tabrag.tables.verbalise`), headers without figures, as
MixRAG gives it to its model (Zhang et al., "Mixture-of-RAG", 2025, section 3.1). Of a picture it is the
picture and what its document says of it; the model names its kind first, and is then asked for what pictures
of that kind tell, as in MHier-RAG (Gong et al., arXiv 2508.00579). The wording is this project's.
"""

from __future__ import annotations

from tabrag.chat.protocol import Message, Picture, Text

DESCRIBE_VERSION = 1
"""Raised when the prompt of tables changes: stored descriptions name it."""
PICTURE_VERSION = 1
"""Raised when the prompts of pictures change."""

_ASKED = (
    "Say in one or two plain sentences what can be looked up there. Name every header with its parents."
    " No figures, no list, no introduction."
)


def describe_prompt(text: str) -> list[Message]:
    """Ask for a description of what a template's text lists."""
    return [Message("user", (Text("Part of a table, as title and headers:\n"), Text(f"{text}\n\n{_ASKED}")))]


_KINDS = {
    "Chart": "Say what is measured, in which unit and over which time, name every series and category with"
    " the values that can be read, and say what is largest, smallest, rises and falls.",
    "Table": "Name its rows and columns, and give its values.",
    "Diagram": "Name its parts, and say how they are connected and in which order.",
    "Map": "Say which places it shows and what it marks there, with the meaning of its colours and signs.",
    "Photo": "Say who or what is seen, where, and doing what, with all writing in it.",
    "Screenshot": "Say of which program or page it is, and what can be read and done there.",
    "Writing": "Give its text.",
    "Logo": "Say whose it is.",
}
PICTURE_KINDS = tuple(_KINDS)
"""What a picture may be; each begins with a token of its own."""


def kind_prompt(picture: str, text: str) -> list[Message]:
    """Ask for the kind of a picture; the reply is one of :data:`PICTURE_KINDS`."""
    return _picture(picture, text, f"What is it? Reply with one word: {', '.join(PICTURE_KINDS)}.")


def picture_prompt(picture: str, text: str, kind: str) -> list[Message]:
    """Ask for a description of a picture.

    Args:
        picture: Its path.
        text: What its document says of it; may be empty.
        kind: One of :data:`PICTURE_KINDS`.
    """
    return _picture(picture, text, f"Describe this {kind.lower()}. {_KINDS[kind]} No introduction.")


def _picture(picture: str, text: str, asked: str) -> list[Message]:
    said = f"Its document says of it:\n{text}\n\n" if text else ""
    return [Message("user", (Picture(picture), Text(f"{said}{asked}")))]

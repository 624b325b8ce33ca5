"""A publication with all that questions can be made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tabrag.data.synthetic_documents.events import Event, Family
from tabrag.data.synthetic_documents.story import Figure, Sheet, Story


@dataclass(kw_only=True)
class Material:
    """One publication.

    Attributes:
        id: Name of its file, which is the id of its document.
        story: What it says.
        sheets: Its tables by key.
        figures: Its charts by key.
        events: What its text tells.
        untold: Kinds of events that it does not tell.
        when: How questions name it: ", according to the 2019 annual report".
        split: ``train``, ``dev`` or ``test``.
    """

    id: str
    story: Story
    sheets: dict[str, Sheet]
    figures: dict[str, Figure]
    events: list[Event]
    untold: list[Family]
    when: tuple[str, ...]
    split: str = "train"

    @cached_property
    def prose(self) -> str:
        """All running text of the story."""
        return self.story.prose()

"""What the pictures of the best pages show about a question, told by an image-text model for the reader.

For every question (MHier-RAG, Gong et al., arXiv 2508.00579, section 3.3; its released code asks only where
the question says "figure" or "color"). A model that reads text alone can then answer from charts too.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

from tabrag.chat.endpoint import Refused
from tabrag.chat.open import open_chat, refuse_text_alone
from tabrag.chat.prompts_visual import LABEL, NOTHING, VISUAL_VERSION, visual_prompt
from tabrag.chat.protocol import ChatModel
from tabrag.documents.placeholders import unmarked
from tabrag.documents.whole import Item, WholeDocument
from tabrag.errors import UserError
from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_replies import final_answer
from tabrag.inference.config import VisualConfig
from tabrag.inference.show_items import own_pictures, page_pictures

_NOTHING = re.compile(
    rf"""(?:there\sis\s|it\sshows\s|they\sshow\s)?(?:{NOTHING}|none)
     (?:\s(?:(?:is\s|was\s)?(?:found|shown|relevant|there|visible|helpful|helps)|about|that\s\w+)\b[^.;:,]*)?
    |(?:the\s|these\s|none\sof\sthe\s)?(?:\w+\s)?(?:pictures?|pages?|images?)(?:\s\w+){{0,2}}
     \s(?:show|shows|contain|contains|say|says|tell|tells|help|helps)\s(?:{NOTHING}|no\s\w+)\b[^.]*
    |(?:no|not)\s(?:relevant|useful|helpful)\s?(?:\w+)?(?:\s(?:is|was)?\s?(?:found|shown|visible|there))?""",
    re.IGNORECASE | re.VERBOSE,
)


class VisualReader:
    """Looks at pictures; the model is loaded on first use and stays.

    Args:
        config: The settings.
        chat: An image-text model to use instead of the one that ``config`` names.

    Raises:
        UserError: A setting is not usable.
    """

    def __init__(self, config: VisualConfig, *, chat: ChatModel | None = None) -> None:
        for name in ("max_pages", "max_new_tokens"):
            if getattr(config, name) < 1:
                raise UserError(f"reader.visual.{name} is {getattr(config, name)}: it must be at least 1")
        self.config = config
        self._chat = chat
        self._is_checked = False

    def __call__(self, questions: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        """What the pictures show, one text a question, with a label before it; empty where that is nothing.

        Args:
            questions: Each question, without instructions how to answer, with the paths of pictures, the
                best pages first; pictures beyond ``max_pages`` are not looked at.

        Raises:
            UserError: The model reads no pictures, they are too many for it, or one does not open.
        """
        notes = [""] * len(questions)
        rows = [row for row, (_, pictures) in enumerate(questions) if pictures]
        if not rows:
            return notes
        self.open()
        prompts = [
            visual_prompt(question, list(dict.fromkeys(pictures))[: self.config.max_pages])
            for question, pictures in (questions[row] for row in rows)
        ]
        try:
            replies = self.chat.generate_batch(prompts, max_new_tokens=self.config.max_new_tokens)
        except Refused as error:
            raise UserError(
                f"reader.visual: {error}. Serve an image-text model (with vLLM, --limit-mm-per-prompt must"
                " allow as many pictures as reader.visual.max_pages)"
            ) from error
        for row, reply in zip(rows, replies, strict=True):
            notes[row] = _note(reply.text)
        return notes

    def open(self) -> None:
        """Load the model now.

        Raises:
            UserError: It reads no pictures.
        """
        if self._is_checked:
            return
        self.chat.num_tokens("")
        refuse_text_alone(self.chat, self.config.chat.model, setting="reader.visual.")
        self._is_checked = True

    def settings(self) -> dict[str, Any]:
        """What its texts depend on."""
        used = self.config.chat if self.config.server is None else self.config.server
        own = {
            name: value
            for name, value in dataclasses.asdict(self.config).items()
            if name not in ("chat", "server")
        }
        return {**own, "chat": used.identity(), "visual_version": VISUAL_VERSION}

    @property
    def chat(self) -> ChatModel:
        """The model."""
        if self._chat is None:
            self._chat = open_chat(self.config.chat, self.config.server)
        return self._chat


def pictures_of(items: Sequence[Item], picture_path: Callable[[str], str]) -> list[str]:
    """Paths of the pictures that belong to found parts, each once: those of their pages, best part first, and
    behind them the parts' own pictures (charts, photos; no decoration).

    A part's own pictures stand in its pages' place where these have none.

    Args:
        items: Chunks, pages and documents, the best first; tables alone and summaries have no pictures here.
        picture_path: A picture's path in the data set folder to its absolute path.
    """
    first: list[str] = []
    later: list[str] = []
    for item in items:
        if not isinstance(item, WholeDocument):
            continue
        pages, own = page_pictures(item), own_pictures(item)
        first += pages or own
        later += own if pages else []
    return [picture_path(image) for image in dict.fromkeys([*first, *later])]


def _note(reply: str) -> str:
    """A reply with its label; empty where it says that nothing is there."""
    text = " ".join(final_answer(reply).split())
    plain = text.strip(" .!*_\"'`")
    if not plain or _NOTHING.fullmatch(plain) or is_refusal(text):
        return ""
    return f"{LABEL} {unmarked(text)}"

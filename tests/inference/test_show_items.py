"""Candidates as a reranker sees them: parts of one document told apart, their pictures, nothing to show."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_chat import save, save_llava
from tiny_tables import sales

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Picture
from tabrag.documents.part import node_part, parse_part_id, take_part
from tabrag.documents.whole import WholeDocument
from tabrag.inference.chat_scorer import ChatPairScorer
from tabrag.inference.config import ContextConfig, RerankConfig
from tabrag.inference.rerank import Rerank
from tabrag.inference.score_pairs import PairScorer
from tabrag.inference.show_items import ItemShower, item_title, item_titles, part_pictures
from tabrag.models import tiny
from tabrag.models.config import CrossEncoderConfig
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.representations import RepresentationConfig
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Block, Candidate, Document, Page, Query


def whole(*, pictures: bool = True) -> WholeDocument:
    table = sales()
    document = Document(
        id="doc",
        title="Report",
        blocks=[
            Block(kind="heading", text="Results", level=1, page=1),
            Block(kind="text", text="Sales rose in spring. Costs fell in autumn.", page=1),
            Block(kind="table", table=table.id, page=2),
            Block(kind="text", text="Lemons sold well.", page=2),
            Block(kind="picture", image="images/chart.png", page=3),
            Block(kind="picture", image="images/logo.png", decoration=True, page=3),
        ],
        pages=[Page(number=n, image=f"pages/{n}.png" if pictures else None) for n in (1, 2, 3, 4)],
    )
    return WholeDocument(document, {table.id: table})


def part(name: str, *, pictures: bool = True) -> WholeDocument:
    found = parse_part_id(name)
    assert found is not None
    if found.node is not None:
        return node_part(whole(), found, "Sales and costs moved apart.")
    return take_part(whole(pictures=pictures), found)


def shower(show: str, paths: bool = True) -> ItemShower:
    return ItemShower(
        show,  # type: ignore[arg-type]
        ContextConfig(max_tokens=200),
        estimate_tokens,
        picture_path=(lambda path: f"/data/{path}") if paths else None,
    )


def test_titles_say_where_a_part_stands() -> None:
    names = ("doc#p1", "doc#u2-2", "doc#u3-5", "doc#u3-3", "doc#n5", "doc#p4")
    items = [part(name) for name in names]
    assert [item_title(item) for item in items] == [
        "Report, page 1",
        "Report, page 1, Results",
        "Report, pages 1 to 2, Results",
        "Report, page 1, Results",
        "Report, summary 5",
        "Report, page 4",
    ]
    told = item_titles([*items, whole(), whole(), sales()])
    assert told[1] == "Report, page 1, Results, part 1" and told[3] == "Report, page 1, Results, part 2"
    assert len(set(told[:6])) == 6 and told[6:8] == ["Report", "Report"] and told[8] == item_title(sales())


def test_texts_and_pictures_of_parts() -> None:
    chunk = part("doc#u2-2")
    assert shower("text")(chunk, "sales?").text == "Sales rose in spring."
    both, image = shower("both")(chunk, "sales?"), shower("image")(chunk, "sales?")
    assert both.body == image.body == (Picture("/data/pages/1.png"),)
    assert both.text == "Sales rose in spring." and image.text == ""
    assert part_pictures(part("doc#u3-5")) == ["pages/1.png", "pages/2.png"]
    assert part_pictures(part("doc#p3", pictures=False)) == ["images/chart.png"]
    assert part_pictures(whole()) == part_pictures(part("doc#n5")) == []
    # Nothing to see: the text stands for it, whatever is to be shown.
    assert shower("image", paths=False)(chunk, "sales?").text == "Sales rose in spring."
    assert shower("image")(part("doc#n5"), "sales?").text == "Sales and costs moved apart."
    assert shower("image")(whole(), "sales?").text


@pytest.mark.parametrize("name", ["doc#p3", "doc#p4"])
def test_pages_without_text(name: str) -> None:
    """A page with pictures alone, and an empty one."""
    shown = shower("text")(part(name), "sales?")
    assert (shown.text, shown.body) == ("", ()) and shown.title.startswith("Report, page")
    assert shower("image")(part(name), "sales?").body == (Picture(f"/data/pages/{name[-1]}.png"),)


NAMES = ("doc#p1", "doc#p2", "doc#p3", "doc#p4", "doc#u2-3", "doc#n5")
QUESTION = "Which costs fell?"


def test_a_chat_model_scores_parts(tmp_path: Path) -> None:
    chat = LocalChat(
        LocalChatConfig(
            model=str(save(tmp_path / "m", "llama", positions=2048)), device="cpu", dtype="float32"
        )
    )
    pairs = [(QUESTION, part(name)) for name in NAMES]
    scores = ChatPairScorer(chat)(pairs)
    assert len({round(score, 4) for score in scores}) == len(NAMES)
    run = {"q": [Candidate(item_id=name, score=1.0, stage="fused") for name in NAMES]}
    items = {name: part(name) for name in NAMES}
    queries = [Query(id="q", text=QUESTION)]
    for config in (
        RerankConfig(),
        RerankConfig(mode="listwise", num_best=3, context=ContextConfig(max_tokens=300)),
        RerankConfig(mode="graded"),
        RerankConfig(mode="graded", grade_by="generate", max_reasoning_tokens=4),
    ):
        found = Rerank(config, chat=chat)(queries, run, items)["q"]
        assert sorted(one.item_id for one in found) == sorted(NAMES)


def test_pictures_of_pages_are_seen(tmp_path: Path) -> None:
    from PIL import Image

    chat = LocalChat(
        LocalChatConfig(model=str(save_llava(tmp_path / "llava")), device="cpu", dtype="float32")
    )
    (tmp_path / "pages").mkdir()
    for number in (1, 2):
        Image.new("RGB", (28, 28), (number * 100, 0, 0)).save(tmp_path / f"pages/{number}.png")
    scorer = ChatPairScorer(chat, show="image", picture_path=lambda path: str(tmp_path / path))
    one = ChatPairScorer(chat, show="image", picture_path=lambda path: str(tmp_path / "pages/2.png"))
    (first,), (other,) = scorer([("Q?", part("doc#p1"))]), one([("Q?", part("doc#p1"))])
    assert abs(first - other) > 1e-4


def test_a_cross_encoder_scores_parts(tmp_path: Path) -> None:
    tiny.bert(tmp_path / "bert")
    config = CrossEncoderConfig(
        backbone=str(tmp_path / "bert"), representation=RepresentationConfig(name="document")
    )
    scorer = PairScorer(CrossEncoder.from_config(config))
    scores = scorer([(QUESTION, part(name)) for name in (*NAMES, "doc#u6-6")])
    assert len(scores) == len(NAMES) + 1

"""Trees grown from documents: leaves hold the whole text, layers shrink, children are of the layer below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.documents.clusters import ClusterConfig
from tabrag.documents.growing import GrowConfig, grow, leaves_of
from tabrag.documents.summaries import CentralSentences, Group
from tabrag.documents.tree import TreeNode
from tabrag.documents.units import units_of
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Block, Document, Table

pytest.importorskip("sklearn")


def _document() -> WholeDocument:
    cells = [["Region", "Sales 2021"], ["North", "4711"], ["South", "815"]]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    table = Table(id="D#t1", title="Sales by region", grid=grid)
    sentences = [f"Boat {number} sailed to the harbour of Lund." for number in range(30)]
    blocks = [
        Block(kind="heading", text="Boats", level=1),
        Block(kind="text", text=" ".join(sentences)),
        Block(kind="table", table="D#t1"),
        Block(kind="picture", image="logo.png", text="A logo", decoration=True),
        Block(kind="picture", image="map.png", text="A map of the harbour"),
        Block(kind="text", text="The end."),
    ]
    return WholeDocument(Document(id="D", title="Boats of Lund", blocks=blocks), {"D#t1": table})


def test_leaves_are_whole_sentences_and_descriptions() -> None:
    whole = _document()
    leaves = leaves_of(whole, size=60)
    assert len(leaves) > 5
    assert [leaf.number for leaf in leaves] == list(range(1, len(leaves) + 1))
    assert all(leaf.layer == 0 and not leaf.children for leaf in leaves)
    spans = [leaf.units for leaf in leaves if leaf.units is not None]
    assert [unit for first, last in spans for unit in range(first, last + 1)] == [
        unit.number for unit in units_of(whole.document)
    ]
    text = "\n".join(leaf.text for leaf in leaves)
    assert all(text.count(f"Boat {number} sailed to the harbour of Lund.") == 1 for number in range(30))
    assert "Sales by region" in text and "North" in text and "4711" not in text  # headers, no figures
    assert "A map of the harbour" in text and "A logo" not in text
    assert leaves[0].text.startswith("Boats\nBoat 0 sailed")
    plain = [leaf for leaf in leaves if "Boat" in leaf.text]
    assert max(estimate_tokens(leaf.text) for leaf in plain) <= 60 < sum(map(len, text.split()))


def test_what_says_nothing_is_no_leaf() -> None:
    empty = Document(id="E", blocks=[Block(kind="text", text=" "), Block(kind="picture", image="x.png")])
    assert leaves_of(WholeDocument(empty, {})) == []
    assert grow([], embed=lambda texts: np.zeros((0, 3)), summarise=lambda groups: []) == ()


class _Written:
    def of(self, text: str, picture: object = None) -> str | None:
        return "What a model wrote of the table." if text.startswith("Sales by region") else None


def test_descriptions_by_a_model_take_the_place_of_the_templates() -> None:
    texts = "\n".join(leaf.text for leaf in leaves_of(_document(), written=_Written()))
    assert "What a model wrote of the table." in texts and "North" not in texts


def _leaves(number: int) -> list[TreeNode]:
    topics = ("boats and harbours", "taxes and fees", "rain and snow", "cats and dogs")
    return [
        TreeNode(
            number=place,
            layer=0,
            text=f"Sentence {place} speaks of {topics[place % 4]}.",
            units=(place, place),
        )
        for place in range(1, number + 1)
    ]


def _embed(texts: Sequence[str]) -> np.ndarray:
    """Words and pairs of letters, by a hash that no process changes."""
    vectors = np.zeros((len(texts), 32))
    for row, text in enumerate(texts):
        for word in text.split():
            vectors[row, sum(map(ord, word)) % 32] += 1.0
    return vectors


@settings(max_examples=10, deadline=None)
@given(
    number=st.integers(0, 50),
    enough=st.integers(1, 11),
    max_layers=st.integers(0, 5),
    max_tokens=st.sampled_from([60, 200, 3500]),
    seed=st.integers(0, 99),
)
def test_the_shape_of_trees(number: int, enough: int, max_layers: int, max_tokens: int, seed: int) -> None:
    config = GrowConfig(
        enough=enough, max_layers=max_layers, clusters=ClusterConfig(max_tokens=max_tokens, dimensions=4)
    )
    leaves = _leaves(number)
    central = CentralSentences([leaf.text for leaf in leaves], max_tokens=40)
    nodes = grow(leaves, embed=_embed, summarise=central, config=config, seed=seed)
    assert [node.number for node in nodes] == list(range(1, len(nodes) + 1))
    assert list(nodes[:number]) == leaves
    layers = [[node for node in nodes if node.layer == layer] for layer in range(max_layers + 1)]
    assert sum(map(len, layers)) == len(nodes)
    for below, above in zip(layers, layers[1:], strict=False):
        if not above:
            continue
        assert len(above) < len(below) and len(below) > enough
        numbers = [node.number for node in below]
        assert {child for node in above for child in node.children} == set(numbers)
        assert all(node.children and node.text and node.units is None for node in above)
    assert grow(leaves, embed=_embed, summarise=central, config=config, seed=seed) == nodes


def test_a_layer_is_summarised_while_it_has_more_nodes_than_enough() -> None:
    leaves = _leaves(60)
    seen: list[int] = []

    def summarise(groups: Sequence[Group]) -> list[str]:
        seen.append(len(groups))
        return [f"Summary {place} of {len(group.texts)} texts." for place, group in enumerate(groups)]

    nodes = grow(leaves, embed=_embed, summarise=summarise, config=GrowConfig(enough=2))
    assert seen and len(nodes) == 60 + sum(seen) and max(node.layer for node in nodes) == len(seen)
    assert grow(leaves[:11], embed=_embed, summarise=summarise) == tuple(leaves[:11])
    assert grow(leaves, embed=_embed, summarise=summarise, config=GrowConfig(max_layers=0)) == tuple(leaves)


def test_groups_without_a_summary_have_no_node() -> None:
    leaves = _leaves(60)

    def summarise(groups: Sequence[Group]) -> list[str]:
        return ["", *("Something." for _ in groups[1:])]

    nodes = grow(leaves, embed=_embed, summarise=summarise, config=GrowConfig(max_layers=1))
    summaries = [node for node in nodes if node.layer]
    assert summaries and [node.number for node in nodes] == list(range(1, len(nodes) + 1))
    assert 1 not in {child for node in summaries for child in node.children}


def test_faults_are_told() -> None:
    with pytest.raises(UserError, match="leaf_tokens"):
        GrowConfig(leaf_tokens=0)
    with pytest.raises(UserError, match="NaN"):
        grow(_leaves(20), embed=lambda texts: np.full((len(texts), 3), np.nan), summarise=lambda groups: [])

"""Precision and recall of slides, worked out by hand; what is not sure counts as a report and as unsure."""

from __future__ import annotations

from pathlib import Path

import pytest
from entry_points import call, refuse
from tiny_tables import sales

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.prepare import prepare
from tabrag.errors import UserError
from tabrag.evaluation.layouts import layout_figures, read_layouts
from tabrag.types import Block, Document

TRUTH = {
    "a": "horizontal",
    "b": "horizontal",
    "c": "horizontal",
    "d": "vertical",
    "e": "vertical",
    "gone": "vertical",
}
FOUND = {"a": "horizontal", "b": "", "c": "vertical", "d": "horizontal", "e": "", "other": "vertical"}


def test_figures():
    figures, wrong = layout_figures(TRUTH, FOUND)
    assert figures == {
        **{"documents": 5, "absent": 1, "horizontal": 3, "found": 2, "right": 1, "missed": 2},
        **{"unsure": 2, "unsure_horizontal": 1, "precision": 0.5, "recall": 0.3333, "f1": 0.4},
    }
    assert [(one.document, one.truth, one.found) for one in wrong] == [
        ("b", "horizontal", ""),
        ("c", "horizontal", "vertical"),
        ("d", "vertical", "horizontal"),
    ]


def test_nothing_to_divide_by():
    figures, wrong = layout_figures({"a": "vertical"}, {"a": "vertical"})
    assert (figures["precision"], figures["recall"], figures["f1"], wrong) == (None, None, None, [])
    with pytest.raises(UserError, match="none of the documents"):
        layout_figures({"a": "vertical"}, {"b": "vertical"})


@pytest.mark.parametrize(
    "line", ['{"document": "a"}', '{"document": "a", "layout": ""}', '{"document": 1, "layout": "vertical"}']
)
def test_faults_of_the_list(tmp_path: Path, line: str):
    path = tmp_path / "truth.jsonl"
    path.write_text('{"document": "b", "layout": "vertical"}\n' + line + "\n")
    with pytest.raises(UserError, match="record 2"):
        read_layouts(path)


def test_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    documents = [
        Document(id=name, blocks=[Block(kind="text", text="Lemons.")], layout=layout)
        for name, layout in FOUND.items()
    ]
    prepare(Dataset(card=Card(name="x"), tables=[sales()], documents=documents), tmp_path / "d")
    truth = tmp_path / "truth.jsonl"
    truth.write_text(
        "".join(f'{{"document": "{name}", "layout": "{layout}"}}\n' for name, layout in TRUTH.items())
    )
    figures = call(
        "scripts/evaluate_layout.py", f"--data={tmp_path / 'd'}", f"--truth={truth}", capsys=capsys
    )
    assert figures["precision"] == 0.5 and figures["missed"] == 2
    missing = [f"--data={tmp_path / 'd'}", "--truth=none.jsonl"]
    assert "none.jsonl" in refuse("scripts/evaluate_layout.py", *missing, capsys=capsys)

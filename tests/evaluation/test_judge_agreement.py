from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from entry_points import ROOT

from tabrag.errors import UserError
from tabrag.evaluation.fastrageval import JudgedFact, Judgement, check_judgement, judgement_record, score
from tabrag.evaluation.judge_agreement import LabelledAnswer, agreement, read_labelled

FILE = ROOT / "scripts" / "labelled_answers.jsonl"


def row(one: LabelledAnswer, judgement: Judgement) -> dict[str, Any]:
    return {"query_id": one.id, "answer": one.prediction, "reply": "", **judgement_record(judgement)}


def test_the_shipped_set_is_whole_and_varied() -> None:
    labelled = read_labelled(FILE)
    assert len(labelled) >= 60 and len({one.kind for one in labelled}) > 12
    for one in labelled:
        check_judgement(one.gold, one.references, one.prediction)
        assert one.gold.ref_facts
    figures = [score(one.gold) for one in labelled]
    assert len({one.recall for one in figures}) > 5
    assert 0.4 < sum(float(one.recall) for one in figures) / len(figures) < 0.7
    assert len({(one.question, one.prediction) for one in labelled}) == len(labelled)
    assert max(Counter(one.kind for one in labelled).values()) < 10


def test_the_labels_themselves_agree_and_flipped_ones_do_not() -> None:
    labelled = read_labelled(FILE)
    same = agreement(labelled, {one.id: row(one, one.gold) for one in labelled})
    assert same["coverage"] == same["same_recall"] == same["same_pred_facts"] == 1
    assert same["recall"]["pearson"] == pytest.approx(1) and same["f1"]["mean_error"] == 0
    assert abs(same["token_f1"]["pearson"]) < 0.5  # words in common tell little here

    def flip(facts: tuple[JudgedFact, ...]) -> tuple[JudgedFact, ...]:
        return tuple(replace(fact, holds=not fact.holds) for fact in facts)

    flipped = {
        one.id: row(one, Judgement(flip(one.gold.ref_facts), flip(one.gold.pred_facts))) for one in labelled
    }
    found = agreement(labelled, flipped)
    assert found["recall"]["pearson"] == pytest.approx(-1) and found["recall"]["mean_error"] > 0.8
    assert found["same_ref_facts"] == 1 and found["ref_facts_off"] == 0


def test_what_was_not_read_counts_in_coverage_alone() -> None:
    labelled = read_labelled(FILE)[:4]
    extra = Judgement((*labelled[1].gold.ref_facts, JudgedFact("more", False)), labelled[1].gold.pred_facts)
    rows = {
        labelled[0].id: row(labelled[0], labelled[0].gold),
        labelled[1].id: row(labelled[1], extra),
        labelled[2].id: {"query_id": labelled[2].id, "error": "x"},
    }
    found = agreement(labelled, rows)
    assert (found["items"], found["read"], found["coverage"]) == (4, 2, 0.5)
    assert found["same_recall"] == found["same_ref_facts"] == found["ref_facts_off"] == 0.5
    assert found["recall"]["mean_error"] == 0.25 and found["recall"]["pearson"] is None  # all gold are 1
    assert found["by_kind"]["exact"] == {
        "items": 4, "read": 2, "recall_error": 0.25, "f1_error": pytest.approx(1 / 6)
    }  # fmt: skip
    json.dumps(agreement(labelled, {}), allow_nan=False)


def test_broken_files_are_told(tmp_path: Path) -> None:
    good = json.loads(FILE.read_text(encoding="utf-8").splitlines()[0])
    for bad in (
        [{**good, "references": []}],
        [{**good, "references": "a text"}],
        [{**good, "ref_facts": [{"fact": "a", "covered": 1}]}],
        [{key: value for key, value in good.items() if key != "kind"}],
        [good, good],
    ):
        path = tmp_path / "bad.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in bad))
        with pytest.raises(UserError, match=f"record {len(bad)}"):
            read_labelled(path)

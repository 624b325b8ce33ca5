"""Parts and tables of documents judged by their documents."""

from __future__ import annotations

from tabrag.evaluation.by_document import has_parts_alone, qrels_by_document, run_by_document
from tabrag.evaluation.ranking import evaluate
from tabrag.types import Candidate


def candidate(item_id: str, score: float) -> Candidate:
    return Candidate(item_id=item_id, score=score, stage="bm25")


RUN = {
    "q": [candidate("a.pdf#u1-4", 3.0), candidate("b.pdf#p2", 2.0), candidate("a.pdf#t1", 1.5)],
    "r": [candidate("alone", 0.5), candidate("b.pdf#n3", 0.4), candidate("c#p1", 0.9)],
    "none": [],
}


def test_each_document_stands_at_its_best_place():
    found = run_by_document(RUN)
    assert [(one.item_id, one.score) for one in found["q"]] == [("a.pdf", 3.0), ("b.pdf", 2.0)]
    assert [one.item_id for one in found["r"]] == ["c", "alone", "b.pdf"]
    assert found["none"] == [] and {one.stage for one in found["q"]} == {"bm25"}


def test_a_document_has_the_highest_grade_of_its_parts():
    assert qrels_by_document({"q": {"b.pdf#t1": 0, "b.pdf": 1, "b.pdf#p9": 2, "a.pdf": 0}}) == {
        "q": {"b.pdf": 2, "a.pdf": 0}
    }


def test_a_run_of_parts_under_judgements_of_documents_is_noticed():
    assert has_parts_alone(RUN, {"q": {"b.pdf": 1}})
    assert not has_parts_alone(RUN, {"q": {"b.pdf": 1, "b.pdf#p2": 1}})
    assert not has_parts_alone(RUN, {"q": {"other.pdf": 1}})


def test_ranks_count_documents():
    qrels = {"q": {"b.pdf": 1}}
    crowded = {"q": [candidate(f"a.pdf#u{n}-{n}", 9.0 - n) for n in range(1, 6)] + [candidate("b.pdf#p1", 1)]}
    assert evaluate(crowded, qrels, ks=[2])["Hit@2"] == 0
    figures = evaluate(run_by_document(crowded), qrels_by_document(qrels), ks=[2])
    assert (figures["Hit@2"], figures["MRR"]) == (1, 0.5)

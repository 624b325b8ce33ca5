from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexes import entry, queries, retriever

from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.index.filtering import Filter, facts_of
from tabrag.index.folder import Index
from tabrag.index.manifest import KINDS
from tabrag.types import Block, Document, Source, Table


@pytest.mark.parametrize(
    ("conditions", "known", "passes"),
    [
        ({"file": "a.pdf"}, {"file": "a.pdf"}, True),
        ({"file": "a.pdf"}, {"file": "A.pdf"}, False),
        ({"file": "reports/*"}, {"file": "reports/2023/a.pdf"}, True),
        ({"file": "reports/*"}, {"file": "slides/a.pdf"}, False),
        ({"file": "scan [final].pdf"}, {"file": "scan [final].pdf"}, True),
        ({"year": 2023}, {"year": "2023"}, True),
        ({"year": 2023}, {"year": "2023.0"}, True),
        ({"year": "2023"}, {"year": "2024"}, False),
        ({"year": ">=2020 <2023"}, {"year": "2020"}, True),
        ({"year": ">=2020 <2023"}, {"year": "2023"}, False),
        ({"year": "> -1.5"}, {"year": "-1"}, True),
        ({"year": ">=2020"}, {"year": "unknown"}, False),
        ({"year": [2019, ">2021"]}, {"year": "2022"}, True),
        ({"year": [2019, ">2021"]}, {"year": "2020"}, False),
        ({"audited": True}, {"audited": "true"}, True),
        ({"file": "*", "year": 2023}, {"file": "a"}, False),
        ({"file": "*", "year": 2023}, {"file": "a", "year": "2023"}, True),
    ],
)
def test_all_conditions_must_hold_and_one_value_of_a_list(
    conditions: dict, known: dict[str, str], passes: bool
) -> None:
    assert Filter(conditions)(known) is passes


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({}, "an empty filter"),
        ({"file": ""}, "'file': an empty text"),
        ({"file": []}, "'file': an empty list"),
        ({"year": ">=new"}, "'year': cannot read the bound '>=new'"),
        ({"year": ">=2020 or more"}, "cannot read the bound"),
        ({"year": 10**400}, "'year': the number is too large"),
        ({"year": {"from": 1}}, "is no text, number or list"),
    ],
)
def test_a_condition_that_cannot_be_read_is_an_error(conditions: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Filter(conditions)


def test_what_is_known_of_tables_documents_and_pages() -> None:
    source = Source(file="a/report.pdf", page=7, sheet="")
    metadata = {"year": "2023", "file": "elsewhere", "notes": "x" * 1000}
    table = Table(id="report#t1", title="Revenue", source=source, metadata=metadata)
    known = {"title": "Revenue", "file": "a/report.pdf", "page": "7", "year": "2023"}
    assert facts_of(table, [table.id, table.id]) == [known, known]
    runs_on = replace(table, metadata={"pages": "7-9"})
    assert facts_of(runs_on, [table.id])[0]["page"] == "7-9"
    blocks = [
        Block(kind="heading", text="Costs", page=6),
        Block(kind="text", text="They rose. We paid.", page=6),
        Block(kind="table", table="report#t1", page=7),
        Block(kind="text", text="No page.", page=None),
    ]
    document = Document(id="report", source=Source(file="a/report.pdf"), blocks=blocks)
    whole = WholeDocument(document, {"report#t1": runs_on})
    parts = ("report", "report#p12", "report#n3", "report#u1-3", "report#u3-4", "report#u5-5")
    found = facts_of(whole, parts)
    pages = [facts.pop("page", None) for facts in found]
    assert pages == [None, "12", None, "6", "6-9", None] and found == [{"file": "a/report.pdf"}] * len(parts)


@pytest.mark.parametrize(
    ("page", "passes"),
    [
        *[(8, True), ("8", True), ("<=7", True), (">9", False), ([2, 9], True)],
        *[("7-9", True), ("8-8", True), ("1-7", True), ("9 - 20", True), ("20-9", True), ([1, "3-8"], True)],
        *[("1-6", False), ("10-12", False), ([1, "3-6"], False)],
    ],
)
def test_one_of_several_pages_is_enough(page: object, passes: bool) -> None:
    assert Filter({"page": page})({"page": "7-9"}) is passes
    assert Filter({"pages": "7-9"})({"pages": "7-9"}) and not Filter({"pages": "7-9"})({"pages": "8"})


def test_a_span_of_pages_finds_what_stands_on_one_of_them() -> None:
    known = {str(page) for page in range(1, 13) if Filter({"page": "7-9"})({"page": str(page)})}
    assert known == {"7", "8", "9"}
    assert Filter({"page": "7-9", "file": "a*"})({"page": "5-7", "file": "a.pdf"})
    assert not Filter({"page": "7-9"})({"page": "vii"})


def _index(path: Path, kind: str) -> Index:
    """Thirty items of three files and ten years; every tenth item has a second entry."""
    made = []
    for number in range(30):
        known = {"file": f"{'abc'[number % 3]}.pdf", "year": str(2010 + number % 10)}
        one = replace(entry(number), metadata=known)
        made.append(one)
        if number % 10 == 0:
            made.append(replace(one, id=f"{one.id}#w2", text=f"further {one.text}"))
    return Index.build(path, made, kind=kind, retriever=None if kind == "bm25" else retriever())


@pytest.mark.parametrize("kind", KINDS)
def test_a_narrowed_search_is_the_whole_ranking_without_the_others(kind: str, tmp_path: Path) -> None:
    _index(tmp_path / "index", kind)
    whole = Index.open(tmp_path / "index")
    reference = whole
    if kind.startswith("faiss"):
        reference = _index(tmp_path / "exact", "exact")
    model = None if kind == "bm25" else retriever()
    asked = queries(3, 10, 17, 29)
    narrow = whole.narrowed(Filter({"file": ["a.pdf", "b.pdf"], "year": ">=2015"}))
    passing = {f"t{n:03d}" for n in range(30) if n % 3 < 2 and n % 10 >= 5}
    assert len(narrow) == len(passing) == 10 and set(narrow.item_ids) == passing
    everything = reference.search(asked, 30, model)
    found = narrow.search(asked, 4, model)
    for query in asked:
        expected = [one for one in everything[query.id] if one.item_id in passing][:4]
        assert expected or query.id != "q17"
        assert [one.item_id for one in found[query.id]] == [one.item_id for one in expected]
        assert [one.score for one in found[query.id]] == pytest.approx(
            [one.score for one in expected], abs=1e-6
        )
    assert len(whole) == 30 and len(whole.search(asked, 30, model)["q3"]) == len(everything["q3"])


def test_a_name_that_no_item_has_and_a_filter_that_lets_nothing_pass_are_errors(tmp_path: Path) -> None:
    index = _index(tmp_path / "index", "bm25")
    with pytest.raises(UserError, match="no item has 'yaer' to filter by; known of them: file, year"):
        index.narrowed(Filter({"yaer": 2015}))
    with pytest.raises(UserError, match="no item passes the filter on year, file"):
        index.narrowed(Filter({"year": 1999, "file": "*"}))


def test_what_is_known_follows_a_sync_without_encoding_again(tmp_path: Path) -> None:
    index = _index(tmp_path / "index", "exact")
    changed = [replace(entry(number), metadata={"year": "1999"}) for number in range(30)]
    counts = index.sync(changed, retriever=retriever())
    assert counts["encoded"] == 0
    assert len(Index.open(tmp_path / "index").narrowed(Filter({"year": 1999}))) == 30


def test_a_narrowed_index_is_not_changed(tmp_path: Path) -> None:
    narrow = _index(tmp_path / "index", "bm25").narrowed(Filter({"file": "a.pdf"}))
    with pytest.raises(ValueError, match="use the one it came from"):
        narrow.update([entry(99)])
    with pytest.raises(ValueError, match="use the one it came from"):
        narrow.narrowed(Filter({"year": 2015}))
    assert len(Index.open(tmp_path / "index")) == 30


@given(st.lists(st.sampled_from(["2019", "2020", "2021.5", "x", ""]), min_size=1), st.integers(2018, 2022))
def test_bounds_split_numbers_and_drop_all_else(values: list[str], bound: int) -> None:
    low, high = Filter({"v": f"<{bound}"}), Filter({"v": f">={bound}"})
    for value in values:
        is_number = value not in ("x", "")
        assert low({"v": value}) + high({"v": value}) == int(is_number)

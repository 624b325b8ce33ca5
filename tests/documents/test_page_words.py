from __future__ import annotations

from small_report import TABLE, report, table

from tabrag.documents.page_words import page_words
from tabrag.types import Block, Document


def test_words_of_a_page_have_the_boxes_of_their_blocks():
    words = page_words(report(), {TABLE: table(1)}, 1)
    assert [word.text for word in words[:4]] == ["Trade", "Fruit", "sold", "well."]
    assert [word.text for word in words[-7:]] == ["fruit", "2019", "2020", "lemon", "0", "10", "20"]
    assert {word.box for word in words[:7]} == {(0, 0, 1000, 400)}
    assert {word.box for word in words[7:]} == {(0, 500, 1000, 1000)}
    assert "Prices" not in [word.text for word in page_words(report(), {}, 2)], "it has no box"
    assert (
        page_words(report(), {}, 3) == page_words(Document(id="d", blocks=[Block(kind="text")]), {}, 1) == []
    )

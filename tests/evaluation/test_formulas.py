"""Shares of right gold formulas: small made-up folders, then the published ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_tables import write_gz

from tabrag.errors import UserError
from tabrag.evaluation.formulas import evaluate_folder


def test_finqa(tmp_path: Path) -> None:
    write_gz(tmp_path, "tables", [{"id": "t", "cells": [["a", "1"]], "cells_finqa": [["sales", "1", "2"]]}])
    write_gz(
        tmp_path,
        "bench",
        [
            {
                "id": "1",
                "table_id": "t",
                "program": "table_sum(sales, none)",
                "exe_answer": 3.0,
                "answers": [],
            },
            {"id": "2", "table_id": "t", "program": "add(1, 2)", "exe_answer": 4.0, "answers": []},
            {"id": "3", "table_id": "t", "program": "add(1, a)", "exe_answer": 4.0, "answers": []},
        ],
    )
    figures = evaluate_folder(tmp_path)
    assert (figures["formulas"], figures["right"], figures["share"]) == (3, 1, 0.3333)
    assert [(row["id"], row["reason"][:14]) for row in figures["wrong"]] == [
        ("2", "its value is 3"),
        ("3", "the word 'a' i"),
    ]


def test_tatqa(tmp_path: Path) -> None:
    def question(written: str, answer: str, scale: str = "", kind: str = "arithmetic") -> dict[str, object]:
        fields = {"derivation": written, "answers": [answer], "scale": scale, "answer_type": kind}
        return {"id": written, **fields}

    rows = [
        question("(1,496.5-1,202.9)/1,202.9", "24.41", "percent"),
        question("3.8% - 4.0%", "-0.2", "percent"),
        question("(21.2+19.9+17.2)/3", "19.43", "percent"),
        question("60.3 million + 32,137 thousand", "92437", "thousand"),
        question("$37,390 - 543", "36847", "thousand"),
        question("5 - 3", "1"),
        question("2019##2018", "2", kind="count"),
        question("", "x", kind="span"),
    ]
    write_gz(tmp_path, "dev", rows)
    figures = evaluate_folder(tmp_path)
    assert (figures["formulas"], figures["right"], figures["no_arithmetic"]) == (6, 5, {"count": 1})
    assert figures["wrong"][0]["id"] == "5 - 3"


def test_other_folders_are_refused(tmp_path: Path) -> None:
    write_gz(tmp_path, "dev", [{"id": "1", "answers": ["1"]}])
    with pytest.raises(UserError, match="neither a program"):
        evaluate_folder(tmp_path)
    with pytest.raises(UserError, match="needs this file"):
        evaluate_folder(tmp_path, split="bench")


def test_the_published_formulas(data_root: Path) -> None:
    finqa = evaluate_folder(data_root / "finqa")
    assert finqa["formulas"] == 451 and finqa["share"] >= 0.995, finqa["wrong"]
    tatqa = evaluate_folder(data_root / "tatqa")
    assert tatqa["formulas"] == 718 and tatqa["share"] >= 0.99, tatqa["wrong"]

"""Pictures of Docling's documents: what is told of them, and where their files may lie."""

from __future__ import annotations

from pathlib import Path

from docling_files import FRUIT, DoclingFile, at, read, rows_of, uri
from parse_files import parsed, png, said

from tabrag.documents.docling.parse import parse_docling


def test_pictures_with_descriptions_captions_labels_and_numbers(tmp_path: Path) -> None:
    file = DoclingFile()
    caption = file.text("caption", "Figure 1: Harvest", parent="")
    chart = {
        "table_cells": rows_of([["", "tons"], ["lemon", "5"], ["plum", "7"]]),
        "num_rows": 3,
        "num_cols": 2,
    }
    picture = file.add(
        "pictures",
        label="picture",
        captions=[{"$ref": caption}],
        image={"mimetype": "image/png", "dpi": 72, "size": {"width": 40, "height": 40}, "uri": uri()},
        annotations=[
            {"kind": "classification", "predicted_classes": []},
            {"kind": "description", "text": "Bars of fruit", "provenance": "model"},
            {"kind": "tabular_chart_data", "title": "Harvest", "chart_data": chart},
        ],
        prov=at(1, 60, 80, 300, 160),
    )
    file.text("text", "tons", parent=picture)
    file.add(
        "pictures",
        label="picture",
        meta={"description": {"text": "A field"}, "tabular_chart": {"title": "Prices", "chart_data": chart}},
    )
    found = read(file, tmp_path)
    assert said(found) == [
        ("picture", "Bars of fruit tons"),
        ("caption", "Figure 1: Harvest"),
        ("table", "doc#t1"),
        ("picture", "A field"),
        ("table", "doc#t2"),
    ]
    block = found.document.blocks[0]
    assert block.image is not None and (tmp_path / "out" / block.image).is_file()
    assert block.box == (100, 100, 500, 200)
    assert [(table.title, table.metadata["kind"]) for table in found.tables] == [
        ("Harvest", "chart"),
        ("Prices", "chart"),
    ]


def test_pictures_of_pages_and_tables_where_they_are_wanted(tmp_path: Path) -> None:
    file = DoclingFile()
    file.data["pages"]["1"]["image"] = {"mimetype": "image/png", "dpi": 72, "uri": uri(colour="white")}
    file.table(rows_of(FRUIT), (3, 2), image={"mimetype": "image/png", "uri": uri(colour="blue")})
    found = read(file, tmp_path)
    assert found.document.pages[0].image == "pages/doc/1.png"
    assert found.tables[0].image is not None and (tmp_path / "out" / found.tables[0].image).is_file()
    assert read(file, tmp_path, page_images=False).document.pages[0].image is None


def test_pictures_beside_the_file_are_taken_and_nothing_else_is_followed(tmp_path: Path) -> None:
    (tmp_path / "in" / "report_artifacts").mkdir(parents=True)
    (tmp_path / "in" / "report_artifacts" / "image_0.png").write_bytes(png())
    (tmp_path / "secret.png").write_bytes(png(colour="blue"))
    file = DoclingFile()
    for address in (
        "report_artifacts/image_0.png",
        "../secret.png",
        str(tmp_path / "secret.png"),
        f"file://{tmp_path}/secret.png",
        "http://127.0.0.1:9/secret.png",
        "data:image/png;base64,AAAA",
        "data:text/html,<p>x",
    ):
        file.add("pictures", label="picture", image={"uri": address})
    found = parsed(parse_docling, file.write(tmp_path / "in" / "report.json"), out=tmp_path / "out")
    assert len(list((tmp_path / "out").rglob("*.png"))) == 1
    assert len(found.document.blocks) == 1 and found.partial
    assert any("on other machines: not fetched" in note for note in found.notes)

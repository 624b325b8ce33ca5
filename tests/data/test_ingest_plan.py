"""What makes an ingestion read a file anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tabrag.data.ingest_plan import options_key
from tabrag.documents.parsed import ParseOptions


def test_another_program_or_other_models_read_anew(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).touch(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path / "first")
    docling = ParseOptions(converter="docling", docling=str(tmp_path / "first"))
    others = (
        replace(docling, docling=str(tmp_path / "second")),
        replace(docling, docling_models=str(tmp_path)),
        replace(docling, converter="own"),
        replace(docling, ocr="rapidocr"),
    )
    assert len({options_key(options, None) for options in (docling, *others)}) == 1 + len(others)
    assert options_key(replace(docling, docling=str(tmp_path / "link")), None) == options_key(docling, None)
    own = ParseOptions()
    assert options_key(replace(own, docling="elsewhere", timeout=1.0), None) == options_key(own, None)

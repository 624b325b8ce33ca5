"""Kinds of file: content goes before the ending."""

from __future__ import annotations

import pytest

from tabrag.documents.file_kind import file_kind


@pytest.mark.parametrize(
    ("head", "suffix", "kind"),
    [
        (b"a,b", ".CSV", "csv"),
        (b"<p>a,b", ".csv", "csv"),
        (b"\xef\xbb\xbf \n<HTML>", "", "html"),
        ("<table>".encode("utf-16"), ".txt", "html"),
        (b"a\tb", ".txt", "csv"),
        (b"RIFF1234WEBP", "", "image"),
        (b"\xff\xd8\xff\xe0", ".png", "image"),
        (b"%PDF-1.7", ".csv", "pdf"),
        (b"anything", "", None),
        (b"", ".html", "html"),
    ],
)
def test_kinds(head: bytes, suffix: str, kind: str | None) -> None:
    assert file_kind(head, suffix) == kind

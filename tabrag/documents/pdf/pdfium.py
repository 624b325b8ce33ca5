"""PDFium: opens files, draws pages, and reads the glyphs of pages that nothing else can read."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag.errors import UserError, missing_extra

if TYPE_CHECKING:
    from PIL import Image

MAX_PICTURE = 150_000_000
"""Pixels of an embedded picture: a larger one (A0 at 300 dpi has 140 million) is never decoded."""
_MAX_DRAWN = 24_000_000  # pixels of a page's picture; a larger page is drawn more coarsely
_HIDDEN = 3  # text render mode of text that is not drawn: what OCR puts under a scan
_LINE_END_HYPHEN = "\x02"  # what PDFium makes of a hyphen at the end of a line
_FONT_NAME = 128  # bytes of a font's name that are looked at
_EDGE = 2048  # bytes at the ends of a file in which its marks must stand


class PdfiumFile:
    """A PDF that PDFium has opened. Pages are counted from 0.

    Args:
        path: The file.
        password: Opens an encrypted one.

    Raises:
        UserError: Empty, no PDF, damaged, or encrypted with another password.
    """

    def __init__(self, path: Path, password: str = "") -> None:
        try:
            import pypdfium2
        except ImportError:
            raise missing_extra("pypdfium2", "pdf") from None
        _check_file(path)
        self.path = path
        try:
            self._pdf = pypdfium2.PdfDocument(str(path), password=password or None)
        except pypdfium2.PdfiumError as fault:
            raise _open_fault(path, password, fault) from None
        if len(self._pdf) == 0:
            self._pdf.close()
            raise UserError(f"{path}: the PDF has no pages; make it again with the program that wrote it")

    def __len__(self) -> int:
        return len(self._pdf)

    def __enter__(self) -> PdfiumFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._pdf.close()

    @contextmanager
    def _page(self, index: int) -> Iterator[Any]:
        page = self._pdf[index]
        try:
            yield page
        finally:
            page.close()

    def save_mended(self, target: Path) -> bool:
        """Copy the pages into a new file, whose page tree is right; says whether it could be done."""
        import pypdfium2

        new = pypdfium2.PdfDocument.new()
        try:
            new.import_pages(self._pdf)
            new.save(str(target))
        except pypdfium2.PdfiumError:
            return False
        finally:
            new.close()
        return True

    def title(self) -> str:
        """The title that the file says it has."""
        return self._pdf.get_metadata_value("Title").strip()

    def size(self, index: int) -> tuple[float, float]:
        """Width and height of a page as it is shown, in points."""
        return self._pdf.get_page_size(index)

    def rotation(self, index: int) -> int:
        """Degrees by which a page is turned clockwise when it is shown."""
        with self._page(index) as page:
            return page.get_rotation()

    def has_huge_picture(self, index: int) -> bool:
        """Whether a page shows a picture that must not be decoded."""
        from pypdfium2 import raw

        with self._page(index) as page:
            sizes = [image.get_px_size() for image in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])]
        return any(width * height > MAX_PICTURE for width, height in sizes)

    def hides_text(self, index: int) -> bool:
        """Whether most of a page's text is not drawn, as text from OCR under a scan is not."""
        from pypdfium2 import PdfiumError, raw

        try:
            with self._page(index) as page:
                modes = [
                    raw.FPDFTextObj_GetTextRenderMode(text)
                    for text in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT])
                ]
        except PdfiumError:  # a page that only pdfplumber can read
            return False
        return 2 * modes.count(_HIDDEN) > len(modes)

    def draw(self, index: int, dpi: float, turn: int = 0) -> Image.Image:
        """The picture of a page.

        Args:
            index: Of the page.
            dpi: Pixels an inch; fewer where the page is so large that its picture would be huge.
            turn: Degrees by which it is turned clockwise beyond what the file says.
        """
        with self._page(index) as page:
            width, height = page.get_size()
            scale = dpi / 72
            if (pixels := width * height * scale * scale) > _MAX_DRAWN:
                scale *= math.sqrt(_MAX_DRAWN / pixels)
            bitmap = page.render(scale=scale, rotation=turn)
            try:
                return bitmap.to_pil().convert("RGB")
            finally:
                bitmap.close()

    def chars(self, index: int) -> list[dict[str, Any]]:
        """Glyphs of a page in pdfplumber's form, on the page before it is turned as the file says."""
        from pypdfium2 import raw

        with self._page(index) as page:
            text = page.get_textpage()
            left, _, _, top = page.get_cropbox()
            try:
                found = []
                name = ctypes.create_string_buffer(_FONT_NAME)
                for at in range(text.count_chars()):
                    char = chr(raw.FPDFText_GetUnicode(text, at)).replace(_LINE_END_HYPHEN, "-")
                    if char in "\r\n\0\ufffe":
                        continue
                    x0, y0, x1, y1 = text.get_charbox(at, loose=True)
                    x, y = ctypes.c_double(), ctypes.c_double()
                    raw.FPDFText_GetCharOrigin(text, at, x, y)
                    name.value = b""
                    raw.FPDFText_GetFontInfo(text, at, name, _FONT_NAME, None)
                    angle = raw.FPDFText_GetCharAngle(text, at)
                    a, b = (value if abs(value) > 1e-3 else 0 for value in (math.cos(angle), math.sin(angle)))
                    found.append(
                        {
                            "text": char,
                            "x0": x0 - left,
                            "x1": x1 - left,
                            "top": top - y1,
                            "bottom": top - y0,
                            "y1": y1,
                            "matrix": (a, b, -b, a, x.value - left, y.value),
                            "fontname": name.value.decode("utf-8", "replace"),
                        }
                    )
                return found
            finally:
                text.close()


def _check_file(path: Path) -> None:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_EDGE)
    except OSError as fault:
        raise UserError(f"{path}: cannot be read: {fault.strerror}") from None
    if size == 0:
        raise UserError(f"{path}: the file is empty (0 bytes); copy or download it again")
    if b"%PDF" not in head:
        raise UserError(f"{path}: this is not a PDF: the mark %PDF is missing at its beginning")


def _open_fault(path: Path, password: str, fault: Exception) -> UserError:
    from pypdfium2 import raw

    code = getattr(fault, "err_code", None)
    if code == raw.FPDF_ERR_PASSWORD:
        if password:
            return UserError(f"{path}: the PDF is encrypted, and the password given does not open it")
        return UserError(f"{path}: the PDF is encrypted and needs a password; give one with  --password")
    if code == raw.FPDF_ERR_SECURITY:
        return UserError(f"{path}: the PDF is encrypted in a way that is not supported; save it without")
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _EDGE, 0))
        ends = b"%%EOF" in file.read()
    if ends:
        return UserError(f"{path}: this is not a valid PDF: it has no pages that can be read")
    return UserError(f"{path}: the PDF is damaged or cut off: its end is missing; copy or download it again")

"""Pictures from files: the only place of the project that opens them.

Whatever a file holds (orientation tag, transparency, palette, grey, CMYK, 16 bits, several frames), the
caller gets one upright RGB picture of 8 bits on white, or a `UserError` that names the file and its fault.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageFile, UnidentifiedImageError

from tabrag.errors import UserError

MAX_PIXELS = 100_000_000
"""Width times height above which a picture is refused: 300 MB of memory once decoded."""

# Formats that Pillow decodes itself. EPS is left out: Pillow hands it to another program.
_FORMATS = "PNG JPEG TIFF GIF BMP DIB WEBP AVIF JPEG2000 PPM ICO PCX TGA".split()
_DECODE_ERRORS = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, struct.error)
_EXIF_ERRORS = (*_DECODE_ERRORS, AttributeError, OverflowError, UnicodeError)
_ORIENTATION_TAG = 0x0112
_TRANSPOSE = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def open_image(path: str | Path, *, max_pixels: int = MAX_PIXELS, frame: int = 0) -> Image.Image:
    """Open a picture upright, in RGB, on a white ground.

    Args:
        path: The file.
        max_pixels: Width times height above which the file is refused before it is decoded.
        frame: 0-based page of a multi-page TIFF (see `num_frames`) or frame of an animation.

    Raises:
        UserError: The file is missing, no picture, truncated, too large, or has no such frame.
    """
    with _decoding(path) as image:
        return _decoded(path, image, max_pixels=max_pixels, frame=frame)


def decode_image(data: bytes, *, name: str, max_pixels: int = MAX_PIXELS) -> Image.Image:
    """As :func:`open_image`, for a picture that stands inside another file.

    Args:
        data: The picture as a file of its own would hold it.
        name: What errors call it.
        max_pixels: Width times height above which it is refused before it is decoded.

    Raises:
        UserError: No picture, truncated, or too large.
    """
    with _reading(name, BytesIO(data), data) as image:
        return _decoded(name, image, max_pixels=max_pixels, frame=0)


def num_frames(path: str | Path) -> int:
    """The number of pages of a multi-page TIFF; 1 for every other picture.

    Frames of an animation and the previews that cameras store behind a photo are no pages.
    """
    with _decoding(path) as image:
        return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1


def check_images(paths: Iterable[str | Path]) -> list[tuple[str | Path, str]]:
    """Open each picture and give those that cannot be used, in order, with the reason."""
    faults: list[tuple[str | Path, str]] = []
    for path in paths:
        try:
            open_image(path)
        except UserError as error:
            faults.append((path, str(error)))
    return faults


def to_rgb(image: Image.Image) -> Image.Image:
    """Convert a decoded picture of any mode to RGB; transparent pixels become white."""
    if image.mode == "RGB" and "transparency" not in image.info:
        return image.copy()
    if image.mode.startswith("I") or image.mode == "F":
        return _to_eight_bits(image).convert("RGB")
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        ground = Image.new("RGB", image.size, (255, 255, 255))
        ground.paste(layer, mask=layer.getchannel("A"))
        return ground
    return image.convert("RGB")


def _decoded(name: str | Path, image: ImageFile.ImageFile, *, max_pixels: int, frame: int) -> Image.Image:
    width, height = image.size
    if width < 1 or height < 1:
        raise UserError(f"{name}: the picture has no area ({width} x {height} pixels)")
    if width * height > max_pixels:
        raise UserError(
            f"{name}: the picture has {width} x {height} pixels, more than the limit of {max_pixels}: "
            f"make it smaller, or raise max_pixels"
        )
    if frame:
        _seek(name, image, frame)
    image.load()
    return to_rgb(_upright(image))


@contextmanager
def _decoding(path: str | Path) -> Iterator[ImageFile.ImageFile]:
    """Open a file lazily and turn every way in which decoding can fail into one `UserError`."""
    file = Path(path)
    if file.is_dir():
        raise UserError(f"{path}: this is a folder, not a picture")
    if not file.exists():
        raise UserError(f"{path}: no such file")
    try:
        if file.stat().st_size == 0:
            raise UserError(f"{path}: the file is empty (0 bytes)")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    with _reading(path, file, None) as image:
        yield image


@contextmanager
def _reading(path: str | Path, source: Path | BytesIO, data: bytes | None) -> Iterator[ImageFile.ImageFile]:
    """Open a picture lazily; ``path`` is what errors call it, ``data`` its bytes where they are at hand."""
    try:
        with warnings.catch_warnings():
            # Broken EXIF is no fault of the picture, and a bomb is refused below by its size.
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(source, formats=_FORMATS) as image:
                is_jpeg = image.format in ("JPEG", "MPO")
                if is_jpeg and not _jpeg_ends(Path(path).read_bytes() if data is None else data):
                    raise UserError(f"{path}: the picture is truncated (the end of the JPEG data is missing)")
                yield image
    except UserError:
        raise
    except UnidentifiedImageError:
        raise UserError(f"{path}: not a picture in a known format ({', '.join(_FORMATS[:8])}, ...)") from None
    except Image.DecompressionBombError as error:
        raise UserError(f"{path}: the picture is too large ({error})") from None
    except PermissionError:
        raise UserError(f"{path}: no permission to read the file") from None
    except _DECODE_ERRORS as error:
        kind = "truncated" if "truncated" in str(error) or isinstance(error, EOFError) else "broken"
        raise UserError(f"{path}: the picture is {kind} ({error})") from None


def _jpeg_ends(content: bytes) -> bool:
    """Whether the end marker stands behind the last scan: Pillow fills a short JPEG silently."""
    return content.rfind(b"\xff\xd9") > content.rfind(b"\xff\xda")


def _seek(path: str | Path, image: ImageFile.ImageFile, frame: int) -> None:
    count = int(getattr(image, "n_frames", 1))
    if not 0 <= frame < count:
        raise UserError(f"{path}: there is no frame {frame}: the file has {count}, counted from 0")
    image.seek(frame)


def _upright(image: Image.Image) -> Image.Image:
    """Apply the orientation tag, read after `load`: for TIFF Pillow has then applied it itself."""
    try:
        orientation = image.getexif().get(_ORIENTATION_TAG, 1)
    except _EXIF_ERRORS:
        return image
    method = _TRANSPOSE.get(orientation) if isinstance(orientation, int) else None
    if method is None:
        return image
    upright = image.transpose(method)
    upright.info = {key: value for key, value in image.info.items() if key == "transparency"}
    return upright


def _to_eight_bits(image: Image.Image) -> Image.Image:
    """Scale a grey picture of 16 or 32 bits, or of floats, to 0..255.

    16-bit files use their whole range. 32-bit and float files do not store a range: values within 0..1
    (floats), 0..255 or 0..65535 are taken as such, others are stretched from their smallest to their largest.
    """
    values = np.nan_to_num(np.asarray(image, dtype=np.float64), posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    if image.mode.startswith("I;16"):
        low, high = 0.0, 65535.0
    elif low >= 0 and high <= 65535:
        steps = (1.0, 255.0, 65535.0) if image.mode == "F" else (255.0, 65535.0)
        low, high = 0.0, next(step for step in steps if high <= step)
    scaled = (values - low) * (255.0 / max(high - low, 1e-12))
    return Image.fromarray(np.rint(scaled).clip(0, 255).astype(np.uint8))

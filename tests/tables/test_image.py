"""Opening pictures: orientation, modes, sizes, and broken files (reports C01, C02, C03, C08)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tabrag.errors import UserError
from tabrag.tables.image import check_images, decode_image, num_frames, open_image

RED, BLUE = (255, 0, 0), (0, 0, 255)


def _left_red() -> Image.Image:
    image = Image.new("RGB", (300, 200), BLUE)
    image.paste(RED, (0, 0, 150, 200))
    return image


def _near(pixel: tuple[int, ...], colour: tuple[int, int, int]) -> bool:
    return max(abs(a - b) for a, b in zip(pixel, colour, strict=True)) <= 8


def _table() -> Image.Image:
    image = Image.new("RGB", (120, 90), "white")
    draw = ImageDraw.Draw(image)
    for i in range(4):
        draw.line((0, i * 29, 119, i * 29), fill="black")
        draw.line((i * 39, 0, i * 39, 89), fill="black")
    for row in range(3):
        for col in range(3):
            draw.text((col * 39 + 8, row * 29 + 8), f"{row}{col}", fill="black")
    return image


def _difference(image: Image.Image, other: Image.Image) -> int:
    return int(np.abs(np.asarray(image, dtype=int) - np.asarray(other, dtype=int)).max())


class TestOrientation:
    @pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tif"])
    def test_tag_six_turns_the_picture_once(self, tmp_path: Path, suffix: str) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6
        _left_red().save(tmp_path / f"photo{suffix}", exif=exif)
        image = open_image(tmp_path / f"photo{suffix}")
        assert image.size == (200, 300)
        assert _near(image.getpixel((100, 40)), RED)
        assert _near(image.getpixel((100, 260)), BLUE)

    @pytest.mark.parametrize("orientation", range(1, 9))
    def test_every_orientation_shows_the_same_upright_picture(self, tmp_path: Path, orientation: int) -> None:
        upright = _left_red()
        upright.paste((0, 255, 0), (0, 0, 40, 40))
        inverse = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
        stored = upright.transpose(Image.Transpose(inverse[orientation])) if orientation > 1 else upright
        assert orientation == 1 or stored.tobytes() != upright.tobytes()
        exif = Image.Exif()
        exif[0x0112] = orientation
        stored.save(tmp_path / "photo.png", exif=exif)
        assert open_image(tmp_path / "photo.png").tobytes() == upright.tobytes()

    @pytest.mark.parametrize(
        "exif",
        [
            b"",
            b"Exif\x00\x00garbage that is no TIFF header",
            b"Exif\x00\x00II*\x00\x08\x00\x00\x00\xff\xff\x12\x01",
            b"Exif\x00\x00MM\x00*\xff\xff\xff\xff",
        ],
    )
    def test_missing_or_broken_tag_leaves_the_picture(self, tmp_path: Path, exif: bytes) -> None:
        _left_red().save(tmp_path / "photo.jpg", exif=exif)
        image = open_image(tmp_path / "photo.jpg")
        assert image.size == (300, 200)
        assert _near(image.getpixel((20, 100)), RED)

    @pytest.mark.parametrize("value", [0, 9, 77])
    def test_unknown_orientation_is_ignored(self, tmp_path: Path, value: int) -> None:
        exif = Image.Exif()
        exif[0x0112] = value
        _left_red().save(tmp_path / "photo.jpg", exif=exif)
        assert open_image(tmp_path / "photo.jpg").size == (300, 200)

    def test_same_pixels_with_and_without_tag(self, tmp_path: Path) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6
        _left_red().transpose(Image.Transpose.ROTATE_90).save(tmp_path / "tagged.png", exif=exif)
        _left_red().save(tmp_path / "plain.png")
        assert open_image(tmp_path / "tagged.png").tobytes() == open_image(tmp_path / "plain.png").tobytes()


def _keyed(table: Image.Image) -> Image.Image:
    """White becomes one colour that is then declared transparent, as screenshots and charts store it."""
    pixels = np.asarray(table).copy()
    pixels[(pixels == 255).all(axis=2)] = (12, 34, 56)
    return Image.fromarray(pixels)


def _palette(table: Image.Image) -> Image.Image:
    image = Image.fromarray((np.asarray(table)[:, :, 0] == 0).astype(np.uint8))
    image.putpalette([10, 10, 10, 0, 0, 0])
    return image


def _clear_ground(table: Image.Image, mode: str) -> Image.Image:
    image = Image.new(mode, table.size, 0)
    alpha = Image.fromarray(255 - np.asarray(table)[:, :, 0])
    image.putalpha(alpha)
    return image


_KEYS: dict[str, object] = {"P+t": 0, "L+t": 7, "RGB+t": (12, 34, 56)}
_MODES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "1": lambda table: table.convert("1"),
    "L": lambda table: table.convert("L"),
    "LA": lambda table: _clear_ground(table, "LA"),
    "P": lambda table: table.convert("P"),
    "P+t": _palette,
    "L+t": lambda table: table.convert("L").point(lambda value: 7 if value else 0),
    "RGB+t": _keyed,
    "RGB": lambda table: table,
    "RGBA": lambda table: _clear_ground(table, "RGBA"),
    "CMYK": lambda table: table.convert("CMYK"),
    "I;16": lambda table: Image.fromarray(np.asarray(table)[:, :, 0].astype(np.uint16) * 257),
    "I": lambda table: Image.fromarray(np.asarray(table)[:, :, 0].astype(np.int32)),
    "F": lambda table: Image.fromarray((np.asarray(table)[:, :, 0] / 255).astype(np.float32)),
}


class TestModes:
    @pytest.mark.parametrize(
        "mode", sorted(["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F", *_KEYS])
    )
    def test_every_mode_gives_the_same_picture(self, tmp_path: Path, mode: str) -> None:
        table = _table().convert("1").convert("RGB")
        path = tmp_path / ("x.tif" if mode in ("CMYK", "I;16", "I", "F") else "x.png")
        _MODES[mode](table).save(path, **({"transparency": _KEYS[mode]} if mode in _KEYS else {}))
        image = open_image(path)
        assert image.mode == "RGB"
        assert 0 < np.asarray(table).mean() < 250
        assert _difference(image, table) <= (40 if mode == "CMYK" else 8)

    def test_cmyk_jpeg(self, tmp_path: Path) -> None:
        table = Image.new("RGB", (40, 40), "white")
        table.paste((0, 0, 0), (10, 10, 30, 30))
        table.convert("CMYK").save(tmp_path / "x.jpg", quality=95)
        assert _difference(open_image(tmp_path / "x.jpg"), table) <= 40

    def test_half_transparent_ink_is_mixed_with_white(self, tmp_path: Path) -> None:
        Image.new("RGBA", (4, 4), (0, 0, 0, 128)).save(tmp_path / "x.png")
        assert open_image(tmp_path / "x.png").getpixel((0, 0)) == (127, 127, 127)

    def test_sixteen_bits_keep_their_greys(self, tmp_path: Path) -> None:
        values = np.linspace(0, 65535, 256).astype(np.uint16).reshape(16, 16)
        Image.fromarray(values).save(tmp_path / "x.png")
        greys = np.asarray(open_image(tmp_path / "x.png"))[:, :, 0].ravel()
        assert np.abs(greys.astype(int) - np.arange(256)).max() <= 1

    def test_floats_with_gaps_are_stretched(self, tmp_path: Path) -> None:
        values = np.array([[-3.0, 1.0], [np.nan, 5.0]], dtype=np.float32)
        Image.fromarray(values).save(tmp_path / "x.tif")
        greys = np.asarray(open_image(tmp_path / "x.tif"))[:, :, 0]
        assert greys[0, 0] == 0 and greys[1, 1] == 255 and greys[0, 1] == 128


class TestBroken:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        _left_red().save(tmp_path / "good.png")
        _left_red().save(tmp_path / "good.jpg")
        jpeg = (tmp_path / "good.jpg").read_bytes()
        png = (tmp_path / "good.png").read_bytes()
        (tmp_path / "cut1.jpg").write_bytes(jpeg[:-1])
        (tmp_path / "half.jpg").write_bytes(jpeg[: len(jpeg) // 2])
        (tmp_path / "half.png").write_bytes(png[: len(png) // 2])
        (tmp_path / "zero.png").write_bytes(b"")
        (tmp_path / "text.png").write_text("this is no picture")
        (tmp_path / "html.png").write_text("<html><body>404</body></html>")
        (tmp_path / "x.png").mkdir()
        return tmp_path

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("cut1.jpg", "truncated"),
            ("half.jpg", "truncated"),
            ("half.png", "truncated"),
            ("zero.png", "0 bytes"),
            ("text.png", "not a picture"),
            ("html.png", "not a picture"),
            ("x.png", "folder"),
            ("missing.png", "no such file"),
        ],
    )
    def test_message_names_path_and_reason(self, folder: Path, name: str, reason: str) -> None:
        with pytest.raises(UserError, match=reason) as error:
            open_image(folder / name)
        assert str(folder / name) in str(error.value)

    def test_check_images_lists_the_broken_ones_in_order(self, folder: Path) -> None:
        names = [
            "good.png",
            "cut1.jpg",
            "half.jpg",
            "zero.png",
            "good.jpg",
            "text.png",
            "x.png",
            "missing.png",
        ]
        faults = check_images([folder / name for name in names])
        assert [Path(path).name for path, _ in faults] == [n for n in names if not n.startswith("good")]

    def test_trailing_bytes_behind_a_jpeg_are_no_fault(self, folder: Path) -> None:
        (folder / "good.jpg").write_bytes(
            (folder / "good.jpg").read_bytes() + b"\x00 extra bytes of a camera"
        )
        assert open_image(folder / "good.jpg").size == (300, 200)

    def test_too_many_pixels_are_refused_before_decoding(self, folder: Path) -> None:
        with pytest.raises(UserError, match="300 x 200 pixels, more than the limit of 59999"):
            open_image(folder / "good.png", max_pixels=59_999)
        assert open_image(folder / "good.png", max_pixels=60_000).size == (300, 200)

    def test_decompression_bomb(self, tmp_path: Path) -> None:
        Image.new("1", (19_000, 10_000)).save(tmp_path / "bomb.png")
        assert (tmp_path / "bomb.png").stat().st_size < 1_000_000
        with pytest.raises(UserError, match="too large|more than the limit"):
            open_image(tmp_path / "bomb.png")

    def test_eps_is_not_handed_to_another_program(self, tmp_path: Path) -> None:
        _left_red().save(tmp_path / "x.eps")
        with pytest.raises(UserError, match="not a picture"):
            open_image(tmp_path / "x.eps")


class TestSizes:
    @pytest.mark.parametrize("size", [(1, 1), (3, 900), (2000, 7), (335, 337), (1024, 1024), (1, 5000)])
    def test_every_size_opens(self, tmp_path: Path, size: tuple[int, int]) -> None:
        Image.new("L", size, 128).save(tmp_path / "x.png")
        image = open_image(tmp_path / "x.png")
        assert image.size == size and image.mode == "RGB"

    def test_zero_area_is_rejected(self, tmp_path: Path) -> None:
        (tmp_path / "x.ppm").write_bytes(b"P6\n0 5\n255\n")
        with pytest.raises(UserError, match=r"x\.ppm"):
            open_image(tmp_path / "x.ppm")


class TestFrames:
    def test_pages_of_a_tiff(self, tmp_path: Path) -> None:
        pages = [Image.new("RGB", (20 + i, 10), (i * 100, 0, 0)) for i in range(3)]
        pages[0].save(tmp_path / "x.tif", save_all=True, append_images=pages[1:])
        assert num_frames(tmp_path / "x.tif") == 3
        assert [open_image(tmp_path / "x.tif", frame=i).size for i in range(3)] == [
            (20, 10),
            (21, 10),
            (22, 10),
        ]
        assert open_image(tmp_path / "x.tif", frame=2).getpixel((0, 0)) == (200, 0, 0)
        with pytest.raises(UserError, match="no frame 3: the file has 3"):
            open_image(tmp_path / "x.tif", frame=3)

    def test_animation_gives_its_first_frame(self, tmp_path: Path) -> None:
        frames = [Image.new("RGB", (20, 10), colour) for colour in (RED, BLUE)]
        frames[0].save(tmp_path / "x.gif", save_all=True, append_images=frames[1:])
        assert num_frames(tmp_path / "x.gif") == 1
        assert _near(open_image(tmp_path / "x.gif").getpixel((0, 0)), RED)

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="no such file"):
            num_frames(tmp_path / "x.tif")


class TestInsideOtherFiles:
    def test_bytes_open_as_their_file_does(self, tmp_path: Path) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6
        path = tmp_path / "turned.jpg"
        _left_red().save(path, exif=exif)
        found = decode_image(path.read_bytes(), name="inner")
        assert found.size == (200, 300) and _difference(found, open_image(path)) == 0

    def test_faults_name_the_picture(self, tmp_path: Path) -> None:
        path = tmp_path / "whole.jpg"
        _left_red().save(path)
        data = path.read_bytes()
        for broken, limit in ((data[: len(data) // 2], 10**6), (b"text", 10**6), (data, 1000)):
            with pytest.raises(UserError, match="inner"):
                decode_image(broken, name="inner", max_pixels=limit)

"""Vision features of a data set folder's pictures: killed and continued, broken pictures, documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from noise import noise
from small_report import report
from small_report import write as write_report
from tiny_chat import save_llava

from tabrag.chat import vision_features
from tabrag.chat.config import LocalChatConfig
from tabrag.chat.vision_features import VisionFeatures, folder_of
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.inference import vision_job
from tabrag.inference.vision_job import pictures_of, store_features


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> LocalChatConfig:
    folder = save_llava(tmp_path_factory.mktemp("llava"))
    return LocalChatConfig(model=str(folder), device="cpu", dtype="float32")


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    for number in range(5):
        noise((40, 30), 200, seed=number).convert("RGB").save(tmp_path / f"{number}.png")
    return [str(tmp_path / f"{number}.png") for number in range(5)]


def counts(figures: dict[str, int]) -> tuple[int, ...]:
    return figures["pictures"], figures["new_pictures"], figures["failed"]


def test_a_killed_job_continues_with_what_is_missing(
    chat: LocalChatConfig, pictures: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    done: list[int] = []

    def dies(model: object, given: dict) -> dict:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(1)
        return vision_features.compute_features(model, given)

    monkeypatch.setattr(vision_job, "compute_features", dies)
    size = 4 * 32 * 4  # bytes of one picture's features: 4 tokens of 32 float32
    with pytest.raises(KeyboardInterrupt):
        store_features(chat, index, pictures, file_bytes=2 * size)
    assert len(VisionFeatures(folder_of(index))) == 2  # the third was not written yet
    (folder_of(index) / ".x.safetensors.1.tmp").write_bytes(b"cut off")
    monkeypatch.undo()
    assert counts(store_features(chat, index, [*pictures, pictures[0]], file_bytes=2 * size)) == (6, 3, 0)
    assert len(VisionFeatures(folder_of(index))) == 5
    names = sorted(path.suffix for path in folder_of(index).iterdir())
    assert names == [".json", *[".safetensors"] * 3]
    assert counts(store_features(chat, index, pictures)) == (5, 0, 0)
    before = {path.name for path in folder_of(index).glob("*.safetensors")}
    assert counts(store_features(chat, index, pictures[4:])) == (1, 0, 0)  # the others' files go
    after = {path.name for path in folder_of(index).glob("*.safetensors")}
    assert len(after) == 1 and after < before


def test_pictures_that_do_not_open_are_counted_and_another_model_starts_anew(
    chat: LocalChatConfig, pictures: list[str], tmp_path: Path
) -> None:
    index = tmp_path / "index"
    Path(pictures[1]).write_bytes(b"nothing")
    assert counts(store_features(chat, index, pictures)) == (5, 4, 1)
    half = LocalChatConfig(model=chat.model, device="cpu", dtype="bfloat16")
    assert counts(store_features(half, index, pictures[:1])) == (1, 1, 0)
    features = VisionFeatures(folder_of(index))
    ((digest, _),) = features._places.items()
    assert [str(tensor.dtype) for tensor in features[digest]] == ["torch.bfloat16"]
    with pytest.raises(UserError, match="no item has a picture"):
        store_features(chat, index, [])
    (folder_of(tmp_path / "other") / "mine").mkdir(parents=True)
    with pytest.raises(UserError, match="holds no vision features"):
        store_features(chat, tmp_path / "other", pictures[:1])
    assert (folder_of(tmp_path / "other") / "mine").is_dir()


def test_documents_are_shown_by_their_pages_or_else_by_what_is_in_them(tmp_path: Path) -> None:
    folder = DataFolder(write_report(tmp_path / "data"))
    (item,) = (folder.items[one] for one in folder.documents.ids)
    pages = [str(tmp_path / f"data/pages/{number}.png") for number in (2, 3)]
    assert pictures_of(folder, [item, folder.items["r.pdf#t1"], item]) == pages[:1]
    folder = DataFolder(write_report(tmp_path / "data", report(pages=False)))
    assert pictures_of(folder, [folder.items["r.pdf"]]) == [str(tmp_path / "data/images/chart.png")]

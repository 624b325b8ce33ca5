from __future__ import annotations

from pathlib import Path

import pytest
import torch
from noise import noise
from tiny_chat import save_llava

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Message, Picture, Text
from tabrag.errors import UserError


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> LocalChat:
    folder = save_llava(tmp_path_factory.mktemp("llava"))
    return LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", batch_size=8))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("pictures")
    sizes = [(28, 28), (60, 40), (300, 50)]
    for i, size in enumerate(sizes):
        noise(size, 200).convert("RGB").save(folder / f"{i}.png")
    return [str(folder / f"{i}.png") for i in range(len(sizes))]


def prompt(text: str, *paths: str) -> list[Message]:
    return [Message("user", (*(Picture(path) for path in paths), Text(text)))]


def test_pictures_are_seen_and_batches_equal_singles(chat: LocalChat, pictures: list[str]):
    prompts = [prompt("why? " * (i + 1), pictures[i % 3]) for i in range(6)]
    assert chat.reads_pictures
    singles = [chat.score(one, ["True", "False"]) for one in prompts]
    batched = chat.score_batch(prompts, ["True", "False"])
    torch.testing.assert_close(torch.tensor(batched), torch.tensor(singles), atol=1e-5, rtol=0)
    same_text = [chat.score(prompt("why?", path), ["True", "False"])[0] for path in pictures]
    assert len({round(value, 3) for value in same_text}) == 3
    replies = chat.generate_batch(prompts, max_new_tokens=4)
    assert [reply.text for reply in replies] == [chat.generate(one, max_new_tokens=4) for one in prompts]


def test_each_picture_takes_its_place_and_a_placeholder_in_a_question_takes_none(
    chat: LocalChat, pictures: list[str]
):
    image = chat._loaded[1].convert_tokens_to_ids("<image>")
    for paths in ([], pictures[:1], pictures[:2]):
        made = chat._encoder.prompt(prompt("is <image> a picture?", *paths), reserve=4)
        ids = chat._encoder.encode_prompt(made)["input_ids"][0].tolist()
        assert ids.count(image) == 4 * len(paths)
        assert ids.count(0) == 1 and ids[0] == 0


def test_a_picture_that_does_not_open_is_named(chat: LocalChat, tmp_path: Path):
    (tmp_path / "broken.png").write_bytes(b"nothing")
    with pytest.raises(UserError, match="broken.png"):
        chat.generate(prompt("what?", str(tmp_path / "broken.png")), max_new_tokens=2)

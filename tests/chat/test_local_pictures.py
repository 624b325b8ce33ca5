from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PIL import Image

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Message, Picture, Text
from tabrag.errors import UserError

TEMPLATE = (
    "{% for m in messages %}<s>{% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}</s>"
    "{% endfor %}"
)


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> LocalChat:
    """A tiny random LLaVA: 28 x 28 pixels are 4 image tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
        PreTrainedTokenizerFast,
    )
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<s>", "</s>", "<pad>", "<image>"]
    raw.train_from_iterator(
        ["True", "False"] * 5,
        trainers.BpeTrainer(vocab_size=300, special_tokens=special, initial_alphabet=alphabet),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        extra_special_tokens={"image_token": "<image>"},
    )
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
        ),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )
    torch.manual_seed(0)
    layers = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    model = LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=CLIPVisionConfig(image_size=28, patch_size=14, **layers),
            text_config=LlamaConfig(
                vocab_size=len(tokenizer), num_key_value_heads=4, eos_token_id=1, **layers
            ),
            image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
            vision_feature_layer=-1,
        )
    )
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data.mul_(5)
    folder = tmp_path_factory.mktemp("llava")
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", batch_size=8))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("pictures")
    sizes = [(28, 28), (60, 40), (300, 50)]
    for i, size in enumerate(sizes):
        Image.effect_noise(size, 200).convert("RGB").save(folder / f"{i}.png")
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
        text, images = chat._prompt(prompt("is <image> a picture?", *paths), reserve=4)
        ids = chat._encode(text, images)["input_ids"][0].tolist()
        assert ids.count(image) == 4 * len(paths)
        assert ids.count(0) == 1 and ids[0] == 0


def test_a_picture_that_does_not_open_is_named(chat: LocalChat, tmp_path: Path):
    (tmp_path / "broken.png").write_bytes(b"nothing")
    with pytest.raises(UserError, match="broken.png"):
        chat.generate(prompt("what?", str(tmp_path / "broken.png")), max_new_tokens=2)

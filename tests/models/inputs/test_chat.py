"""Training inputs of a chat model: those of inference with the reply behind them, and labels there alone."""

from __future__ import annotations

import pytest
import torch
from noise import noise
from tiny_chat import LLAMA_TEMPLATE, TEMPLATE, save, save_llava
from tiny_pictures import save_idefics3, save_llava_next

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import RANK_LABELS, Shown, rank_prompt, relevant_prompt
from tabrag.chat.protocol import Message
from tabrag.errors import UserError
from tabrag.models.inputs.chat import IGNORED, ChatInputs

KINDS = {
    "llama": lambda folder: save(folder, "llama", template=LLAMA_TEMPLATE, positions=2048),
    "llama without template": lambda folder: save(folder, "llama", positions=2048),
    "gpt2": lambda folder: save(folder, "gpt2", positions=2048),
    "qwen": lambda folder: save(folder, "qwen", template=TEMPLATE, positions=2048),
    "llava": save_llava,
    "llava_next": save_llava_next,
    "idefics3": save_idefics3,
}
PICTURES = ("llava", "llava_next", "idefics3")


@pytest.fixture(scope="module", params=KINDS)
def chat(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LocalChat:
    folder = KINDS[request.param](tmp_path_factory.mktemp("model"))
    return LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=900))


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("picture") / "table.png"
    noise((61, 33), 200).convert("RGB").save(path)
    return str(path)


def inputs_of(chat: LocalChat, *, max_length: int = 900) -> ChatInputs:
    return ChatInputs.of(*chat._loaded, max_length=max_length)


def prompt(chat: LocalChat, picture: str, *, lines: int = 2, question: str = "The total?") -> list[Message]:
    text = "".join(f"region {i} | {i * 7}\n" for i in range(lines))
    return rank_prompt(question, [Shown("T9", "Sales", text, picture if chat.reads_pictures else None)])


def test_prompt_tokens_are_those_of_inference_and_labels_are_the_reply(chat: LocalChat, picture: str):
    inputs, tokenizer = inputs_of(chat), chat._loaded[1]
    for messages in (prompt(chat, picture), relevant_prompt("?", [Shown("a", "A"), Shown("b", "B")])):
        for reply in ("True", "1, 3"):
            tokens = inputs.features(messages, reply)
            ids = tokens.tensors["input_ids"][0].tolist()
            asked = chat._encoder.prompt(messages, reserve=20)
            seen = chat._encoder.encode_prompt(asked)["input_ids"][0].tolist()
            merged = len(seen) - (len(ids) - tokens.num_reply)  # end of the prompt that the reply changes
            assert 0 <= merged <= 1 and ids[: -tokens.num_reply] == seen[: len(seen) - merged]
            said = tokenizer.decode(ids[-tokens.num_reply :])
            assert reply in said and said.endswith(inputs.end) and inputs.end
            batch = inputs.collate([tokens])
            labels = batch["labels"][0]
            assert (labels != IGNORED).sum() == tokens.num_reply == batch["num_reply"]
            assert labels[-tokens.num_reply :].tolist() == ids[-tokens.num_reply :]
    if not chat.reads_pictures:  # the template of those models ends each turn with it
        has_bos = tokenizer.bos_token == "<s>"
        assert ids[: -tokens.num_reply].count(tokenizer.bos_token_id) == has_bos


def test_the_same_token_scores_in_training_and_inference(chat: LocalChat, picture: str):
    inputs, model = inputs_of(chat), chat._loaded[0]
    messages = prompt(chat, picture)
    expected = chat.score(messages, RANK_LABELS)
    ids = inputs.choice_ids(messages, RANK_LABELS)
    for label, first in zip(RANK_LABELS, ids, strict=True):
        tokens = inputs.features(messages, label)
        batch = inputs.collate([tokens])
        arguments = {name: value for name, value in batch.items() if name not in ("labels", "num_reply")}
        with torch.no_grad():
            log_probs = model(**arguments).logits[0].log_softmax(-1)
        reply = tokens.tensors["input_ids"][0, -tokens.num_reply :].tolist()
        assert reply[: len(first)] == first
        place = len(tokens) - tokens.num_reply
        total = sum(float(log_probs[place + i - 1, token]) for i, token in enumerate(first))
        assert total == pytest.approx(expected[RANK_LABELS.index(label)], abs=1e-4)


def test_long_tables_are_shortened_pictures_and_cue_never(
    chat: LocalChat, picture: str, caplog: pytest.LogCaptureFixture
):
    whole = inputs_of(chat).features(prompt(chat, picture, lines=0), "True")
    limit = len(whole) + 60
    inputs = inputs_of(chat, max_length=limit)
    tokens = inputs.features(prompt(chat, picture, lines=200), "True")
    assert len(whole) < len(tokens) <= limit + tokens.num_reply
    assert "T9" in caplog.text
    processor = chat._loaded[2]
    if processor is not None:
        image = chat._loaded[1].convert_tokens_to_ids("<image>")
        counts = [(one.tensors["input_ids"] == image).sum() for one in (whole, tokens)]
        assert counts[0] == counts[1] > 0
    text = chat._loaded[1].decode(tokens.tensors["input_ids"][0])
    assert "The total?" in text and "more lines not shown" in text
    with pytest.raises(UserError, match="too long by itself"):
        inputs_of(chat, max_length=len(whole) // 2).features(prompt(chat, picture), "True")
    inputs = inputs_of(chat, max_length=limit + 60)
    long = inputs.features(prompt(chat, picture, question="why " * 600), "True")
    assert len(long) <= limit + 60 + long.num_reply
    if processor is not None:
        assert (long.tensors["input_ids"] == image).sum() == counts[0]
    text = chat._loaded[1].decode(long.tensors["input_ids"][0])
    end = chat._loaded[1].decode(tokens.tensors["input_ids"][0]).rpartition("The total?")[2]
    assert "why [...] why" in text and text.endswith(f"why{end}")


def test_examples_are_padded_on_the_left_and_pictures_go_alone(chat: LocalChat, picture: str):
    inputs = inputs_of(chat)
    some = [inputs.features(prompt(chat, picture, lines=n), "True" if n % 2 else "2, 3") for n in (1, 2, 5)]
    if chat.reads_pictures:
        with pytest.raises(ValueError, match="one by one"):
            inputs.collate(some)
        return
    batch = inputs.collate(some)
    assert len({len(one) for one in some}) == 3
    for row, one in enumerate(some):
        length = len(one)
        assert batch["attention_mask"][row].sum() == length and batch["attention_mask"][row, -length:].all()
        assert batch["input_ids"][row, -length:].equal(one.tensors["input_ids"][0])
        assert batch["position_ids"][row, -length:].equal(torch.arange(length))
        assert (batch["labels"][row] != IGNORED).sum() == one.num_reply

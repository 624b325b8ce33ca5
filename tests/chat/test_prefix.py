"""Shared beginnings of prompts: results are those of whole prompts, and each table runs once."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from noise import noise
from tiny_chat import LLAMA_TEMPLATE, TEMPLATE, WORDS, save, save_llava
from tiny_pictures import save_idefics3, save_llava_next

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prefix import Prefix, PrefixCache, tables_key, tables_of
from tabrag.chat.protocol import Conversation, Message, Picture, Text, probabilities
from tabrag.errors import UserError

CHOICES = ["True", "False"]
KINDS = ["llama", "gpt2", "qwen"]
PICTURE_KINDS = ["llava", "llava_next", "idefics3"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("prefix")
    return {
        "llama": save(root / "llama", "llama", template=LLAMA_TEMPLATE, positions=512),
        "gpt2": save(root / "gpt2", "gpt2", positions=512),
        "qwen": save(root / "qwen", "qwen", template=TEMPLATE, positions=512),
        "llava": save_llava(root / "llava"),
        "llava_next": save_llava_next(root / "llava_next"),
        "idefics3": save_idefics3(root / "idefics3"),
    }


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("pictures")
    for i, size in enumerate([(28, 28), (60, 40), (30, 90)]):
        noise(size, 200).convert("RGB").save(folder / f"{i}.png")
    return [str(folder / f"{i}.png") for i in range(3)]


def chat(folder: Path, **options: object) -> LocalChat:
    return LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", **options))  # type: ignore[arg-type]


def plain(folder: Path, **options: object) -> LocalChat:
    return chat(folder, prefix_cache_mb=0, batch_size=1, **options)


def table(number: int) -> str:
    words = WORDS.split()
    return "\n".join(
        " | ".join(words[(number * 3 + i + j) % 17] for j in range(3)) for i in range(4 + number % 3)
    )


def about(number: int, question: str, *, ending: str = "\n") -> list[Message]:
    parts = (Text("Table: one\n"), Text(table(number) + ending, item_id=f"T{number}"), Text(question))
    return [Message("user", parts)]


def prompts(num_tables: int = 4, num_questions: int = 3) -> list[list[Message]]:
    """Questions of different lengths, one of them beginning with the character that ends the tables."""
    asked = ["\nwhich year?", "total " * 7, "no"]
    return [
        about(number, asked[i % 3] + " of rows" * (i + number))
        for i in range(num_questions)
        for number in range(num_tables)
    ]


def shown(paths: Sequence[str], question: str) -> list[Message]:
    return [Message("user", (*(Picture(path) for path in paths), Text(question)))]


def assert_same(left: list[list[float]], right: list[list[float]]) -> None:
    torch.testing.assert_close(torch.tensor(left), torch.tensor(right), atol=1e-4, rtol=0)
    true_left, true_right = ([probabilities(row)[0] for row in side] for side in (left, right))
    assert sorted(range(len(left)), key=true_left.__getitem__) == sorted(
        range(len(left)), key=true_right.__getitem__
    )


@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_replies_are_those_of_whole_prompts(folders: dict[str, Path], kind: str) -> None:
    asked = prompts()
    slow = plain(folders[kind])
    expected = slow.score_batch(asked, CHOICES)
    replies = slow.generate_batch(asked, max_new_tokens=5)
    assert len({round(a - b, 3) for a, b in expected}) == len(asked)
    assert len({reply.text for reply in replies}) > 2
    assert slow.counts.prefix == 0 and slow.counts.plain > 0
    for batch_tokens, batch_size in [(4096, 8), (300, 2), (1, 1)]:
        fast = chat(folders[kind], batch_tokens=batch_tokens, batch_size=batch_size)
        fast._loaded[1].padding_side = "right"
        assert_same(fast.score_batch(asked, CHOICES), expected)
        got = fast.generate_batch(asked, max_new_tokens=5)
        assert [reply.text for reply in got] == [reply.text for reply in replies]
        assert [r.probability for r in got] == pytest.approx([r.probability for r in replies], abs=1e-4)
        assert fast.counts.plain == 0 and fast.counts.suffix > 0


@pytest.mark.parametrize("kind", PICTURE_KINDS)
def test_pictures_are_shared_too(folders: dict[str, Path], pictures: list[str], kind: str) -> None:
    several = [[pictures[0]], [pictures[1]], [pictures[2]], pictures[:2]]
    asked = [shown(paths, "why? " * (i + 1)) for i in range(3) for paths in several]
    slow, fast = plain(folders[kind]), chat(folders[kind], batch_tokens=200)
    expected = slow.score_batch(asked, CHOICES)
    assert len({round(a - b, 3) for a, b in expected}) == len(asked)
    assert_same(fast.score_batch(asked, CHOICES), expected)
    whole, counts = slow.counts.plain, fast.counts
    assert counts.plain == 0 and 0 < counts.prefix < whole / 2
    ran = counts.prefix
    replies = slow.generate_batch(asked, max_new_tokens=4)
    assert fast.generate_batch(asked, max_new_tokens=4) == [
        type(reply)(reply.text, pytest.approx(reply.probability, abs=1e-4)) for reply in replies
    ]
    assert counts.prefix == ran and counts.plain == 0


def test_a_changed_picture_is_seen(folders: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    noise((28, 28), 50).convert("RGB").save(path)
    fast = chat(folders["llava"])
    first = fast.score(shown([str(path)], "why?"), CHOICES)
    noise((28, 28), 250).convert("RGB").save(path)
    second = fast.score(shown([str(path)], "why?"), CHOICES)
    assert first != pytest.approx(second, abs=1e-3)
    assert second == pytest.approx(
        plain(folders["llava"]).score(shown([str(path)], "why?"), CHOICES), abs=1e-4
    )


def test_each_table_runs_once_and_the_reply_spends_no_second_run(folders: dict[str, Path]) -> None:
    fast = chat(folders["qwen"])
    asked = prompts(4, 3)
    fast.score_batch(asked, CHOICES)
    text = [fast._encoder.prompt(messages, reserve=5) for messages in asked]
    heads = sum(fast._encoder.head(prompt) for prompt in text[:4])
    assert heads <= fast.counts.prefix <= heads + 4 * 2  # the questions may begin alike
    assert len(fast.prefixes) == 4
    before = fast.counts.prefix, fast.counts.suffix
    fast.generate(about(2, "Reply with the value only: which year has the most rows?"), max_new_tokens=3)
    assert fast.counts.prefix == before[0] and fast.counts.plain == 0
    assert 10 < fast.counts.suffix - before[1] < fast._encoder.head(text[2])
    fast.prefixes.clear()
    assert fast.prefixes.num_bytes == 0
    fast.score(asked[0], CHOICES)
    assert fast.counts.prefix > before[0]


def test_one_question_leaves_what_stands_before_it_to_the_next(folders: dict[str, Path]) -> None:
    """What is to be done with the table runs once, also where questions come one by one."""
    fast, slow = chat(folders["qwen"]), plain(folders["qwen"])
    task = "\nDoes the table hold the year of the total? Reply with one word.\n"

    def asked(question: str) -> list[Message]:
        (message,) = about(1, task)
        return [Message("user", (*message.parts, Text(question)))]

    first, second = asked("Question: which year?"), asked("Question: the total of rows?")
    fast.score(first, CHOICES)
    before = fast.counts.prefix, fast.counts.suffix
    assert_same([fast.score(second, CHOICES)], [slow.score(second, CHOICES)])
    assert fast.counts.prefix == before[0]
    assert fast.counts.suffix - before[1] < fast.num_tokens(task)
    fast.generate(about(1, "\nReply with the value."), max_new_tokens=2)  # another task: the table is enough
    assert fast.counts.prefix == before[0] and fast.counts.plain == 0


@pytest.mark.parametrize("kind", KINDS)
def test_small_caches_drop_the_least_recently_used(folders: dict[str, Path], kind: str) -> None:
    fast, asked = chat(folders[kind]), prompts(4, 2)
    expected = plain(folders[kind]).score_batch(asked, CHOICES)
    fast.score_batch(asked, CHOICES)
    one = fast.prefixes.num_bytes // 4
    for max_bytes, kept in [(one * 5 // 2, 2), (one // 2, 0)]:
        small = chat(folders[kind], batch_tokens=200)
        small.prefixes.max_bytes = max_bytes
        assert_same(small.score_batch(asked, CHOICES), expected)
        assert len(small.prefixes) == kept and small.prefixes.num_bytes <= max_bytes
        assert_same([small.score(messages, CHOICES) for messages in asked], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_choices_of_several_tokens(folders: dict[str, Path], kind: str) -> None:
    choices = ["SUPPORTED", "REFUTED", "True"]
    slow, fast = plain(folders[kind]), chat(folders[kind])
    assert slow.num_tokens("SUPPORTED") > 2
    expected = slow.score_batch(prompts(), choices)
    got = fast.score_batch(prompts(), choices)
    torch.testing.assert_close(torch.tensor(got), torch.tensor(expected), atol=1e-4, rtol=0)
    assert fast.counts.plain == 0


@pytest.mark.parametrize("kind", KINDS)
def test_long_tables_are_shared_though_questions_shorten_them_differently(
    folders: dict[str, Path], kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    long = Text("".join(f"region {i} | {i * 7} rows\n" for i in range(60)), item_id="T")
    asked = [[Message("user", (long, Text("why? " * n)))] for n in (1, 9, 20)]
    slow, fast = plain(folders[kind], max_length=300), chat(folders[kind], max_length=300)
    with caplog.at_level(logging.WARNING):
        expected = slow.score_batch(asked, CHOICES)
    assert len({record.getMessage() for record in caplog.records}) > 1
    assert_same(fast.score_batch(asked, CHOICES), expected)
    assert [fast.generate(one, max_new_tokens=30) for one in asked] == [
        slow.generate(one, max_new_tokens=30) for one in asked
    ]
    assert fast.counts.plain == 0 and fast.counts.prefix < 300


def test_prompts_without_tables_and_mixtures(folders: dict[str, Path]) -> None:
    asked = [
        *prompts(2, 2),
        [Message("user", (Text("the total?"),))],
        [Message("system", (Text("be brief"),)), *about(1, "no")],
    ]
    slow, fast = plain(folders["qwen"]), chat(folders["qwen"])
    assert_same(fast.score_batch(asked, CHOICES), slow.score_batch(asked, CHOICES))
    assert 0 < fast.counts.plain < 40
    assert fast.score_batch([], CHOICES) == [] and fast.generate_batch([]) == []


def test_half_precision_stays_close(folders: dict[str, Path]) -> None:
    options = {"model": str(folders["llama"]), "device": "cpu", "dtype": "bfloat16"}
    slow = LocalChat(LocalChatConfig(**options, prefix_cache_mb=0, batch_size=1))
    fast = LocalChat(LocalChatConfig(**options))
    expected, got = slow.score_batch(prompts(), CHOICES), fast.score_batch(prompts(), CHOICES)
    assert fast.counts.prefix > 0
    torch.testing.assert_close(torch.tensor(got), torch.tensor(expected), atol=0.5, rtol=0.05)


@pytest.mark.parametrize("change", ["window", "dynamic", "flash", "wrong"])
def test_models_that_cannot_share_run_whole_prompts(
    folders: dict[str, Path], change: str, caplog: pytest.LogCaptureFixture
) -> None:
    fast = chat(folders["llama"])
    model = fast._loaded[0]
    if change == "window":
        model.config.layer_types, model.config.sliding_window = ["full_attention", "sliding_attention"], 8
    elif change == "dynamic":
        model.config.rope_parameters = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}
    elif change == "flash":
        model.config._attn_implementation_internal = "flash_attention_2"
    else:  # every token sees the whole prompt: the beginning then depends on the question
        for layer in model.model.layers:
            forward = layer.self_attn.forward
            layer.self_attn.forward = lambda *args, forward=forward, **kwargs: forward(
                *args, **{**kwargs, "attention_mask": torch.zeros(1, 1, 1, 1)}
            )
    reasons = {"window": "not all its layers", "dynamic": "rotary", "flash": "flash", "wrong": "off by"}
    with caplog.at_level(logging.WARNING):
        assert fast._engine is None
    assert "runs whole" in caplog.text and reasons[change] in caplog.text
    if change == "window":
        model.config.layer_types, model.config.sliding_window = None, None
    if change in ("window", "dynamic"):
        fast.score_batch(prompts(2, 1), CHOICES)
        assert fast.counts.prefix == 0 and fast.counts.plain > 0


def test_eager_attention(folders: dict[str, Path]) -> None:
    fast = chat(folders["qwen"])
    fast._loaded[0].set_attn_implementation("eager")
    assert_same(fast.score_batch(prompts(), CHOICES), plain(folders["qwen"]).score_batch(prompts(), CHOICES))
    assert fast.counts.plain == 0


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("kind", [*KINDS, *PICTURE_KINDS])
def test_cuda_agrees(folders: dict[str, Path], pictures: list[str], kind: str) -> None:
    asked = prompts() if kind in KINDS else [shown([path], "why? " * n) for n in (1, 4) for path in pictures]
    fast = LocalChat(LocalChatConfig(model=str(folders[kind]), device="cuda", dtype="float32"))
    expected = plain(folders[kind]).score_batch(asked, CHOICES)
    torch.testing.assert_close(
        torch.tensor(fast.score_batch(asked, CHOICES)), torch.tensor(expected), atol=1e-3, rtol=1e-3
    )
    assert fast.counts.plain == 0 and fast.counts.prefix > 0


def test_settings_out_of_range(folders: dict[str, Path]) -> None:
    for options in ({"prefix_cache_mb": -1}, {"batch_tokens": 0}):
        with pytest.raises(UserError, match="prefix_cache_mb=.*batch_tokens="):
            chat(folders["qwen"], **options)


def test_the_key_is_of_all_up_to_the_last_table() -> None:
    one = about(1, "a")
    assert tables_key(one) == tables_key(about(1, "b")) != tables_key(about(2, "a"))
    assert tables_key([Message("user", (Text("a"),))]) is None
    assert tables_of([*one, Message("assistant", (Text("yes"),))])[0].parts == one[0].parts[:2]
    later: Conversation = [Message("user", (Text("first"),)), *one]
    assert tables_key(later) != tables_key(one) and len(tables_of(later)) == 2


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9), st.booleans()), max_size=40), st.integers(0, 20)
)
def test_the_cache_never_holds_more_than_its_bound(steps: list[tuple[int, int, bool]], bound: int) -> None:
    cache = PrefixCache(bound * 4)
    order: list[bytes] = []
    for number, size, put in steps:
        key = bytes([number])
        if put:
            prefix = Prefix((1,), size, 0, ((torch.zeros(size), torch.zeros(0)),))
            cache.put(key, prefix)
            order = [other for other in order if other != key] + [key]
        elif cache.get(key) is not None:
            order = [other for other in order if other != key] + [key]
        kept = [other for other in order if other in cache]
        assert cache.num_bytes <= bound * 4 and len(cache) == len(kept)
        if kept and put and size <= bound:
            assert kept[-1] == key and order[-len(kept) :] == kept  # the oldest went first
        order = kept

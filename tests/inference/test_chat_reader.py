"""What the chat reader makes of replies: tasks, asked forms, checks, confidence, several tables."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import Chat, Corpus, ask, long_table, run, table

from tabrag.chat.config import ServerChatConfig
from tabrag.chat.prompts import NOT_ANSWERABLE
from tabrag.chat.protocol import Conversation, Picture, Text
from tabrag.chat.server import ServerChat
from tabrag.config import parse
from tabrag.data.records import LABELS
from tabrag.errors import UserError
from tabrag.inference.answer import Reader, p_true
from tabrag.inference.chat_reader import judge
from tabrag.inference.config import ContextConfig, ReaderConfig
from tabrag.inference.context import build_contexts
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Answer, Candidate, Query, Table

QUESTION = "how much barley did the south grow in 2019?"


def read(chat: Chat, text: str, *tables: Table, task: str = "qa", **settings: object) -> Answer:
    reader = Reader(ReaderConfig(reader="chat", **settings), chat=chat)  # type: ignore[arg-type]
    tables = tables or (table(),)
    (answer,) = reader(ask(text, task=task), run(*(one.id for one in tables)), Corpus(*tables))
    return answer


def prompt_text(conversation: Conversation) -> str:
    return "".join(part.text for part in conversation[0].parts if isinstance(part, Text))


class TestTasks:
    def test_an_asked_form_is_kept_and_the_value_in_it_found(self):
        for reply in ('{"answer": "450"}', '```json\n{"answer": 450}\n```'):
            chat = Chat(reply)
            answer = read(chat, f"{QUESTION}\nAnswer in JSON.")
            assert answer.answer == reply and answer.question == f"{QUESTION}\nAnswer in JSON."
            assert (answer.evidence[0].cells, answer.confidence, answer.notes) == ([(3, 2)], 0.8, [])
            text = prompt_text(chat.asked[0])
            assert text.endswith(f" Answer in JSON.\nQuestion: {QUESTION}")
            assert "Reply with the value only" not in text
        missing = read(Chat('{"answer": "not in the table"}'), f"{QUESTION} Answer in JSON.")
        assert missing.answer == '{"answer": "not in the table"}' and missing.evidence == []
        plain = Chat("450")
        assert read(plain, QUESTION).answer == "450"
        assert "Reply with the value only" in prompt_text(plain.asked[0])

    def test_a_list_is_found_member_by_member(self):
        answer = read(
            Chat('{"answer": ["450", "900"]}'), f"wheat and barley of the south in 2019? {'Answer in JSON.'}"
        )
        assert sorted(answer.evidence[0].cells) == [(3, 1), (3, 2)] and answer.confidence == 0.8
        half = read(Chat("450 and 777"), QUESTION)
        assert half.evidence[0].cells == [] and half.confidence == 0.4

    def test_statements_have_three_labels_or_two(self):
        chat = Chat(scores=[-3.0, -2.0, -1.0])
        answer = read(chat, "the south grew 450 barley in 2019", task="verify")
        total = sum(map(math.exp, chat.scores))
        assert answer.answer == "NOT ENOUGH INFO" and answer.confidence == pytest.approx(math.exp(-1) / total)
        assert all(label in prompt_text(chat.asked[0]) for label in LABELS)
        two = Chat(scores=[-3.0, -2.0])
        assert read(two, "the south grew", task="verify", can_be_open=False).answer == "REFUTED"
        assert "NOT ENOUGH INFO" not in prompt_text(two.asked[0])
        unsure = read(two, "the south grew", task="verify", can_be_open=False, min_confidence=0.8)
        assert unsure.answer == "NOT ENOUGH INFO"
        assert unsure.confidence == pytest.approx(1 - 1 / (1 + math.exp(-1)))
        with pytest.raises(UserError, match="min_confidence is 2"):
            read(two, "the south grew", task="verify", min_confidence=2.0)

    def test_the_instruction_of_a_statement_is_not_part_of_it(self):
        chat = Chat(scores=[-1.0, -2.0, -3.0])
        answer = read(chat, "the south grew 450. Answer with true or false only.", task="verify")
        assert answer.answer == "SUPPORTED"
        assert prompt_text(chat.asked[0]).endswith("Statement: the south grew 450.")
        assert "true or false" not in prompt_text(chat.asked[0])

    def test_a_description_names_its_cells_and_its_foreign_numbers(self):
        chat = Chat("In 2019 the south grew 450 barley, 33 less than the north with 310.")
        answer = read(chat, "compare the barley of south and north in 2019", task="describe")
        assert answer.answer == "In 2019 the south grew 450 barley, 33 less than the north with 310."
        cells = answer.evidence[0].cells
        assert {(3, 2), (2, 2), (0, 1), (2, 0), (3, 0)} <= set(cells) and (2, 1) not in cells
        assert answer.notes == ["number not in the table: 33"] and answer.confidence == 0.8
        assert "Request: compare" in prompt_text(chat.asked[0])
        nothing = read(Chat("nothing"), "describe it", task="describe")
        assert (nothing.confidence, nothing.notes) == (0.4, [])
        assert read(Chat("It is not in the table."), "describe it", task="describe").answer == NOT_ANSWERABLE

    def test_replies_of_all_kinds_in_one_batch_go_to_their_queries(self):
        queries = [
            Query(id="d", text="describe it", task="describe"),
            Query(id="a", text=QUESTION),
            Query(id="v", text="it grew", task="verify"),
            Query(id="j", text=f"{QUESTION} Answer in JSON."),
            Query(id="none", text=QUESTION),
        ]
        candidates = run("T1")["q"]
        chat = Chat("d", "450", "j", scores=[-1.0, -2.0, -3.0])
        reader = Reader(ReaderConfig(reader="chat"), chat=chat)
        answers = reader(queries, {query.id: candidates for query in queries[:4]}, Corpus(table()))
        assert [one.query_id for one in answers] == ["d", "a", "v", "j", "none"]
        assert [one.answer for one in answers] == ["d", "450", "SUPPORTED", "j", ""]


class TestConfidence:
    def reranked(self, score: float, stage: str = "rerank") -> dict[str, list[Candidate]]:
        return {"q": [Candidate(item_id="T1", score=score, stage=stage)]}

    @pytest.mark.parametrize("reader", ["cells", "chat"])
    def test_it_is_the_product_with_p_true(self, reader: str):
        def confidence(candidates: dict[str, list[Candidate]]) -> float:
            made = Reader(ReaderConfig(reader=reader), chat=Chat("450"))  # type: ignore[arg-type]
            (answer,) = made(ask(QUESTION), candidates, Corpus(table()))
            assert answer.confidence is not None
            return answer.confidence

        alone = confidence(run("T1"))
        assert 0 < alone <= 1
        assert confidence(self.reranked(0.25)) == pytest.approx(alone / 4)
        assert confidence(self.reranked(0.25, "bm25")) == confidence(self.reranked(1.5)) == alone

    def test_only_the_best_candidate_counts(self):
        first = Candidate(item_id="a", score=0.5, stage="rerank")
        assert p_true([first, Candidate(item_id="b", score=0.9, stage="rerank")]) == 0.5
        assert p_true([Candidate(item_id="b", score=0.9, stage="fused"), first]) is None
        assert p_true([]) is None

    def test_a_wrong_table_tells_nothing(self):
        chances = {"SUPPORTED": 0.7, "REFUTED": 0.2, "NOT ENOUGH INFO": 0.1}
        assert judge(chances) == ("SUPPORTED", 0.7)
        assert judge(chances, relevance=0.9) == ("SUPPORTED", pytest.approx(0.63))
        label, sure = judge(chances, relevance=0.5)
        assert label == "NOT ENOUGH INFO" and sure == pytest.approx(0.55)
        assert judge({"SUPPORTED": 0.7, "REFUTED": 0.3}, relevance=0.5) == ("SUPPORTED", 0.35)
        answer = Reader(ReaderConfig(reader="chat"), chat=Chat(scores=[0.0, -2.0, -2.0]))(
            ask("it grew", task="verify"), self.reranked(0.1), Corpus(table())
        )[0]
        assert (
            answer.answer == "NOT ENOUGH INFO" and answer.confidence is not None and answer.confidence > 0.9
        )

    @given(
        st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
        st.none() | st.floats(0, 1),
        st.floats(0, 1),
        st.booleans(),
    )
    def test_it_stays_a_probability(
        self, weights: list[float], relevance: float | None, least: float, open_: bool
    ):
        labels = LABELS if open_ else LABELS[:2]
        total = sum(weights[: len(labels)])
        chances = {label: weight / total for label, weight in zip(labels, weights, strict=False)}
        label, sure = judge(chances, relevance=relevance, min_confidence=least)
        assert label in LABELS and -1e-9 <= sure <= 1 + 1e-9
        if label != "NOT ENOUGH INFO":
            assert sure >= least


class TestSeveralTables:
    def test_they_share_the_budget(self):
        small, long = table(), long_table()
        pairs = [(long, None), (small, None), (long, None)]
        config = ContextConfig(max_tokens=900)
        contexts = build_contexts(pairs, "region 222 in year 2007?", config=config)
        sizes = [estimate_tokens(context.text) for context in contexts]
        assert contexts[1].num_hidden_rows == 0 and sizes[1] < 300  # what it leaves goes to the others
        assert 700 < sum(sizes) <= 900 and sizes[0] > 300 and sizes[2] > 300
        assert "region 222" in contexts[0].text and "region 222" in contexts[2].text
        assert max(sizes[0], sizes[2]) < 1.4 * min(sizes[0], sizes[2])
        (alone,) = build_contexts([(long, None)], "region 222?", config=config)
        assert estimate_tokens(alone.text) > sizes[0]
        assert build_contexts([], "?") == []

    def test_the_words_of_a_picture_are_cut_as_well(self):
        from tabrag.types import Word

        words = [Word(text=f"w{i}", box=(0, 0, 1, 1)) for i in range(500)]
        (context,) = build_contexts(
            [(Table(id="p", words=words), None)], "?", config=ContextConfig(max_tokens=100)
        )
        assert context.text.startswith("w0 w1 ") and "words not shown]" in context.text
        assert estimate_tokens(context.text) <= 100

    def test_what_is_not_shown_is_said(self):
        chat = Chat("22207")
        long = long_table()
        answer = read(chat, "what is region 222 in year 2007?", long, context=ContextConfig(max_tokens=120))
        assert len(answer.notes) == 1 and answer.notes[0].startswith("table 'T1' was cut to ")
        assert "of 302 rows" in answer.notes[0]
        text = prompt_text(chat.asked[0])
        assert "22207" in text and "not shown]" in text
        assert read(Chat("450"), QUESTION).notes == []


class TestServed:
    def test_the_served_model_takes_the_place_of_the_local_one(self):
        server = ServerChatConfig(url="http://localhost:1/v1", model="m", timeout=5)
        reader = Reader(ReaderConfig(reader="chat", server=server))
        assert isinstance(reader.chat, ServerChat)
        settings = reader.settings()
        assert settings["chat"]["model"] == "m" and "timeout" not in settings["chat"]
        local = Reader(ReaderConfig(reader="chat")).settings()
        assert local["chat"]["model"] == "offline:smollm2" and "server" not in local
        assert not {"device", "batch_size", "prefix_cache_mb", "batch_tokens"} & set(local["chat"])

    def test_it_is_set_from_the_command_line(self):
        config = parse(ReaderConfig, ["--reader=chat", "--server.url=http://x/v1", "--server.model=m"])
        assert config.server == ServerChatConfig(url="http://x/v1", model="m")


def test_a_placeholder_in_a_question_asks_for_no_picture():
    chat = Chat("450")
    corpus = Corpus(table(image="a.png"))
    reader = Reader(ReaderConfig(reader="chat", show="both"), chat=chat)
    reader(ask("what is <image> in <|im_end|> 2019?"), run("T1"), corpus)
    parts = chat.asked[0][0].parts
    assert [part.path for part in parts if isinstance(part, Picture)] == [str(Path("data") / "a.png")]
    assert "what is <image> in <|im_end|> 2019?" in prompt_text(chat.asked[0])

"""Replies under each prompting, through the reader: answer, formula, cells, notes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import Chat, Corpus, ask, run, table
from tiny_chat import TEMPLATE, save

from tabrag.chat.calculator import evaluate
from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import NOT_ANSWERABLE, NOT_FOUND, Shown
from tabrag.chat.protocol import Conversation, Message, Text
from tabrag.inference.answer import Reader
from tabrag.inference.config import ReaderConfig
from tabrag.inference.prompting import PROMPTINGS
from tabrag.tables.grid import make_grid
from tabrag.types import Answer, Table

GROWTH = "By what percentage did the wheat of the north grow from 2019 to 2020?"
WHICH = "Which region grew the most wheat in 2019?"


def recap(*, answer: str = "", formula: str = "", restate: str = "", present: str = "") -> str:
    compute = f"so it is ##{formula}##" if formula else "it is read off"
    return f"Restate: {restate}\nExtract: x\nCompute: {compute}\nAnswer: {answer}\nPresent: {present}"


def read(reply: str, question: str, *tables: Table, prompting: str = "recap", task: str = "qa") -> Answer:
    tables = tables or (table(),)
    reader = Reader(ReaderConfig(reader="chat", prompting=prompting), chat=Chat(reply))  # type: ignore[arg-type]
    (answer,) = reader(ask(question, task=task), run(*(one.id for one in tables)), Corpus(*tables))
    return answer


def text_of(messages: Conversation) -> str:
    return "".join(part.text for part in messages[0].parts if isinstance(part, Text))


class TestRecap:
    def test_the_calculator_goes_before_the_model_where_a_number_is_asked_for(self):
        answer = read(recap(answer="5%", formula="(1,250 - 1,200) / 1,200"), GROWTH)
        assert (answer.answer, answer.formula) == ("4.17%", "(1250 - 1200) / 1200")
        assert answer.notes == ["computed 4.17% by the formula, where the model said 5%"]
        assert evaluate(answer.formula) == pytest.approx(50 / 1200)
        (evidence,) = answer.evidence
        assert evidence.cells == [(2, 3), (2, 1)] and evidence.rows == [2] and evidence.columns == [1, 3]
        assert answer.confidence == 0.8

    def test_no_note_where_both_say_the_same(self):
        for said in ("4.17%", "4.17 %", "4.2%", "4.17"):
            answer = read(recap(answer=said, formula="(1250 - 1200) / 1200 * 100"), GROWTH)
            assert (answer.answer, answer.notes) == ("4.17%", [])

    def test_a_question_for_no_number_has_the_models_answer(self):
        answer = read(recap(answer="north", formula="1,200 - 900"), WHICH)
        assert (answer.answer, answer.formula) == ("north", None)
        assert answer.evidence[0].cells == [(2, 0)]

    def test_the_model_says_what_is_asked_for_where_the_words_do_not(self):
        asked = "the wheat of north and south in 2019"
        for restate, expected in (("Type: number", "2100"), ("Type: text", "1,900"), ("", "2100")):
            answer = read(recap(answer="1,900", formula="1200 + 900", restate=restate), asked)
            assert answer.answer == expected
        assert read(recap(answer="both", formula="1200 + 900"), asked).answer == "both"

    def test_without_a_formula_that_has_a_value_the_model_answers(self):
        for formula in ("", "north - south", "1 / 0", "9 ** 9 ** 9"):
            answer = read(recap(answer="4.17%", formula=formula), GROWTH)
            assert (answer.answer, answer.formula) == ("4.17%", None)
            assert answer.notes == ["number not in the table: 4.17%"] and answer.confidence == 0.4

    def test_a_looked_up_value_stays_as_the_model_wrote_it(self):
        answer = read(recap(answer="$1,250", formula="1250"), "How much wheat did the north grow in 2020?")
        assert (answer.answer, answer.formula, answer.notes) == ("$1,250", None, [])
        assert answer.evidence[0].cells == [(2, 3)]
        other = read(recap(answer="1,250", formula="1200"), "How much wheat did the north grow in 2019?")
        assert other.answer == "1200" and other.notes[0].startswith("computed 1200 by the formula")

    def test_numbers_that_stand_nowhere_are_named_and_make_it_less_sure(self):
        answer = read(recap(answer="x", formula="(1250 - 777) / 1200 * 100"), GROWTH)
        assert answer.answer == "39.42%" and answer.confidence == 0.4
        assert "number not in the table: 777" in answer.notes
        assert answer.evidence[0].cells == [(2, 3), (2, 1)]  # 100 is no number of the table
        nothing = read(recap(answer="x", formula="5 + 6"), "What is the sum?")
        assert nothing.answer == "11" and [one.cells for one in nothing.evidence] == [[]]

    def test_not_in_the_table(self):
        answer = read(recap(answer=NOT_FOUND, formula="1250 - 1200"), GROWTH)
        assert answer.answer == NOT_ANSWERABLE and answer.formula is None and answer.evidence == []

    def test_an_asked_form_keeps_its_place_for_the_number(self):
        question = f'{GROWTH} Answer in JSON as {{"answer": "<ANSWER>"}}.'
        made = read(recap(answer="5%", formula="(1250-1200)/1200", present='{"answer": "5%"}'), question)
        assert (made.answer, made.formula) == ('{"answer": "4.17%"}', "(1250 - 1200) / 1200")
        other = read(recap(answer="north", present='{"answer": "north"}'), f"{WHICH} Answer in JSON.")
        assert other.answer == '{"answer": "north"}' and other.evidence[0].cells == [(2, 0)]
        prose = read(
            recap(answer="five", formula="1250-1200", present="It is five."), f"{GROWTH} Answer in JSON."
        )
        assert prose.answer == "It is 50%."

    def test_decimals_that_an_instruction_asks_for(self):
        answer = read(
            recap(answer="5%", formula="(1250-1200)/1200"), f"{GROWTH} Answer with one decimal place."
        )
        assert answer.answer == "4.2%"

    def test_the_scale_of_the_table(self):
        cells = [["in thousands", "2019"], ["north", "1,500"], ["south", "2,500"]]
        scaled = table(grid=make_grid(cells, num_header_rows=1, num_header_cols=1))
        answer = read(recap(answer="4", formula="1500 + 2500"), "What is the total in millions?", scaled)
        assert (answer.answer, answer.notes) == ("4", [])
        answer = read(recap(answer="4,000", formula="1500 + 2500"), "What is the total?", scaled)
        assert (answer.answer, answer.notes) == ("4000", ["unit left out: the table says thousand"])

    def test_several_tables_each_give_their_cells(self):
        other = table(
            "T2", title="Prices", grid=make_grid([["", "price"], ["wheat", "37"]], num_header_rows=1)
        )
        reader = Reader(
            ReaderConfig(reader="chat", prompting="recap", num_tables=2),
            chat=Chat(recap(formula="1200 * 37")),
        )
        (answer,) = reader(ask("What is the value of the wheat?"), run("T1", "T2"), Corpus(table(), other))
        assert answer.answer == "44400"
        assert [(one.item_id, one.cells) for one in answer.evidence] == [("T1", [(2, 1)]), ("T2", [(1, 1)])]

    @given(st.text(max_size=80))
    @settings(max_examples=30, deadline=None)
    def test_any_reply_gives_an_answer(self, reply: str):
        for question in (GROWTH, WHICH):
            for prompting in ("cot", "pot", "recap", "reasoned"):
                answer = read(reply, question, prompting=prompting)
                assert answer.formula is None or evaluate(answer.formula) is not None


class TestOthers:
    def test_a_program(self):
        reply = "a = 1200\nb = 1250\nans = (b - a) / a * 100"
        answer = read(reply, GROWTH, prompting="pot")
        assert (answer.answer, answer.formula) == ("4.17%", "(1250 - 1200) / 1200 * 100")
        assert answer.evidence[0].cells == [(2, 3), (2, 1)] and answer.notes == []
        text = read("ans = 'north'", WHICH, prompting="pot")
        assert (text.answer, text.formula, text.evidence[0].cells) == ("north", None, [(2, 0)])
        assert read("```python\nans = x + 1\n```", GROWTH, prompting="pot").answer == ""
        broken = read("ans = x\nAnswer: north", WHICH, prompting="pot")
        assert broken.answer == "north"
        assert read(f"ans = '{NOT_FOUND}'", WHICH, prompting="pot").answer == NOT_ANSWERABLE

    def test_steps_in_words(self):
        answer = read("The north has 1,200.\nThe south has 900.\n**Answer:** north\n", WHICH, prompting="cot")
        assert (answer.answer, answer.evidence[0].cells, answer.formula) == ("north", [(2, 0)], None)
        form = read('So.\nAnswer: {"answer": "north"}', f"{WHICH} Answer in JSON.", prompting="cot")
        assert form.evidence[0].cells == [(2, 0)]

    def test_statements_and_descriptions_are_asked_as_before(self):
        for task, reply in (("describe", "The north grew 1,200 wheat in 2019."), ("verify", "")):
            made = []
            for prompting in PROMPTINGS:
                chat = Chat(reply, scores=[-1.0, -2.0, -3.0])
                reader = Reader(ReaderConfig(reader="chat", prompting=prompting), chat=chat)  # type: ignore[arg-type]
                (answer,) = reader(ask("it grew", task=task), run("T1"), Corpus(table()))
                made.append((answer.answer, text_of(chat.asked[0])))
            assert len(set(made)) == 1 and made[0][0]


class TestPrompts:
    def test_the_examples_read_as_what_they_show(self):
        """Each prompting gives 12 % for its own example's reply."""
        for prompting in ("cot", "pot", "recap"):
            shown = text_of(PROMPTINGS[prompting].prompt("?", [], instruction=""))
            reply = shown.partition("from 2021 to 2022?\n")[2].partition("\nNow it is")[0]
            cells = [["kind", "2021", "2022"], ["sailing", "1,250", "1,400"]]
            boats = table(grid=make_grid(cells, num_header_rows=1, num_header_cols=1))
            asked = "By what percentage did sailing boats grow from 2021 to 2022?"
            answer = read(reply, asked, boats, prompting=prompting)
            assert answer.answer == "12%"
            if prompting != "cot":
                assert answer.formula is not None and answer.evidence[0].cells == [(1, 2), (1, 1)]


def test_a_real_model_is_asked_and_read(tmp_path: Path):
    folder = save(tmp_path, "qwen", template=TEMPLATE, positions=4096)
    chat = LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4096))
    confidences = set()
    for prompting in PROMPTINGS:
        config = ReaderConfig(reader="chat", prompting=prompting, max_reasoning_tokens=4, max_new_tokens=4)  # type: ignore[arg-type]
        (answer,) = Reader(config, chat=chat)(ask(GROWTH), run("T1"), Corpus(table()))
        assert answer.confidence is not None and 0 <= answer.confidence <= 1 and len(answer.evidence) == 1
        confidences.add(answer.confidence)
    assert len(confidences) > 1


def test_another_prompting_or_wording_is_another_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(prompting: str) -> dict[str, object]:
        return Reader(ReaderConfig(reader="chat", prompting=prompting)).settings()  # type: ignore[arg-type]

    before = [made(prompting) for prompting in PROMPTINGS]
    assert all(before[one] != before[two] for one in range(5) for two in range(one))
    monkeypatch.setattr("tabrag.inference.answer.REASONING_VERSION", 99)
    after = [made(prompting) for prompting in PROMPTINGS]
    assert [one == two for one, two in zip(before, after, strict=True)] == [True, False, False, False, False]


def test_messages_are_one_turn() -> None:
    for prompting in PROMPTINGS.values():
        messages = prompting.prompt("a?", [Shown("t1", "Fruit", "a | b\n1 | 2")], instruction="")
        assert len(messages) == 1 and isinstance(messages[0], Message) and messages[0].role == "user"

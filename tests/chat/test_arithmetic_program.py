"""Programs of assignments, read and never executed."""

from __future__ import annotations

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.arithmetic_program import run_program


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("a = 1250\nb = 1,400\nans = (b - a) / a * 100", 12),
        ("```python\nx_1 = 5 # apples\nx_2 = x_1 * 2; print(x_2)\n```\nSo it is 11.", 10),
        ("Here it is:\n```\nans = 1\n```\nBetter:\n```\nans = 2\n```", 2),
        ("x = 1\nx = x + 1\nreturn x", 2),
        ("total = sum([1, 2])", 3),
        ("x = 3\na = [x, 1,400]\nans = sum(a) / len(a)", 701.5),
        ("x: float = 3\ny = max(x, 2) ** 2", 9),
        ("ans = 1_000 + 10%", 1000.1),
        ("ans = round(5.678, 1)\nprint(ans)", 5.7),
        ("ans = 4\ncheck = 5", 4),
        ("answer = 3\nprint(4)", 3),
        ("import os\nrate = 12%\ntotal = 1.2 million\nans = rate * total", 144_000),
        ("a = -3\nb = a ** 2\nans = -b", -9),
        ("sales_2019 = 5\nsales_2019_b = 6\nans = sales_2019_b - sales_2019", 1),
        ("sum = 4\nans = sum + sum(1, 2)", 7),
    ],
)
def test_numbers(reply: str, value: float) -> None:
    found = run_program(reply)
    assert found is not None and found.text is None and found.formula is not None
    assert found.formula.value == pytest.approx(value)


@pytest.mark.parametrize("reply", ["ans = 'North'", 'a = "North"\nans = a', "print('North')"])
def test_texts(reply: str) -> None:
    found = run_program(reply)
    assert found is not None and (found.text, found.formula) == ("North", None)


@pytest.mark.parametrize(
    "reply",
    [
        "", "nothing here", "ans = foo + 1", "ans = 5\nans = bad(", "ans = 1 / 0", "ans == 5",
        "a = [1, 2]\nans = a[0] + a[1]", "a = [1, 2]\nans = a + 1", "ans = [1, 2]",
        "ans = [x for x in (1, 2)]", "ans = 1 if 1 else 2",
        "import os\nans = os.system('true')", "ans = __import__('os')",
        "ans = open('/etc/passwd').read()", "a = b\nb = a\nans = a", "ans = 'a' * 9",
        "for i in range(9): ans = i.x",
    ],
)  # fmt: skip
def test_what_is_no_arithmetic_has_no_result(reply: str) -> None:
    assert run_program(reply) is None


def test_programs_that_grow_without_end_are_cut_off() -> None:
    with within(2):
        assert run_program("a = 2\n" + "a = a * a\n" * 500 + "ans = a") is None
        assert run_program("a = 2\n" + "a = a ** a\n" * 10 + "ans = a") is None
        assert run_program("a = 2\n" * 100_000 + "ans = a") is not None  # the last line is not reached


@given(st.text(alphabet="abns =+-*/().,%#;'\"\n0123456789printeu", max_size=80))
def test_any_text_is_read(reply: str) -> None:
    found = run_program(reply)
    assert found is None or (found.formula is None) != (found.text is None)

from __future__ import annotations

import email.utils
import time

import pytest

from tabrag.chat.endpoint import _message, _seconds


def test_retry_after_is_a_number_or_a_date():
    assert _seconds("7") == 7 and _seconds("0.5") == 0.5
    later = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert _seconds(later) == pytest.approx(100, abs=3)
    assert _seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert _seconds("") == _seconds("soon") == _seconds("-3") == _seconds("nan") == 0


@pytest.mark.parametrize(
    "said",
    [
        '{"error": {"message": "too long", "code": 400}}',
        '{"object": "error", "message": "too long"}',
        '{"detail": "too long"}',
        '{"error": "too long"}',
        "too long",
    ],
)
def test_the_message_of_an_error_object_is_shown(said: str):
    assert _message(said) == "too long"


@pytest.mark.parametrize(
    "said", ["", '{"error": null}', '{"detail": [{"msg": "x"}]}', '{"a": 1}', "[1]", "3"]
)
def test_an_unknown_error_object_is_shown_as_it_is(said: str):
    assert _message(said) == said

import json
import math

import numpy as np
import pytest

from dualres.utils.json_text import DEEPEST, json_text, json_value


def strict(text):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_what_json_can_say_is_said_as_ever():
    value = {"a": [1, 2.5, None, True, "x"], "b": {"c": ()}}
    assert json_text(value) == json.dumps(value)
    assert json_text(value, indent=1) == json.dumps(value, indent=1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_numbers_that_json_lacks_are_null_at_any_depth(value):
    said = {"a": [1.5, value, {"b": (value, "NaN")}], "c": value}
    assert strict(json_text(said)) == {"a": [1.5, None, {"b": [None, "NaN"]}], "c": None}


def test_what_json_cannot_hold_is_as_its_default_says():
    assert strict(json_text({"a": {1}, "b": math.nan}, default=sorted)) == {"a": [1], "b": None}


@pytest.mark.parametrize("text", ['{"a": [1, "x"]}', b'{"a": [1, "x"]}', '{"a": [1, "x"]}'.encode("utf-16")])
def test_what_strangers_send_is_read(text):
    assert json_value(text) == {"a": [1, "x"]}


@pytest.mark.parametrize("text", ["[" * 100_000, b'{"a":' * 20_000, "[{}," * 101, '["\\"",' * 101, '["[', "", b"\xff"])
def test_what_is_no_json_or_nests_without_end_is_refused_within_a_short_stack(text):
    """At the end of the stack, what is cleaned up at that moment fails in silence."""
    with pytest.raises(ValueError, match=r"levels deep|Expecting|Unterminated|codec"):
        json_value(text)


def test_brackets_count_where_they_nest():
    assert json_value("[" * DEEPEST + "]" * DEEPEST)
    assert json_value(json.dumps([[]] * 500)) == [[]] * 500
    assert json_value(json.dumps(['a"[' * 500, "\\", "{" * 500])) == ['a"[' * 500, "\\", "{" * 500]
    with pytest.raises(ValueError, match="levels deep"):
        json_value("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))

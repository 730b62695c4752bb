import json
import math

import numpy as np
import pytest

from dualres.utils.json_text import json_text


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

"""JSON for others to read, and JSON that strangers send.

What is written has no NaN and no infinities, which Python writes all the same; they become null.
What is read is nested at most `DEEPEST` deep: a deeper text drives `json.loads` to the end of the stack, where whatever
is cleaned up at that moment, a file or a socket of someone else, fails in silence.
"""

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

DEEPEST = 100  # levels; messages and cards of ours have fewer than ten
_MARK = re.compile(r'\\.|["\[{\]}]', re.DOTALL)  # what opens or closes, and escapes, which do neither


def json_value(text: str | bytes | bytearray) -> Any:
    """What a stranger's JSON says; a ValueError where it is none or nests deeper than anything of ours."""
    if not isinstance(text, str):
        text = text.decode(json.detect_encoding(text))
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise ValueError(f"it nests more than {DEEPEST} levels deep")
    return json.loads(text)


def _depth(text: str) -> int:
    """The most brackets that are open at once; it stops where they are too many."""
    deepest = depth = 0
    within_string = False
    for found in _MARK.finditer(text):
        mark = found[0]
        if mark == '"':
            within_string = not within_string
        elif not within_string and len(mark) == 1:
            depth += 1 if mark in "[{" else -1
            deepest = max(deepest, depth)
            if deepest > DEEPEST:
                break
    return deepest


def json_text(value: object, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """The value as JSON that every reader takes; `default` is as `json.dumps` has it."""
    try:
        return json.dumps(value, indent=indent, default=default, allow_nan=False)
    except ValueError:  # a number that JSON lacks; or a circle, which is one once more
        return json.dumps(_finite(value), indent=indent, default=default, allow_nan=False)


def _finite(value: object) -> object:
    """A copy with None in place of every number that is not finite."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value

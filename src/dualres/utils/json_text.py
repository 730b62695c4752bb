"""JSON for others to read. It has no NaN and no infinities, which Python writes all the same; they become null."""

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any


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

"""JSON as browsers take it: NaN and infinities, which it has not, are null."""

import json
import math
from typing import Any


def strict_json(value: Any) -> str:
    """In ASCII, which also holds names of files that are no valid text."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(one) for key, one in value.items()}
        case list() | tuple():
            return [_finite(one) for one in value]
    return value

"""The state of a monitor as bytes: a line of JSON, then the numbers that it describes."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dualres.errors import ConfigError
from dualres.recordings.recording import Samples
from dualres.utils.arrays import Floats
from dualres.utils.json_text import json_value


def packed(head: Mapping[str, Any], held: Sequence[Samples], kept: Sequence[Floats]) -> bytes:
    """`held` are float32 numbers (n,), `kept` arrays of any shape."""
    forms = {"kept": [[one.dtype.str, one.shape] for one in kept]} if kept else {}
    line = json.dumps({**head, "held": [len(one) for one in held], **forms}).encode()
    return b"".join([line, b"\n", *(one.astype("<f4").tobytes() for one in held), *(one.tobytes() for one in kept)])


def unpacked(state: bytes) -> tuple[dict[str, Any], list[Samples], list[Floats]]:
    """What was packed; a ConfigError for anything else."""
    try:
        line, _, body = state.partition(b"\n")
        head = json_value(line)
        forms = [("<f4", [count]) for count in head["held"]] + head.get("kept", [])
        arrays, at = [], 0
        for dtype, shape in forms:
            arrays.append(np.frombuffer(body, dtype, math.prod(shape), at).reshape(shape).copy())
            at += arrays[-1].nbytes
        if at != len(body):
            raise ValueError("it has another length than it says")
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"this is no state of a monitor ({error})") from error
    held = len(head["held"])
    return head, [one.astype(np.float32) for one in arrays[:held]], arrays[held:]

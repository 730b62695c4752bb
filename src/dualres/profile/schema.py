"""What a measurement's file has to hold, for all that read it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NUMBER, COUNT = (int, float), (int,)
TEXT, TRUTH = (str,), (bool,)
ABSENT = (type(None),)

Kinds = tuple[type, ...]
Shape = Kinds | Mapping[str, Any]  # what may stand there; or fields and the shape of each, others beside them

_BYTES = (*COUNT, *ABSENT)
WORKLOAD: Shape = {
    "warmups": COUNT,
    "repeats": COUNT,
    "seconds": (list,),
    "memory": dict.fromkeys(("rss_peak", "rss_rise", "cuda_allocated", "cuda_reserved", "cuda_rise"), _BYTES),
}
RECIPE: Shape = {"updates": COUNT}
LEDGER: Shape = {"difference": NUMBER, "same_label": TRUTH}
FACTS: dict[str, Shape] = {
    "workloads": (dict,),
    "input": {
        "recording": TEXT,
        "native_s": NUMBER,
        "windows": COUNT,
        "cycles": NUMBER,
        "sha256": TEXT,
        "variant": TEXT,
    },
    "model": {
        "from_ledger": TRUTH,
        "key": TEXT,
        "plan": {"recipe": (dict, *ABSENT)},
        "sha256": TEXT,
        "file_bytes": COUNT,
        "bytes": {"encoder": COUNT, "head": COUNT, "buffers": COUNT},
    },
    "agreement": {
        "window_to_prepared": NUMBER,
        "native_to_prepared": NUMBER,
        "same_label": TRUTH,
        "ledger": (dict, *ABSENT),
    },
    "batch": COUNT,
    "precision": (dict,),
    "versions": {"source": TEXT},
    "machine": {"device": TEXT, "cpu": TEXT, "cores": (*COUNT, *ABSENT)},
}


def check_facts(facts: Mapping[str, Any], workloads: tuple[str, ...]) -> None:
    """A ValueError that names the field for anything that is missing or not what it should be."""
    _check(facts, FACTS, "it")
    _check(facts["workloads"], dict.fromkeys(workloads, WORKLOAD), "workloads")
    for name in workloads:
        seconds = facts["workloads"][name]["seconds"]
        if not seconds:
            raise ValueError(f"workloads.{name}.seconds is empty")
        for each in seconds:
            _check(each, NUMBER, f"workloads.{name}.seconds")
            if each <= 0:
                raise ValueError(f"workloads.{name}.seconds holds {each}")
    if facts["model"]["plan"]["recipe"] is not None:
        _check(facts["model"]["plan"]["recipe"], RECIPE, "model.plan.recipe")
    if facts["agreement"]["ledger"] is not None:
        _check(facts["agreement"]["ledger"], LEDGER, "agreement.ledger")


def _check(value: object, shape: Shape, where: str) -> None:
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            raise ValueError(f"{where} has no fields")
        for name, inner in shape.items():
            if name not in value:
                raise ValueError(f"{where} has no {name}")
            _check(value[name], inner, name if where == "it" else f"{where}.{name}")
    elif type(value) not in shape or (isinstance(value, (int, float)) and not math.isfinite(value)):
        raise ValueError(f"{where} is {str(value)[:40]!r}")

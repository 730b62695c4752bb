"""What a stored outcome may hold: a ledger may come from anybody, and tables, figures and pages count on its types."""

from collections.abc import Sequence
from typing import Any

from dualres.model_file.card_schema import LARGEST, Check, flag, list_of, or_null, table_of, whole


def check_facts(facts: Any) -> None:
    """ValueError where a fact is missing or of another kind than `run_job.py` writes; further facts are left alone."""
    classes = facts["classes"]
    if not (classes and list_of(_text)(classes) and len(set(classes)) == len(classes)):
        raise ValueError("its classes are not a list of names")
    for name, (holds, sentence) in FACTS.items():
        if not holds(facts[name]):
            raise ValueError(f"its {name} {sentence}")
    if not _text(facts.get("variant", "")):
        raise ValueError("its variant is not text")


def check_scores(classes: int, truth: Sequence[int], scores: Sequence[Any]) -> None:
    """ValueError unless each of the judged recordings is of a class and has a finite score for every one."""
    if not all(0 <= each < classes for each in truth):
        raise ValueError(f"a recording is of a class beyond its {classes}")
    if not all(list_of(_number)(row) and len(row) == classes for row in scores):
        raise ValueError(f"a recording does not have {classes} scores that are finite numbers")


def _text(value: Any) -> bool:
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not flag(value) and abs(value) < LARGEST  # NaN is not, either


def _named(check: Check) -> Check:
    return lambda value: table_of(check)(value) and all(map(_text, value))


def _origin(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and _text(value[0]) and whole(value[1])


def _plain(value: Any) -> bool:
    """What JSON can hold, without numbers that are none."""
    if isinstance(value, dict | list):
        return (_named if isinstance(value, dict) else list_of)(_plain)(value)
    return value is None or flag(value) or _text(value) or _number(value)


FACTS: dict[str, tuple[Check, str]] = {
    **dict.fromkeys(("held_out", "model_sha256"), (_text, "is not text")),
    **dict.fromkeys(("judge_s", "wall_s"), (_number, "is not a number of seconds")),
    "peak_rss_bytes": (or_null(_number), "is not a number of bytes"),
    "labelled_s": (lambda value: bool(value) and _named(_number)(value), "is not a table of seconds by class"),
    "support": (list_of(_origin), "is not a list of recordings and samples"),
    "inputs": (_named(_text), "is not a table of hashes by recording"),
    "cost": (_named(or_null(_number)), "is not a table of numbers"),
    "versions": (_named(or_null(_text)), "is not a table of versions"),
    "machine": (lambda value: isinstance(value, dict) and _plain(value), "is not a table"),
}

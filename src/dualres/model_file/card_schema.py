"""What the fields of a model's card may hold: anybody may have written a file, and later code counts on the types."""

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]

LARGEST = 1e100  # of a number, either way: what is computed from a few of them is a number, too
LARGEST_WHOLE = 2**63  # of a seed or a count


def check_fields(fields: Mapping[str, Any]) -> None:
    """ValueError where a field of a card holds what no card's does; of fields that are not known here, nothing but what
    their numbers are is looked at."""
    for name, value in fields.items():
        if (beyond := _beyond(value)) is not None:
            raise ValueError(f"its {name} holds {beyond}; numbers are finite, and at most {LARGEST:g}")
        if name in FIELDS:
            holds, sentence = FIELDS[name]
            if not holds(value):
                raise ValueError(f"its {name} {sentence}")


def text(value: Any) -> bool:
    return isinstance(value, str)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not flag(value)


def whole(value: Any) -> bool:
    return isinstance(value, int) and not flag(value) and abs(value) < LARGEST_WHOLE


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def table_of(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _beyond(value: Any) -> str | None:
    """The first number, at any depth, that a card's cannot be: as it stands in the file, but for very long ones."""
    if isinstance(value, int | float) and not flag(value):
        if abs(value) <= LARGEST:  # not of NaN
            return None
        return "NaN" if value != value else f"{value:g}" if isinstance(value, float) else "a number of many digits"
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for part in parts if (found := _beyond(part)) is not None), None)


def _names(value: Any) -> bool:
    return list_of(text)(value) and len(set(value)) == len(value)


def _pair(value: Any) -> bool:
    return list_of(number)(value) and len(value) == 2


def _learned_from(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    lists = all(list_of(text)(value.get(name, [])) for name in ("channels", "rates", "units"))
    return lists and table_of(_pair)(value.get("looks", {}))


def _geometry(value: Any) -> bool:
    if not isinstance(value, dict) or not all(or_null(text)(value.get(name)) for name in ("bearing", "orders")):
        return False
    tables = table_of(text)(value.get("faults")) and table_of(whole)(value.get("labelled"))
    return not value or (tables and _names(value.get("unlabelled")))


def _estimate(value: Any) -> bool:
    """With all that the sentences about it are made of."""
    if not isinstance(value, dict) or not all(name in value and check(value[name]) for name, check in ESTIMATE.items()):
        return False
    for other in (value.get(name, {"macro_f1": 0.0}) for name in ("without_speed", "by_labels")):
        if not table_of(number)(other) or "macro_f1" not in other:
            return False
    return "low" not in value or all(number(value.get(name)) for name in ("low", "high", "level"))


ESTIMATE: dict[str, Check] = {
    **dict.fromkeys(("macro_f1", "units", "rounds"), number),
    **dict.fromkeys(("classes", "classes_not_covered", "notes"), list_of(text)),
    "unit": text,
    "on_another_recording": table_of(_pair),
    "not_known": table_of(text),
    "same_components": flag,
}
_TABLE_OF_NUMBERS = "is no table of numbers"
FIELDS: dict[str, tuple[Check, str]] = {
    "classes": (lambda value: _names(value) and len(value) > 0, "are not distinct names"),
    "config": (lambda value: isinstance(value, dict), "is no table"),
    "recipe": (or_null(lambda value: isinstance(value, dict)), "is no table"),
    "seed": (whole, "is no whole number"),
    "resampler": (text, "is no text"),
    "exposure_s": (table_of(number), _TABLE_OF_NUMBERS),
    "held_out": (or_null(text), "is no text"),
    "score": (or_null(table_of(number)), _TABLE_OF_NUMBERS),
    "remarks": (list_of(text), "are no texts"),
    "versions": (table_of(text), "is no table of texts"),
    "method": (text, "is no text"),
    "constants": (table_of(number), _TABLE_OF_NUMBERS),
    "cost": (or_null(table_of(or_null(number))), _TABLE_OF_NUMBERS),
    "settings": (table_of(lambda value: number(value) or list_of(number)(value)), _TABLE_OF_NUMBERS),
    "unlabelled_s": (number, "is no number"),
    "channels": (_names, "are not distinct names"),
    "axes": (text, "is no text"),
    "learned_from": (_learned_from, "is no table of channels, rates, units and looks"),
    "estimates": (list_of(_estimate), "are no estimates"),
    "geometry": (_geometry, "is no table of a bearing, faults, labelled and unlabelled classes"),
    "calibration": (lambda value: isinstance(value, dict), "is no table"),
}

"""Numbers as a report's CSV file states them."""

import math
import re
from collections.abc import Iterator, Mapping

TOLERANCE = 1e-9  # of numbers that were computed twice; a logarithm may differ in its last digit between machines
_SHOWN = re.compile(r"[+-]?[\d,]+(?:\.(\d+))?")


def number(text: str) -> float | None:
    """None where nothing is stated."""
    return float(text) if text else None


def shown_number(text: str) -> float:
    """The number that a cell's text begins with."""
    found = _SHOWN.match(text)
    if found is None:
        raise ValueError(f"{text!r} is not a number")
    return float(found[0].replace(",", ""))


def close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def check_text(record: Mapping[str, str], mean: float | None) -> Iterator[str]:
    """The number that is shown must be the mean, rounded."""
    text = record["text"]
    shown = _SHOWN.match(text)
    if mean is None:
        if text not in ("not run", "n/a") and not text.endswith(("jobs", "datasets")):
            yield f"shows {text!r}, but there is no such number"
        return
    places = len(shown[1] or "") if shown else 0
    if not shown or abs(shown_number(text) - mean) > 0.5 * 10.0**-places + TOLERANCE:
        yield f"shows {text!r} for {mean!r}"

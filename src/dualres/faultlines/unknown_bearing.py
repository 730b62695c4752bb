"""A bearing of which only the number of elements is known, or a range of it: "8 to 10 elements".

Elements fill much the same share of the pitch circle in all bearings: 0.48 to 0.60 in those whose dimensions are known
here, and 0.45 to 0.68 is looked at. That leaves the outer ring's rate within half the elements less 0.7 to 1.1 turns,
and the inner ring's as far above half of them. Elements and cage stay unknown: their rates range too widely.

The template is tried all over such ranges. Chance fits better the more places are tried, so the p-value is that of the
best among as many as lie in the ranges side by side. It is no less than the share of rivals that score as high.
"""

from math import pi

import numpy as np

from dualres.errors import ConfigError
from dualres.faultlines.bearing_templates import (
    RANGE,
    SLIP,
    SLIP_UNSURE,
    PartTest,
    best_scores,
    elsewhere,
    heights,
    template,
    without_lines_of,
)
from dualres.faultlines.fault_orders import FaultOrders, Part
from dualres.faultlines.order_evidence import OrderEvidence, near_maximum

FILLED = (0.45, 0.68)  # of the pitch circle's circumference by the elements
LEAST, MOST = 5, 30  # elements that can be looked for
WIDEST = 3  # numbers in a range: with more, one's inner ring is struck as often as another's outer ring
RINGS: tuple[Part, ...] = ("outer race", "inner race")
TAILS = (0.5, 0.1, 0.01, 0.001, 0.0003)  # shares of places on the order axes of healthy simulated machines
# The scores that those shares reach, of 7,500 places of 500 machines; beyond the last, chance stays what it is there.
HEALTHY: dict[Part, tuple[float, ...]] = {
    "outer race": (1.24, 1.71, 2.16, 2.5, 2.69),
    "inner race": (1.14, 1.44, 1.79, 2.13, 2.43),
}

Elements = tuple[int, int]  # at least and at most


def elements_of(text: str) -> Elements | None:
    """From "9", "8-10", "8 to 10" or "8 to 10 elements"; None for anything else, such as a bearing's name."""
    words = text.replace("elements", "").replace("to", "-").split("-")
    if not 1 <= len(words) <= 2 or not all(word.strip().isdecimal() and len(word.strip()) < 3 for word in words):
        return None
    least, most = int(words[0]), int(words[-1])
    if not LEAST <= least <= most <= MOST:
        raise ConfigError(f"a bearing of {text.strip()} elements: from {LEAST} to {MOST} can be looked for")
    if most - least >= WIDEST:
        raise ConfigError(
            f"a bearing of {text.strip()} elements: one's inner ring is struck as often as another's outer ring; "
            f"give at most {WIDEST} numbers, such as 8-10"
        )
    return least, most


def range_of(part: Part, elements: int) -> tuple[float, float]:
    """Least and highest order at which a damaged ring may be struck."""
    away = [share * pi / 2 for share in FILLED]
    if part == "outer race":
        return elements / 2 - away[1], elements / 2 - away[0]
    return elements / 2 + away[0], elements / 2 + away[1]


def highest_order(elements: Elements) -> float:
    return range_of("inner race", elements[1])[1]


def range_tests(elements: Elements, evidence: OrderEvidence) -> list[PartTest]:
    """Of both rings; none where the recording does not reach two harmonics of their rates."""
    return [one for part in RINGS if (one := _range_test(part, elements, evidence))]


def _range_test(part: Part, elements: Elements, evidence: OrderEvidence) -> PartTest | None:
    slip = SLIP if evidence.speed_found else SLIP_UNSURE
    ranges = [range_of(part, number) for number in range(elements[0], elements[1] + 1)]
    reach = evidence.step * len(evidence.envelope)
    ranges = [one for one in ranges if 2 * one[1] * RANGE[1] <= reach]
    if not ranges:
        return None
    orders = np.concatenate([np.arange(low, high + slip * low, slip * low) for low, high in ranges])
    lines, middle = template(part, FaultOrders()), float(np.median(orders))
    base = middle * evidence.speed_factor
    found, factors = best_scores(
        near_maximum(evidence.without_shaft), orders / middle, lines=lines, base=base, slip=slip, evidence=evidence
    )
    best = int(found.argmax())
    score, factor = float(found[best]), float(factors[best])
    rate = base * factor
    # Rivals stand around the order that was found, for what is heard differs along the axis.
    rivals, _ = best_scores(
        without_lines_of(rate, evidence),
        elsewhere(middle * factor, FaultOrders(outer=middle * factor), slip),
        lines=lines,
        base=rate,
        slip=slip,
        evidence=evidence,
    )
    places = sum(np.log(high / low) / (2 * slip) + 1 for low, high in ranges)
    chance = float(np.exp(np.interp(score, HEALTHY[part], np.log(TAILS))))
    searched = float(-np.expm1(places * np.log1p(-chance)))
    p = max((1 + np.count_nonzero(rivals >= score)) / (1 + len(rivals)), searched)
    order, numbers = middle * factor, range(elements[0], elements[1] + 1)
    nearest = min(numbers, key=lambda number: abs(order - float(np.mean(range_of(part, number)))))
    return PartTest(part, order, 1.0, score, float(p), heights(lines, rate, evidence), nearest)

"""Is a bearing's damage there? Its template of lines against the same template at other places.

A template has the harmonics of the rate at which a damage strikes, and sidebands where physics puts them: the load
zone makes an inner ring's blows come and go with the shaft, and an element's with the cage. Its score is the weighted
mean of the evidence at its lines, at the best of the speeds that slip allows. Hundreds of templates of other rates are
scored in the same way, slip included, without the lines of the damage itself, which would be its rivals otherwise; the
share of them that score as high is the p-value.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from dualres.faultlines.fault_orders import PARTS, FaultOrders, Part
from dualres.faultlines.order_evidence import OrderEvidence, near_maximum
from dualres.utils.arrays import Exact

SLIP, SLIP_UNSURE = 0.012, 0.02  # of elements that slide; the latter where the shaft's harmonics do not tell its speed
SURROGATES, RANGE = 700, (0.57, 1.75)  # templates of other rates, and where they lie, in the damage's own
LOUDEST = 10.0  # that one line counts: one strong line is no template
LEAST_WEIGHT = 1.5  # of a template's lines that can be seen
HARMONICS = ((1, 1.0), (2, 1.0), (3, 0.7), (4, 0.5))
OWN = 3  # steps around a line of the damage that its rivals do not see


@dataclass(frozen=True)
class Line:
    """One line of a template: `harmonic` times the damage's rate, and an offset that does not follow it."""

    harmonic: int
    offset: float  # orders
    weight: float


@dataclass(frozen=True)
class PartTest:
    """What the test says of one part of a bearing."""

    part: Part
    order: float  # nominal, of the shaft
    factor: float  # at which the lines stand out most, slip included
    score: float  # weighted mean of the evidence, in standard deviations of the noise
    p: float  # share of templates at other places that score as high
    lines: tuple[tuple[float, float], ...]  # turns of the shaft, and how far it stands out
    elements: int | None = None  # of the bearing, where the order was looked for among several


def template(part: Part, orders: FaultOrders) -> tuple[Line, ...]:
    """The lines of a damaged part."""
    lines = [Line(harmonic, 0.0, weight) for harmonic, weight in HARMONICS]
    sides: tuple[tuple[int, float], ...] = ()
    spacing = 0.0
    if part == "inner race":
        sides, spacing = ((1, 0.5), (2, 0.5), (3, 0.3)), 1.0
    elif part == "rolling element" and orders.cage:
        sides, spacing = ((1, 0.4), (2, 0.4)), orders.cage
    lines += [Line(harmonic, sign * spacing, weight) for harmonic, weight in sides for sign in (-1, 1)]
    return tuple(lines)


def known_lines(orders: FaultOrders) -> list[float]:
    """Where all parts of a bearing may show: orders."""
    known = [(part, order) for part in PARTS if (order := orders.of(part)) and part != "cage"]
    return [order * line.harmonic + line.offset for part, order in known for line in template(part, orders)]


def part_test(part: Part, orders: FaultOrders, evidence: OrderEvidence) -> PartTest | None:
    """A part's test; None where the recording does not reach two harmonics of its rate."""
    order = orders.of(part)
    if order is None or 2 * order * RANGE[1] > evidence.step * len(evidence.envelope):
        return None
    slip = SLIP if evidence.speed_found else SLIP_UNSURE
    lines, curve, base = template(part, orders), evidence.without_shaft, order * evidence.speed_factor
    scored = partial(best_scores, lines=lines, base=base, slip=slip, evidence=evidence)
    (score,), (factor,) = scored(near_maximum(curve), np.ones(1))
    rivals, _ = scored(without_lines_of(base * factor, evidence), elsewhere(order, orders, slip))
    p = (1 + np.count_nonzero(rivals >= score)) / (1 + len(rivals))
    return PartTest(part, order, float(factor), float(score), float(p), heights(lines, base * factor, evidence))


def without_lines_of(rate: float, evidence: OrderEvidence) -> Exact:
    """What rivals of a damage see: the evidence without its lines, multiples of `rate` at the stated speed."""
    rest = near_maximum(evidence.without_shaft)
    for multiple in range(1, int(len(rest) * evidence.step / rate) + 1):
        place = round(multiple * rate / evidence.step)
        rest[max(0, place - OWN) : place + OWN + 1] = np.nan
    return rest


def heights(lines: tuple[Line, ...], rate: float, evidence: OrderEvidence) -> tuple[tuple[float, float], ...]:
    """How far each line of a damage stands out that strikes at `rate`; at orders of the shaft as it turns."""
    seen = near_maximum(evidence.envelope)
    at = [rate * line.harmonic + line.offset * evidence.speed_factor for line in lines]
    places = [(one, round(one / evidence.step)) for one in at]
    return tuple(
        sorted((float(one / evidence.speed_factor), float(seen[place])) for one, place in places if place < len(seen))
    )


def elsewhere(order: float, orders: FaultOrders, slip: float) -> Exact:
    """Factors of the order at which rivals stand: away from it and from the rates of all parts."""
    factors = np.geomspace(*RANGE, SURROGATES)
    known = np.array([one for one in map(orders.of, PARTS) if one])
    apart = np.abs(factors[:, None] * order / known - 1).min(axis=1) > 2 * slip + 0.005
    return np.asarray(factors[apart & (np.abs(factors - 1) > 2.5 * slip + 0.01)])


def best_scores(
    near: Exact, factors: Exact, *, lines: tuple[Line, ...], base: float, slip: float, evidence: OrderEvidence
) -> tuple[Exact, Exact]:
    """Of templates at `factors` of the base order, the best score within slip, and the factor there: (n,)."""
    harmonic, offset, weight = np.array([(one.harmonic, one.offset, one.weight) for one in lines]).T
    steps = max(1, int(np.ceil(slip * base * factors.max() * harmonic.max() / evidence.step)))
    tried = factors[:, None] * (1 + slip * np.arange(-steps, steps + 1) / steps)  # (n, slips)
    orders = base * tried[..., None] * harmonic + offset * evidence.speed_factor
    places = np.round(orders / evidence.step).astype(int)
    stands = near[places.clip(0, len(near) - 1)]
    there = (places > 0) & (places < len(near)) & ~np.isnan(stands)
    weights = np.where(there, weight, 0.0)
    heights = np.where(there, np.clip(stands, 0, LOUDEST), 0.0)
    found = (heights * weights).sum(-1) / np.maximum(weights.sum(-1), LEAST_WEIGHT)
    best, rows = found.argmax(1), np.arange(len(factors))
    return found[rows, best], tried[rows, best]

"""How far a recording speaks for the damage of each part of a bearing, in nats, to be joined with what labels say.

The evidence is the score of a part's template (`bearing_templates`), taken as so many nats: none at `NEUTRAL` below the
margin from which a check names the part, one more for every standard deviation, and within bounds. That little stands
out speaks a little against a damage, for a light one may not be heard.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy.typing as npt

from dualres.faultlines.bearing_templates import PartTest, known_lines, part_test
from dualres.faultlines.check import CAGE_MARGIN, LEAST_REACH, MARGIN, REACH
from dualres.faultlines.fault_orders import PARTS, FaultOrders, Part
from dualres.faultlines.order_evidence import order_evidence
from dualres.faultlines.order_spectra import Turning, order_spectra

# Chosen on ten simulated machines and on the embedded rig; what is near does about as well.
NEUTRAL = 3.0  # standard deviations below the margin
LEAST, MOST = -1.0, 5.0  # nats


@dataclass(frozen=True)
class PartEvidence:
    """What a recording says of one part."""

    part: Part
    order: float  # nominal, of the shaft
    score: float  # of its template, in standard deviations of the noise
    p: float  # share of templates at other places that score as high
    nats: float  # for its damage, or against it


def parts_evidence(
    axes: Iterable[Iterable[npt.ArrayLike]], rate: float, turning: Turning, *, seconds: float, orders: FaultOrders
) -> dict[Part, PartEvidence]:
    """Of signals at `rate` Hz as `check_signals` takes them; an error where they are too short for it. Without the
    parts whose orders are not known, or are beyond what the rate shows."""
    highest = max(LEAST_REACH, REACH * orders.highest)
    spectra = order_spectra(axes, rate, turning, seconds=seconds, highest=highest)
    evidence = order_evidence(spectra, known_lines(orders))
    tests = filter(None, (part_test(part, orders, evidence) for part in PARTS))
    return {one.part: PartEvidence(one.part, one.order, one.score, one.p, nats_of(one)) for one in tests}


def nats_of(test: PartTest) -> float:
    margin = CAGE_MARGIN if test.part == "cage" else MARGIN
    return min(max(test.score - (margin - NEUTRAL), LEAST), MOST)

"""How strong the lines of a machine's shaft are, in dB: what is compared with the machine itself while it was healthy.

Each level is a ratio of powers within a recording, so the gain of a sensor does not matter: a line of the shaft over
all that is heard besides, or what comes and goes with the shaft over the noise beside it.
"""

from collections.abc import Mapping

import numpy as np

from dualres.faultlines.order_evidence import OrderEvidence, local_median
from dualres.faultlines.order_spectra import OrderSpectra
from dualres.utils.arrays import Exact

WHOLE, HALVES = (1.0, 2.0, 3.0), (0.5, 1.5, 2.5, 3.5)  # orders
WIDTH = 2  # steps to either side that a line takes
LEAST_REST = 1e-3  # of all that is heard, beside the lines of the shaft

MachineLevels = Mapping[str, float]  # by name, dB


def shaft_levels(spectra: OrderSpectra, evidence: OrderEvidence) -> MachineLevels:
    """Of the shaft's lines once and twice a turn and between whole turns, and of what comes and goes once and twice."""
    total = spectra.signals[:, 2 * WIDTH + 1 :].sum(axis=1)  # without the mean
    lines = {order: _line(spectra.signals, order, spectra.step, evidence) for order in (*WHOLE, *HALVES)}
    rest = np.maximum(total - np.sum([lines[order] for order in WHOLE], axis=0), LEAST_REST * total)
    floor = local_median(spectra.envelopes)
    comes = {
        order: _line(spectra.envelopes, order, spectra.step, evidence) / _line(floor, order, spectra.step, evidence)
        for order in WHOLE[:2]
    }
    return {
        "once": _decibels(lines[1.0] / rest),
        "twice": _decibels(lines[2.0] / rest),
        "halves": float(np.mean([_decibels(lines[order] / rest) for order in HALVES])),
        "comes once": _decibels(comes[1.0]),
        "comes twice": _decibels(comes[2.0]),
    }


def _line(rows: Exact, order: float, step: float, evidence: OrderEvidence) -> Exact:
    """The power of a line in each row, (rows,)."""
    at = round(order * evidence.speed_factor / step)
    return np.asarray(rows[:, max(1, at - WIDTH) : at + WIDTH + 1].sum(axis=1))


def _decibels(ratio: Exact) -> float:
    """The mean over rows."""
    return float(np.mean(10 * np.log10(np.maximum(ratio, np.finfo(float).tiny))))

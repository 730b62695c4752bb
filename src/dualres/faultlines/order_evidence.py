"""What speaks for a line at each order, pooled over bands and axes, without the lines that a healthy machine has.

Every spectrum is divided by its local median; the logarithms are averaged over all bands and axes, so that a line
counts that is in most of them, and no single band decides. What is left is in robust standard deviations of its noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dualres.faultlines.order_spectra import OrderSpectra
from dualres.utils.arrays import Exact

AROUND = 41  # orders that a local median is taken of
HANN = 2.1  # steps to either side that a line takes
SPEED_REACH, SPEED_STEP = 0.02, 0.0005  # shares by which the stated speed is refined
SPEED_LEAD = 2.0  # standard deviations by which the harmonics of a refined speed stand out, in the mean
FIRST_ENVELOPE, FIRST_SIGNAL = 0.15, 0.3  # orders; below are the mean and drift
LOUDEST = 8.0  # that one harmonic counts in refining the speed
HARMONICS, LEAST_HARMONICS = 20, 6  # of the shaft that it is refined by, and how many must be its own
OTHERS_SLIP = 0.005  # by which what is not the shaft's may be off


@dataclass(frozen=True)
class OrderEvidence:
    """How far each order stands out, in standard deviations of the noise; at orders of the stated speed."""

    step: float
    envelope: Exact
    signal: Exact
    speed_factor: float  # by which the shaft turns faster than stated; 1 where its harmonics do not tell
    speed_found: bool  # whether they do

    def at(self, curve: Exact, orders: Exact) -> Exact:
        """A curve at orders of the shaft as it turns, the larger of neighbours; 0 beyond its end."""
        place = np.round(orders * self.speed_factor / self.step).astype(int)
        return np.where(place < len(curve), near_maximum(curve)[place.clip(0, len(curve) - 1)], 0.0)

    @property
    def without_shaft(self) -> Exact:
        """The envelope, NaN around multiples of the shaft's rate."""
        orders = self.step * np.arange(len(self.envelope)) / self.speed_factor
        away = np.abs(orders - np.round(orders))
        masked = (away <= HANN * self.step + 0.0008 * orders) & (orders > 0.5)
        return np.where(masked, np.nan, self.envelope)


def order_evidence(spectra: OrderSpectra, others: Sequence[float] = ()) -> OrderEvidence:
    """Of a recording's spectra; the shaft's speed is refined by its own harmonics. `others` are orders at which
    something else may show: BPFI of many a bearing is 4.95, and must not be taken for five times a slower shaft."""
    step = spectra.step
    envelope = _pooled(spectra.envelopes)
    signal = _pooled(spectra.signals)
    envelope[: int(FIRST_ENVELOPE / step)] = 0
    signal[: int(FIRST_SIGNAL / step)] = 0
    factor, lead = _refined(envelope, signal, step, np.array(others, dtype=np.float64))
    found = lead > SPEED_LEAD
    return OrderEvidence(step, envelope, signal, factor if found else 1.0, found)


def near_maximum(curve: Exact) -> Exact:
    """The largest of each value and its neighbours: a line may lie between. NaN stays."""
    padded = np.pad(curve, 1, constant_values=-np.inf)
    around = np.fmax(np.fmax(padded[:-2], padded[2:]), curve)
    return np.where(np.isnan(curve), np.nan, around)


def _pooled(power: Exact) -> Exact:
    """The mean logarithm over the median around, in robust standard deviations of what is below it: (orders,)."""
    level = np.log(np.maximum(power, np.finfo(float).tiny))
    pooled = (level - np.log(np.maximum(local_median(power), np.finfo(float).tiny))).mean(axis=0)
    pooled -= local_median(pooled[None])[0]
    below = -pooled[pooled < 0]  # what sticks out is above, and must not widen the noise
    noise = 1.4826 * float(np.median(below)) if len(below) else 1.0
    return np.asarray(pooled / max(noise, 1e-12))


def local_median(rows: Exact) -> Exact:
    """Of each row, the median over `AROUND` neighbours, reflected at its ends."""
    half = min(AROUND // 2, rows.shape[1] - 1)
    padded = np.pad(rows, ((0, 0), (half, half)), mode="reflect")
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=1)
    return np.asarray(np.partition(around, half, axis=2)[:, :, half])


def _refined(envelope: Exact, signal: Exact, step: float, others: Exact) -> tuple[float, float]:
    """The factor at which the shaft's harmonics stand out most, and how far beyond the median of all factors."""
    factors = 1 + np.arange(-SPEED_REACH, SPEED_REACH + SPEED_STEP / 2, SPEED_STEP)
    stands = np.zeros(len(factors))
    for curve, weight, most in ((envelope, 1.0, HARMONICS), (signal, 0.5, HARMONICS * 3 // 5)):
        harmonics = np.arange(1, min(most, int((len(curve) - 2) * step / (1 + SPEED_REACH))) + 1)
        orders = np.outer(factors, harmonics)
        read = np.interp(orders / step, np.arange(len(curve)), np.clip(curve, 0, LOUDEST))
        own = np.ones(orders.shape, dtype=bool)
        for other in others:
            own &= np.abs(orders - other) > HANN * step + OTHERS_SLIP * other
        counted = own.sum(axis=1)
        stands += weight * (read * own).sum(axis=1) / np.maximum(counted, LEAST_HARMONICS)
    best = int(stands.argmax())
    return float(factors[best]), float(stands[best] - np.median(stands))

"""The curves of a check over orders of the shaft, as its pictures draw them."""

from dataclasses import dataclass

import numpy as np

from dualres.explain.check import CheckedRecording
from dualres.utils.arrays import Exact

FURTHER = 1.1  # beyond the last line of a bearing, what is drawn
LEAST = 12.0  # orders that are drawn, where there are as many


@dataclass(frozen=True)
class CheckCurves:
    """How far each order stands out, in standard deviations of the noise, up to just beyond the last line."""

    orders: Exact  # of the shaft as it turns
    envelope: Exact  # of all bands, pooled
    signal: Exact
    rpm: float  # of the shaft, refined


def curves_of(found: CheckedRecording) -> CheckCurves | None:
    """None where nothing could be told."""
    evidence, spectra = found.check.evidence, found.check.spectra
    if evidence is None or spectra is None:
        return None
    orders = evidence.step * np.arange(len(evidence.envelope), dtype=np.float64) / evidence.speed_factor
    ends = [one.lines[-1][0] for one in found.check.findings if one.order and one.lines]
    shown = orders <= FURTHER * max([LEAST, *ends])
    rpm = 60 * evidence.speed_factor * spectra.shaft_hz
    return CheckCurves(orders[shown], evidence.envelope[shown], evidence.signal[shown], rpm)

"""The speed of a shaft as a channel beside the signal measured it: pulses, or the speed itself."""

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact

STEP_S = 0.25  # s between the moments at which a measured speed is known
LEAST_PULSES = 5  # of a whole recording, and between two moments


def tachometer_hz(signal: npt.ArrayLike, rate: float, pulses: int = 1) -> float:
    """Revolutions per second, the mean over a tachometer's samples at `rate` Hz, with so many pulses in each. A pulse
    begins where the signal rises through the upper quarter of its range, having been below the lower one."""
    moments = _pulse_moments(signal, rate, pulses)
    return float((len(moments) - 1) / (moments[-1] - moments[0]) / pulses)


def tachometer_speed(signal: npt.ArrayLike, rate: float, pulses: int = 1) -> Speed:
    """As `tachometer_hz`, at moments about `STEP_S` apart; the mean where too few pulses come in that time."""
    moments = _pulse_moments(signal, rate, pulses)
    parts = min(int((moments[-1] - moments[0]) / STEP_S), (len(moments) - 1) // LEAST_PULSES)
    if parts < 2:
        return Speed((float((len(moments) - 1) / (moments[-1] - moments[0]) / pulses),), source="measured")
    edges = np.linspace(moments[0], moments[-1], parts + 1)
    turns = np.interp(edges, moments, np.arange(len(moments)) / pulses)
    middles = (edges[1:] + edges[:-1]) / 2
    return Speed(tuple((np.diff(turns) / np.diff(edges)).tolist()), tuple(middles.tolist()), "measured")


def recorded_speed(values: npt.ArrayLike, rate: float, unit: str = "rpm") -> Speed:
    """By a channel that holds the speed itself, in rpm or hz, at `rate` Hz: means over `STEP_S`. Samples that are
    missing are left out, and so are stretches in which the shaft stands still or turns backwards."""
    samples = np.asarray(values, dtype=np.float64) / (1 if unit == "hz" else 60)
    step = max(1, round(STEP_S * rate))
    parts = [samples[first : first + step] for first in range(0, max(len(samples) - step, 0) + 1, step)]
    means = np.array([part[np.isfinite(part)].mean() if np.isfinite(part).any() else 0.0 for part in parts])
    turning = np.flatnonzero(means > 0)
    if not len(turning):
        raise RecordingError("the channel of the speed says nowhere that the shaft turns; choose another one")
    found = means[turning]
    if len(found) == 1 or np.ptp(found) == 0:
        return Speed((float(found[0]),), source="measured")
    return Speed(tuple(found.tolist()), tuple(((turning + 0.5) * step / rate).tolist()), "measured")


def _pulse_moments(signal: npt.ArrayLike, rate: float, pulses: int) -> Exact:
    """When pulses begin, in s."""
    if pulses < 1:
        raise ConfigError(f"{pulses} pulses per revolution: at least one is needed")
    samples = np.asarray(signal, dtype=np.float64)
    low, high = np.quantile(samples, [0.001, 0.999])
    if high - low > 2 * (samples.mean() - low):  # pulses are short, and quantiles may miss their top
        high = samples.max()
    lower, upper = low + 0.25 * (high - low), low + 0.75 * (high - low)
    known = np.flatnonzero((samples < lower) | (samples > upper))
    rises = known[1:][np.diff((samples[known] > upper).astype(int)) == 1]
    if len(rises) < LEAST_PULSES:
        raise RecordingError(f"the tachometer shows {len(rises)} pulses; at least {LEAST_PULSES} are needed")
    moments = rises - (samples[rises] - upper) / np.maximum(samples[rises] - samples[rises - 1], 1e-300)
    return np.asarray(moments / rate)

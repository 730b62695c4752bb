"""Which sampling rates a device can take."""

from decimal import Decimal
from fractions import Fraction

from dualres.config import HELD, SOXR
from dualres.errors import ConfigError
from dualres.export.device_network import DeviceNetwork, axes_in, device_of
from dualres.judge.model import Model
from dualres.kernel.resample import CROSSINGS

LARGEST_FACTOR = 10_000  # of the ratio of rates: its filter takes 40 bytes of flash for each


def ratio_for(model: Model, rate: Fraction) -> Fraction:
    """From a device's rate in Hz to the model's; an error if a device cannot do that."""
    target = model.card.config.rate
    ratio, shown = target / rate, _shown(rate)
    device = device_of(model)
    needed = working_memory(ratio, len(model.classes), device, axes_in(model))
    if needed > device.working_memory:
        on_axes = f" on {axes_in(model)} axes" if axes_in(model) > 1 else ""
        raise ConfigError(
            f"{len(model.classes)} classes{on_axes} at {shown} Hz take {_shown(Fraction(needed))} bytes of working "
            f"memory besides the window, of {device.working_memory}; sample at a lower rate"
        )
    if max(ratio.numerator, ratio.denominator) > LARGEST_FACTOR:
        below_one = min(ratio, 1 / ratio)
        usable = max(below_one.limit_denominator(LARGEST_FACTOR), Fraction(1, LARGEST_FACTOR))
        nearest = target / (usable if ratio < 1 else 1 / usable)
        raise ConfigError(
            f"the filter for {shown} Hz is too large for a device; the nearest usable rate is {nearest} Hz"
        )
    if ratio != 1 and model.card.resampler == SOXR:
        raise ConfigError(
            f"the model learned from recordings resampled by {model.card.resampler}, and a device resamples by "
            f"{HELD}: fit it with that one, or sample at {target} Hz"
        )
    return ratio


def working_memory(ratio: Fraction, classes: int, device: DeviceNetwork, axes: int = 1) -> int:
    """Bytes of `dualres_state` besides its window, as dualres.h declares it, with one lane and 8-byte doubles."""
    counters = 4 * 4  # three, and a gap
    sums = 8 * classes
    inputs = int(2 * CROSSINGS * max(1 / ratio, Fraction(1))) + 1
    converter = 0 if ratio == 1 else 4 * (4 + inputs)
    return -(-(counters + sums + axes * converter + device.scratch) // 8) * 8  # whole doubles


def _shown(number: Fraction) -> str:
    exact = str(number)
    return exact if len(exact) <= 12 else f"{Decimal(number.numerator) / Decimal(number.denominator):.8g}"

"""Which sampling rates a device can take."""

from decimal import Decimal
from fractions import Fraction

from dualres.config import HELD, ORDER_SIZES, SOXR
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


def working_memory(ratio: Fraction, classes: int, device: DeviceNetwork, axes: int = 1, *, tries: int = 0) -> int:
    """Bytes of `dualres_state` besides its window, as dualres.h declares it, with one lane and 8-byte doubles."""
    counters = 4 * 4  # three, and a gap
    sums = 8 * classes
    inputs = int(2 * CROSSINGS * max(1 / ratio, Fraction(1))) + 1
    converter = 0 if ratio == 1 else 4 * (4 + inputs)
    searching = search_memory(tries, classes, axes) if tries else 0
    needed = counters + sums + device.told + searching + axes * converter + device.scratch
    return -(-needed // 8) * 8  # whole doubles


def search_memory(tries: int, classes: int, axes: int = 1) -> int:
    """Bytes of those in which a device searches for the speed: lines of every axis and sums for each of the tries."""
    counters = 2 * 4
    return counters + tries * axes * 4 * ORDER_SIZES.lines + (tries - 1) * 8 * classes


def _shown(number: Fraction) -> str:
    exact = str(number)
    return exact if len(exact) <= 12 else f"{Decimal(number.numerator) / Decimal(number.denominator):.8g}"

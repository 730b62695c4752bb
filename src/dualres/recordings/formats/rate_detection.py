"""What a file says of its rate: vectors of time, which are no signals, and numbers called `fs` or the like."""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError
from dualres.recordings.formats.contents import TIME, Array, Contents, Vector, VectorSlice, rate_of
from dualres.utils.rates import exact_rate

_SECONDS = {"min": Fraction(60)} | {unit: Fraction(1, 1000**i) for i, unit in enumerate(("s", "ms", "us", "ns"))}
_SPELLED = {"sec": "s", "secs": "s", "seconds": "s", "second": "s", "sekunden": "s", "µs": "us", "μs": "us"}
_NAME = re.compile(
    r"(?:rel(?:ative)?[ ._]?|abs(?:olute)?[ ._]?|elapsed[ _]?|x[ _])?(time[ _-]?(?:stamps?)?|zeit|seconds|sec|t)"
    r"(?:[ _,:/]*[\[(]?(min|s|secs?|seconds?|sekunden|ms|[uµμ]s|ns)[\])]?)?",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"fs|f_s|fsamp(?:le|ling)?|sr|s_?rate|samp(?:le|les|ling)?[ _]?(?:rate|freq|frequency)(?:[ _]?hz)?", re.IGNORECASE
)
_SLOWEST = 100  # Hz: a smaller number without a unit may be kHz, ms, or the frequency of a shaft
_COARSE = 0.49  # of a step: stamps that are rounded to more cannot tell whether one is missing
_JITTER = 0.1  # of a step
_MOST = 0.9  # of the steps: where as many are the same, another one is no rounding
_AS_LONG = 16  # samples: an untitled first column that rises evenly for as long is no signal


def with_time(contents: Contents, units: Mapping[str, str] | None = None, *, table: bool = False) -> Contents:
    """The same vectors, those of time marked as such, and the others with the rate that these say.

    A vector of time goes by its name; it serves the vectors beside it, which are in the same struct or group and as
    long. `units` are by name. In a `table`, a column may end before the time does.
    """
    called_so = (one for one in contents if _NAME.fullmatch(one.name.rpartition(".")[2].strip()))
    times = {one: contents[one] for one in called_so if one.kind in "iufM" and one.length > 1}
    found: Contents = {}
    known: dict[Vector, tuple[Fraction | None, str | None]] = {}
    for one, load in contents.items():
        if one in times:
            found[replace(one, kind=TIME)] = load
            continue
        beside = [
            time
            for time in times
            if _group(time) == _group(one) and (time.length == one.length or (table and time.length > one.length))
        ]
        if one.fault is None and one.rate is None and len(beside) == 1:
            (time,) = beside
            if time not in known:
                ticks = times[time]
                values = ticks.load(0, time.length) if isinstance(ticks, VectorSlice) else ticks()
                unit = (units or {}).get(time.name) or unit_in(time.name) or ""
                known[time] = rate_by_time(values, unit, f"its time, {time.name}")
            rate, note = known[time]
            one = replace(one, rate=rate, note=note)
        found[one] = load
    return found


def stated_rate(numbers: Mapping[str, float | str]) -> Fraction | None:
    """The rate in Hz that stands beside signals as `fs`, `sr`, `sampling_rate` or the like; None if these differ."""
    rates = set()
    for name, number in numbers.items():
        if _STATED.fullmatch(name.strip()):
            with contextlib.suppress(ConfigError):  # text, or a number that is no rate
                rates.add(exact_rate(number))
    rates = {rate for rate in rates if rate >= _SLOWEST}
    return rates.pop() if len(rates) == 1 else None


def is_counter(values: Array) -> bool:
    """Whether a column rises evenly, as time and row numbers do and no vibration does."""
    steps = np.diff(values[: 1 << 16])
    return len(values) >= _AS_LONG and bool(steps.min() > 0) and bool(np.ptp(steps) <= _JITTER * steps.mean())


def _group(one: Vector) -> str:
    return one.name.rpartition(".")[0]


def unit_in(name: str) -> str | None:
    """The unit that the name of a vector of time says, "" where it says none; None for a name of something else."""
    named = _NAME.fullmatch(name.rpartition(".")[2].strip())
    return named and (named[2] or ("s" if named[1].lower().startswith("sec") else ""))


def rate_by_time(values: Array, unit: str, called: str) -> tuple[Fraction | None, str | None]:
    """The rate in Hz by moments, and by what; or None, and why they do not say it. `unit` is that of numbers."""
    if values.dtype.kind in "mM":
        values, unit = values.astype(f"{values.dtype.kind}8[ns]").astype(np.int64), "ns"
    said = unit.strip().lower()
    seconds = _SECONDS.get(_SPELLED.get(said, said))
    ticks = values.astype(np.float64) if values.dtype.kind == "f" else (values - values[0]).astype(np.float64)
    uneven = _unevenness(ticks, said or "s")
    if uneven is not None:
        return None, f"{called}, {uneven}"
    rate = _roundest_rate(ticks, seconds or Fraction(1))
    if seconds is None and rate < _SLOWEST:
        return None, f"{called}, is without a unit and would give {float(rate):g} Hz in seconds"
    return rate, f"by {called}"


def _unevenness(ticks: npt.NDArray[np.float64], unit: str) -> str | None:
    if not np.isfinite(ticks).all():
        return "has gaps"
    steps = np.diff(ticks)
    step = (ticks[-1] - ticks[0]) / len(steps)
    if step <= 0 or steps.min() < 0:
        back = int(np.argmin(steps)) + 1
        return f"does not rise: {ticks[back - 1]:g} is followed by {ticks[back]:g} (sample {back})"
    step = float(np.median(steps)) or step
    far = np.abs(steps - step)
    worst, regular = int(np.argmax(far)), far <= _JITTER * step
    if regular.all():
        return None
    resolution = _resolution(ticks)
    if regular.mean() < _MOST and resolution > _COARSE * step:
        return f"is written too coarsely, to {resolution:g} {unit}"
    # The difference of two rounded numbers is off by up to one unit of the last digit.
    if far[worst] > max(_JITTER * step, min(1.01 * resolution, step / 2)):
        return f"is not even: {steps[worst]:.6g} {unit} before sample {worst + 1}, elsewhere {step:.6g} {unit}"
    return None


def _resolution(ticks: npt.NDArray[np.float64]) -> float:
    """The last decimal place that is written, 0 where there are too many to tell."""
    for places in range(10):
        scaled = ticks * 10.0**places
        if np.abs(scaled - np.rint(scaled)).max() < 1e-4:
            # Whole numbers, as counts of ns, may be exact.
            return 10.0**-places if places else 0.0
    return 0.0


def _roundest_rate(ticks: npt.NDArray[np.float64], seconds: Fraction) -> Fraction:
    """In Hz: of all rates that agree with the stamps, the one with the fewest digits, in Hz or as a step."""
    count = len(ticks) - 1
    step = float(ticks[-1] - ticks[0]) / count
    line = ticks[0] + step * np.arange(count + 1)
    off = max(float(np.abs(ticks - line).max()), 4 * float(np.spacing(np.abs(ticks).max())))
    spread = min(2 * off / count, step / 2)
    scale = float(seconds)
    digits_hz, hz = _roundest(1 / ((step + spread) * scale), 1 / (step * scale), 1 / ((step - spread) * scale))
    digits_step, tick = _roundest(step - spread, step, step + spread)
    if digits_hz <= digits_step + 1:
        return hz
    exact = rate_of(float(tick * seconds), digits_step) if digits_step >= 5 else None
    return exact or 1 / (tick * seconds)


def _roundest(low: float, middle: float, high: float) -> tuple[int, Fraction]:
    """The number of the fewest significant digits between two others, and how many it has."""
    for digits in range(1, 16):
        candidate = f"{middle:.{digits - 1}e}"
        if low <= float(candidate) <= high:
            return digits, Fraction(candidate)
    return 17, Fraction(repr(middle))

"""What `resample.c` needs to know of a ratio, laid out as it wants it; the low-pass filter is that of
scipy.signal.resample_poly."""

import ctypes
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dualres.kernel import compiled
from dualres.utils.arrays import Exact, Floats, Integers

CROSSINGS = 10  # half of the filter's length, in zero crossings
_KAISER = 5.0
_PART = 1 << 16  # taps that are designed at a time; scipy.signal.firwin needs six times the memory of its result

_GROUP = 4  # outputs that share a window of inputs
_MOST_LANES, _MOST_STREAMS = 16, 32
_PIECE = 200  # inputs and outputs of all streams: about what the first cache holds
_LONGEST_UNIT = 4096  # outputs, where several periods make one

_GROUPS = np.dtype([("row", "i4"), ("window", "i4"), ("taps", "i4"), ("outputs", "i4"), ("at", "i4", _GROUP)])
_PIECES = np.dtype([(n, "i4") for n in ("first_row", "rows", "first_output", "outputs", "first_group", "groups")])


class _Stretch(ctypes.Structure):
    _fields_ = (
        ("samples", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("first", "count")),
        *((name, ctypes.c_float) for name in ("mean", "beyond")),
    )


_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_int64
_ARGUMENTS = (
    *(ctypes.POINTER(_Stretch), _POINTER, _COUNT, _POINTER, _POINTER, _COUNT, _COUNT),
    *(_POINTER, _COUNT, _POINTER, _COUNT, _COUNT),
)


class Resampler:
    """Output n of a period is a weighted sum of the `width` inputs from rows[n] on; `weights` gives those of a few
    outputs at a time, (outputs, width)."""

    def __init__(self, up: int, down: int, rows: Integers, *, width: int, weights: Callable[[Integers], Exact]) -> None:
        size = max(1, (_PIECE - width) * up // (up + down) // _MOST_LANES) * _MOST_LANES
        step = _MOST_LANES // int(np.gcd(_MOST_LANES, up))  # periods whose outputs come in whole vectors
        periods = max(1, size // (up * step)) * step if up * step <= _LONGEST_UNIT else 1
        self.unit, self._unit_rows = periods * up, periods * down  # a stretch of outputs begins at a multiple of `unit`
        outputs = np.arange(self.unit)
        shifts = rows[outputs % up] + outputs // up * down
        pieces: list[tuple[int, ...]] = []
        groups: list[npt.NDArray[np.void]] = []
        taps: list[Floats] = []
        group_count = tap_count = 0
        for piece in np.split(outputs, range(size, self.unit, size)):
            first_row, first_group, needed = int(shifts[piece[0]]), group_count, width
            ahead, lengths, used = _without_zeros(weights(piece % up))
            begins = shifts[piece] - first_row + ahead
            for members in _grouped(lengths):
                ends = begins[members] + lengths[members]
                some, weighted = _laid_out(members, begins[members], ends, used[members])
                some["taps"] += tap_count
                groups.append(some)
                taps.append(weighted)
                group_count, tap_count = group_count + len(some), tap_count + len(weighted)
                needed = max(needed, int((some["row"] + some["window"]).max()))
            pieces.append((first_row, needed, int(piece[0]), len(piece), first_group, group_count - first_group))
        self._pieces, self._groups, self._taps = np.array(pieces, _PIECES), np.concatenate(groups), np.concatenate(taps)
        self._work_rows = _whole_vectors(int(self._pieces["rows"].max()) + _MOST_LANES)
        self._work_outputs = _whole_vectors(int(self._pieces["outputs"].max()))

    def __call__(self, samples: Floats, first: int, *, mean: float, start: int, count: int) -> Floats | None:
        """Outputs `start` to `start + count` of a signal of which `samples` are those from `first` on; others count as
        `mean`. None where there is no compiled library, and where numbers become larger than a float can be."""
        function = compiled.function("dualres_resample", _ARGUMENTS, ctypes.c_int32)
        if function is None:
            return None
        held = np.require(samples, np.float32, ["C", "A"])
        rounded = float(np.float32(mean))
        stretch = _Stretch(held.ctypes.data, first, len(held), rounded, mean - rounded)
        work = compiled.aligned((self._work_rows + self._work_outputs) * _MOST_STREAMS)
        out = compiled.aligned(count)
        finite = function(
            *(stretch, self._pieces.ctypes.data, len(self._pieces), self._groups.ctypes.data, self._taps.ctypes.data),
            *(self._unit_rows, self.unit, work.ctypes.data, self._work_rows, out.ctypes.data, start, count),
        )
        return out if finite else None


def taps_for(ratio: Fraction, even: bool = False) -> Exact:
    """The filter's taps from its centre on; the other half mirrors it. A sample has `ratio.numerator` taps. Those
    that weigh one output's samples sum to nearly one, off by up to 7e-4, and `even` ones exactly: a constant stays."""
    longer = max(ratio.numerator, ratio.denominator)
    half = CROSSINGS * longer
    taps = np.empty(half + 1)
    for start in range(0, half + 1, _PART):
        at = np.arange(start, min(start + _PART, half + 1))
        taps[at] = np.sinc(at / longer) * np.i0(_KAISER * np.sqrt(1 - (at / half) ** 2))
    taps /= taps[0] + 2 * taps[1:].sum()
    if not even:
        return ratio.numerator * taps
    phases = np.arange(half + 1) % ratio.numerator
    sums = np.bincount(phases, taps) + np.bincount(-phases % ratio.numerator, taps)
    sums[0] -= taps[0]  # the centre, which has no mirror image
    return np.asarray(taps / sums[phases])


def total(samples: Floats) -> float:
    """The sum of all samples, to a double's precision; finite if and only if all of them are."""
    function = compiled.function("dualres_sum", (_POINTER, _COUNT), ctypes.c_double)
    if function is None:
        with np.errstate(invalid="ignore"):
            return float(samples.sum(dtype=np.float64))
    held = np.require(samples, np.float32, ["C", "A"])
    return float(function(held.ctypes.data, len(held)))


def moments(windows: Floats) -> tuple[Exact, Exact]:
    """The means of windows (n, samples), and their mean squares about these, (n,) each, likewise."""
    function = compiled.function("dualres_moments", (_POINTER, *[_COUNT] * 3, _POINTER, _POINTER))
    held = windows if windows.dtype == np.float32 and windows.strides[1] == 4 else np.require(windows, np.float32, "C")
    if function is None or held.strides[0] % 4:
        means = windows.mean(1, dtype=np.float64)
        return means, np.square(windows - means[:, None]).mean(1)
    means, variances = np.empty(len(held)), np.empty(len(held))
    where = means.ctypes.data, variances.ctypes.data
    function(held.ctypes.data, held.shape[1], len(held), held.strides[0] // 4, *where)
    return means, variances


def _without_zeros(weights: Exact) -> tuple[Integers, Integers, Floats]:
    """Of each output, how many zeros lead its weights, how many weights there are without those at either end, and
    these, from the first column on."""
    used = weights != 0
    ahead = used.argmax(1)
    lengths = weights.shape[1] - used[:, ::-1].argmax(1) - ahead
    columns = np.minimum(ahead[:, None] + np.arange(weights.shape[1]), weights.shape[1] - 1)
    moved = np.take_along_axis(weights, columns, 1)
    moved[np.arange(weights.shape[1]) >= lengths[:, None]] = 0.0
    return ahead, lengths, moved.astype(np.float32)


def _grouped(lengths: Integers) -> list[Integers]:
    """A piece's outputs in groups, (groups, n): copies, which have one input, alone, and the others together; the last
    output is repeated to fill the last group."""
    sums, copies = np.flatnonzero(lengths > 1), np.flatnonzero(lengths == 1)
    filled = np.concatenate([sums, np.repeat(sums[-1:], -len(sums) % _GROUP)])
    return [members for members in (filled.reshape(-1, _GROUP), copies[:, None]) if members.size]


def _laid_out(at: Integers, begins: Integers, ends: Integers, weights: Floats) -> tuple[npt.NDArray[np.void], Floats]:
    """Groups of outputs `at`, (groups, n), and their weights, for each input of a group's window those of its outputs.
    All windows have the same length: the processor then foresees where a loop ends."""
    count, outputs = at.shape
    rows = begins.min(1)
    window = int((ends - rows[:, None]).max())
    taps = np.zeros((count, window + weights.shape[2], outputs), np.float32)
    place = (begins - rows[:, None])[..., None] + np.arange(weights.shape[2])
    taps[np.arange(count)[:, None, None], place, np.arange(outputs)[:, None]] = weights
    groups = np.zeros(count, _GROUPS)
    groups["row"], groups["window"], groups["outputs"] = rows, window, outputs
    groups["taps"] = np.arange(count) * window * outputs
    groups["at"][:, :outputs] = at
    return groups, taps[:, :window].ravel()


def _whole_vectors(count: int) -> int:
    return -(-count // _MOST_LANES) * _MOST_LANES

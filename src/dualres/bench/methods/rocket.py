"""MiniRocket's transform: how often a window's responses to fixed, dilated kernels lie above learned levels.

A kernel has nine taps. It weighs three of them by 2 and the others by -1: its response is three samples, tripled, minus
the sum of all nine. Sums of floats depend on their order, and published results were computed by aeon. The orders here
are those in which aeon 1.6 adds, one for levels and one for features, so that both are its, to the last bit.
"""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from dualres.kernel import rocket
from dualres.kernel.rocket import Int32s
from dualres.kernel.threads import share_out, thread_count
from dualres.utils.arrays import Exact

TAPS, KERNELS = rocket.TAPS, rocket.KERNELS
CHOSEN = tuple(combinations(range(TAPS), 3))  # the taps that each kernel weighs by 2
FEATURES_REQUESTED = 10_000
FEATURES_PER_KERNEL = FEATURES_REQUESTED // KERNELS
FEATURES = KERNELS * FEATURES_PER_KERNEL
MOST_DILATIONS = 32
GOLDEN = (math.sqrt(5) + 1) / 2

Features = npt.NDArray[np.float32]


def dilations(window: int, per_kernel: int = FEATURES_PER_KERNEL) -> tuple[Int32s, Int32s]:
    """The samples between two taps, ascending, and for each how many features a kernel has there."""
    widest = math.log2((window - 1) / (TAPS - 1))
    spread = np.logspace(0, widest, MOST_DILATIONS, base=2).astype(np.int32)
    distinct, multiplicity = np.unique(spread, return_counts=True)
    counts = (multiplicity * (per_kernel / MOST_DILATIONS)).astype(np.int32)
    counts[: per_kernel - counts.sum()] += 1
    return distinct, counts


def features(signals: Features, levels: Features) -> Features:
    """Normalised windows (n, window) to features (n, features): dilation by dilation, then kernel, then level.

    A feature is the share of the responses above a level; NaN for a window with a sample that is not finite.
    """
    if not rocket.available():
        return features_ref(signals, levels)
    signals, levels = (np.require(given, np.float32, ["C", "A"]) for given in (signals, levels))
    return rocket.features(signals, *dilations(signals.shape[1]), levels)


def features_ref(signals: Features, levels: Features) -> Features:
    """The same by NumPy, as the formula stands."""
    return np.array([_features_of(signal, levels) for signal in signals], np.float32).reshape(-1, len(levels))


def fit_levels(signals: Features, seed: int) -> Features:
    """The level of each feature, (features,): quantiles of the responses of one window, drawn for each kernel and
    dilation among normalised windows (n, window)."""
    return levels_of(signals, seed, FEATURES_PER_KERNEL)


def levels_of(signals: Features, seed: int, per_kernel: int) -> Features:
    """The same for so many features of each kernel, (KERNELS * per_kernel,)."""
    signals = np.require(signals, np.float32, ["C", "A"])
    distinct, counts = dilations(signals.shape[1], per_kernel)
    drawn = np.random.RandomState(seed).randint(len(signals), size=(len(distinct), KERNELS))  # as aeon draws
    shares = (np.arange(1, KERNELS * per_kernel + 1) * GOLDEN % 1).astype(np.float32)
    begins = np.cumsum([0, *np.repeat(counts, KERNELS)])
    levels = np.empty(len(shares), np.float32)
    one_response = rocket.response if rocket.available() else response_ref

    def work(piece: int) -> None:
        number, kernel = divmod(piece, KERNELS)
        mine = slice(begins[piece], begins[piece + 1])
        response = one_response(signals[drawn[number, kernel]], int(distinct[number]), CHOSEN[kernel])
        levels[mine] = _quantiles(response, shares[mine])

    share_out(work, range(drawn.size), thread_count())
    return levels


def response_ref(signal: Features, dilation: int, taps: tuple[int, int, int]) -> Features:
    """The responses (window,) to the kernel that weighs these taps by 2, in the order in which levels are found."""
    shifted, minus = _seen(signal, dilation)
    a, b, c = (shifted[tap] + shifted[tap] + shifted[tap] for tap in taps)
    response: Features = a + b + c + minus
    return response


def _features_of(signal: Features, levels: Features) -> Features:
    found, begin = np.full(len(levels), np.nan, np.float32), 0
    for number, (dilation, count) in enumerate(zip(*dilations(len(signal)), strict=True)):
        for kernel, response in enumerate(_responses(signal, dilation)):
            if (number + kernel) % 2:  # then only those count that need no zeros beyond the ends
                response = response[4 * dilation : -4 * dilation]
            mine = slice(begin, begin := begin + count)
            above = np.count_nonzero(response > levels[mine, None], axis=1)
            found[mine] = above.astype(np.float32) / np.float32(len(response))
    return found if np.isfinite(signal).all() else np.full_like(found, np.nan)


def _responses(signal: Features, dilation: int) -> Iterator[Features]:
    """Those to all kernels, (window,) each, in the order in which features are counted."""
    shifted, minus = _seen(signal, dilation)
    tripled = [x + x + x for x in shifted]
    return (minus + tripled[a] + tripled[b] + tripled[c] for a, b, c in CHOSEN)


def _seen(signal: Features, dilation: int) -> tuple[list[Features], Features]:
    """What each tap sees, with zeros beyond the ends, and minus the sum of all, the middle first; (window,) each."""
    padded = np.pad(signal, TAPS // 2 * dilation)
    shifted = [padded[tap * dilation :][: len(signal)] for tap in range(TAPS)]
    minus = -signal
    for tap in (0, 1, 2, 3, 5, 6, 7, 8):
        minus = minus - shifted[tap]
    return shifted, minus


def _quantiles(values: Features, shares: Features) -> Exact:
    """Below each lies this share of the values, interpolated between the two next to it."""
    ascending = np.sort(values).astype(np.float64)
    place = (len(values) - 1) * shares.astype(np.float64)
    below = np.floor(place).astype(np.int64)  # of the last value there is none, for every share is less than one
    return ascending[below] + (ascending[below + 1] - ascending[below]) * (place - below)

"""Spectra over orders, multiples of a shaft's rate: of a signal, and of the envelopes of many whitened bands of it.

Whitening takes the machine's resonances away, so that no band is louder than another. Each band's squared envelope is
read against the shaft's angle, so a speed that varies does not smear its lines. Powers are averaged over frames of the
whole recording; the bands are kept apart, to be pooled by `evidence`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt

from dualres.errors import RecordingError
from dualres.faultlines.turn_average import A_TURN, LOOKED_AT
from dualres.utils.arrays import Exact

LEAST_TURNS = 20  # revolutions of a recording: with fewer, lines of a shaft order are not apart
MOST_TURNS = 64  # in a frame: longer ones would be smeared by slip
LOWEST_HZ, HIGHEST = 200.0, 0.47  # where bands lie; the latter as a share of the rate
WHITENED_HZ = 250.0  # over which power is smoothed
BANDS = 6  # widths of a band in the whole; bands overlap by half
HEARD = (-3.0, 6.0)  # standard deviations of an envelope
BLOCK_S = 60.0  # of a recording that are transformed at once

Turning = Callable[[Exact, float], Exact]  # mean Hz over spans that begin at moments in s and last so many seconds


@dataclass(frozen=True)
class OrderSpectra:
    """Mean power at equally spaced orders."""

    step: float  # orders between neighbours
    bands: tuple[tuple[float, float], ...]  # Hz, of the envelopes
    envelopes: Exact  # for each axis all bands, (axes * bands, orders)
    signals: Exact  # of the signals themselves, (axes, orders)
    turns: float
    shaft_hz: float  # mean
    # The envelopes of all bands and axes together, piece by piece, `A_TURN` samples in a turn; () if not asked for.
    turned: tuple[Exact, ...] = ()


def order_spectra(
    axes: Iterable[Iterable[npt.ArrayLike]],
    rate: float,
    turning: Turning,
    *,
    seconds: float,
    highest: float,
    turned: bool = False,
) -> OrderSpectra:
    """Of axes that come in blocks of `BLOCK_S` at `rate` Hz, `seconds` in all, up to the order `highest`, or as far as
    the rate reaches. With `turned` the envelopes are kept over the first turns, too."""
    shaft_hz = float(turning(np.zeros(1), seconds)[0])
    turns = seconds * shaft_hz
    if turns < LEAST_TURNS:
        raise RecordingError(
            f"the recording holds {turns:.1f} revolutions of the shaft; a check needs {LEAST_TURNS} or more"
        )
    highest = min(highest, (HIGHEST * rate - LOWEST_HZ) / (1.1 * shaft_hz))
    a_turn = max(4, ceil(2.2 * highest))  # samples
    frame = int(np.clip(min(turns, BLOCK_S * shaft_hz) / 2, LEAST_TURNS, MOST_TURNS) * a_turn)
    bands = tuple(bands_of(rate, 1.05 * highest * shaft_hz)) if highest > 1 else ()
    if not bands:
        raise RecordingError(f"a rate of {rate:g} Hz leaves no band for the envelope of a shaft at {shaft_hz:.4g} Hz")
    envelopes, signals = [], []
    pieces: dict[float, list[Exact]] = {}  # by the second at which each begins, the bands of all axes
    for blocks in axes:
        power, frames, start_s = np.zeros((len(bands) + 1, frame // 2 + 1)), 0, 0.0
        for block in blocks:
            samples = np.asarray(block, dtype=np.float64)
            angles = _angles(turning, start_s, len(samples) / rate, a_turn)
            began_s, start_s = start_s, start_s + len(samples) / rate
            if len(angles) < frame:
                continue
            keep = turned and began_s * shaft_hz < LOOKED_AT
            fine = _angles(turning, began_s, start_s - began_s, A_TURN) if keep else angles[:0]
            for row, curve in enumerate(_curves(samples, rate, bands, 1.05 * highest * shaft_hz)):
                # Moments are shares of the block, for curves have rates of their own.
                found, count = _power(np.interp(angles * len(curve), np.arange(len(curve)), curve), frame)
                power[row] += found
                if keep and row < len(bands):
                    read = np.interp(fine[: A_TURN * LOOKED_AT] * len(curve), np.arange(len(curve)), curve)
                    pieces.setdefault(began_s, []).append(_standard(read))
            frames += count
        if not frames:
            raise RecordingError("the recording's blocks hold too few revolutions of the shaft")
        envelopes.append(power[:-1] / frames)
        signals.append(power[-1] / frames)
    step, kept = a_turn / frame, int(highest / (a_turn / frame))
    together = tuple(np.mean(one, axis=0) for one in pieces.values())
    return OrderSpectra(
        step, bands, np.concatenate(envelopes)[:, :kept], np.array(signals)[:, :kept], turns, shaft_hz, together
    )


def bands_of(rate: float, carried_hz: float) -> Iterator[tuple[float, float]]:
    """The whole, and bands that are wide enough to carry what comes and goes `carried_hz` times a second."""
    top = HIGHEST * rate
    width = max(top / BANDS, 2 * carried_hz)
    if top - LOWEST_HZ < carried_hz:
        return
    yield LOWEST_HZ, top
    if top - LOWEST_HZ > 1.2 * width:
        count = ceil((top - LOWEST_HZ - width) / (width / 2)) + 1
        yield from ((float(low), float(low + width)) for low in np.linspace(LOWEST_HZ, top - width, count))


def _standard(curve: Exact) -> Exact:
    """In standard deviations, so that no band is louder than another; one loud event is no pattern."""
    standard: Exact = np.clip((curve - curve.mean()) / max(float(curve.std()), np.finfo(float).tiny), *HEARD)
    return standard


def _angles(turning: Turning, start_s: float, seconds: float, a_turn: int) -> Exact:
    """Of a block, the moments as shares of it at which the shaft has turned on by a sample."""
    pieces = max(2, int(seconds / 0.02))
    length = seconds / pieces
    hz = turning(start_s + length * np.arange(pieces, dtype=np.float64), length)
    turned = np.concatenate([[0.0], np.cumsum(hz * length)])
    wanted = np.arange(int(turned[-1] * a_turn)) / a_turn
    return np.asarray(np.interp(wanted, turned, np.linspace(0, 1, pieces + 1)))


def _curves(samples: Exact, rate: float, bands: Iterable[tuple[float, float]], carried_hz: float) -> Iterator[Exact]:
    """The squared envelope of every band, and at last the signal itself, each at a low rate of its own."""
    count = len(samples)
    length = smooth_length(count)  # the transform is fast, and what is added at the end is no signal
    spectrum = np.fft.rfft(samples - samples.mean(), length)
    step = rate / length
    power = np.abs(spectrum) ** 2
    level = smoothed(power, WHITENED_HZ / step)
    white = spectrum / np.sqrt(level + 1e-3 * level.mean() + np.finfo(float).tiny)
    share = count / length
    for low, high in bands:
        inside = white[int(low / step) : int(high / step)]
        squared = np.abs(np.fft.ifft(inside, smooth_length(2 * len(inside)))) ** 2  # a square has twice the bandwidth
        yield _lower(np.fft.rfft(squared - squared.mean()), carried_hz / step, share)
    yield _lower(spectrum, carried_hz / step, share)


def _lower(spectrum: npt.NDArray[np.complex128], kept: float, share: float) -> Exact:
    """What a spectrum's first `kept` lines make, at four times the rate that they need."""
    lines = min(len(spectrum), max(2, int(kept)))
    curve = np.fft.irfft(spectrum[:lines], smooth_length(4 * lines))
    return np.asarray(curve[: int(share * len(curve))])


def _power(curve: Exact, length: int) -> tuple[Exact, int]:
    """Over Hann frames that overlap by half or more, summed, and how many they are."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    count = 1 + ceil((len(curve) - length) / (length / 2))
    power = np.zeros(length // 2 + 1)
    for start in np.linspace(0, len(curve) - length, count).astype(int):
        frame = curve[start : start + length]
        power += np.abs(np.fft.rfft((frame - frame.mean()) * window)) ** 2
    return power, count


def smooth_length(least: int) -> int:
    """The smallest product of 2, 3 and 5 from `least` on: transforms of it are fast."""
    exponents = np.arange(max(least, 1).bit_length() + 1)
    products = np.multiply.outer(np.multiply.outer(2.0**exponents, 3.0**exponents), 5.0**exponents).ravel()
    return int(products[products >= max(least, 1)].min())


def smoothed(values: Exact, width: float) -> Exact:
    """The mean over an odd number of neighbours, about `width`."""
    count = min(max(3, int(width) | 1), max(len(values) // 2 * 2 - 1, 1))
    sums = np.cumsum(np.pad(values, (count // 2 + 1, count // 2), mode="edge"))
    return np.asarray((sums[count:] - sums[:-count]) / count)

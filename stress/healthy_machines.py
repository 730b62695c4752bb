"""Scores of healthy machines of many kinds, block after block, to judge alarms by.

They are none of those by which constants of alarms were chosen: other parameters, other draws, another generator of
random numbers, and long memory and bursts are made in another way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.signal import fftconvolve

Values = npt.NDArray[np.float64]
Rng = np.random.Generator

WARM_UP = 1000  # blocks until the first one is forgotten
LONGEST_MEMORY = 50_000  # blocks


@dataclass(frozen=True)
class Machine:
    """`scores` draws so many successive blocks; `plain` ones are promised a rate by any reference."""

    title: str
    scores: Callable[[Rng, int], Values]
    plain: bool = False


@njit
def _remembering(noise, correlation):  # type: ignore[no-untyped-def]
    found, last = np.empty(len(noise)), 0.0
    for block in range(len(noise)):
        last = correlation * last + np.sqrt(1 - correlation**2) * noise[block]
        found[block] = last
    return found


@njit
def _clustered(noise, shock, memory):  # type: ignore[no-untyped-def]
    found, variance = np.empty(len(noise)), 1.0
    for block in range(len(noise)):
        found[block] = np.sqrt(variance) * noise[block]
        variance = 1 - shock - memory + shock * found[block] ** 2 + memory * variance
    return found


@njit
def _spells(chance, begins, ends):  # type: ignore[no-untyped-def]
    found, within = np.zeros(len(chance)), False
    for block in range(len(chance)):
        within = chance[block] >= ends if within else chance[block] < begins
        found[block] = within
    return found


def autoregression(correlation: float, noise: Callable[[Rng, int], Values]) -> Callable[[Rng, int], Values]:
    return lambda rng, blocks: _remembering(noise(rng, WARM_UP + blocks), correlation)[WARM_UP:]


def normal(rng: Rng, blocks: int) -> Values:
    return rng.standard_normal(blocks)


def knocked(rng: Rng, blocks: int) -> Values:
    return rng.standard_normal(blocks) * np.where(rng.random(blocks) < 1 / 150, 4, 1)


def skewed(rng: Rng, blocks: int) -> Values:
    return (rng.standard_gamma(1.5, blocks) - 1.5) / np.sqrt(1.5)


def student(rng: Rng, blocks: int) -> Values:
    return rng.standard_t(6, blocks) / np.sqrt(1.5)


def swing(rng: Rng, blocks: int, period: float) -> Values:
    return np.asarray(np.sin(2 * np.pi * (rng.random() + np.arange(blocks) / period)))


def steps(stay: float) -> Callable[[Rng, int], Values]:
    """Between two loads, half a standard deviation apart; it stays at each for so many blocks on average."""
    return lambda rng, blocks: normal(rng, blocks) + 0.5 * _spells(rng.random(blocks), 1 / stay, 1 / stay)


def swinging_load(period: float) -> Callable[[Rng, int], Values]:
    return lambda rng, blocks: autoregression(0.3, normal)(rng, blocks) + 0.8 * swing(rng, blocks, period)


def clustered(rng: Rng, blocks: int) -> Values:
    return np.asarray(_clustered(normal(rng, WARM_UP + blocks), 0.14, 0.84)[WARM_UP:])


def swinging_spread(rng: Rng, blocks: int) -> Values:
    return normal(rng, blocks) * (1 + 0.8 * swing(rng, blocks, 720))


def bursts(rng: Rng, blocks: int) -> Values:
    """One block in 500 begins a burst of 2 to 10 blocks, 3.5 standard deviations high."""
    begins = np.flatnonzero(rng.random(blocks) < 1 / 500)
    found = normal(rng, blocks)
    for begin, length in zip(begins, rng.integers(2, 11, len(begins)), strict=True):
        found[begin : begin + length] += 3.5
    return found


def long_memory(rng: Rng, blocks: int) -> Values:
    """Fractional noise, differenced 0.35 times."""
    lags = np.arange(1, LONGEST_MEMORY)
    weights = np.cumprod(np.concatenate([[1.0], (lags - 1 + 0.35) / lags]))
    return np.asarray(fftconvolve(normal(rng, LONGEST_MEMORY + blocks), weights)[LONGEST_MEMORY:][:blocks])


def two_spreads(rng: Rng, blocks: int) -> Values:
    """Spells of twice the spread, of 150 blocks on average, about one in 700."""
    return normal(rng, blocks) * (1 + _spells(rng.random(blocks), 1 / 550, 1 / 150))


def of_its_own(rng: Rng, blocks: int) -> Values:
    return autoregression(0.9, normal)(rng, blocks) + normal(rng, blocks)


INDEPENDENT = Machine("independent blocks", normal, plain=True)
ALIKE = Machine("each remembers 0.4 of the one before", autoregression(0.4, normal), plain=True)
VERY_ALIKE = Machine("each remembers 0.85 of the one before", autoregression(0.85, normal), plain=True)
CLUSTERED = Machine("spread that clusters (GARCH of 0.14 and 0.84)", clustered)
SWINGING_SPREAD = Machine("spread that swings every 720 blocks", swinging_spread)
BURSTS = Machine("harmless bursts, one block in 500 begins one", bursts)
LONG_MEMORY = Machine("long memory (0.35 of a difference)", long_memory)
KINDS = (
    INDEPENDENT,
    Machine("independent, some knocked", knocked, plain=True),
    ALIKE,
    VERY_ALIKE,
    Machine("skewed, each remembers 0.8 of the one before", autoregression(0.8, skewed), plain=True),
    Machine("power tails, each remembers 0.5 of the one before", autoregression(0.5, student), plain=True),
    Machine("a load that swings every 600 blocks", swinging_load(600), plain=True),
    Machine("steps of half a standard deviation, about every 400 blocks", steps(400), plain=True),
    Machine("0.9 is remembered of a half, the other half is new", of_its_own),
    CLUSTERED,
    SWINGING_SPREAD,
    BURSTS,
    LONG_MEMORY,
    Machine("spells of twice the spread", two_spreads),
)

"""How soon does `dualres trend` find a change, and how often where there is none? Prints JSON.

    python -m experiments.eval_trend [--workers 16] > results/measured/trend.json

Names of sections choose among them. `machines`: 200 simulated machines that wear out and 200 that stay healthy, each
with a series of recordings of its own: the fault grows until the level has doubled, and every series has what levels
change by without a fault (`Life`). A change counts as found where the rule, which looks at every new recording, finds
it after the fault began and before the level is twice the healthy one. `levels`: series that are made of levels alone,
of 20 to 2,000 recordings, for healthy processes of many kinds. `seconds`: processor time for 2,000 recordings whose
levels are known. `lines`: as `machines`, of 40 whose bearing is known. `baseline`: as `levels`, where the first third
is stated to be healthy.

The rule's constants were chosen on the seeds 7001 of machines and 9002 of levels, and earlier ones on 1, 5, 77, 6001
and 6002. The seeds that are judged were not looked at while anything was chosen. Simulated machines are not real ones.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import log, log10, sqrt
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.signal import lfilter

from dualres.explain.check import CheckedMachine
from dualres.explain.trend.change import find_changes
from dualres.explain.trend.levels import BANDS, levels_of
from dualres.explain.trend.series import TrendPoint, trend_of
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from dualres.simulated import machines
from dualres.utils.arrays import Exact
from experiments.eval_check import share

SEED, LEVELS_SEED = 6211, 6212
MACHINES, WITH_LINES, SERIES, STATED = 200, 40, 200, 70  # of each kind
RATE, SECONDS, LINES_SECONDS = 8192, 1.0, 2.0  # of simulated recordings; lines take longer ones
COUNTS = (20, 80)  # recordings of a simulated machine's series, from and to
LENGTH_GROUPS = ((20, 40), (40, 81))
LENGTHS = (20, 50, 100, 250, 500, 1000, 2000)  # of series of levels
FAULTS = ("outer", "inner", "ball", "unbalance", "misalignment", "looseness")
LARGEST = 60.0  # size of a fault at which the level must have doubled
SMALLEST = 0.02  # of that size, at which it begins
A_DAY = 4  # recordings


def main() -> None:
    asked = ArgumentParser()
    asked.add_argument("sections", nargs="*")
    asked.add_argument("--workers", type=int, default=4)
    given = asked.parse_args()
    with ProcessPoolExecutor(given.workers, get_context("spawn")) as workers:
        sections: dict[str, Callable[[], Any]] = {
            "machines": partial(machines_worn, workers, MACHINES, lines=False),
            "lines": partial(machines_worn, workers, WITH_LINES, lines=True),
            "levels": partial(levels, workers, SERIES),
            "baseline": partial(levels, workers, STATED, stated=1 / 3),
            "seconds": seconds,
        }
        print(json.dumps({name: sections[name]() for name in given.sections or sections}, indent=1))


@dataclass(frozen=True)
class Life:
    """What a machine's levels change by without a fault, of one series."""

    count: int
    load: Exact  # percent
    gain: Exact  # that levels are multiplied by: mounting, temperature, outliers
    load_told: bool

    @classmethod
    def drawn(cls, sheet: machines.Machine, count: int, rng: np.random.Generator) -> Life:
        """Load that swings daily in half of all machines, gain that remembers, drifts slowly, and a few outliers."""
        moments = np.arange(count)
        swing = rng.choice([0.0, 1.0]) * rng.uniform(5, 20)
        load = sheet.loads[1] - 20 + swing * np.sin(2 * np.pi * (moments / A_DAY + rng.random()))
        load = np.clip(load + 2 * rng.standard_normal(count), 10, 100)
        noise = 10 ** (rng.uniform(0.1, 0.8) * remembering(count, rng.uniform(0, 0.8), rng) / 20)
        drift = 10 ** (rng.uniform(0, 0.6) * np.sin(2 * np.pi * (moments / (2 * count) + rng.random())) / 20)
        outliers = np.where(rng.random(count) < rng.choice([0, 0.02]), rng.uniform(1.3, 3.0, count), 1.0)
        return cls(count, load, noise * drift * outliers, bool(rng.random() < 0.5))


def remembering(count: int, share_kept: float, rng: np.random.Generator) -> Exact:
    """Noise of unit size that remembers a share of the value before."""
    values = rng.standard_normal(count)
    values[1:] *= sqrt(1 - share_kept**2)
    return np.asarray(lfilter([1.0], [1.0, -share_kept], values))


def machines_worn(workers: Executor, count: int, *, lines: bool) -> dict[str, Any]:
    """Of machines that wear out and of healthy ones; with their lines, or by levels alone."""
    found = list(workers.map(partial(lived, lines=lines), range(count)))
    told: dict[str, Any] = {
        "found": share_of([one["found"] for one in found]),
        "too_early": sum(one["too_early"] for one in found),
        "cannot_tell": sum(one["cannot_tell"] for one in found),
        "healthy": share_of([one["false_alarm"] for one in found]),
        "healthy_cannot_tell": sum(one["healthy_cannot_tell"] for one in found),
        "rise_db": round(float(np.median([one["rise_db"] for one in found if one["found"]])), 1),
        "by": {by: sum(one["by"] == by for one in found) for by in ("level", "impulsiveness", "bands", "lines")},
    }
    for low, high in LENGTH_GROUPS:
        told[f"found_{low}"] = share_of([one["found"] for one in found if low <= one["count"] < high])
    return told


@dataclass(frozen=True)
class WornLife:
    """A series of a machine that wears out, and one of it that stays healthy."""

    faulty: list[TrendPoint]
    healthy: list[TrendPoint]
    began: int
    doubled: int  # the recording whose level is twice the healthy one
    rises_db: Exact  # of the fault alone


def lived(number: int, *, lines: bool) -> dict[str, Any]:
    """What comes of a machine, told also as soon as it is known: all of them take a while."""
    found = outcome(worn_life(number, lines=lines))
    print(number, found, file=sys.stderr, flush=True)
    return found


def worn_life(number: int, *, lines: bool) -> WornLife:
    rng = np.random.default_rng([SEED, number])
    sheet = replace(machines.machine(number, SEED), rate=RATE, seconds=LINES_SECONDS if lines else SECONDS)
    fault = FAULTS[number % len(FAULTS)]
    speed = int(sheet.speeds[1])
    count = round(float(np.exp(rng.uniform(log(COUNTS[0]), log(COUNTS[1])))))
    base = machines.MachineSetting(fault, "heavy", speed, int(sheet.loads[1] - 20))
    doubling = doubling_size(sheet, base)
    began, end = int(count * rng.uniform(0.4, 0.7)), count - 1
    grown = (np.arange(count) - began) / max(end - began, 1)
    linear = rng.random() < 0.5
    sizes = doubling * (grown if linear else np.exp(log(SMALLEST) * (1 - grown)))
    sizes = np.where(grown > 0, sizes, 0.0)
    tried = np.linspace(0, doubling, 12)
    rises = np.interp(sizes, tried, 20 * np.log10([rms_at(sheet, base, size) for size in tried]))
    rises -= rises[0]
    faulty = series(sheet, base, sizes, Life.drawn(sheet, count, rng), lines=lines)
    healthy = series(sheet, base, 0 * sizes, Life.drawn(sheet, count, rng), lines=lines)
    return WornLife(faulty, healthy, began, end, rises)


def rms_at(sheet: machines.Machine, setting: machines.MachineSetting, size: float) -> float:
    """By one moment of the machine, always the same."""
    return float(machines.worn(sheet, setting, size, "sized").std())


def doubling_size(sheet: machines.Machine, setting: machines.MachineSetting) -> float:
    """Of the fault, at which the level is twice the healthy one."""
    low, high, healthy = 0.0, LARGEST, rms_at(sheet, setting, 0.0)
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if rms_at(sheet, setting, middle) < 2 * healthy else (low, middle)
    return high


def series(
    sheet: machines.Machine, base: machines.MachineSetting, sizes: Exact, life: Life, *, lines: bool
) -> list[TrendPoint]:
    """Of a machine whose fault has these sizes."""
    geometry, name = sheet.bearing, "worn" if sizes.any() else "healthy"
    told = f"outer={geometry.outer},inner={geometry.inner},ball={geometry.strikes('ball')},cage={geometry.cage}"
    machine, speed = (CheckedMachine(orders=told), Speed.of_rpm(base.speed)) if lines else (None, None)
    points = []
    for number, size in enumerate(sizes):
        setting = replace(base, load=float(life.load[number]))  # type: ignore[arg-type]  # any number will do
        signal = life.gain[number] * machines.worn(sheet, setting, float(size), f"{name} {number}")
        recording = replace(Recording.from_array(signal, RATE, f"{number}.wav"), speed=speed)
        condition = {"load": f"{life.load[number]:.1f}"} if life.load_told else {}
        points.append(TrendPoint(f"{number}.wav", number, str(number), levels_of(recording, machine), condition))
    return points


def outcome(life: WornLife) -> dict[str, Any]:
    faulty, healthy = trend_of(life.faulty), trend_of(life.healthy)
    change = faulty.change
    return {
        "count": len(life.faulty),
        "found": bool(change and life.began <= change.found < life.doubled),
        "too_early": bool(change and change.found < life.began),
        "cannot_tell": faulty.answer == "cannot tell",
        "false_alarm": healthy.change is not None,
        "healthy_cannot_tell": healthy.answer == "cannot tell",
        "rise_db": float(life.rises_db[change.found]) if change else float("nan"),
        "by": change.feature if change else None,
    }


def share_of(outcomes: list[bool]) -> dict[str, Any]:
    return share(sum(outcomes), max(len(outcomes), 1))


def levels(workers: Executor, count: int, *, stated: float | None = None) -> dict[str, Any]:
    """By kind of healthy process and length: false alarms, and what is found where the level doubles at last."""
    told: dict[str, Any] = {}
    every: list[dict[str, bool]] = []
    for kind in PROCESSES:
        found = list(workers.map(partial(outcome_of_series, kind, stated), range(count), chunksize=5))
        told[kind] = summed(found)
        every += found
    return {"kinds": told, "all": summed(every)}


def outcome_of_series(kind: str, stated: float | None, number: int) -> dict[str, bool]:
    rng = np.random.default_rng([LEVELS_SEED, number, *kind.encode()])
    return outcome_of_levels(PROCESSES[kind], LENGTHS[number % len(LENGTHS)], stated, rng)


def summed(found: list[dict[str, bool]]) -> dict[str, Any]:
    told: dict[str, Any] = {"healthy": share_of([one["false_alarm"] for one in found])}
    told["cannot_tell"] = sum(one["cannot_tell"] for one in found)
    told["found"] = share_of([one["found"] for one in found])
    return told


def outcome_of_levels(
    process: Callable[[int, np.random.Generator], Exact], count: int, stated: float | None, rng: np.random.Generator
) -> dict[str, bool]:
    healthy = None if stated is None else max(10, int(stated * count))
    quiet = process(count, rng)
    search = find_changes(features(quiet), healthy=healthy)
    began, doubled = int(count * rng.uniform(0.4, 0.7)), int(count * rng.uniform(0.85, 1.0)) - 1
    rise = 20 * log10(2) * np.clip((np.arange(count) - began) / max(doubled - began, 1), 0, None)
    change = find_changes(features(process(count, rng) + rise[:, None]), healthy=healthy).first
    return {
        "false_alarm": bool(search.changes),
        "cannot_tell": search.watched_from is None,
        "found": bool(change and began <= change.found < doubled),
    }


def features(values: Exact) -> dict[str, Exact]:
    """Of level, impulsiveness, and bands."""
    return {"level": values[:, 0], "impulsiveness": values[:, 1], "bands": values[:, 2:]}


def noise(count: int, rng: np.random.Generator, kept: float = 0.0, db: tuple[float, float] = (0.2, 1.2)) -> Exact:
    """Of all features, (count, features): alike in part, each remembering what was before."""
    size, common = np.exp(rng.uniform(*np.log(db))), rng.uniform(0.2, 0.9)
    together = remembering(count, kept, rng)
    own = np.stack([remembering(count, kept, rng) for _ in range(BANDS + 2)], axis=1)
    return np.asarray(size * (common * together[:, None] + sqrt(1 - common**2) * own))


def swinging(count: int, rng: np.random.Generator) -> Exact:
    """Every day, recorded twice to 24 times in it."""
    period, size = rng.choice([2, 3, 4, 6, 12, 24]), rng.uniform(0.3, 1.5)
    swing = np.sin(2 * np.pi * (np.arange(count) / period + rng.random()))
    return np.asarray(noise(count, rng) + size * swing[:, None] * rng.uniform(0.5, 1, BANDS + 2))


def drifting(count: int, rng: np.random.Generator) -> Exact:
    """With the seasons, slowly, by up to 0.8 dB to either side."""
    season = np.sin(2 * np.pi * (np.arange(count) / (count * rng.uniform(0.5, 3)) + rng.random()))
    return np.asarray(noise(count, rng) + rng.uniform(0.3, 0.8) * season[:, None] * rng.uniform(0.3, 1, BANDS + 2))


def knocked(count: int, rng: np.random.Generator) -> Exact:
    """One recording in fifty is louder by 2 to 8 dB."""
    knocks = (rng.random(count) < 0.02) * rng.uniform(2, 8, count)
    return np.asarray(noise(count, rng) + knocks[:, None])


def heavy(count: int, rng: np.random.Generator) -> Exact:
    """Noise of Student's distribution with three degrees of freedom."""
    return np.asarray(np.exp(rng.uniform(log(0.2), log(1.2))) * rng.standard_t(3, (count, BANDS + 2)) / sqrt(3))


PROCESSES: dict[str, Callable[[int, np.random.Generator], Exact]] = {
    "independent": noise,
    "remembers 0.5": partial(noise, kept=0.5),
    "remembers 0.8": partial(noise, kept=0.8),
    "remembers 0.9": partial(noise, kept=0.9),
    "swings daily": swinging,
    "drifts with the seasons": drifting,
    "one in fifty is knocked": knocked,
    "heavy tails": heavy,
    "very noisy": partial(noise, db=(1.5, 4.0)),
    "very noisy, remembers 0.8": partial(noise, kept=0.8, db=(1.5, 4.0)),
}


def seconds() -> float:
    """The least of three."""
    values, took = noise(max(LENGTHS), np.random.default_rng(0)), []
    for _ in range(3):
        began = time.process_time()
        find_changes(features(values))
        took.append(time.process_time() - began)
    return round(min(took), 2)


if __name__ == "__main__":
    main()

"""How often are healthy machines alarmed, at one false alarm per machine-year? Prints JSON.

    python stress/alarm_years.py [--machines 1000] [--jobs 1] [ROW...] > results/measured/alarm_years.json

Every machine has healthy blocks of its own to learn from, and then a healthy year. Scores follow a first-order
autoregression from one block of 5 s to the next, whose noise is normal, has heavy tails (one in 200 blocks is five
times as large), is skewed (Weibull's, of shape 2/3) or has power tails (Student's of 5 degrees). Where the load swings,
it does every day, by one standard deviation of the score up and down. A row of 1,000 machines takes a core some
minutes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from math import gamma, sqrt
from multiprocessing import Pool
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.stats import chi2

from dualres.stream.alarm.alarm import Alarm
from dualres.stream.alarm.alarm_rate import rate_of
from dualres.stream.alarm.e_values import LIFTS, WEIGHTS, EValues

Values = npt.NDArray[np.float64]
Reference = Callable[["Healthy", np.random.Generator], list[Values]]

BLOCK_S, HOUR, DAY = 5, 720, 17_280  # blocks of an hour and of a day
YEAR = rate_of("1 per year", BLOCK_S)
NORMAL, HEAVY, SKEWED, POWER = "normal", "heavy tails", "skewed", "power tails"
KNOCKS, LARGER = 1 / 200, np.float32(5)  # share of blocks with heavy tails, and by what factor
SWING = 1.0  # of the load, in standard deviations of the score
SEED = 210_141
CHUNK = 1 << 17  # blocks drawn at once
SHARES = np.array(WEIGHTS)
WARM_UP = 200  # blocks until the first one is forgotten
GUIDES, GUIDED = 4096, 0.75  # steps to where most edges are below: there are few news above


@dataclass(frozen=True)
class Healthy:
    """How the scores of healthy machines go."""

    correlation: float  # of successive blocks
    load: bool  # whether it swings every day
    recorded: str  # what is learned from
    reference: Reference
    noise: str = NORMAL
    most: int = 1000  # machines
    own: float = 0.0  # standard deviation of what every block has for itself and no other remembers

    def drawn(self, rng: np.random.Generator, blocks: int) -> npt.NDArray[np.float32]:
        """Noise of the autoregression, of which scores have a variance of 1."""
        normal = rng.standard_normal(blocks, np.float32)
        if self.noise == HEAVY:
            knocks = rng.random(blocks, np.float32) < KNOCKS
            normal *= np.where(knocks, LARGER, 1) / np.float32(sqrt(1 + KNOCKS * (LARGER**2 - 1)))
        if self.noise == SKEWED:
            weibull = rng.standard_exponential(blocks, np.float32) ** np.float32(1.5)
            normal = (weibull - gamma(2.5)) / sqrt(gamma(4) - gamma(2.5) ** 2)
        if self.noise == POWER:
            normal *= np.sqrt(np.float32(1.5) / rng.standard_gamma(2.5, blocks, np.float32))
        return normal * np.float32(np.sqrt(1 - self.correlation**2))

    def scores(self, rng: np.random.Generator, blocks: int, load: Values | float = 0.0) -> Values:
        """Of successive blocks, at a load or at one for each."""
        found = np.empty(WARM_UP + blocks)
        autoregression(self.drawn(rng, len(found)), self.correlation, found)
        return found[WARM_UP:] + self.own * rng.standard_normal(blocks) + SWING * load


def steady(blocks: int) -> Reference:
    return lambda healthy, rng: [healthy.scores(rng, blocks)]


def days(count: int) -> Reference:
    def swinging(healthy: Healthy, rng: np.random.Generator) -> list[Values]:
        turns = rng.uniform() + np.arange(count * DAY) / DAY
        return [healthy.scores(rng, count * DAY, np.sin(2 * np.pi * turns))]

    return swinging


def at_loads(*loads: float) -> Reference:
    """Two hours at each of them."""
    return lambda healthy, rng: [healthy.scores(rng, 2 * HOUR, load) for load in loads]


HEALTHY = (
    Healthy(0.0, False, "5 minutes", steady(HOUR // 12)),
    Healthy(0.0, False, "an hour", steady(HOUR)),
    Healthy(0.5, False, "3 hours", steady(3 * HOUR)),
    Healthy(0.9, False, "3 hours", steady(3 * HOUR)),
    Healthy(0.9, False, "12 hours", steady(12 * HOUR)),
    Healthy(0.9, False, "a day", steady(DAY)),
    Healthy(0.0, True, "a day", days(1)),
    Healthy(0.5, True, "a day", days(1)),
    Healthy(0.9, True, "2 days", days(2)),
    Healthy(0.5, True, "2 hours at each of 5 loads", at_loads(-1, -0.5, 0, 0.5, 1)),
    Healthy(0.0, False, "an hour", steady(HOUR), HEAVY),
    Healthy(0.9, False, "a day", steady(DAY), HEAVY),
    Healthy(0.5, False, "3 hours", steady(3 * HOUR), SKEWED),
    Healthy(0.9, False, "a day", steady(DAY), SKEWED),
    Healthy(0.9, False, "a day", steady(DAY), own=1.0),
    Healthy(0.5, True, "2 hours at each of the lower 3", at_loads(-1, -0.5, 0), most=20),
    Healthy(0.9, False, "12 hours", steady(12 * HOUR), POWER),
)


@njit
def autoregression(noise, correlation, scores):  # type: ignore[no-untyped-def]
    """Scores of successive blocks, written to `scores` of the same length; the first follows a score of 0."""
    last = 0.0
    for block in range(len(noise)):
        last = correlation * last + noise[block]
        scores[block] = last


@njit
def false_alarms(scores, joined, carried, edges, guide, pays, threshold, now, wealth):  # type: ignore[no-untyped-def]
    """False alarms within so many blocks, exactly as of the readable twin `dualres.stream.alarm.alarm.Alarm`.

    After an alarm a machine starts anew. `now` holds the level before, the sum of scores of a bet that is not complete,
    and their number; it and `wealth` (lifts,) are changed.
    """
    found, lifts, last = 0, len(wealth), len(guide) - 1
    before, waiting, waited = now
    lowest, per_unit = edges[0], guide[last]
    for score in scores:
        waiting += score
        waited += 1
        if waited < joined:
            continue
        level = waiting / joined
        new = level - carried * before
        before, waiting, waited = level, 0.0, 0.0
        row = int(guide[int(min(max((new - lowest) * per_unit, 0.0), last - 1))])
        while row < len(edges) and new > edges[row]:
            row += 1
        while row > 0 and new <= edges[row - 1]:
            row -= 1
        total = 0.0
        for lift in range(lifts):
            wealth[lift] = wealth[lift] * pays[row, lifts + lift] + pays[row, lift]
            total += SHARES[lift] * wealth[lift]
        if total >= threshold:
            found += 1
            wealth[:] = 0.0
    now[:] = before, waiting, waited
    return found


def table(e_values: EValues) -> tuple[Values, Values, Values]:
    """Edges between which bets pay the same; where to begin looking for a value; and what bets pay (cells, 2 * lifts).

    The guide is the first edge to look at for each of `GUIDES` equal steps, and at its end how many steps are a unit.
    """
    edges = np.unique(np.concatenate([one.edges for one in e_values.stretches]))
    steps = np.linspace(edges[0], np.quantile(edges, GUIDED), GUIDES)
    guide = np.append(np.searchsorted(edges, steps, "left"), 1 / max(steps[1] - steps[0], 1e-12))
    pays = np.exp(e_values.log_e_values(np.append(edges, np.inf))).reshape(-1, 2 * len(LIFTS))
    return edges, guide, pays


def alarms_of(alarm: Alarm, scores: Values, threshold: float) -> int:
    """False alarms of successive healthy blocks, each raised at so many nats."""
    e_values = alarm.e_values
    assert e_values
    now, joined = np.zeros(3), e_values.joined
    now[0] = scores[:joined].mean()  # the first has none before it
    wealth = np.zeros(len(LIFTS))
    limit = float(np.expm1(threshold))
    return int(false_alarms(scores[joined:], joined, e_values.carried, *table(e_values), limit, now, wealth))


def year_of(healthy: Healthy, alarm: Alarm, rng: np.random.Generator, blocks: int = round(YEAR)) -> int:
    """False alarms of one machine."""
    e_values = alarm.e_values
    assert e_values
    looked_up, now, wealth, found = table(e_values), np.zeros(3), np.zeros(len(LIFTS)), 0
    threshold = float(np.expm1(alarm.state.threshold))
    load = SWING * np.sin(2 * np.pi * np.arange(2 * DAY + CHUNK) / DAY) if healthy.load else np.zeros(0)
    start, scores, last = int(rng.integers(DAY)), np.empty(CHUNK), 0.0
    for done in range(0, blocks, CHUNK):
        noise = healthy.drawn(rng, min(CHUNK, blocks - done))
        noise[0] += healthy.correlation * last
        part = scores[: len(noise)]
        autoregression(noise, healthy.correlation, part)
        last = part[-1]
        seen = part + healthy.own * rng.standard_normal(len(part), np.float32) if healthy.own else part
        if healthy.load:
            first = (start + done) % DAY
            seen = seen + load[first : first + len(part)]
        found += false_alarms(seen, e_values.joined, e_values.carried, *looked_up, threshold, now, wealth)
    return found


def machine_of(row: int, machine: int) -> tuple[int, int] | None:
    """Blocks that are joined to one bet and false alarms of a machine; None where it has no promise."""
    healthy, rng = HEALTHY[row], np.random.default_rng([SEED, row, machine])
    alarm = Alarm.learned(healthy.reference(healthy, rng), blocks_between_false_alarms=YEAR)
    return (alarm.joined, year_of(healthy, alarm, rng)) if alarm.e_values else None


def rate(row: int, machines: int, jobs: int) -> dict[str, Any]:
    """False alarms of the machines that have a promise."""
    healthy = HEALTHY[row]
    machines = min(machines, healthy.most)
    with Pool(jobs) as pool:
        found = pool.starmap(machine_of, [(row, machine) for machine in range(machines)], chunksize=5)
    joined, each = zip(*(one for one in found if one), strict=True)
    years, alarms = len(each), sum(each)
    interval = [chi2.ppf(0.025, 2 * alarms) / 2 if alarms else 0.0, chi2.ppf(0.975, 2 * alarms + 2) / 2]
    return {
        "correlation": healthy.correlation,
        "noise": healthy.noise + (", and of its own" if healthy.own else ""),
        "load": "swings" if healthy.load else "steady",
        "reference": healthy.recorded,
        "joined_s": BLOCK_S * float(np.median(joined)),
        "no_promise": machines - len(each),
        "machine_years": years,
        "false_alarms": alarms,
        "per_year": round(alarms / years, 3),
        "interval": [round(float(end) / years, 3) for end in interval],
        "above_stated": round(float(np.mean(np.array(each) > 1)), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int, nargs="*", default=range(len(HEALTHY)))
    parser.add_argument("--machines", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1, help="processes; results are the same for any number")
    given = parser.parse_args()
    print(json.dumps([rate(row, given.machines, given.jobs) for row in given.rows], indent=1))


if __name__ == "__main__":
    main()

"""How often are healthy machines alarmed, at one false alarm per machine-year? Prints JSON.

    python stress/alarm_years.py > results/measured/alarm_years.json

Every machine has healthy blocks of its own to learn from, and then a healthy year. Scores follow a first-order
autoregression from one block of 5 s to the next; ranks alone count, so normal scores stand for all. Where the load
swings, it does every day, by one standard deviation of the score up and down. A GPU needs minutes, a core hours.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.signal import lfilter
from scipy.stats import chi2
from torch import Tensor

from dualres.stream.alarm import SURE
from dualres.stream.alarm_rate import rate_of
from dualres.stream.bets import KAPPAS, Bets

Values = npt.NDArray[np.float64]
Reference = Callable[["Healthy", np.random.Generator], list[Values]]

BLOCK_S, HOUR_S, DAY_S = 5, 3600, 86_400
YEAR = rate_of("1 per year", BLOCK_S)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SWING = 1.0  # of the load, in standard deviations of the score
STEPS = 256  # bets simulated at once
LOWEST, PER_UNIT, CELLS = -6.0, 200, 2400  # of the score, in standard deviations


@dataclass(frozen=True)
class Healthy:
    """How the scores of healthy machines go."""

    correlation: float  # of successive blocks
    load: bool  # whether it swings every day
    recorded: str  # what is learned from
    reference: Reference
    machines: int = 1000

    def scores(self, rng: np.random.Generator, seconds: int, load: Values | float = 0.0) -> Values:
        """Of the blocks of so many seconds, at a load or at one for each."""
        noise = rng.standard_normal(seconds // BLOCK_S) * np.sqrt(1 - self.correlation**2)
        noise[0] = rng.standard_normal()
        return np.asarray(lfilter([1], [1, -self.correlation], noise) + SWING * load)


def steady(seconds: int) -> Reference:
    return lambda healthy, rng: [healthy.scores(rng, seconds)]


def days(count: int) -> Reference:
    def swinging(healthy: Healthy, rng: np.random.Generator) -> list[Values]:
        turns = rng.uniform() + np.arange(count * DAY_S // BLOCK_S) * BLOCK_S / DAY_S
        return [healthy.scores(rng, count * DAY_S, np.sin(2 * np.pi * turns))]

    return swinging


def at_loads(*loads: float) -> Reference:
    """Two hours at each of them."""
    return lambda healthy, rng: [healthy.scores(rng, 2 * HOUR_S, load) for load in loads]


HEALTHY = (
    Healthy(0.0, False, "an hour", steady(HOUR_S)),
    Healthy(0.5, False, "3 hours", steady(3 * HOUR_S)),
    Healthy(0.9, False, "a day", steady(DAY_S)),
    Healthy(0.5, True, "a day", days(1)),
    Healthy(0.9, True, "2 days", days(2)),
    Healthy(0.5, True, "2 hours at each of 5 loads", at_loads(-1, -0.5, 0, 0.5, 1)),
    Healthy(0.5, True, "2 hours at each of the lower 3", at_loads(-1, -0.5, 0), 100),
)


class Machines:
    """Machines whose bets are of as many blocks, all at once; the readable twin is `dualres.stream.alarm.Alarm`.

    What bets pay is looked up in narrow cells of the score. A cell pays what its upper end does, so that there are
    rather more false alarms than of the twin. After an alarm a machine starts anew, `STEPS` bets later at most.
    """

    def __init__(self, healthy: Healthy, bets: Sequence[Bets], seed: int) -> None:
        self._healthy, self._joined, self._count = healthy, bets[0].joined, len(bets)
        ends = [*(LOWEST + np.arange(1, CELLS) / PER_UNIT), np.inf]
        gains = np.stack([one.against(ends) for one in bets])  # (machines, cells, kappas)
        self._gains = torch.from_numpy(gains.reshape(-1, len(KAPPAS)).T.copy()).to(DEVICE)
        self._first = torch.arange(self._count, device=DEVICE) * CELLS
        self._draw = torch.Generator(DEVICE).manual_seed(seed)
        self._last = self._normal(1)
        self._turned = torch.rand(self._count, generator=self._draw, device=DEVICE, dtype=torch.float64)
        rho, joined, steps = healthy.correlation, self._joined, np.arange(STEPS)
        faded = np.tril(rho ** (joined * np.maximum(0, steps[:, None] - steps)))  # of a step's noise, later
        self._noise_left = torch.from_numpy(faded).float().to(DEVICE)
        self._last_left = torch.from_numpy(rho ** (joined * (steps + 1.0)))[:, None].float().to(DEVICE)
        decay = rho ** np.arange(joined)[::-1]  # of a block's noise, in the last of the joined
        summed = np.cumsum(rho ** np.arange(joined))[::-1] / joined  # and in their mean
        var_last, var_mean, both = (1 - rho**2) * np.array([decay @ decay, summed @ summed, decay @ summed])
        self._scale, self._before, self._shared = float(var_last**0.5), float(rho * summed[0]), float(both / var_last)
        self._own = float(max(0.0, var_mean - both**2 / var_last) ** 0.5)

    def alarms(self, threshold: float, bets: int) -> list[int]:
        """False alarms of every machine within so many bets, or some more."""
        money = torch.zeros(len(KAPPAS), 1, self._count, dtype=torch.float64, device=DEVICE)
        found = torch.zeros(self._count, dtype=torch.int64, device=DEVICE)
        for done in range(0, bets, STEPS):
            cells = ((self.scores(done) - LOWEST) * PER_UNIT).long().clamp(0, CELLS - 1) + self._first
            gains = torch.stack([gain[cells] for gain in self._gains])  # (kappas, steps, machines)
            # R <- (R + 1) * exp(gain), step by step, is exp(G) * (R + sum of exp(-G before)), with G the sum of gains
            total = gains.cumsum(1)
            wealth = total.exp() * (money + (gains - total).exp().cumsum(1))
            over = (wealth.mean(0) >= threshold).any(0)
            found += over
            money = torch.where(over, 0.0, wealth[:, -1:])
        return list(found.tolist())

    def scores(self, done: int) -> Tensor:
        """Means of joined blocks, exactly as the autoregression has them, (steps, machines)."""
        noise = self._normal(STEPS) * self._scale
        last = self._noise_left @ noise + self._last_left * self._last
        means = self._before * torch.cat([self._last, last[:-1]]) + self._shared * noise
        means += self._own * self._normal(STEPS)
        self._last = last[-1:]
        if self._healthy.load:
            blocks = (done + torch.arange(STEPS, device=DEVICE, dtype=torch.float64) + 0.5) * self._joined
            turns = (blocks * BLOCK_S / DAY_S)[:, None] + self._turned
            means += SWING * torch.sin(2 * torch.pi * (turns % 1)).float()
        return means

    def _normal(self, steps: int) -> Tensor:
        return torch.randn(steps, self._count, generator=self._draw, device=DEVICE)


def rate(healthy: Healthy) -> dict[str, Any]:
    """False alarms of the machines that have a promise."""
    rng = np.random.default_rng(41)
    found = [Bets.learned(healthy.reference(healthy, rng), SURE) for _ in range(healthy.machines)]
    groups: dict[int, list[Bets]] = defaultdict(list)
    for bets in found:
        if bets:
            groups[bets.joined].append(bets)
    each: list[int] = []
    for joined, group in sorted(groups.items()):
        each += Machines(healthy, group, joined).alarms(YEAR / joined, round(YEAR / joined))
    years, alarms = len(each), sum(each)
    interval = [chi2.ppf(0.025, 2 * alarms) / 2 if alarms else 0.0, chi2.ppf(0.975, 2 * alarms + 2) / 2]
    return {
        "correlation": healthy.correlation,
        "load": "swings" if healthy.load else "steady",
        "reference": healthy.recorded,
        "joined_s": BLOCK_S * float(np.median([bets.joined for bets in found if bets])),
        "no_promise": healthy.machines - len(each),
        "machine_years": years,
        "false_alarms": alarms,
        "per_year": round(alarms / years, 3),
        "interval": [round(float(end) / years, 3) for end in interval],
    }


def main() -> None:
    print(json.dumps([rate(healthy) for healthy in HEALTHY], indent=1))


if __name__ == "__main__":
    main()

"""Alarms with a stated rate: one bet per block, and an alarm when the bets have won more than health can explain.

The bets are fair (`e_values.py`), so that the money of somebody who starts betting at any block does not grow
on average while the machine is healthy. He bets first that a fault begins, then that it goes on. The sum over all
starting blocks, R <- R * exp(goes on) + exp(begins), is an e-detector of the kind of Shiryaev and Roberts: R minus the
number of bets is a supermartingale. Stopped where R first reaches N, its mean is at least N, and so is the mean number
of bets until then (Shin, Ramdas and Rinaldo, 2023). A weighted mean over several lifts is such a detector too. It holds
where the news of a healthy block are, given the past, distributed like those of a healthy stretch, or below.

An alarm is cleared by the same sum of bets that the machine is healthy again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite, log, log1p
from operator import mul
from typing import Any

import numpy as np

from dualres.errors import MISFIT, ConfigError, reason_of
from dualres.stream.alarm.e_values import LEAST, LIFTS, WEIGHTS, Bets

SURE = 0.9
RICHEST = 1e300  # more money than this is not told apart
NO_HEALTHY = "no rate of false alarms can be promised without scores of healthy blocks"
SUPPOSED = ", if rarer scores go on as the highest healthy ones thin out"
TOO_FEW = (
    "no rate of false alarms can be promised: {} healthy blocks are too few, or drift; at least "
    f"{LEAST} of every load are needed, and more where neighbours are alike"
)


@dataclass(frozen=True)
class AlarmState:
    """What an alarm says after a block."""

    raised: bool
    since: int | None  # the block that raised it; blocks are counted from 0
    evidence: float  # nats against health; the alarm is raised where they reach the threshold
    healthy_again: float  # nats for health since it was raised; it is cleared where they reach the threshold
    threshold: float
    acknowledged: bool  # somebody has seen the alarm that is raised
    promise: str | None  # in words; None where no rate can be promised, and then nothing is raised
    reason: str = ""  # why there is no promise

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass
class _Now:
    """What changes with every block."""

    blocks: int = 0
    waiting: float = 0.0  # the sum of scores whose bet is not complete
    waited: int = 0  # how many they are
    before: float | None = None  # the level that the last bet was on
    wealth: list[float] = field(default_factory=lambda: [0.0] * len(LIFTS))  # R of every lift
    healthy_again: float = 0.0
    since: int | None = None
    acknowledged: bool = False

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> _Now:
        """Also of the form before, whose bets had other kinds: their mean is what counts, and is given to all."""
        given = dict(data)
        if "money" in given:
            mean = float(np.mean(np.expm1(np.minimum(given.pop("money"), log(RICHEST)))))
            given |= {"wealth": [mean] * len(LIFTS), "waiting": 0.0}
        now = cls(**given)
        if len(now.wealth) != len(LIFTS):
            raise ValueError(f"{len(now.wealth)} kinds of bets instead of {len(LIFTS)}")
        return now


class Alarm:
    """Told the score of every block, the larger the less healthy it looks; says whether to be alarmed."""

    def __init__(self, bets: Bets | None, between: float, sure: float, reason: str = "") -> None:
        self._bets, self._between, self._sure, self._reason = bets, between, sure, reason
        self._now = _Now()

    @classmethod
    def learned(
        cls,
        healthy_scores: Sequence[float] | Sequence[Sequence[float]],
        *,
        blocks_between_false_alarms: float,
        sure: float = SURE,
    ) -> Alarm:
        """From healthy scores, block after block: one stretch that covers all loads, or one for each of them.

        The rate is kept in a share `sure` of all references that could have been recorded.
        """
        if not blocks_between_false_alarms >= 2 or not 0 < sure < 1:
            given = f"blocks_between_false_alarms={blocks_between_false_alarms}, sure={sure}"
            raise ConfigError(f"{given}: at least 2 blocks and a share between 0 and 1 are needed")
        stretches = [[_finite(score) for score in one] for one in _stretches(healthy_scores)]
        count = sum(map(len, stretches))
        bets = Bets.learned(stretches, sure, blocks_between_false_alarms) if count else None
        reason = "" if bets else TOO_FEW.format(count) if count else NO_HEALTHY
        return cls(bets, blocks_between_false_alarms, sure, reason)

    @property
    def joined(self) -> int:
        """Blocks that are one bet together, so that bets are nearly independent."""
        return self._bets.joined if self._bets else 1

    @property
    def least_in_a_row(self) -> int:
        """Blocks without a gap that it takes to bet: where neighbours are alike, some to compare others with."""
        return self.joined * (2 if self._bets and self._bets.carried else 1)

    @property
    def state(self) -> AlarmState:
        now, promise = self._now, None
        if self._bets:
            rate = f"at most one false alarm in {self._between:,.0f} healthy blocks"
            promise = f"{rate} on average, {self._sure:.0%} sure{SUPPOSED if self._bets.supposes else ''}"
        return AlarmState(
            raised=now.since is not None,
            since=now.since,
            evidence=log1p(sum(map(mul, WEIGHTS, now.wealth))),
            healthy_again=now.healthy_again,
            threshold=log1p(self._between / self.joined),
            acknowledged=now.acknowledged,
            promise=promise,
            reason=self._reason,
        )

    def update(self, score: float, *, follows: bool = True) -> AlarmState:
        """After another block, which `follows` the one before it or comes behind a gap.

        What is new in a block is known by the one before it. Behind a gap there is no such block, and no bet, unless
        neighbours have nothing in common.
        """
        now, score = self._now, _finite(score)
        now.blocks += 1
        if not self._bets:
            return self.state
        if not follows:
            now.waiting, now.waited = 0.0, 0
            now.before = now.before if self._bets.carried == 0 else None
        if now.waited >= self.joined:  # kept by an alarm that joined more blocks, or had no bets
            now.waiting, now.waited = 0.0, 0
        now.waiting, now.waited = now.waiting + score, now.waited + 1
        if now.waited == self.joined:
            mean, now.waiting, now.waited = now.waiting / self.joined, 0.0, 0
            self._bet(self._bets, mean)
        return self.state

    def _bet(self, bets: Bets, score: float) -> None:
        now, level = self._now, bets.level(score)
        if now.before is not None:
            begins, goes_on = np.exp(bets.against(level - bets.carried * now.before))
            now.wealth = np.minimum(now.wealth * goes_on + begins, RICHEST).tolist()
        now.before = level
        if now.since is None:
            if self.state.evidence >= self.state.threshold:
                now.since = now.blocks - 1
            return
        now.healthy_again = float(np.logaddexp(0, now.healthy_again + bets.back(level)))
        if now.healthy_again >= self.state.threshold:
            self._now = _Now(now.blocks, before=level)

    def acknowledge(self) -> AlarmState:
        """Somebody has seen it; it stays raised until the machine is healthy. Nothing happens where none is raised."""
        self._now.acknowledged = self._now.since is not None
        return self.state

    def as_data(self) -> dict[str, Any]:
        """For JSON: `learned` never changes, `now` does with every block. `parsed` goes on exactly from there."""
        bets = asdict(self._bets) if self._bets else None
        learned = {"bets": bets, "between": self._between, "sure": self._sure, "reason": self._reason}
        return {"learned": learned, "now": self.kept}

    @property
    def kept(self) -> dict[str, Any]:
        """What changes with every block, for `another`."""
        return asdict(self._now)

    def another(self, kept: Mapping[str, Any] | None = None) -> Alarm:
        """Of another machine that shares what was learned, from the beginning or from what was kept as `now`."""
        alarm = Alarm(self._bets, self._between, self._sure, self._reason)
        try:
            alarm._now = _Now() if kept is None else _Now.parsed(kept)
        except MISFIT as error:
            raise ConfigError(f"this is no kept alarm: {reason_of(error)}; learn it anew") from error
        return alarm

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> Alarm:
        try:
            learned = data["learned"]
            bets = Bets.parsed(learned["bets"]) if learned["bets"] else None
            alarm = cls(bets, float(learned["between"]), float(learned["sure"]), str(learned["reason"]))
            now = data["now"]
        except MISFIT as error:
            raise ConfigError(f"this is no kept alarm: {reason_of(error)}; learn it anew") from error
        return alarm.another(now)


def _stretches(scores: Sequence[float] | Sequence[Sequence[float]]) -> list[Sequence[float]]:
    """One or several."""
    several = [one for one in scores if isinstance(one, Sequence | np.ndarray)]
    return several or [[score for score in scores if isinstance(score, int | float)]]


def _finite(score: float) -> float:
    if not isfinite(score):
        raise ConfigError(f"{score} is no score of a block; scores are finite")
    return float(score)

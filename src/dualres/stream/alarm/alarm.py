"""Alarms with a stated rate: one e-value per block, and an alarm when their products exceed what health explains.

The mean of an e-value is at most 1 while the machine is healthy (`e_values.py`), so a product of them that starts at
any block does not grow on average. Its first factor tests that a fault begins, the others that it goes on. The sum over
all starting blocks, R <- R * exp(goes on) + exp(begins), is an e-detector of the kind of Shiryaev and Roberts: R minus
the number of e-values is a supermartingale. Stopped where R first reaches N, its mean is at least N, and so is the mean
number of e-values until then (Shin, Ramdas and Rinaldo, 2023). A weighted mean over several lifts is such a detector,
too. It holds where the innovation of a healthy block is, given the past, distributed like those of a healthy stretch,
or below.

An alarm is cleared by the same kind of sum: of e-values for a machine that is healthy again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite, log1p
from operator import mul
from typing import Any, Protocol, Self

import numpy as np

from dualres.errors import MISFIT, ConfigError, reason_of
from dualres.judge.trust.calibration import NONE_OF_THESE, Answer
from dualres.stream.alarm.e_values import LEAST, LIFTS, WEIGHTS, EValues

SURE = 0.9
LARGEST_WEALTH = 1e300  # wealth beyond it counts as equal
NO_HEALTHY = "no rate of false alarms can be promised without scores of healthy blocks"
SUPPOSED = ", if rarer scores go on as the highest healthy ones thin out"
TOO_FEW = (
    "no rate of false alarms can be promised: {} healthy blocks are too few, or drift; at least "
    f"{LEAST} of every load are needed, and more where neighbours are alike"
)


@dataclass(frozen=True)
class AlarmState:
    raised: bool
    since: int | None  # the block that raised it; blocks are counted from 0
    evidence: float  # nats against health; the alarm is raised where they reach the threshold
    healthy_again: float  # nats for health since it was raised; it is cleared where they reach the threshold
    threshold: float
    acknowledged: bool  # somebody has seen the alarm that is raised
    promise: str | None  # in words; None where no rate can be promised, and then nothing is raised
    reason: str = ""  # why there is no promise

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class _AlarmProgress:
    blocks: int = 0
    waiting: float = 0.0  # the sum of scores whose e-value is not complete
    waited: int = 0  # how many they are
    before: float | None = None  # the level of the last e-value
    wealth: list[float] = field(default_factory=lambda: [0.0] * len(LIFTS))  # R of every lift
    healthy_again: float = 0.0
    since: int | None = None
    acknowledged: bool = False

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> Self:
        now = cls(**data)
        if len(now.wealth) != len(LIFTS):
            raise ValueError(f"{len(now.wealth)} lifts instead of {len(LIFTS)}")
        return now


class Alarm:
    """Takes the score of every block, the larger the less healthy it looks, and gives the state of the alarm."""

    def __init__(self, e_values: EValues | None, between: float, sure: float, reason: str = "") -> None:
        self._e_values, self._between, self._sure, self._reason = e_values, between, sure, reason
        self._now = _AlarmProgress()

    @classmethod
    def learned(
        cls,
        healthy_scores: Sequence[float] | Sequence[Sequence[float]],
        *,
        blocks_between_false_alarms: float,
        sure: float = SURE,
    ) -> Self:
        """From healthy scores, block after block: one stretch that covers all loads, or one for each of them.

        The rate is kept in a share `sure` of all references that could have been recorded.
        """
        if not blocks_between_false_alarms >= 2 or not 0 < sure < 1:
            given = f"blocks_between_false_alarms={blocks_between_false_alarms}, sure={sure}"
            raise ConfigError(f"{given}: at least 2 blocks and a share between 0 and 1 are needed")
        several: list[Any] = [one for one in healthy_scores if isinstance(one, Sequence | np.ndarray)]
        stretches = [[_finite(score) for score in one] for one in several or [healthy_scores]]
        count = sum(map(len, stretches))
        e_values = EValues.fit(stretches, sure, blocks_between_false_alarms) if count else None
        reason = "" if e_values else TOO_FEW.format(count) if count else NO_HEALTHY
        return cls(e_values, blocks_between_false_alarms, sure, reason)

    @property
    def joined(self) -> int:
        """Blocks that make one e-value together, so that e-values are nearly independent."""
        return self._e_values.joined if self._e_values else 1

    @property
    def least_in_a_row(self) -> int:
        """Blocks without a gap that an e-value needs: where neighbours are alike, some to compare others with."""
        return self.joined * (2 if self._e_values and self._e_values.carried else 1)

    @property
    def state(self) -> AlarmState:
        now, promise = self._now, None
        if self._e_values:
            rate = f"at most one false alarm in {self._between:,.0f} healthy blocks"
            promise = f"{rate} on average, {self._sure:.0%} sure{SUPPOSED if self._e_values.extrapolates else ''}"
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
        """After another block; behind a gap there is no e-value, unless neighbours have nothing in common."""
        now, score = self._now, _finite(score)
        now.blocks += 1
        if not self._e_values:
            return self.state
        if not follows and self._e_values.carried:
            now.before = None
        if not follows or now.waited >= self.joined:  # of an alarm that joined more blocks, or had no e-values
            now.waiting, now.waited = 0.0, 0
        now.waiting, now.waited = now.waiting + score, now.waited + 1
        if now.waited == self.joined:
            self._add_mean(self._e_values, now.waiting / self.joined)
            now.waiting, now.waited = 0.0, 0
        return self.state

    def _add_mean(self, e_values: EValues, score: float) -> None:
        now, level = self._now, e_values.level(score)
        if now.before is not None:
            begins, goes_on = np.exp(e_values.log_e_values(level - e_values.carried * now.before))
            now.wealth = np.minimum(now.wealth * goes_on + begins, LARGEST_WEALTH).tolist()
        now.before = level
        if now.since is None:
            if self.state.evidence >= self.state.threshold:
                now.since = now.blocks - 1
            return
        now.healthy_again = float(np.logaddexp(0, now.healthy_again + e_values.log_recovery(level)))
        if now.healthy_again >= self.state.threshold:
            self._now = _AlarmProgress(now.blocks, before=level)

    def acknowledge(self) -> AlarmState:
        """Somebody has seen it; it stays raised until the machine is healthy. Nothing happens where none is raised."""
        self._now.acknowledged = self._now.since is not None
        return self.state

    def as_data(self) -> dict[str, Any]:
        """For JSON: `learned` never changes, `now` does with every block. `parsed` goes on exactly from there."""
        e_values = asdict(self._e_values) if self._e_values else None
        learned = {"bets": e_values, "between": self._between, "sure": self._sure, "reason": self._reason}
        return {"learned": learned, "now": self.progress}

    @property
    def progress(self) -> dict[str, Any]:
        """What changes with every block, for `another`."""
        return asdict(self._now)

    def another(self, progress: Mapping[str, Any] | None = None) -> "Alarm":
        """Of another machine that shares what was learned, from the beginning or from another alarm's progress."""
        alarm = Alarm(self._e_values, self._between, self._sure, self._reason)
        try:
            alarm._now = _AlarmProgress() if progress is None else _AlarmProgress.parsed(progress)
        except MISFIT as error:
            raise ConfigError(f"this is no kept alarm: {reason_of(error)}; learn it anew") from error
        return alarm

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> "Alarm":
        try:
            learned = data["learned"]
            e_values = EValues.parsed(learned["bets"]) if learned["bets"] else None
            alarm = cls(e_values, float(learned["between"]), float(learned["sure"]), str(learned["reason"]))
            now = data["now"]
        except MISFIT as error:
            raise ConfigError(f"this is no kept alarm: {reason_of(error)}; learn it anew") from error
        return alarm.another(now)


class VerdictLike(Protocol):
    """A verdict, or the event of a block."""

    @property
    def probabilities(self) -> Mapping[str, float]: ...
    @property
    def answer(self) -> Answer | None: ...


def fault_score(verdict: VerdictLike, healthy_classes: Collection[str]) -> float:
    """From 0 to 2: the probability of everything but the healthy classes, and 1 more for *none of these*."""
    if not healthy_classes or not set(healthy_classes) <= set(verdict.probabilities):
        classes = ", ".join(verdict.probabilities)
        raise ConfigError(f"healthy classes {', '.join(healthy_classes) or '(none)'}: name some of {classes}")
    beyond = verdict.answer is not None and verdict.answer.kind == NONE_OF_THESE
    return 1 - sum(verdict.probabilities[label] for label in healthy_classes) + beyond


def _finite(score: float) -> float:
    if not isfinite(score):
        raise ConfigError(f"{score} is no score of a block; scores are finite")
    return float(score)

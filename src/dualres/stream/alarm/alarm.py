"""Alarms with a stated rate: one e-value per block, and an alarm when their products exceed what health explains.

The mean of an e-value is at most 1 while the machine is healthy (`e_values.py`), so a product of them that starts at
any block does not grow on average. Its first factor tests that a fault begins, the others that it goes on. Products
that start at any block add up (`detector.py`). The alarm is raised where they exceed what fair e-values reach once in
the stated number of blocks, or what the healthy reference itself would reach as rarely (`excursions.py`). What is
promised, and for which healthy machines, is in `promise.py`.

An alarm is cleared by the same kind of sum: of e-values for a machine that is healthy again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite, log1p
from typing import Any, Protocol, Self, TypedDict

import numpy as np

from dualres.errors import MISFIT, ConfigError, reason_of
from dualres.judge.trust.calibration import NONE_OF_THESE, Answer
from dualres.stream.alarm.detector import evidence, grown, healthy_evidence
from dualres.stream.alarm.e_values import LEAST, LIFTS, EValues
from dualres.stream.alarm.excursions import threshold
from dualres.stream.alarm.promise import promise_of

SURE = 0.9
FURTHEST = 600.0  # nats; wealth is not counted much further
NO_HEALTHY = "no rate of false alarms can be promised without scores of healthy blocks"
TOO_FEW = (
    "no rate of false alarms can be promised: {} healthy blocks are too few, or drift; at least "
    f"{LEAST} of every load are needed, and more where neighbours are alike"
)
TOO_FAR = (
    "no rate of false alarms can be promised: the {} healthy blocks look like a fault again and again, and no "
    "threshold is beyond them; ask for more false alarms"
)


@dataclass(frozen=True)
class AlarmState:
    raised: bool
    since: int | None  # the block that raised it; blocks are counted from 0
    evidence: float  # nats against health; the alarm is raised where they reach the threshold
    healthy_again: float  # nats for health since it was raised; it is cleared where they reach `clears`
    threshold: float
    clears: float
    acknowledged: bool  # somebody has seen the alarm that is raised
    promise: str | None  # in words, with what is not promised; None where no rate is, and then nothing is raised
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


class _OfHealth(TypedDict):
    reaches: float
    healthy: int
    tried: int


class Alarm:
    """Takes the score of every block, the larger the less healthy it looks, and gives the state of the alarm."""

    def __init__(
        self,
        e_values: EValues | None,
        between: float,
        sure: float,
        reason: str = "",
        *,
        reaches: float = 0.0,
        healthy: int = 0,
        tried: int = 0,
    ) -> None:
        """`reaches` is how many nats healthy evidence reaches once in `between` blocks.

        That is learned from so many `healthy` blocks, which make so many bets that were `tried`.
        """
        self._e_values, self._between, self._sure, self._reason = e_values, between, sure, reason
        self._reaches, self._healthy, self._tried = reaches, healthy, tried
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
        between = blocks_between_false_alarms
        e_values = EValues.fit(stretches, sure, between) if count else None
        if not e_values:
            return cls(None, between, sure, TOO_FEW.format(count) if count else NO_HEALTHY)
        tried = np.concatenate([healthy_evidence(e_values, np.array(one)) for one in stretches])
        reaches = threshold(tried, between / e_values.joined)
        if max(reaches, tried.max()) >= FURTHEST:
            return cls(None, between, sure, TOO_FAR.format(count))
        return cls(e_values, between, sure, reaches=reaches, healthy=count, tried=len(tried))

    @property
    def e_values(self) -> EValues | None:
        """What blocks are bet on by; None where no rate can be promised."""
        return self._e_values

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
            extrapolates = self._e_values.extrapolates
            promise = promise_of(self._between, self._sure, self._healthy, self._tried, extrapolates=extrapolates)
        fair = log1p(self._between / self.joined)
        return AlarmState(
            raised=now.since is not None,
            since=now.since,
            evidence=float(evidence(np.array(now.wealth))),
            healthy_again=now.healthy_again,
            threshold=max(fair, self._reaches),
            clears=fair,
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
            log_e_values = e_values.log_e_values(level - e_values.carried * now.before)
            now.wealth = grown(np.array(now.wealth), log_e_values).tolist()
        now.before = level
        if now.since is None:
            if self.state.evidence >= self.state.threshold:
                now.since = now.blocks - 1
            return
        now.healthy_again = float(np.logaddexp(0, now.healthy_again + e_values.log_recovery(level)))
        if now.healthy_again >= self.state.clears:
            self._now = _AlarmProgress(now.blocks, before=level)

    def acknowledge(self) -> AlarmState:
        """Somebody has seen it; it stays raised until the machine is healthy. Nothing happens where none is raised."""
        self._now.acknowledged = self._now.since is not None
        return self.state

    def as_data(self) -> dict[str, Any]:
        """For JSON: `learned` never changes, `now` does with every block. `parsed` goes on exactly from there."""
        e_values = asdict(self._e_values) if self._e_values else None
        learned = {"bets": e_values, "between": self._between, "sure": self._sure, "reason": self._reason}
        return {"learned": {**learned, **self._of_health}, "now": self.progress}

    @property
    def _of_health(self) -> "_OfHealth":
        return {"reaches": self._reaches, "healthy": self._healthy, "tried": self._tried}

    @property
    def progress(self) -> dict[str, Any]:
        """What changes with every block, for `another`."""
        return asdict(self._now)

    def another(self, progress: Mapping[str, Any] | None = None) -> "Alarm":
        """Of another machine that shares what was learned, from the beginning or from another alarm's progress."""
        alarm = Alarm(self._e_values, self._between, self._sure, self._reason, **self._of_health)
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
            between, sure, reason = float(learned["between"]), float(learned["sure"]), str(learned["reason"])
            of_health = _OfHealth(
                reaches=float(learned["reaches"]), healthy=int(learned["healthy"]), tried=int(learned["tried"])
            )
            alarm = cls(e_values, between, sure, reason, **of_health)
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

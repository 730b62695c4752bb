"""A block of a stream: windows that follow each other, with one verdict."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.backends import Scores
from dualres.judge.model import Model
from dualres.judge.trust.calibration import NO_PROMISE, NONE_OF_THESE, Answer
from dualres.judge.trust.novelty import NoveltyFeatures
from dualres.judge.verdict import calibration_where, without_calibration
from dualres.stream.monitor.framing import StreamWindow

NOVELTY_WINDOWS = 3  # windows of a block: measuring novelty takes several times as long as a verdict
NO_RATE = "a block is a part of a recording, and the error rate was measured on whole ones"


def windows_in(block_s: float, config: ModelConfig) -> int:
    """The fewest half-overlapping windows that span `block_s` seconds."""
    if not 0 < block_s < math.inf:
        raise ConfigError(f"a block of {block_s} s was asked for; give a positive number of seconds")
    return max(1, math.ceil((block_s * config.rate - config.window) / (config.window // 2)) + 1)


def seconds_between(block_s: float, config: ModelConfig) -> float:
    """From the start of a block to that of the next: less than it spans, for windows overlap."""
    return windows_in(block_s, config) * (config.window // 2) / config.rate


@dataclass
class Block:
    """Sums over the windows so far; windows may lie on both sides of a gap."""

    length: int  # windows of a whole one
    sums: list[float]  # of probabilities, by class
    looks: list[float]  # sums of what was looked at, in the order of `NoveltyFeatures`; empty before the first
    looked: int = 0
    windows: int = 0
    start: int = 0  # as `Event` has them
    stop: int = 0
    missing: int = 0

    @property
    def complete(self) -> bool:
        return self.windows == self.length

    @property
    def needs_novelty(self) -> bool:  # at the window that comes next
        return self.windows % -(-self.length // NOVELTY_WINDOWS) == 0

    def add(self, window: StreamWindow, missing: int) -> None:
        """A window, `missing` samples behind the one before; its scores come now or later."""
        if not self.windows:
            self.start = window.start
        self.windows, self.stop, self.missing = self.windows + 1, window.stop, self.missing + missing

    def score(self, scores: Scores) -> None:
        """Those of a window, (classes,)."""
        self.sums = [total + one for total, one in zip(self.sums, scores.tolist(), strict=True)]

    def look(self, novelty: NoveltyFeatures) -> None:
        self.looks = (np.array(self.looks or 0.0) + astuple(novelty)).tolist()
        self.looked += 1

    def mean(self) -> list[float]:
        """Probabilities, by class."""
        return [total / self.windows for total in self.sums]

    def answer(
        self,
        model: Model,
        speed_told: bool,
        conditions: Sequence[Mapping[str, str]] = ({},),
        *,
        error: float,
        sure: float | None,
    ) -> Answer | None:
        """As of a recording, with *none of these*, but without a promised rate; None where nothing was held out. Of
        several conditions while it lasted, one counts that nothing would be promised under."""
        if model.calibration is None:
            return None
        calibration = calibration_where(model, speed_told)
        if calibration is None:
            return without_calibration(model, error, sure)
        novelty = NoveltyFeatures(*(total / self.looked for total in self.looks))
        answers = [
            calibration.answer(self.mean(), novelty, condition=one, error=error, sure=sure) for one in conditions
        ]
        if unpromised := [one for one in answers if one.promise is None]:
            return unpromised[0]
        answer = answers[0]
        if answer.kind != NONE_OF_THESE:
            answer = replace(answer, kind=NO_PROMISE, reason=NO_RATE)
        return replace(answer, promise=None, names=False)

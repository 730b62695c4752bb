"""What a stream says."""

from dataclasses import dataclass
from typing import Any

from dualres.judge.trust.calibration import Answer
from dualres.judge.verdict import speed_data
from dualres.recordings.speed import Speed

WINDOW, BLOCK = "window", "block"


@dataclass(frozen=True)
class Event:
    """A verdict on a window of a stream, or on a block of windows that follow each other.

    Stream, kind and number together name it: a stream that is read again from an earlier state says the same again.
    """

    stream: str  # the monitor's name
    kind: str  # "window" or "block"
    number: int  # from 0, of this kind
    start: int  # the first sample, at the stream's own rate, counted from its begin with all that is missing
    stop: int  # the first one behind it
    seconds: float  # the start's, since the stream began
    label: str
    probabilities: dict[str, float]  # of every class; of a block the mean over its windows
    windows: int
    missing: int  # samples since the event of this kind before that did not come, or that nothing could be made of
    answer: Answer | None = None  # of a block, what can be said at a stated error rate
    speed: Speed | None = None  # of the shaft, at which a block was judged
    speed_margin: float | None = None  # nats by which any other speed fits the block worse, where one was searched for

    def as_data(self) -> dict[str, Any]:
        """For JSON; the keys of an answer and of a speed stand beside the others, as in a verdict's."""
        data = {**vars(self), "probabilities": dict(self.probabilities)}
        for name in ("answer", "speed", "speed_margin"):
            del data[name]
        speed = {"speed": speed_data(self.speed, self.speed_margin)} if self.speed else {}
        return {**data, **speed, **(self.answer.as_data() if self.answer else {})}

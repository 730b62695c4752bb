"""A model beside a machine: chunks of samples in, verdicts on windows and blocks of them out.

from dualres import load
from dualres.stream import Monitor

monitor = Monitor(load("bearings.safetensors"), 12_800, name="pump 3")
for chunk in chunks:
    for event in monitor.push(chunk):
        print(event.kind, event.seconds, event.label)
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dualres.config import HELD
from dualres.errors import ConfigError, RecordingError
from dualres.judge.backends import Scores
from dualres.judge.model import Model
from dualres.judge.trust.calibration import ERROR, Answer
from dualres.judge.trust.conformal import check_rates
from dualres.judge.trust.novelty import NoveltyFeatures, look_at_windows, mean_look
from dualres.judge.verdict import check_probabilistic
from dualres.judge.windows import mean_over_axes
from dualres.kernel.inference import TOGETHER
from dualres.recordings.recording import Samples
from dualres.recordings.resample import exact_ratio
from dualres.recordings.windows import too_short
from dualres.stream.monitor import event
from dualres.stream.monitor.block import Block, windows_in
from dualres.stream.monitor.event import Event
from dualres.stream.monitor.framing import Framing, StreamWindow
from dualres.utils.rates import Rate, exact_rate

LARGEST = 1e37  # a sample beyond it cannot be filtered in float32; it counts as missing, as one that is not finite
FORMAT = 1  # of markers and states


class Monitor:
    """Judges one stream, at `rate` Hz, of one axis or of all that the model knows, in the order of its card.

    What it says of windows is what `window_scores` (judge/verdict.py) says of the same samples as one recording, to the
    last bit, however they are cut into chunks. A block has as many windows as span `block_s` seconds. Samples that are
    not finite are left out and counted as missing.
    """

    def __init__(
        self,
        model: Model,
        rate: Rate,
        *,
        name: str = "",
        block_s: float = 5.0,
        error: float = ERROR,
        sure: float | None = None,
    ) -> None:
        """`name` is that of the stream, for its events. Answers of blocks are at `error` and `sure`, as diagnose's."""
        check_stream(model, rate, block_s)
        check_rates(error, sure)
        config = model.card.config
        self.model, self.name, self.error, self.sure = model, name, error, sure
        self.block_s = float(block_s)
        self._framing = Framing(exact_rate(rate), max(len(model.card.channels), 1), config.rate, config.window)
        self._windows = self._blocks = 0  # events so far
        self._block = self._new_block()
        self._unjudged = 0  # samples since the latest event, in windows that no score could be computed of
        self._pending: list[StreamWindow] = []
        self._calibration = model.calibration

    @property
    def rate(self) -> float:
        return float(self._framing.rate)  # Hz

    @property
    def position(self) -> int:
        """Samples so far, also those that are missing."""
        return self._framing.position

    @property
    def missing(self) -> int:
        """Samples since the latest event of a window that did not come; the next one will tell."""
        return self._framing.missing + self._unjudged

    @property
    def needed_from(self) -> int:
        """The first sample that anything to come depends on; no earlier one is needed by `resumed`."""
        return self._framing.needed_from

    @property
    def waiting(self) -> int:
        """Windows that `take` completed and that were not scored yet."""
        return len(self._pending)

    def samples_for(self, windows: int) -> int:
        """The length of a piece of a long chunk that keeps about `windows` windows in memory at a time."""
        return windows * self._framing.samples_for_a_step

    def push(self, samples: npt.ArrayLike) -> list[Event]:
        """What a chunk (n,) or (n, axes) of any size completes, in order; a block comes after its last window."""
        chunk, events, step = self._chunk(samples), list[Event](), self.samples_for(TOGETHER)
        for start in range(0, chunk.shape[1], step):
            self._take(chunk[:, start : start + step])
            events += score_together([self])
        return events

    def take(self, samples: npt.ArrayLike) -> None:
        """As `push`, without a score: `score_together` gives the events, of many streams at once."""
        self._take(self._chunk(samples))

    def gap(self, missing: int = 0) -> list[Event]:
        """What the end of a stretch completes; what follows missing samples is judged as a recording of its own."""
        if missing < 0:
            raise ConfigError(f"a gap of {missing} samples was told; it has none or more")
        self._pending += self._framing.gap(int(missing))
        return score_together([self])

    def finish(self) -> list[Event]:
        """What the end of the stream completes, and its last block; an error where it was too short for a window."""
        events = self.gap()
        config, framing = self.model.card.config, self._framing
        if not self._windows and not self._unjudged:
            name = self.name or "the stream"
            if not framing.longest:
                raise RecordingError(f"{name}: there are no samples in it")
            raise too_short(name, framing.longest, framing.rate, window=config.window, rate=config.rate)
        return events + (self._finish_block() if self._block.windows else [])

    def marker(self) -> dict[str, Any]:
        """Where the stream is, as plain JSON of few bytes, for `resumed`."""
        if self._pending:
            raise ConfigError("windows of the stream wait for score_together; let it score them first")
        return {
            "format": FORMAT,
            "model": self.model.fingerprint,
            "name": self.name,
            "rate": str(self._framing.rate),
            "block_s": self.block_s,
            "error": self.error,
            "sure": self.sure,
            "needed_from": self.needed_from,
            "windows": self._windows,
            "blocks": self._blocks,
            "unjudged": self._unjudged,
            "block": dict(vars(self._block)),
            "framing": self._framing.marker(),
        }

    @classmethod
    def resumed(cls, model: Model, marker: Mapping[str, Any], samples: npt.ArrayLike) -> Self:
        """The monitor that gave the marker, to the last bit; `samples` are those from `needed_from` up to there."""
        monitor = cls._from_marker(model, marker)
        chunk = monitor._chunk(samples)
        expected = marker["framing"]["position"] - marker["needed_from"]
        if chunk.shape[1] != expected:
            raise ConfigError(f"{chunk.shape[1]} samples came with a marker that needs {expected}")
        monitor._framing.resume(marker["framing"], chunk)
        return monitor

    def state(self) -> bytes:
        """All that the monitor keeps, for `restored`: less than 150 kB for each axis at usual rates."""
        held = self._framing.buffers()
        head = {**self.marker(), "held": [len(one) for one in held]}
        return json.dumps(head).encode() + b"\n" + b"".join(one.astype("<f4").tobytes() for one in held)

    @classmethod
    def restored(cls, model: Model, state: bytes) -> Self:
        """The monitor that gave the state, to the last bit."""
        try:
            head, _, body = state.partition(b"\n")
            marker = json.loads(head)
            values = np.frombuffer(body, "<f4").astype(np.float32)
            held = np.split(values, np.cumsum(marker["held"]))
            if held.pop().size or sum(marker["held"]) != len(values):
                raise ValueError("it has another length than it says")
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"this is no state of a monitor ({error})") from error
        monitor = cls._from_marker(model, marker)
        monitor._framing.restore(marker["framing"], held)
        return monitor

    @classmethod
    def _from_marker(cls, model: Model, marker: Mapping[str, Any]) -> Self:
        """Where the marker says, but for the samples."""
        if marker.get("format") != FORMAT or marker.get("model") != model.fingerprint:
            raise ConfigError("this was written beside another model, or by another version of DualRes; begin anew")
        monitor = cls(model, marker["rate"], **{name: marker[name] for name in ("name", "block_s", "error", "sure")})
        monitor._windows, monitor._blocks = marker["windows"], marker["blocks"]
        monitor._unjudged, monitor._block = marker["unjudged"], Block(**marker["block"])
        return monitor

    def _chunk(self, samples: npt.ArrayLike) -> Samples:
        """(axes, n), a copy: whoever gave it may reuse its memory."""
        chunk, axes = np.array(samples, dtype=np.float32), self._framing.axes
        chunk = chunk[:, None] if chunk.ndim == 1 else chunk
        if chunk.ndim != 2 or chunk.shape[1] != axes:
            needed = "(n,)" if axes == 1 else f"(n, {axes}), with {', '.join(self.model.card.channels)} in this order,"
            raise ConfigError(f"a chunk of shape {np.shape(samples)} was given; {needed} is needed")
        return np.ascontiguousarray(chunk.T)

    def _take(self, chunk: Samples) -> None:
        sound, at = np.abs(chunk) <= LARGEST, 0
        if sound.all():
            self._pending += self._framing.take(chunk)
            return
        for whole, run in groupby(np.logical_and.reduce(sound).tolist()):
            start, at = at, at + len(list(run))
            self._pending += self._framing.take(chunk[:, start:at]) if whole else self._framing.gap(at - start)

    def _events_of(self, windows: Sequence[StreamWindow], scores: Scores) -> list[Event]:
        """The events of windows by their scores (n, classes)."""
        events = []
        for window, row in zip(windows, scores, strict=True):
            if not np.isfinite(row).all():
                self._unjudged += window.missing + self._framing.samples_for_a_step
                continue
            missing, self._unjudged = window.missing + self._unjudged, 0
            novelty = self._novelty(window) if self._calibration and self._block.needs_novelty else None
            self._block.add(window, missing, row, novelty)
            self._windows += 1
            events.append(
                self._event(event.WINDOW, self._windows - 1, window, row.tolist(), windows=1, missing=missing)
            )
            if self._block.complete:
                events += self._finish_block()
        return events

    def _finish_block(self) -> list[Event]:
        block, self._block = self._block, self._new_block()
        answer = block.answer(self._calibration, self.error, self.sure) if self._calibration else None
        self._blocks += 1
        counts = {"windows": block.windows, "missing": block.missing}
        return [self._event(event.BLOCK, self._blocks - 1, block, block.mean(), **counts, answer=answer)]

    def _event(
        self,
        kind: str,
        number: int,
        part: StreamWindow | Block,
        shares: Sequence[float],
        *,
        windows: int,
        missing: int,
        answer: Answer | None = None,
    ) -> Event:
        classes = self.model.classes
        return Event(
            stream=self.name,
            kind=kind,
            number=number,
            start=part.start,
            stop=part.stop,
            seconds=part.start / self.rate,
            label=classes[int(np.argmax(shares))],
            probabilities=dict(zip(classes, shares, strict=True)),
            windows=windows,
            missing=missing,
            answer=answer,
        )

    def _new_block(self) -> Block:
        return Block(windows_in(self.block_s, self.model.card.config), [0.0] * len(self.model.classes), [])

    def _novelty(self, window: StreamWindow) -> NoveltyFeatures:
        rate = self._framing.rate
        return mean_look(look_at_windows(self.model, axis, one[None], rate) for axis, one in enumerate(window.samples))


def check_stream(model: Model, rate: Rate, block_s: float) -> None:
    """An error where no stream at `rate` Hz can be judged, in blocks of `block_s` seconds."""
    check_probabilistic(model)
    config, exact = model.card.config, exact_rate(rate)
    if exact != config.rate and model.card.resampler != HELD:
        raise ConfigError(
            f"the model resamples by {model.card.resampler}, which needs the mean of a whole recording, and a "
            f"stream has none; fit it again by {HELD}, the default, or sample at {config.rate} Hz"
        )
    exact_ratio(exact, config.rate)
    windows_in(float(block_s), config)


def score_together(monitors: Iterable[Monitor]) -> list[Event]:
    """The events of all windows that wait in monitors; those of one model are scored in one call."""
    by_model: dict[int, list[Monitor]] = defaultdict(list)
    for monitor in monitors:
        if monitor._pending:
            by_model[id(monitor.model)].append(monitor)
    events = []
    for some in by_model.values():
        waiting = [monitor._pending for monitor in some]
        windows = [window.samples for pending in waiting for window in pending]
        model, axes = some[0].model, range(len(windows[0]))
        scores = mean_over_axes([_scores(model, [window[axis] for window in windows], axis) for axis in axes])
        ends = np.cumsum([len(pending) for pending in waiting])
        for monitor, pending, rows in zip(some, waiting, np.split(scores, ends[:-1]), strict=True):
            monitor._pending = []
            events += monitor._events_of(pending, rows)
    return events


def _scores(model: Model, windows: Sequence[Samples], axis: int) -> Scores:
    """A few at a time, so that those of hundreds of streams are not in memory twice."""
    some = (windows[start : start + TOGETHER] for start in range(0, len(windows), TOGETHER))
    return np.concatenate([model.scores(np.stack(few), axis) for few in some])

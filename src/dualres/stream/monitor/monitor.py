"""A model beside a machine: chunks of samples in, verdicts on windows and blocks of them out.

from dualres import load
from dualres.stream import Monitor

monitor = Monitor(load("bearings.safetensors"), 12_800, name="pump 3")
for chunk in chunks:
    for event in monitor.push(chunk):
        print(event.kind, event.seconds, event.label)
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError, RecordingError
from dualres.judge.backends import Scores
from dualres.judge.carried_memory import CarriedMemory
from dualres.judge.model import Model
from dualres.judge.trust.calibration import ERROR, Answer
from dualres.judge.trust.conformal import check_rates
from dualres.judge.trust.novelty import NoveltyFeatures, look_at_windows
from dualres.judge.turning import moments_of
from dualres.kernel.inference import TOGETHER
from dualres.recordings.recording import Samples
from dualres.recordings.speed import Speed, SpeedGiven, given_speed
from dualres.recordings.windows import too_short
from dualres.stream.monitor import event
from dualres.stream.monitor.block import Block, windows_in
from dualres.stream.monitor.block_speed import speeds_of
from dualres.stream.monitor.check import check_stream
from dualres.stream.monitor.event import Event
from dualres.stream.monitor.framing import Framing, StreamWindow
from dualres.stream.monitor.looks import LookedWindow, PendingWindow, heard_as, looked_at, scores_at, speedless_scores
from dualres.stream.monitor.state import packed, unpacked
from dualres.stream.monitor.told_condition import ToldCondition
from dualres.stream.monitor.turning import ToldSpeed
from dualres.utils.rates import Rate, exact_rate

LARGEST = 1e37  # a sample beyond it cannot be filtered in float32; it counts as missing, as one that is not finite
FORMAT = 1  # of markers and states


class Monitor:
    """Judges one stream, at `rate` Hz, of one axis or of all that the model knows, in the order of its card.

    What it says of windows is what `window_scores` (judge/verdict.py) says of the same samples as one recording, to the
    last bit, however they are cut into chunks. A block has as many windows as span `block_s` seconds. Samples that are
    not finite are left out and counted as missing.

    A model that judges by orders, and learned at known speeds, judges each block at a speed of its own, as segments of
    a recording (block_speed.py). A window is judged at once, at the speed as told, corrected by the block before.

    The paper's network may go on with its memory from window to window instead of beginning each one anew
    (judge/carried_memory.py). What is said of a stretch's first window is the same then, and of the others no longer.
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
        speedless: bool = False,
        carry_memory: bool = False,
    ) -> None:
        """`name` is that of the stream, for its events. Answers of blocks are at `error` and `sure`, as diagnose's.
        `speedless`: no speed is used or looked for, as by `diagnose --speed none`.
        `carry_memory`: of the paper's network, on from window to window; an error for other models."""
        check_stream(model, rate, block_s)
        check_rates(error, sure)
        config = model.card.config
        self.model, self.name, self.error, self.sure, self.speedless = model, name, error, sure, speedless
        self.block_s = float(block_s)
        self._framing = Framing(exact_rate(rate), max(len(model.card.channels), 1), config.rate, config.window)
        self._windows = self._blocks = 0  # events so far
        self._block = self._new_block()
        self._unjudged = 0  # samples since the latest event, in windows that no score could be computed of
        self._pending: list[StreamWindow] = []
        self._told, self._condition = ToldSpeed(self.rate), ToldCondition(model)
        self._speeds = None if speedless else speeds_of(model, exact_rate(rate), self._framing.samples_for_a_step)
        self._carried = CarriedMemory(model) if carry_memory else None
        self._gaps: list[tuple[int, int]] = []  # since `needed_from`: the sample at which each was told, and its length

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
        """The first sample that anything to come depends on; no earlier one is needed by `resumed`. Of a block whose
        speed is not known yet, it is that of its first window."""
        begin = self._speeds and self._speeds.begin
        return int(begin["framing"]["position"]) if begin else self._framing.needed_from

    @property
    def waiting(self) -> int:
        """Windows that `take` completed and that were not scored yet."""
        return len(self._pending)

    def samples_for(self, windows: int) -> int:
        """The length of a piece of a long chunk that keeps about `windows` windows in memory at a time."""
        return windows * self._framing.samples_for_a_step

    def tell_speed(self, speed: SpeedGiven, first: int | None = None) -> None:
        """How fast the shaft turns from sample `first` on, by default from the next one, until it is told again."""
        known = given_speed(speed)
        assert known
        self._told.tell_all(known, self.position if first is None else first)

    def tell_condition(self, condition: Mapping[str, str], first: int | None = None) -> None:
        """How the machine runs from sample `first` on, as its load, by default from the next one. Under a condition
        that was not labelled the answers of blocks say so."""
        self._condition.tell(condition, self.position if first is None else first)

    def speed_of(self, window: StreamWindow) -> Speed | None:
        """Of the shaft while a window was recorded that waits for its score; None where nobody told it."""
        return self._told.over(window.start, window.stop)

    def push(self, samples: npt.ArrayLike, *, speed: SpeedGiven | None = None) -> list[Event]:
        """What a chunk (n,) or (n, axes) of any size completes, in order; a block comes after its last window.

        `speed` is that of the shaft from this chunk on: rpm as a number, or a text such as "29.95Hz".
        """
        if speed is not None:
            self.tell_speed(speed)
        return self._push(self._chunk(samples))

    def _push(self, chunk: Samples) -> list[Event]:
        events, step = list[Event](), self.samples_for(TOGETHER)
        for start in range(0, chunk.shape[1], step):
            self._take(chunk[:, start : start + step])
            events += score_together([self])
        return events

    def take(self, samples: npt.ArrayLike, *, speed: SpeedGiven | None = None) -> None:
        """As `push`, without a score: `score_together` gives the events, of many streams at once."""
        if speed is not None:
            self.tell_speed(speed)
        self._take(self._chunk(samples))

    def gap(self, missing: int = 0) -> list[Event]:
        """What the end of a stretch completes; what follows missing samples is judged as a recording of its own."""
        if missing < 0:
            raise ConfigError(f"a gap of {missing} samples was told; it has none or more")
        if self._speeds:
            self._gaps.append((self.position, int(missing)))
        self._await(self._framing.gap(int(missing)))
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
        begin = self._speeds and self._speeds.begin
        marker = self._marker(begin or self._counts())
        if begin:  # `resumed` looks again at the windows that wait for the speed of their block
            marker |= {"block": vars(self._new_block()), "until": self.position, "gaps": self._gaps}
        return marker

    def _counts(self) -> dict[str, Any]:
        """The part of a marker that says how far the stream is."""
        counts = {"windows": self._windows, "blocks": self._blocks, "unjudged": self._unjudged}
        return {**counts, "framing": self._framing.marker()}

    def _marker(self, counts: Mapping[str, Any]) -> dict[str, Any]:
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
            **{name: counts[name] for name in ("windows", "blocks", "unjudged")},
            "block": dict(vars(self._block)),
            "framing": counts["framing"],
            **({"speed": told} if (told := self._told.marker()) else {}),
            **({"condition": known} if (known := self._condition.marker()) else {}),
            **({"turning": self._speeds.marker()} if self._speeds else {}),
            **({"speedless": True} if self.speedless else {}),
            **({"memory": self._carried.marker()} if self._carried else {}),
        }

    @classmethod
    def resumed(cls, model: Model, marker: Mapping[str, Any], samples: npt.ArrayLike) -> Self:
        """The monitor that gave the marker, to the last bit; `samples` are those from `needed_from` up to there,
        without what is missing."""
        monitor = cls._from_marker(model, marker)
        chunk, gaps = monitor._chunk(samples), marker.get("gaps", [])
        until = marker.get("until", marker["framing"]["position"])
        expected = until - marker["needed_from"] - sum(missing for _, missing in gaps)
        if chunk.shape[1] != expected:
            raise ConfigError(f"{chunk.shape[1]} samples came with a marker that needs {expected}")
        if "until" not in marker:
            monitor._framing.resume(marker["framing"], chunk)
            return monitor
        monitor._framing.resume(marker["framing"], chunk[:, :0])
        for at, missing in gaps:
            count = at - monitor.position
            monitor._push(chunk[:, :count])
            monitor.gap(missing)
            chunk = chunk[:, count:]
        monitor._push(chunk)
        if monitor._speeds:
            monitor._speeds.retell(marker["turning"])
        return monitor

    def state(self) -> bytes:
        """All that the monitor keeps, for `restored`: less than 150 kB for each axis at usual rates. Windows that wait
        for the speed of their block, which a model of orders judges by, add 13 kB each, or 25 kB without the compiled
        library: 240 or 450 kB in blocks of 5 s, 0.9 or 1.6 MB in long ones."""
        windows, kept = self._speeds.kept() if self._speeds else ([], [])
        waiting = {"begin": self._speeds.begin, "gaps": self._gaps, "waiting": windows} if self._speeds else {}
        return packed({**self._marker(self._counts()), **waiting}, self._framing.buffers(), kept)

    @classmethod
    def restored(cls, model: Model, state: bytes) -> Self:
        """The monitor that gave the state, to the last bit."""
        marker, held, kept = unpacked(state)
        monitor = cls._from_marker(model, marker)
        monitor._framing.restore(marker["framing"], held)
        if monitor._speeds:
            monitor._speeds.begin, monitor._gaps = marker["begin"], [tuple(one) for one in marker["gaps"]]
            monitor._speeds.restore(marker["turning"], marker["waiting"], kept)
        return monitor

    @classmethod
    def _from_marker(cls, model: Model, marker: Mapping[str, Any]) -> Self:
        """Where the marker says, but for the samples."""
        if marker.get("format") != FORMAT or marker.get("model") != model.fingerprint:
            raise ConfigError("this was written beside another model, or by another version of DualRes; begin anew")
        same = {name: marker[name] for name in ("name", "block_s", "error", "sure")}
        how = {"speedless": marker.get("speedless", False), "carry_memory": "memory" in marker}
        monitor = cls(model, marker["rate"], **same, **how)
        monitor._windows, monitor._blocks = marker["windows"], marker["blocks"]
        monitor._unjudged, monitor._block = marker["unjudged"], Block(**marker["block"])
        monitor._told.restore(marker.get("speed", ()))
        monitor._condition.restore(marker.get("condition", ()))
        if monitor._speeds:
            monitor._speeds.read(marker["turning"])
        if monitor._carried:
            monitor._carried.read(marker["memory"])
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
            self._await(self._framing.take(chunk))
            return
        for whole, run in groupby(np.logical_and.reduce(sound).tolist()):
            start, at = at, at + len(list(run))
            self._await(self._framing.take(chunk[:, start:at]) if whole else self._framing.gap(at - start))

    def _judgeable(self, windows: Sequence[PendingWindow]) -> Sequence[PendingWindow]:
        """Those that come before the speed is another."""
        speeds = self._speeds
        return windows[: speeds.judgeable(self._block, [one for one, _ in windows])] if speeds else windows

    def _await(self, windows: Sequence[StreamWindow]) -> None:
        """A score of windows that are complete; what is told of them later does not count."""
        if self._speeds:
            windows = [replace(window, told=self._told.mean(window.start, window.stop)) for window in windows]
        self._pending += windows

    def _events_of(self, windows: Sequence[PendingWindow], scores: Sequence[Scores]) -> list[Event]:
        """The events of windows by their scores, (classes,) each."""
        events = []
        for (window, seen), row in zip(windows, scores, strict=True):
            if not np.isfinite(row).all():
                self._unjudged += window.missing + self._framing.samples_for_a_step
                continue
            if self._speeds and not self._block.windows:
                self._speeds.begin = {**self._counts(), "framing": window.begin}
            missing, self._unjudged = window.missing + self._unjudged, 0
            self._add(window, missing, row, seen)
            self._windows += 1
            events.append(
                self._event(event.WINDOW, self._windows - 1, window, row.tolist(), windows=1, missing=missing)
            )
            if self._block.complete:
                events += self._finish_block()
        return events

    def _add(self, window: StreamWindow, missing: int, row: Scores, seen: LookedWindow | None) -> None:
        """To the block under way."""
        novel = self.model.calibration is not None and self._block.needs_novelty
        self._block.add(window, missing)
        if self._speeds and seen:
            heard = heard_as(self.model, window, self._framing.rate) if novel else ()
            self._speeds.add(self._block, replace(seen, heard=heard), row)
            return
        self._block.score(row)
        if novel:
            self._block.look(self._novelty(window))

    def _settle(self) -> None:
        """No window waits for its score: forget what none to come depends on."""
        self._pending = []
        if self._speeds:
            self._speeds.decide_late(self._block, self.position)
        self._told.forget(self._framing.needed_from)
        self._condition.forget(min(self.needed_from, self._block.start if self._block.windows else self.position))
        self._gaps = [(at, missing) for at, missing in self._gaps if at > self.needed_from]

    def _finish_block(self) -> list[Event]:
        found = self._speeds.end(self._block) if self._speeds else None
        block, self._block = self._block, self._new_block()
        told = found is not None and found.told
        conditions = self._condition.between(block.start, block.stop)
        answer = block.answer(self.model, told, conditions, error=self.error, sure=self.sure)
        self._blocks += 1
        counts = {"windows": block.windows, "missing": block.missing}
        said = self._event(event.BLOCK, self._blocks - 1, block, block.mean(), **counts, answer=answer)
        return [replace(said, speed=found.speed, speed_margin=found.margin) if found else said]

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
        moments = moments_of(self.model, [one[None] for one in window.samples])
        return look_at_windows(self.model, moments, self._framing.rate)


def score_together(monitors: Iterable[Monitor]) -> list[Event]:
    """The events of all windows that wait in monitors; those of one model are looked at and scored together."""
    alike: dict[tuple[int, bool, bool], list[Monitor]] = defaultdict(list)
    for monitor in monitors:
        alike[id(monitor.model), monitor._speeds is not None, monitor._carried is not None].append(monitor)
    return [event for some in alike.values() for event in _events_together(some)]


def _events_together(some: Sequence[Monitor]) -> list[Event]:
    """Round after round, for what is judged at one speed may change the next one."""
    model, windows = some[0].model, [window for monitor in some for window in monitor._pending]
    looked = iter(looked_at(model, windows) if some[0]._speeds else [None] * len(windows))
    waiting, events = [list(zip(monitor._pending, looked, strict=False)) for monitor in some], list[Event]()
    while any(waiting):
        parts = [monitor._judgeable(each) for monitor, each in zip(some, waiting, strict=True)]
        rows = iter(_scores(model, some, parts))
        for monitor, part in zip(some, parts, strict=True):
            events += monitor._events_of(part, list(islice(rows, len(part))))
        waiting = [each[len(part) :] for each, part in zip(waiting, parts, strict=True)]
    for monitor in some:
        monitor._settle()
    return events


def _scores(model: Model, some: Sequence[Monitor], parts: Sequence[Sequence[PendingWindow]]) -> Scores:
    """Of windows of each monitor, one after the other."""
    if some[0]._carried:
        each = ((one._carried, window) for one, part in zip(some, parts, strict=True) for window, _ in part)
        rows = [memory.scores(one.samples, first=one.begin["number"] == 0) for memory, one in each if memory]
        return np.concatenate(rows)
    windows, looked = zip(*chain.from_iterable(parts), strict=True)
    if not some[0]._speeds:
        return speedless_scores(model, windows)
    hz = [one._speeds.hz(window) for one, part in zip(some, parts, strict=True) if one._speeds for window, _ in part]
    return scores_at(model, looked, np.array(hz))

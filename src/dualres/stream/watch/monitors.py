"""The monitors of all open streams: committed chunks in, verdicts and the progress that they bring out.

Nothing is written here; the agent commits verdicts and progress together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from dualres.errors import RecordingError
from dualres.judge.model import Model
from dualres.kernel.inference import TOGETHER
from dualres.recordings.recording import Samples
from dualres.stream.monitor.block import windows_in
from dualres.stream.monitor.event import BLOCK, WINDOW, Event
from dualres.stream.monitor.monitor import LARGEST, Monitor, score_together
from dualres.stream.watch.alarms import Alarms
from dualres.stream.watch.records import ChunkState, StoredChunk, Stream, StreamProgress
from dualres.stream.watch.spool import Spool

SCORED_AT_ONCE = TOGETHER  # windows: each is 131 kB in memory, and a round of slow streams has hundreds
UNHEARD_S = 10.0  # of samples without a window among them, after which a person is told

StreamMessage = tuple[str, dict[str, Any]]  # the id of a verdict, and what sinks are told of it


@dataclass
class MonitoredStream:
    """A stream and its monitor, whose samples count from the stream's beginning here."""

    stream: Stream
    monitor: Monitor
    kept: deque[ChunkState] = field(default_factory=deque)  # chunks that it may still depend on, and those since
    unheard: int = 0  # samples that came since the latest window
    said: bool = False  # that there are many of them

    @property
    def position(self) -> int:
        return self.stream.began + self.monitor.position

    @property
    def lets_go(self) -> bool:
        """Whether a chunk is not needed any more, also where nothing could be said of it."""
        return bool(self.kept) and self.kept[0].stop <= self.stream.began + self.monitor.needed_from


@dataclass(frozen=True)
class StreamResults:
    """What came of some chunks."""

    verdicts: Sequence[tuple[Event, StreamMessage]]
    progress: Sequence[StreamProgress]


class Monitors:
    """One for each stream that has not ended; `condition` is that of all of them.

    Streams of one machine, as `machine_of` tells, have an alarm in common.
    """

    def __init__(
        self,
        model: Model,
        block_s: float,
        condition: Mapping[str, str],
        alarms: Alarms | None,
        machine_of: Callable[[str], str],
        say: Callable[[str], None],
    ) -> None:
        self._model, self._block_s, self._condition, self._alarms, self._say = model, block_s, condition, alarms, say
        self._machine_of = machine_of
        self._watched: dict[int, MonitoredStream] = {}
        self._by_key: dict[str, MonitoredStream] = {}
        self._unscored = 0  # windows that were taken since the latest score
        self._said_short = False  # that a stream had no whole block
        self._said_vain: set[str] = set()  # machines whose alarms cannot be raised

    def __len__(self) -> int:
        return len(self._watched)

    def open(self, stream: Stream) -> None:
        """A stream that begins."""
        self._watch(stream, Monitor(self._model, stream.form.rate, name=stream.key, block_s=self._block_s))

    def close(self, stream: Stream) -> None:
        """A run that is over."""
        del self._by_key[stream.key], self._watched[stream.id]

    def resume(self, spool: Spool, streams: Mapping[int, Stream]) -> None:
        """Every one of these streams, by their ids, at the sample where its position is."""
        before: dict[int, list[StoredChunk]] = {}
        for chunk in spool.chunks():
            stream = streams[chunk.stream]
            if chunk.stop <= stream.position and not chunk.last:
                before.setdefault(stream.id, []).append(chunk)
        for stream in spool.streams() if self._alarms else ():
            if self._alarms and stream.marker and (kept := stream.marker.get("alarm")):
                self._alarms.go_on(self._machine_of(stream.name), kept)  # of several streams, as the latest left it
        for stream in streams.values():
            chunks = before.get(stream.id, [])
            if stream.marker and "monitor" in stream.marker:
                samples = _samples_from(stream, chunks)
                self._watch(stream, Monitor.resumed(self._model, stream.marker["monitor"], samples))
            else:
                self.open(stream)
            self._watched[stream.id].kept.extend(chunk.kept() for chunk in chunks)

    def _watch(self, stream: Stream, monitor: Monitor) -> None:
        self._watched[stream.id] = self._by_key[stream.key] = MonitoredStream(stream, monitor)

    def judge(self, chunks: Sequence[StoredChunk]) -> StreamResults:
        """Chunks in the order in which they were committed, all behind those before."""
        events: list[Event] = []
        together: dict[int, list[StoredChunk]] = {}  # what follows on each other of every stream
        touched: dict[int, MonitoredStream] = {}
        ended: set[int] = set()
        for chunk in chunks:
            watched = self._watched[chunk.stream]
            if chunk.stop <= watched.position and not chunk.last:
                continue  # of before the start: the monitor was resumed with it
            touched[chunk.stream] = watched
            row = together.setdefault(chunk.stream, [])
            expected = row[-1].stop if row else watched.position
            if chunk.first > expected:
                events += self._push(watched, row, touched)
                events += watched.monitor.gap(chunk.first - expected)
            if chunk.last:
                events += self._push(watched, row, touched)
                events += self._finished(watched)
                ended.add(chunk.stream)
            else:
                row.append(chunk)
            watched.kept.append(chunk.kept())
        for id, row in together.items():
            events += self._push(touched[id], row, touched)
        events += self._scored(touched)
        told = {event.stream for event in events}
        self._tell_unheard(touched.values(), {event.stream for event in events if event.kind == WINDOW})
        # An alarm sees every block, whoever is told of it, and before the chunks of its block are let go.
        verdicts = [(event, self._verdict(self._by_key[event.stream], event)) for event in events]
        moved = [one for id, one in touched.items() if id in ended or one.stream.key in told or one.lets_go]
        return StreamResults(verdicts, [self._progress(one, one.stream.id in ended) for one in moved])

    def _push(
        self, watched: MonitoredStream, row: list[StoredChunk], touched: dict[int, MonitoredStream]
    ) -> list[Event]:
        """Take a row of chunks; events come only where otherwise too many windows would wait for a score."""
        if not row:
            return []
        events, monitor, form = list[Event](), watched.monitor, watched.stream.form
        data = memoryview(b"".join(chunk.data for chunk in row))
        watched.unheard += sum(chunk.count for chunk in row)
        row.clear()
        while data:
            size = form.width * monitor.samples_for(SCORED_AT_ONCE - self._unscored)
            before = monitor.waiting
            monitor.take(form.samples(data[:size]))
            data = data[size:]
            self._unscored += monitor.waiting - before
            if self._unscored >= SCORED_AT_ONCE:
                events += self._scored(touched)
        return events

    def _scored(self, touched: dict[int, MonitoredStream]) -> list[Event]:
        self._unscored = 0
        return score_together([one.monitor for one in touched.values()])

    def _tell_unheard(self, touched: Iterable[MonitoredStream], heard: Collection[str]) -> None:
        """Samples of another kind than was said are hardly ever finite for half a second: then no verdict tells."""
        for one in touched:
            if one.stream.key in heard:
                one.unheard, one.said = 0, False
            elif one.unheard >= UNHEARD_S * one.stream.form.rate and not one.said:
                one.said = True
                self._say(
                    f"{one.stream.name}: no window of it was whole for {UNHEARD_S:g} s; {one.monitor.missing:,} "
                    f"samples are NaN, infinite or beyond {LARGEST:g}, or never came. Are they {one.stream.form.dtype}?"
                )

    def _finished(self, watched: MonitoredStream) -> list[Event]:
        try:
            return watched.monitor.finish()
        except RecordingError as error:  # too short for a window
            self._say(f"{watched.stream.name}: not judged  {str(error).removeprefix(f'{watched.stream.key}: ')}")
            return []

    def _progress(self, watched: MonitoredStream, ended: bool) -> StreamProgress:
        stream, unneeded, latest = watched.stream, [], watched.kept[-1]
        needed = stream.began + watched.monitor.needed_from
        while watched.kept and (ended or watched.kept[0].stop <= needed):
            unneeded.append(watched.kept.popleft())
        marker = {} if ended else {"monitor": watched.monitor.marker(), "at": latest.at}
        if self._alarms:
            marker["alarm"] = self._alarms.kept(self._machine_of(stream.name))
        return StreamProgress(stream, watched.position, marker or None, unneeded, ended)

    def _verdict(self, watched: MonitoredStream, event: Event) -> StreamMessage:
        """The id of an event and what sinks are told of it: the same, whenever and however often it is made."""
        stream = watched.stream
        start, stop = stream.began + event.start, stream.began + event.stop
        chunk = next((kept for kept in watched.kept if kept.stop >= stop), None) or watched.kept[-1]
        key = f"{stream.key}/{event.kind}/{event.number}"
        data = {
            **event.as_data(),
            "id": key,
            "stream": stream.name,
            "run": stream.start,
            "start": start,
            "stop": stop,
            "seconds": float(start / stream.form.rate),
            "probability": event.probabilities[event.label],
            "condition": {**self._condition, **chunk.side},
            "time": datetime.fromtimestamp(chunk.at, UTC).isoformat(timespec="milliseconds"),
            "received": chunk.at,
        }
        if self._alarms and event.kind == BLOCK:
            data["alarm"] = self._alarm(self._alarms, stream, event)
        return key, data

    def _alarm(self, alarms: Alarms, stream: Stream, block: Event) -> dict[str, Any]:
        """What the alarm says; it bets on whole blocks alone, for the mean of a few windows strays more than theirs."""
        machine = self._machine_of(stream.name)
        if block.windows == windows_in(self._block_s, self._model.card.config):
            follows = block.number > 0 and block.missing < self._block_s * stream.form.rate
            told = alarms.told(machine, block, follows=follows)
            if alarms.in_vain(machine) and machine not in self._said_vain:
                self._said_vain.add(machine)
                self._say(
                    f"{machine}: no alarm can be raised, for it takes {alarms.learned.least_in_a_row} blocks of "
                    f"{self._block_s:g} s without a gap, and fewer come; give a shorter --block"
                )
            return told
        if block.number == 0 and not self._said_short:
            self._said_short = True
            self._say(
                f"{stream.name}: ended before a block of {self._block_s:g} s was whole, and alarms see whole blocks "
                "alone; where streams are that short, give a shorter --block"
            )
        return alarms.state(machine)


def _samples_from(stream: Stream, chunks: Sequence[StoredChunk]) -> Samples:
    """From the first one that the stream's monitor needs up to where it was."""
    assert stream.marker is not None
    width = stream.form.width
    needed = stream.began + stream.marker["monitor"]["needed_from"]
    parts = [chunk.data[max(0, needed - chunk.first) * width :] for chunk in chunks]
    return stream.form.samples(b"".join(parts))

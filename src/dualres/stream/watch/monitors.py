"""The monitors of all open streams: committed chunks in, verdicts and the progress that they bring out.

Nothing is written here; the agent commits verdicts and progress together.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from dualres.errors import RecordingError
from dualres.judge.model import Model
from dualres.kernel.inference import TOGETHER
from dualres.recordings.speed import Speed, speed_in
from dualres.recordings.speed_sources import SpeedSources
from dualres.stream.monitor.block import windows_in
from dualres.stream.monitor.event import BLOCK, WINDOW, Event
from dualres.stream.monitor.monitor import LARGEST, Monitor, score_together
from dualres.stream.watch.alarms import Alarms
from dualres.stream.watch.records import StoredChunk, Stream, StreamProgress
from dualres.stream.watch.spool import Spool

SCORE_WINDOWS = TOGETHER  # windows: each is 131 kB in memory, and a round of slow streams has hundreds
SILENCE_S = 10.0  # of samples without a window among them, before a warning

StreamMessage = tuple[str, dict[str, Any]]  # the id of a verdict, and its data for sinks


@dataclass
class MonitoredStream:
    """A stream and its monitor, whose samples count from the stream's beginning here."""

    stream: Stream
    monitor: Monitor
    chunks: deque[StoredChunk] = field(default_factory=deque)  # chunks that it may still depend on, and those since
    silent_samples: int = 0  # samples that came since the latest window
    silence_reported: bool = False  # that there are many of them

    @property
    def position(self) -> int:
        return self.stream.began + self.monitor.position

    @property
    def needed(self) -> int:
        """The first sample that is still needed; earlier ones are let go, also where nothing could be said of them."""
        return self.stream.began + self.monitor.needed_from


@dataclass(frozen=True)
class StreamResults:
    verdicts: Sequence[tuple[Event, StreamMessage]]
    progress: Sequence[StreamProgress]


class Monitors:
    """One for each stream that has not ended; streams of one machine, as `machine_of` says, have an alarm in common."""

    def __init__(
        self,
        model: Model,
        block_s: float,
        condition: Mapping[str, str],
        *,
        speed: SpeedSources,
        carry_memory: bool,
        alarms: Alarms | None,
        machine_of: Callable[[str], str],
        say: Callable[[str], None],
    ) -> None:
        self._model, self._block_s, self._condition, self._alarms, self._say = model, block_s, condition, alarms, say
        self._speed, self._carry_memory, self._machine_of = speed, carry_memory, machine_of
        self._by_id: dict[int, MonitoredStream] = {}
        self._by_key: dict[str, MonitoredStream] = {}
        self._unscored = 0  # windows that were taken since the latest score
        self._short_reported = False  # that a stream had no whole block
        self._rows_reported: set[str] = set()  # machines whose alarms cannot be raised

    def __len__(self) -> int:
        return len(self._by_id)

    def open(self, stream: Stream) -> None:
        how = {"speedless": not self._speed.used, "carry_memory": self._carry_memory}
        new = Monitor(self._model, stream.form.rate, name=stream.key, block_s=self._block_s, **how)
        self._add(stream, new)

    def close(self, stream: Stream) -> None:
        del self._by_key[stream.key], self._by_id[stream.id]

    def resume(self, spool: Spool, streams: Mapping[int, Stream]) -> None:
        """Every one of these streams, by their ids, at the sample where its position is."""
        before: dict[int, list[StoredChunk]] = {}
        for chunk in spool.chunks():
            stream = streams[chunk.stream]
            if chunk.stop <= stream.position and not chunk.last:
                before.setdefault(stream.id, []).append(chunk)
        for stream in spool.streams() if self._alarms else ():
            if self._alarms and stream.marker and (progress := stream.marker.get("alarm")):
                # of several streams, as the latest left it
                self._alarms.resume(self._machine_of(stream.name), progress)
        for stream in streams.values():
            chunks = before.get(stream.id, [])
            if stream.marker and "monitor" in stream.marker:
                marker = stream.marker["monitor"]
                needed, width = stream.began + marker["needed_from"], stream.form.width
                parts = [chunk.data[max(0, needed - chunk.first) * width :] for chunk in chunks]
                samples = stream.form.samples(b"".join(parts))
                self._add(stream, Monitor.resumed(self._model, marker, samples))
            else:
                self.open(stream)
            self._by_id[stream.id].chunks.extend(chunk.without_samples() for chunk in chunks)

    def _add(self, stream: Stream, monitor: Monitor) -> None:
        self._by_id[stream.id] = self._by_key[stream.key] = MonitoredStream(stream, monitor)

    def judge(self, chunks: Sequence[StoredChunk]) -> StreamResults:
        """Chunks in the order in which they were committed, all behind those before."""
        events: list[Event] = []
        together: dict[int, list[StoredChunk]] = {}  # what follows on each other of every stream
        touched: dict[int, MonitoredStream] = {}
        ended: set[int] = set()
        for chunk in chunks:
            entry = self._by_id[chunk.stream]
            if chunk.stop <= entry.position and not chunk.last:
                continue  # of before the start: the monitor was resumed with it
            touched[chunk.stream] = entry
            row = together.setdefault(chunk.stream, [])
            expected = row[-1].stop if row else entry.position
            if chunk.first > expected:
                events += self._push(entry, row, touched)
                events += entry.monitor.gap(chunk.first - expected)
            if chunk.last:
                events += self._push(entry, row, touched)
                events += self._finish(entry)
                ended.add(chunk.stream)
            else:
                row.append(chunk)
            entry.chunks.append(chunk.without_samples())
        for id, row in together.items():
            events += self._push(touched[id], row, touched)
        events += self._score(touched)
        with_events = {event.stream for event in events}
        self._report_silence(touched.values(), {event.stream for event in events if event.kind == WINDOW})
        # An alarm sees every block, also those that no sink gets, and before the chunks of its block are let go.
        verdicts = [(event, self._verdict(self._by_key[event.stream], event)) for event in events]
        progress = [
            self._progress(one, id in ended)
            for id, one in touched.items()
            if id in ended or one.stream.key in with_events or (one.chunks and one.chunks[0].stop <= one.needed)
        ]
        return StreamResults(verdicts, progress)

    def _push(self, entry: MonitoredStream, row: list[StoredChunk], touched: dict[int, MonitoredStream]) -> list[Event]:
        """Take a row of chunks; events come only where otherwise too many windows would wait for a score."""
        events = list[Event]()
        entry.silent_samples += sum(chunk.count for chunk in row)
        for (speed, condition), chunks in groupby(row, self._beside):
            entry.monitor.tell_condition(condition)
            if speed:
                entry.monitor.tell_speed(speed, entry.monitor.position)
            events += self._take(entry, memoryview(b"".join(chunk.data for chunk in chunks)), touched)
        row.clear()
        return events

    def _take(self, entry: MonitoredStream, data: memoryview, touched: dict[int, MonitoredStream]) -> list[Event]:
        events, monitor, form = list[Event](), entry.monitor, entry.stream.form
        while data:
            size, before = form.width * monitor.samples_for(SCORE_WINDOWS - self._unscored), monitor.waiting
            monitor.take(form.samples(data[:size]))
            data = data[size:]
            self._unscored += monitor.waiting - before
            if self._unscored >= SCORE_WINDOWS:
                events += self._score(touched)
        return events

    def _beside(self, chunk: StoredChunk) -> tuple[Speed | None, Mapping[str, str]]:
        """Speed and condition by what came beside it, in the columns that a list has, or by what is stated of all."""
        stated = speed_in(chunk.side) or speed_in(self._condition) or self._speed.stated
        return stated if self._speed.used else None, {**self._condition, **chunk.side}

    def _score(self, touched: dict[int, MonitoredStream]) -> list[Event]:
        self._unscored = 0
        return score_together([one.monitor for one in touched.values()])

    def _report_silence(self, touched: Iterable[MonitoredStream], with_windows: Collection[str]) -> None:
        """Samples of another kind than was said are hardly ever finite for half a second: then no verdict tells."""
        for one in touched:
            if one.stream.key in with_windows:
                one.silent_samples, one.silence_reported = 0, False
            elif one.silent_samples >= SILENCE_S * one.stream.form.hertz and not one.silence_reported:
                one.silence_reported = True
                self._say(
                    f"{one.stream.name}: no window of it was whole for {SILENCE_S:g} s; {one.monitor.missing:,} "
                    f"samples are NaN, infinite or beyond {LARGEST:g}, or never came. Are they {one.stream.form.dtype}?"
                )

    def _finish(self, entry: MonitoredStream) -> list[Event]:
        try:
            return entry.monitor.finish()
        except RecordingError as error:  # too short for a window
            self._say(f"{entry.stream.name}: not judged  {str(error).removeprefix(f'{entry.stream.key}: ')}")
            return []

    def _progress(self, entry: MonitoredStream, ended: bool) -> StreamProgress:
        stream, unneeded, latest = entry.stream, [], entry.chunks[-1]
        while entry.chunks and (ended or entry.chunks[0].stop <= entry.needed):
            unneeded.append(entry.chunks.popleft())
        marker = {} if ended else {"monitor": entry.monitor.marker(), "at": latest.at}
        if self._alarms:
            marker["alarm"] = self._alarms.progress(self._machine_of(stream.name))
        return StreamProgress(stream, entry.position, marker or None, unneeded, ended)

    def _verdict(self, entry: MonitoredStream, event: Event) -> StreamMessage:
        """The id of an event and its data for sinks: the same, whenever and however often it is made."""
        stream = entry.stream
        start, stop = stream.began + event.start, stream.began + event.stop
        chunk = next((one for one in entry.chunks if one.stop >= stop), None) or entry.chunks[-1]
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
            "condition": self._beside(chunk)[1],
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
            follows = block.number > 0 and block.missing < self._block_s * stream.form.hertz
            state = alarms.update(machine, block, follows=follows)
            if alarms.rows_too_short(machine) and machine not in self._rows_reported:
                self._rows_reported.add(machine)
                self._say(
                    f"{machine}: no alarm can be raised, for it takes {alarms.template.least_in_a_row} blocks of "
                    f"{self._block_s:g} s without a gap, and fewer come; give a shorter --block"
                )
            return state
        if block.number == 0 and not self._short_reported:
            self._short_reported = True
            self._say(
                f"{stream.name}: ended before a block of {self._block_s:g} s was whole, and alarms see whole blocks "
                "alone; where streams are that short, give a shorter --block"
            )
        return alarms.state(machine)

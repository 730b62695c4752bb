"""Chunks of sources put in their places: which stream, which run of it, from which sample on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from dualres.errors import ConfigError
from dualres.stream.monitor.chunk import DTYPES, Chunk, Form
from dualres.stream.watch.records import StoredChunk, Stream
from dualres.stream.watch.sources.source import StreamPosition
from dualres.stream.watch.spool import LATEST, NOT_ENDED, Spool

PIECE_S = 4.0  # of signal, at most, in a chunk of the spool: at a low rate, a small message may be hours of it
LEAP_S = 60.0  # by which an index may be ahead of what the clock allows


@dataclass
class SequencedChunks:
    """What a batch of chunks adds to the spool."""

    streams: list[Stream] = field(default_factory=list)
    chunks: list[StoredChunk] = field(default_factory=list)
    duplicates: int = 0  # samples that were here before


class Streams:
    """Where the next samples of each stream belong; streams that are over are remembered by the spool alone."""

    def __init__(self, spool: Spool, axes: int, check: Callable[[Form], object]) -> None:
        """`check` is an error for a form that nothing can judge."""
        self._spool, self._axes, self._check = spool, axes, check
        unfinished = spool.streams(NOT_ENDED)
        self.by_id = {one.id: one for one in unfinished}
        self._runs: dict[str, list[Stream]] = {}  # of every name, the latest last
        for one in unfinished:
            self._runs.setdefault(one.name, []).append(one)
        self._reached = {one.id: one.position for one in unfinished}
        # Of a stream whose latest samples were no use, not finite ones, no chunk may be left to tell when they came.
        self._at = {one.id: float(one.marker["at"]) for one in unfinished if one.marker and "at" in one.marker}
        self._ending: set[int] = set()
        for chunk in spool.chunks():
            self._reached[chunk.stream] = max(self._reached[chunk.stream], chunk.stop)
            self._at[chunk.stream] = chunk.at
            if chunk.last:
                self._ending.add(chunk.stream)
        # By how much its samples were ahead of the clock, at most so far: their time minus the one when they came.
        self._ahead_s = {id: self._reached[id] / self.by_id[id].form.hertz - at for id, at in self._at.items() if at}
        self._next = 1 + spool.last_stream

    def positions(self) -> dict[str, StreamPosition]:
        """Where sources go on: the latest run of every stream."""
        return {
            one.name: StreamPosition(
                one.form,
                one.start,
                self._reached.get(one.id, one.position),
                one.ended or one.id in self._ending,
                self._at.get(one.id, 0.0),
            )
            for one in self._spool.streams(LATEST)
        }

    def open_streams(self) -> list[Stream]:
        """Those of which more may come."""
        return [one for (*_, one) in self._runs.values() if one.id not in self._ending]

    def close(self, stream: Stream) -> None:
        runs = self._runs[stream.name]
        runs.remove(stream)
        if not runs:
            del self._runs[stream.name]
        del self.by_id[stream.id], self._reached[stream.id]
        self._ending.discard(stream.id)
        self._at.pop(stream.id, None)
        self._ahead_s.pop(stream.id, None)

    def place(self, chunk: Chunk, batch: SequencedChunks) -> None:
        """Add a chunk, or as much of it as is new; a ConfigError for one that nothing can judge, or that cannot be."""
        for part in self._by_stream(chunk):
            self._place(part, batch)

    def end(self, stream: Stream, batch: SequencedChunks, now: float) -> None:
        reached = self._reached[stream.id]
        batch.chunks.append(StoredChunk(self._spool.new_chunk_id(), stream.id, reached, 0, b"", {}, now, True))
        self._ending.add(stream.id)

    def _by_stream(self, chunk: Chunk) -> Iterator[Chunk]:
        """One stream for all channels that the model judges together; else one for each."""
        form = chunk.form
        if form.channels == self._axes:
            yield chunk
            return
        if self._axes > 1:
            raise ConfigError(f"has {form.channels} channels, and the model judges {self._axes} axes together")
        each = np.frombuffer(chunk.data, DTYPES[form.dtype]).reshape(-1, form.channels).T
        for number, samples in enumerate(each, start=1):
            name, data = f"{chunk.stream}[{number}]", np.ascontiguousarray(samples).tobytes()
            yield replace(chunk, stream=name, form=replace(form, channels=1), data=data)

    def _place(self, chunk: Chunk, batch: SequencedChunks) -> None:
        stream, count = self._run_of(chunk, batch), chunk.count
        if stream is None:
            batch.duplicates += count
            return
        reached = self._reached[stream.id]
        first = reached + chunk.missing if chunk.first is None else chunk.first
        self._check_leap(stream, chunk, first)
        skipped = min(max(0, reached - first), count)
        batch.duplicates += skipped
        data, first = chunk.data[skipped * chunk.form.width :], first + skipped
        if data:
            stop = first + count - skipped
            for at, piece in _pieces(chunk.form, data):
                id, count = self._spool.new_chunk_id(), chunk.form.count(piece)
                batch.chunks.append(StoredChunk(id, stream.id, first + at, count, piece, chunk.side, chunk.at, False))
            self._reached[stream.id], self._at[stream.id] = stop, chunk.at
            ahead_s = stop / stream.form.hertz - chunk.at
            self._ahead_s[stream.id] = max(ahead_s, self._ahead_s.get(stream.id, ahead_s))
        if chunk.last:
            self.end(stream, batch, chunk.at)

    def _check_leap(self, stream: Stream, chunk: Chunk, first: int) -> None:
        """An error for an index that is farther ahead of the clock than any before: one forged or damaged index must
        not make all true ones behind it look like samples that came before."""
        if chunk.first is None or stream.id not in self._ahead_s:
            return
        rate = stream.form.hertz
        leap_s = (first - self._reached[stream.id]) / rate
        if leap_s > LEAP_S and first / rate - chunk.at > self._ahead_s[stream.id] + LEAP_S:
            raise ConfigError(
                f"its stamp says that it begins {leap_s:.3g} s behind the samples before, and less time went by; where "
                "a sensor counts anew, let it give another start"
            )

    def _run_of(self, chunk: Chunk, batch: SequencedChunks) -> Stream | None:
        """The run of its stream that a chunk belongs to, perhaps a new one; None if that run is over."""
        runs = self._runs.get(chunk.stream, [])
        latest = runs[-1] if runs and runs[-1].id not in self._ending and runs[-1].form == chunk.form else None
        first = chunk.first or 0
        if latest and chunk.start is None:
            return latest
        # What lies far before the beginning of a run was never judged in it: that run began with a wrong index.
        if latest and chunk.start == _start_of(latest) and latest.began - first <= LEAP_S * latest.form.hertz:
            return latest
        if chunk.start is None:
            if chunk.last and not chunk.data:
                return None
            start = datetime.fromtimestamp(chunk.at, UTC).strftime("%Y%m%dT%H%M%S.%f")
            if any(one.start == start for one in runs) or self._spool.has_run(chunk.stream, start):  # clocks go back
                start += f"-{self._next}"
        else:
            # A run that was taken up after its beginning, or in another form, differs from the one before by its place.
            start = f"{chunk.start}@{first}" if first else chunk.start
            if any(_start_of(one) == chunk.start and one.began <= first < self._reached[one.id] for one in runs):
                return None
            if self._spool.was_judged(chunk.stream, chunk.start, first):
                return None
        return self._open_run(chunk, start, first, batch)

    def _open_run(self, chunk: Chunk, start: str, began: int, batch: SequencedChunks) -> Stream:
        self._check(chunk.form)
        runs = self._runs.setdefault(chunk.stream, [])
        if runs and runs[-1].id not in self._ending:
            self.end(runs[-1], batch, chunk.at)
        stream = Stream(self._next, chunk.stream, start, chunk.form, began, began, None)
        self._next += 1
        runs.append(stream)
        self.by_id[stream.id], self._reached[stream.id] = stream, began
        batch.streams.append(stream)
        return stream


def _pieces(form: Form, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Of `PIECE_S`, each with the place of its first sample."""
    most = max(1, int(PIECE_S * form.hertz))
    for at in range(0, form.count(data), most):
        yield at, data[at * form.width : (at + most) * form.width]


def _start_of(stream: Stream) -> str:
    """As the source said it."""
    return stream.start.partition("@")[0]

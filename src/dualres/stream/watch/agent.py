"""The agent: chunks from sources into the spool, from there to monitors, and verdicts to sinks; nothing gets lost.

One thread does the work, round after round: commit what came and acknowledge it, judge some of what is committed,
commit verdicts with the positions that they brought, and hand them to the sinks. Every source and every sink has a
thread of its own, so that a slow one delays no other.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from dualres.errors import ConfigError, RecordingError
from dualres.judge.model import Model
from dualres.recordings.speed_sources import SpeedSources
from dualres.stream.monitor.check import check_rate, check_stream
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.monitor.event import BLOCK, WINDOW, Event
from dualres.stream.watch.alarms import Alarms
from dualres.stream.watch.backlog import Backlog
from dualres.stream.watch.delivery import BATCH, Delivery
from dualres.stream.watch.failover.checkpoint import Checkpoints
from dualres.stream.watch.inbox import Intake
from dualres.stream.watch.lag import Losses, Pace
from dualres.stream.watch.monitors import Monitors, StreamResults
from dualres.stream.watch.sequencing import SequencedChunks, Streams
from dualres.stream.watch.sinks.sink import Sink
from dualres.stream.watch.sources.source import Source, StreamPosition
from dualres.stream.watch.spool import PAUSE_S, WAITS, Spool, SpoolFullError

Returned = TypeVar("Returned")
JUDGE_BYTES = 1 << 20  # bytes: a round must not take long or much memory, for chunks wait meanwhile
COMMIT_BYTES = 4 << 20  # bytes
MOST_BEHIND_S = 30.0  # where a source cannot wait: then it is better to lose samples, and to say so, than to be later
LONGEST_WAIT_S = 0.5  # for chunks, when there is nothing to do
POSITIONS_EVERY_S = 0.25  # how often it is committed what sinks have, at most; what a crash forgets is sent again
LAST_DELIVERY_S = 10.0  # for sinks, when all else is done
REPORT_EVERY_S = 1.0  # between two reports of how it goes


@dataclass(frozen=True)
class Status:
    streams: int
    windows: int  # judged since the start
    blocks: int
    behind_s: float  # how long ago the samples came that are judged now
    waiting: int  # verdicts that a sink does not have yet
    spool_bytes: int
    missing: int  # samples that never came, or that nothing could be made of, since the start
    duplicates: int  # samples that came twice, and were left out
    latest: str = ""  # the latest verdict of a block, in words


class StoppedError(Exception):
    """Somebody stopped the agent while it waited."""


class Agent:
    """Watches sources until they end or until it is stopped."""

    def __init__(
        self,
        model: Model,
        sources: Sequence[Source],
        sinks: Sequence[Sink],
        spool: Spool,
        *,
        block_s: float = 5.0,
        condition: Mapping[str, str] | None = None,
        speed: SpeedSources | None = None,
        carry_memory: bool = False,
        kinds: Sequence[str] = ("window", "block"),
        alarms: Alarms | None = None,
        lasting: bool = True,
        checkpoints: Checkpoints | None = None,
        most_behind_s: float = MOST_BEHIND_S,
        say: Callable[[str], None] = lambda text: None,
        report: Callable[[Status], None] = lambda status: None,
    ) -> None:
        """Sinks get events of `kinds`. Without a `lasting` spool, a stop is the end of all streams. `speed` is for
        shafts where nothing beside samples says it.

        With `checkpoints`, a chunk is acknowledged when another process could go on without this spool. Where a source
        cannot wait, nothing is taken in that would be judged more than `most_behind_s` seconds later.
        """
        self._sources, self._spool = sources, spool
        self._kinds, self._lasting, self._checkpoints = kinds, lasting, checkpoints
        self._most_behind_s = float("inf") if all(source.waits for source in sources) else most_behind_s
        self._say, self._report = say, report
        self._intake, self._stopped = Intake(), threading.Event()
        self._streams = Streams(spool, max(len(model.card.channels), 1), partial(_check_form, model, block_s))
        self._backlog = Backlog()
        for chunk in spool.chunks():
            stream = self._streams.by_id[chunk.stream]
            if chunk.stop > stream.position or chunk.last:
                self._backlog.add(self._machine_of(stream.name), chunk, stream.form.hertz)
        self._pace = Pace(spool.sample_bytes, JUDGE_BYTES // 2)
        self._busy_since: float | None = None  # the latest round, where it left something to judge
        self._monitors = Monitors(
            model,
            block_s,
            condition or {},
            speed=speed or SpeedSources(),
            carry_memory=carry_memory,
            alarms=alarms,
            machine_of=self._machine_of,
            say=say,
        )
        self._monitors.resume(spool, self._streams.by_id)
        self._notices: set[str] = set()
        positions, orphans = self._write(lambda: spool.register_sinks([sink.name for sink in sinks]))
        for name, count in orphans.items():
            say(f"{name}: {count} verdicts were never delivered to it, and it is not asked for any more")
        self._deliveries = [Delivery(sink, positions[sink.name], self._intake.wake, say) for sink in sinks]
        self._positions_on_disk, self._positions_at = positions, float("-inf")
        self._running: list[threading.Thread] = []
        self.source_errors: list[Exception] = []  # of sources that ended in an error
        self.stream_errors: list[Exception] = []  # of streams that nothing can judge
        self._report_at, self._losses = 0.0, Losses(say)
        self._status = Status(0, 0, 0, 0.0, 0, 0, 0, 0)

    @property
    def lost_samples(self) -> int:
        """Samples of sources that could not wait, and that there was no room for."""
        return self._intake.lost_samples

    def stop(self) -> None:
        """From another thread or a signal's handler: end soon, and in good order."""
        self._stopped.set()

    def run(self) -> None:
        """Until all sources have ended, or until `stop`."""
        positions = self._streams.positions()
        for source in self._sources:
            thread = threading.Thread(target=self._run_source, args=(source, positions), name=source.name, daemon=True)
            self._running.append(thread)
            thread.start()
        whole = False  # whether the last round was; else memory is ahead of the spool, and only a new start is right
        try:
            with contextlib.suppress(StoppedError):
                while self._round():
                    pass
                whole = True
        finally:
            self._stopped.set()
            self._intake.close()
            self._end(whole)

    def _round(self) -> bool:
        """Whether there is more to do."""
        ended = not any(thread.is_alive() for thread in self._running)  # looked at before taking what they left
        arrivals = self._commit_chunks(0.0 if self._backlog else self._longest_wait())
        progress = self._judge()
        self._deliver()
        if self._checkpoints and not self._backlog:
            delivered = min(self._positions().values(), default=self._spool.last_verdict)
            self._checkpoints.advance(delivered, quiet=not arrivals)
        self._report_status()
        if self._stopped.is_set() or any(one.closed for one in self._deliveries):
            return False
        return arrivals or progress or not ended or not self._intake.empty

    # From sources into the spool

    def _run_source(self, source: Source, positions: dict[str, StreamPosition]) -> None:
        put = self._intake.put_waiting if source.waits else self._intake.put_or_drop
        if source.live:
            put = partial(_after_pause, put, dict(positions))
        try:
            source.run(put, self._say, self._stopped, positions)
        except Exception as error:  # whatever it is, it must not end a thread in silence
            self.source_errors.append(error)
            self._say(f"{source.name}: not watched any more  {error}")
        finally:
            self._intake.wake()

    def _commit_chunks(self, wait_s: float) -> bool:
        """Commit what came, then acknowledge it; whether anything did."""
        full = self._spool.full and bool(self._backlog or self.undelivered)  # else only more samples make room
        if full:
            self._say_once(
                f"{self._spool.path}: has reached its quota of {self._spool.quota:,} bytes; nothing more is taken in "
                "until verdicts are delivered or streams are judged",
                "quota",
            )
        else:
            self._notices.discard("quota")
        self._intake.late = self._lateness()
        if full or self._status.behind_s > self._most_behind_s:
            self._intake.wait(wait_s)
            return False
        room = self._spool.quota - self._spool.bytes
        chunks = self._intake.take(wait_s, min(room, COMMIT_BYTES) if room > 0 else COMMIT_BYTES)
        if not chunks:
            return False
        batch = SequencedChunks()
        for chunk in chunks:
            try:
                self._streams.place(chunk, batch)
            except (ConfigError, RecordingError) as error:
                if self._say_once(f"{chunk.stream}: left out  {error}", chunk.stream):
                    self.stream_errors.append(error)
        self._commit_batch(batch)
        acknowledgements = [chunk.acknowledge for chunk in chunks if chunk.acknowledge]
        if self._checkpoints:
            self._checkpoints.add(acknowledgements)
        else:
            for acknowledge in acknowledgements:
                acknowledge()
        return True

    def _commit_batch(self, batch: SequencedChunks) -> None:
        self._write(lambda: self._spool.append(batch.streams, batch.chunks))
        self._pace.add(sum(len(chunk.data) for chunk in batch.chunks))
        for chunk in batch.chunks:
            stream = self._streams.by_id[chunk.stream]
            self._backlog.add(self._machine_of(stream.name), chunk, stream.form.hertz)
        self._status = replace(self._status, duplicates=self._status.duplicates + batch.duplicates)
        for stream in batch.streams:
            self._monitors.open(stream)

    def _lateness(self) -> Callable[[str], bool]:
        """Of which streams no more can be judged in time, where a source cannot wait."""
        if self._pace.behind_s <= self._most_behind_s:
            return lambda stream: False
        late = self._backlog.late(self._pace.bytes_in(self._most_behind_s))
        return lambda stream: any(self._machine_of(name) in late for name in (stream, f"{stream}[1]"))

    # From the spool to verdicts

    def _judge(self) -> bool:
        """Some of the chunks that are committed; whether there were any."""
        began = time.monotonic() if self._busy_since is None else self._busy_since
        chunks = self._spool.chunks_by_id(self._backlog.take(JUDGE_BYTES))
        if not chunks:
            self._pace.clear()
            return False
        self._record(self._monitors.judge(chunks))
        now = time.monotonic()
        self._pace.finish_round(sum(len(chunk.data) for chunk in chunks), now - began)
        self._busy_since = now if self._backlog else None
        self._status = replace(self._status, behind_s=time.time() - chunks[-1].at if self._backlog else 0.0)
        return True

    def _record(self, results: StreamResults) -> None:
        if not results.progress:
            return
        verdicts = [message for event, message in results.verdicts if event.kind in self._kinds]
        positions = self._positions()
        self._write(lambda: self._spool.record(results.progress, verdicts, positions))
        self._positions_on_disk, self._positions_at = positions, time.monotonic()
        for one in results.progress:
            if one.ended:
                self._monitors.close(one.stream)
                self._streams.close(one.stream)
        now = self._status
        windows, blocks = ([event for event, _ in results.verdicts if event.kind == kind] for kind in (WINDOW, BLOCK))
        self._status = replace(
            now,
            windows=now.windows + len(windows),
            blocks=now.blocks + len(blocks),
            missing=now.missing + sum(event.missing for event in windows),
            latest=_sentence_on(blocks[-1]) if blocks else now.latest,
        )

    # From verdicts to sinks

    def _deliver(self) -> None:
        for delivery in self._deliveries:
            if delivery.idle and self._spool.waiting(delivery.position):
                delivery.hand_over(self._spool.outbox(delivery.position, BATCH))
        if time.monotonic() - self._positions_at >= POSITIONS_EVERY_S:
            self._write_positions()

    def _positions(self) -> dict[str, int]:
        """The last verdict that each sink has."""
        return {one.sink.name: one.position for one in self._deliveries}

    def _longest_wait(self) -> float:
        """Seconds for which there is nothing to do, unless something comes."""
        if self._positions() == self._positions_on_disk:
            return LONGEST_WAIT_S
        return min(LONGEST_WAIT_S, max(0.0, self._positions_at + POSITIONS_EVERY_S - time.monotonic()))

    def _write_positions(self) -> None:
        positions = self._positions()
        if positions != self._positions_on_disk:
            self._write(lambda: self._spool.record_deliveries(positions))
            self._positions_on_disk, self._positions_at = positions, time.monotonic()

    def _machine_of(self, stream: str) -> str:
        """The machine that a stream is of; by default each is of another."""
        return next((machine for source in self._sources if (machine := source.machine_of(stream))), stream)

    @property
    def undelivered(self) -> dict[str, int]:
        """Verdicts that sinks do not have yet, where there are any. A sink that was closed may want them at the next
        start, if there is one that goes on."""
        wanting = [one for one in self._deliveries if self._lasting or not one.closed]
        waiting = {one.sink.name: self._spool.waiting(one.position) for one in wanting}
        return {name: count for name, count in waiting.items() if count}

    def _end(self, whole: bool) -> None:
        """Nothing comes any more: judge and deliver what is here, or deliver alone where a round was interrupted."""
        try:
            while whole and (self._commit_chunks(0.0) or self._judge()):
                pass
            if whole and not self._lasting:
                batch = SequencedChunks()
                for stream in self._streams.open_streams():
                    self._streams.end(stream, batch, time.time())
                self._commit_batch(batch)
            while whole and self._judge():
                pass
            deadline = time.monotonic() + LAST_DELIVERY_S
            while self.undelivered and time.monotonic() < deadline and not any(one.closed for one in self._deliveries):
                self._deliver()
                self._intake.wait(0.05)
        except StoppedError:
            pass
        finally:
            for delivery in self._deliveries:
                delivery.stop(time.monotonic() + 1)
        with contextlib.suppress(StoppedError):
            self._write_positions()
        self._report_status(now=True)

    # Reports to a person

    def _write(self, write: Callable[[], Returned]) -> Returned:
        """What `write` gives, as soon as there is room on the disk."""
        while True:
            try:
                result = write()
            except SpoolFullError as error:
                self._say_once(f"{error}: {WAITS}", "disk")
                if self._stopped.wait(PAUSE_S):
                    raise StoppedError from error
                continue
            if "disk" in self._notices:
                self._notices.discard("disk")
                self._say(f"{self._spool.path}: there is room again")
            return result

    def _say_once(self, text: str, about: str) -> bool:
        """Whether it is the first time."""
        if about in self._notices:
            return False
        self._notices.add(about)
        self._say(text)
        return True

    def _report_status(self, now: bool = False) -> None:
        if now or time.monotonic() - self._report_at >= REPORT_EVERY_S:
            self._report_at = time.monotonic()
            self._losses.count(self.lost_samples, ended=now)
            waiting = max((self._spool.waiting(one.position) for one in self._deliveries), default=0)
            self._status = replace(
                self._status, streams=len(self._monitors), waiting=waiting, spool_bytes=self._spool.bytes
            )
            self._report(self._status)


def _after_pause(put: Callable[[Chunk], None], positions: dict[str, StreamPosition], chunk: Chunk) -> None:
    """The first chunk of a source that did not wait for us tells, by the clock, how much went by."""
    before = positions.pop(chunk.stream, None) or positions.pop(f"{chunk.stream}[1]", None)
    if before and not before.ended and chunk.first is None and chunk.data:
        passed = round((time.time() - before.at) * before.form.hertz) - chunk.count if before.at else 0
        chunk = replace(chunk, missing=max(1, chunk.missing + passed))
    put(chunk)


def _check_form(model: Model, block_s: float, form: Form) -> None:
    """An error for streams of a form that cannot be judged."""
    check_stream(model, form.rate, block_s)
    check_rate(model, form.rate)


def _sentence_on(block: Event) -> str:
    return f"{block.stream.rpartition('/')[0]} {block.label} {block.probabilities[block.label]:.2f}"

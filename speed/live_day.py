"""What does a process of live streams grow by in a day? Prints JSON.

A day's samples, fed as fast as they are judged, through the spool on a disk. `steady` comes all day at 12.8 kHz.
`shifts` comes for ten minutes of every hour, each time as a new run, in turn with another rate and another kind of
samples, and its speed and load change all the time. `flaky`, of two channels, comes for as long, lacks samples every
minute and has some that are no number. `bursts` is a recording of a second every minute, each a run of its own.
`files` are recordings of a second as well, one every ten minutes, and each has a name of its own. A few chunks at a
time are under way until they are acknowledged, as from a broker. What is used is noted twice a second; growth is from
the median of the twentieth of the day behind the warm-up to that of its last twentieth. `at_rest` is memory at the end
of the warm-up and of the day, when nothing came until all was judged, and how many blocks of it Python's objects took.
"""

from __future__ import annotations

import sys
import threading
import time
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from _live import CHUNK_S, NOISE, RATE, STEP, machine, one_member, parser_of, peak_mb, progress, tell, usage, watching
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import Sink
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition

HOUR_S = 3600
ON_S = 600  # of every hour, those that do not come all day
QUOTA = 8 << 20  # bytes: what comes faster than it is judged waits, and does not fill the spool
STEADY = Form.of(RATE, "i16")
SHIFTS = (Form.of(20_000, "f32"), Form.of(25_600, "i16"))  # in turn
FLAKY = Form.of(8000, "f32", channels=2)
BURST = Form.of(16_000, "i16")
LOST = 640  # samples of `flaky`, every minute
NOTED_S = 0.5
REST_S = 2.0  # without a verdict: then all are there
UNDER_WAY = 200  # chunks that were not acknowledged yet
NAMES = ("memory_mb", "spool_mb", "wal_mb", "threads", "files")
WARM = 1 / 12  # of the day: everything came twice by then


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--hours", type=float, default=24.0, help="of signal")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which it ends, wherever it is")
    arguments = parser.parse_args()
    tell({**machine(), **day(arguments.hours * HOUR_S, 60 * arguments.minutes)}, arguments.out)


def day(seconds: float, most_s: float) -> dict[str, Any]:
    sink = Counted()
    source = Day(seconds, most_s, sink)
    noted = array("d")  # the second of the day, and what `NAMES` say; as few bytes as may be
    over = threading.Event()
    with watching(source, sink, QUOTA) as (agent, spool):
        source.spool = spool.path

        def note() -> None:
            ended = False
            while not ended:
                ended = over.wait(NOTED_S)
                used = usage(spool.path)
                noted.extend([source.now, *astuple(used)[1:]])
                if len(noted) % (20 * (1 + len(NAMES))) == 0:
                    progress(f"{source.now / HOUR_S:5.2f} h  {used.memory_mb:.1f} MB  spool {used.spool_mb:.1f} MB")

        noting, begin = threading.Thread(target=note), time.time()
        noting.start()
        try:
            agent.run()
        finally:
            over.set()
            noting.join()
        took = time.time() - begin
    return {
        "simulated_s": round(source.now),
        "took_s": round(took, 1),
        "stream_s": round(sum(source.given.values())),
        "windows": dict(sink.windows),
        "runs": source.runs,
        "missing": sum(source.lost.values()),
        "missing_told": dict(sink.missing),
        **grown(np.array(noted).reshape(-1, 1 + len(NAMES)), source.now),
        "at_rest": source.rested,
        "peak_mb": peak_mb(),
    }


def grown(noted: npt.NDArray[np.float64], end: float) -> dict[str, Any]:
    """From behind the warm-up to the end."""
    first, last = (_around(noted, begin, begin + 0.05 * end) for begin in (WARM * end, 0.95 * end))
    parts = {"at_first": first, "at_last": last, "grew": last - first}
    return {part: dict(zip(NAMES, values.round(2).tolist(), strict=True)) for part, values in parts.items()}


def _around(noted: npt.NDArray[np.float64], begin: float, end: float) -> npt.NDArray[np.float64]:
    """The median from one second of the day to another, or the next note where there is none between."""
    at = noted[:, 0]
    some = noted[(begin <= at) & (at <= end)]
    if not len(some):
        some = noted[[np.argmin(np.abs(at - begin))]]
    return np.asarray(np.median(some[:, 1:], axis=0))


class Counted(Sink):
    """Where verdicts go: counts those of windows by the first words of their streams' names."""

    def __init__(self) -> None:
        super().__init__("counted")
        self.windows: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()

    def send(self, records: Sequence[VerdictRecord]) -> None:
        for one in (record.data for record in records if record.data["kind"] == "window"):
            kind = one["stream"].partition("/")[0].partition("[")[0]
            self.windows[kind] += 1
            self.missing[kind] += one["missing"]


class Day(Source):
    """Everything that comes in a day, in its order."""

    def __init__(self, seconds: float, most_s: float, sink: Counted) -> None:
        super().__init__("day", SourceOptions(one_member()))
        self._steps, self._most_s, self._sink = round(seconds / CHUNK_S), most_s, sink
        self.spool = Path()
        self.rested: dict[str, list[float]] = {"memory_mb": [], "blocks": []}  # whenever nothing was under way
        self.now = 0.0  # second of the day
        self.given: Counter[str] = Counter()  # seconds of signal
        self.lost: Counter[str] = Counter()  # samples of all channels
        self.runs = 1
        self._room = threading.Semaphore(UNDER_WAY)

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        def put_when_acknowledged(chunk: Chunk) -> None:
            while not self._room.acquire(timeout=1.0):
                if stopped.is_set():
                    return
            put(replace(chunk, acknowledge=self._room.release))

        self._put, end = put_when_acknowledged, time.time() + self._most_s
        for step in range(self._steps):
            self.now = step * CHUNK_S
            self._steady(step)
            hour, within = divmod(step, round(HOUR_S / CHUNK_S))
            if within < round(ON_S / CHUNK_S):
                self._shifts(hour, within)
                self._flaky(within)
            if step % 600 == 300:
                self._whole("bursts", str(step))
            if step % 6000 == 300:
                self._whole(f"files/{step}.wav", None)
            if step == round(WARM * self._steps):
                self._rest()
            if stopped.is_set() or time.time() > end:
                break
        self._rest()

    def _rest(self) -> None:
        """Until no more verdicts come."""
        before = -1
        while before < (now := sum(self._sink.windows.values())):
            before = now
            time.sleep(REST_S)
        self.rested["memory_mb"].append(round(usage(self.spool).memory_mb, 2))
        self.rested["blocks"].append(sys.getallocatedblocks())

    def _steady(self, step: int) -> None:
        data = _noise(STEADY, step)
        self.given["steady"] += CHUNK_S
        self._put(Chunk("steady", STEADY, data, step * STEP, start="1"))

    def _shifts(self, hour: int, step: int) -> None:
        """A sensor with a header that changes whenever it starts anew."""
        form = SHIFTS[hour % 2]
        self.runs += not step
        count = round(float(form.rate) * CHUNK_S)
        side = {"speed": f"{1500 + step % 37}", "load": f"{step // 100 % 4}"}
        self.given["shifts"] += CHUNK_S
        self._put(Chunk("shifts", form, _noise(form, step), step * count, start=f"{hour}", side=side))

    def _flaky(self, step: int) -> None:
        """A sensor that does not number its samples, and that lacks some."""
        missing = LOST if step % 600 == 450 else 0
        data = _noise(FLAKY, step)
        if step % 600 == 300:
            broken = np.frombuffer(data, "<f4").copy()
            broken[:LOST] = np.nan  # of both channels in turn
            data = broken.tobytes()
        self.lost["flaky"] += 2 * missing + (LOST if step % 600 == 300 else 0)
        self.given["flaky"] += 2 * CHUNK_S
        self._put(Chunk("flaky", FLAKY, data, missing=missing))

    def _whole(self, stream: str, start: str | None) -> None:
        """A recording of a second."""
        self.runs += 1
        self.given["whole"] += 1
        self._put(Chunk(stream, BURST, b"".join(_noise(BURST, i) for i in range(10)), start=start, last=True))


def _noise(form: Form, step: int) -> bytes:
    """A chunk of it."""
    count = round(float(form.rate) * CHUNK_S) * form.channels
    at = 997 * step % (len(NOISE) - count)
    some = NOISE[at : at + count]
    return some.tobytes() if form.dtype == "i16" else some.astype("<f4").tobytes()


if __name__ == "__main__":
    main()

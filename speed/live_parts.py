"""Where does the processor time of live streams go, and what would each part take by itself? Prints JSON.

So many streams at 12.8 kHz, one axis and one member, are judged through the spool as fast as they go. `parts` has the
milliseconds of processor time that a second of a stream takes, by what the agent's thread does; `others` is the rest of
it, `beside` what the threads of the source and the sink take. `floor` has the same work alone, in the same run: the
rows written and deleted in one SQLite file by the same journal mode, as many at once; the windows by the kernel, and
the resampling; the JSON of the verdicts; and a SHA-256 of the samples, though no stream needs one. A machine that
others use shows the same processor time, but for what they take of its caches.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from _live import CHUNK_S, FORM, RATE, Clocked, Sensors, machine, one_member, parser_of, samples_of, tell, watching
from dualres.judge.model import Model
from dualres.recordings.resample import resample
from dualres.stream.monitor.monitor import Monitor
from dualres.stream.watch.inbox import Intake
from dualres.stream.watch.monitors import Monitors
from dualres.stream.watch.sequencing import Streams
from dualres.stream.watch.spool import Spool

PARTS = (
    ("taken in", Intake, "take"),
    ("placed", Streams, "place"),
    ("written", Spool, "append"),
    ("fetched", Spool, "chunks_by_id"),
    ("resampled and cut", Monitor, "take"),
    ("windows scored", Model, "scores"),
    ("events", Monitors, "_score"),
    ("put into words", Monitors, "_verdict"),
    ("progress", Monitors, "_progress"),
    ("verdicts written", Spool, "record"),
    ("verdicts fetched", Spool, "outbox"),
)


class Clock:
    """The processor time of one thread by parts; what a part asks of another one counts for the other."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._thread, self._under_way, self._since = threading.get_ident(), ["others"], 0.0

    def begin(self) -> None:
        self._since = time.thread_time()

    def switch(self) -> None:
        now = time.thread_time()
        self.spent[self._under_way[-1]] += now - self._since
        self._since = now

    def timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def within(*arguments: Any, **options: Any) -> Any:
            if threading.get_ident() != self._thread:
                return call(*arguments, **options)
            self.switch()
            self._under_way.append(part)
            try:
                return call(*arguments, **options)
            finally:
                self.switch()
                self._under_way.pop()

        return within


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0, help="of every stream")
    arguments = parser.parse_args()
    plain_ms = measured(arguments.streams, arguments.seconds)["all"]
    clock = Clock()
    for part, owner, name in PARTS:
        setattr(owner, name, clock.timed(part, getattr(owner, name)))
    parts = measured(arguments.streams, arguments.seconds, clock)
    floor = bare(arguments.streams)
    needed = sum(ms for part, ms in floor.items() if part != "sha256")
    found = {
        "streams": arguments.streams,
        "seconds": arguments.seconds,
        **machine(),
        "ms_per_stream_second": round(plain_ms, 3),  # without the clocks
        "streams_a_core": round(1000 / plain_ms),
        "parts": {part: round(ms, 4) for part, ms in sorted(parts.items(), key=lambda one: -one[1]) if part != "all"},
        "floor": {part: round(ms, 4) for part, ms in floor.items()},
        "floor_ms": round(needed, 3),
        "over_floor": round(plain_ms / needed, 2),
    }
    tell(found, arguments.out)


def measured(streams: int, seconds: float, clock: Clock | None = None) -> dict[str, float]:
    """Milliseconds of processor time for a second of a stream: of the process, and by parts."""
    with watching(Sensors(streams, (seconds, 0)), Clocked()) as (agent, _):
        of_all, of_thread = time.process_time(), time.thread_time()
        if clock:
            clock.begin()
        agent.run()
        if clock:
            clock.switch()
        of_all, of_thread = time.process_time() - of_all, time.thread_time() - of_thread
    spent = {**(clock.spent if clock else {}), "beside": of_all - of_thread, "all": of_all}
    return {part: 1000 * s / streams / seconds for part, s in spent.items()}


def bare(streams: int) -> dict[str, float]:
    """The work of a second of a stream, part by part, in milliseconds."""
    model, each = one_member(), round(1 / CHUNK_S)
    window, windows_a_second = model.card.config.window, 2 * model.card.config.rate / model.card.config.window
    chunks = [samples_of(0, number) for number in range(each)]
    second = FORM.samples(b"".join(chunks))
    some = np.random.default_rng(0).standard_normal((8, window)).astype(np.float32)
    verdict = {"id": "0/1/window/1", "probabilities": dict.fromkeys("abcd", 0.123456789), "time": "x" * 29}
    return {
        "sha256": best(lambda: hashlib.sha256(b"".join(chunks)).digest()),
        "sqlite": written(chunks, streams) / streams,
        "resampling": best(lambda: resample(second, Fraction(RATE), model.card.config.rate)),
        "windows": best(lambda: Model.scores(model, some, 0)) / len(some) * windows_a_second,
        "json": best(lambda: json.loads(json.dumps(verdict))) * windows_a_second,
    }


def best(call: Callable[[], object]) -> float:
    """Milliseconds of processor time of a call, the best of several."""
    spent = []
    for _ in range(7):
        begin, times = time.process_time(), 0
        while time.process_time() - begin < 0.02:
            call()
            times += 1
        spent.append((time.process_time() - begin) / times)
    return 1000 * min(spent)


def written(chunks: list[bytes], streams: int) -> float:
    """Milliseconds to commit a second of all streams chunk by chunk, and then to delete it."""
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "bare.sqlite", isolation_level=None)
        for setting in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=FULL", "secure_delete=OFF"):
            database.execute(f"PRAGMA {setting}")
        database.execute("CREATE TABLE chunks (id INTEGER PRIMARY KEY, stream INTEGER, first INTEGER, samples BLOB)")
        spent = []
        for _ in range(5):
            begin = time.process_time()
            for number, data in enumerate(chunks):
                database.execute("BEGIN IMMEDIATE")
                rows = [(None, stream, number, data) for stream in range(streams)]
                database.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", rows)
                database.execute("COMMIT")
            database.execute("DELETE FROM chunks")
            spent.append(time.process_time() - begin)
        database.close()
    return 1000 * min(spent)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()

"""How many live streams does one process judge, how late, and in how much memory? Prints JSON.

`realtime`: so many streams at 12.8 kHz, one axis and one member, come in chunks of 0.1 s as sensors would send them,
through the spool. `late_ms` is the time from when a window's last sample was taken to when its verdict was committed.
`capacity`: streams that could be judged in real time, from how long it takes when samples come as fast as they are
taken. `day`: one stream for a day, as fast as it goes; what memory and spool grew by after the first twentieth.
`overload`: three times as many samples as are judged in real time come from a source that cannot wait, then as many as
before; what is not judged must be told as missing. Each is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dualres.file import Model, load
from dualres.stream.agent import Agent, Status
from dualres.stream.chunk import Chunk, Form
from dualres.stream.sinks.sink import Sink
from dualres.stream.sources.source import Source, Told
from dualres.stream.spool import Spool

RATE, CHUNK_S = 12_800, 0.1
STEP = int(RATE * CHUNK_S)
FORM = Form.of(RATE, "i16")
NOISE = np.random.default_rng(0).integers(-2000, 2000, 50 * STEP, np.int16)
MB = 1e6
OVERLOAD_QUOTA = 256 << 20  # bytes
DAY_QUOTA = 8 << 20  # what comes faster than it is judged waits, and does not fill the spool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0, help="of realtime and of the overload")
    parser.add_argument("--day-s", type=float, default=86_400.0)
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.model:
        print(json.dumps(MEASURES[arguments.only[0]](load(arguments.model), arguments)))
        return
    result: dict[str, Any] = {"streams": arguments.streams, "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.safetensors"
        subprocess.run([sys.executable, "-c", _MODEL, str(model)], check=True)
        for name in arguments.only:
            words = [sys.executable, __file__, *sys.argv[1:], "--model", str(model), "--only", name]
            done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
            result[name] = json.loads(done.stdout)
            print(name, done.stdout.decode().strip(), file=sys.stderr)
    print(json.dumps(result))


_MODEL = """
import sys
import numpy as np
from dualres.config import HELD, ModelConfig
from dualres.file import VIEWS, Card, Model, save
from dualres.learn.views import fit_views
from dualres.scorers import weights_of
windows = np.random.default_rng(0).standard_normal((8, ModelConfig().window)).astype(np.float32)
card = Card(("a", "b", "c", "d"), ModelConfig(), None, 0, HELD, {}, method=VIEWS)
save(Model((weights_of(fit_views(windows, np.arange(8) % 4, 4)),), card), sys.argv[1])
"""


class Sensors(Source):
    """Streams in step, a chunk of each at a time.

    Phases are seconds of signal and the samples per second of the clock that each stream sends, 0 for no clock.
    """

    def __init__(self, streams: int, *phases: tuple[float, float], waits: bool = True) -> None:
        super().__init__("sensors", Told(None))  # type: ignore[arg-type]
        self.streams, self.phases, self.waits = streams, phases, waits
        self.begin = 0.0  # of the latest phase
        self.sent = 0  # samples of each stream

    def run(self, put: Callable[[Chunk], None], say: Any, stopped: threading.Event, known: Any) -> None:
        for seconds, pace in self.phases:
            self.begin = time.time()
            for number in range(int(seconds / CHUNK_S)):
                if pace and (early := self.begin + (number + 1) * STEP / pace - time.time()) > 0:
                    stopped.wait(early)
                for stream in range(self.streams):
                    at = (number + stream) % 50 * STEP
                    put(Chunk(f"{stream}", FORM, NOISE[at : at + STEP].tobytes(), self.sent, start="1"))
                self.sent += STEP
                if stopped.is_set():
                    return


class Nothing(Sink):
    def send(self, records: Any) -> None:
        pass


class Watch:
    """An agent whose commits are timed."""

    def __init__(self, model: Model, source: Sensors, folder: str, quota: int = 1 << 30) -> None:
        self.spool, self.source = Spool(Path(folder) / "spool.sqlite", quota), source
        self.late: list[float] = []  # seconds
        self.windows = self.missing = 0
        self.statuses: list[tuple[float, float, float, float]] = []  # time, behind, memory, spool
        self.agent = Agent(model, [source], [Nothing("nothing")], self.spool, report=self._report)
        record = self.spool.record

        def timed(progress: Any, verdicts: Any, delivered: Any) -> Any:
            made = record(progress, verdicts, delivered)
            now = time.time()
            for _, one in verdicts:
                if one["kind"] == "window":
                    self.windows += 1
                    self.missing += one["missing"]
                    self.late.append(now - source.begin - one["stop"] / RATE)
            return made

        self.spool.record = timed  # type: ignore[method-assign]

    def _report(self, status: Status) -> None:
        self.statuses.append((time.time(), status.behind_s, memory_mb(), self.spool.path.stat().st_size / MB))

    def run(self) -> float:
        """Seconds that it took."""
        begin = time.time()
        with self.spool:
            self.agent.run()
        return time.time() - begin


@contextmanager
def watch(model: Model, source: Sensors, quota: int = 1 << 30) -> Iterator[Watch]:
    with tempfile.TemporaryDirectory() as folder:
        yield Watch(model, source, folder, quota)


def realtime(model: Model, arguments: argparse.Namespace) -> dict[str, object]:
    with watch(model, Sensors(arguments.streams, (arguments.seconds, RATE))) as one:
        before = time.process_time()
        one.run()
        busy = (time.process_time() - before) / arguments.seconds
    late = np.quantile(1000 * np.array(one.late), [0.5, 0.95, 0.99, 1.0]).round(1)
    return {
        "seconds": arguments.seconds,
        "windows": one.windows,
        "late_ms": dict(zip(("p50", "p95", "p99", "max"), late.tolist(), strict=True)),
        "missing": one.missing,
        "cores_busy": round(busy, 2),
        "peak_mb": peak_mb(),
    }


def capacity(model: Model, arguments: argparse.Namespace) -> dict[str, object]:
    seconds = min(arguments.seconds, 10.0)
    with watch(model, Sensors(arguments.streams, (seconds, 0))) as one:
        took = one.run()
    return {"streams": round(arguments.streams * seconds / took), "windows_per_s": round(one.windows / took)}


def day(model: Model, arguments: argparse.Namespace) -> dict[str, object]:
    with watch(model, Sensors(1, (arguments.day_s, 0)), DAY_QUOTA) as one:
        took = one.run()
    first = next(at for at, _, _, _ in one.statuses if at > one.statuses[0][0] + took / 20)
    settled = [(memory, spool) for at, _, memory, spool in one.statuses if at >= first]
    return {
        "simulated_s": arguments.day_s,
        "took_s": round(took, 1),
        "windows": one.windows,
        "memory_grew_mb": round(settled[-1][0] - settled[0][0], 2),
        "spool_grew_mb": round(settled[-1][1] - settled[0][1], 2),
        "peak_mb": peak_mb(),
    }


def overload(model: Model, arguments: argparse.Namespace) -> dict[str, object]:
    """First three times what it can do, then half of it, for as long."""
    streams = arguments.streams
    with watch(model, Sensors(streams, (5.0, 0))) as one:
        able = 5.0 / one.run() * RATE  # samples per second of each stream
    phases = [
        (seconds * pace / RATE, pace)
        for seconds, pace in [(arguments.seconds, 3 * able)] + 2 * [(arguments.seconds, able / 2)]
    ]
    source = Sensors(streams, *phases, waits=False)
    with watch(model, source, OVERLOAD_QUOTA) as one:
        begin = time.time()
        one.run()
    relief = begin + arguments.seconds
    after = [at - relief for at, behind, _, _ in one.statuses if at > relief and behind < 0.5]
    return {
        "able_streams": round(able * streams / RATE),
        "seconds": arguments.seconds,
        "share_judged": round(1 - one.agent.lost / (source.sent * streams), 3),
        "missing": one.agent.lost,
        "missing_told": one.missing,
        "recovered_after_s": round(after[0], 1) if after else None,
        "peak_mb": peak_mb(),
        "peak_spool_mb": round(max(spool for *_, spool in one.statuses), 1),
        "quota_mb": round(OVERLOAD_QUOTA / MB, 1),
    }


def memory_mb() -> float:
    """Resident, now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MB


def peak_mb() -> float:
    (line,) = (one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmHWM"))
    return round(int(line.split()[1]) * 1024 / MB, 1)


MEASURES = {"realtime": realtime, "capacity": capacity, "day": day, "overload": overload}

if __name__ == "__main__":
    main()

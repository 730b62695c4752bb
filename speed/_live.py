"""What the scripts on live streams share: a model, sensors, a sink that looks at the clock, and what a process uses."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dualres.config import HELD, ModelConfig
from dualres.judge.model import Model
from dualres.kernel.compiled import variant
from dualres.model.kinds import VIEWS
from dualres.model.views.weights import ViewsWeights, views_shapes
from dualres.model_file.card import Card
from dualres.stream.monitor.chunk import Chunk, Form
from dualres.stream.watch.agent import Agent
from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import Sink
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition
from dualres.stream.watch.spool import Spool
from dualres.utils.malloc import keep_freed_memory

RATE, CHUNK_S = 12_800, 0.1  # Hz, and what a sensor sends at a time
STEP = int(RATE * CHUNK_S)
FORM = Form.of(RATE, "i16")
NOISE = np.random.default_rng(0).integers(-2000, 2000, 50 * STEP, np.int16)
MB = 1e6
INTERRUPTED = threading.Event()


def one_member() -> Model:
    """Of one axis, as `dualres fit` makes it in shape; its weights are drawn, for time does not depend on them."""
    config, draw = ModelConfig(), np.random.default_rng(0)
    shapes = views_shapes(config, 4)
    arrays = {name: (0.01 * draw.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}
    arrays |= {name: np.ones(shape, np.float32) for name, shape in shapes.items() if name.endswith("scale")}
    card = Card(("a", "b", "c", "d"), config, None, 0, HELD, {}, method=VIEWS.method)
    return Model((ViewsWeights(config, arrays),), card)


def samples_of(stream: int, number: int) -> bytes:
    """The chunk of this number of a stream."""
    at = (number + stream) % 50 * STEP
    return NOISE[at : at + STEP].tobytes()


class Sensors(Source):
    """Streams in step, a chunk of each at a time.

    Phases are seconds of signal and the samples per second of the clock that each stream sends, 0 for no clock.
    """

    def __init__(self, streams: int, *phases: tuple[float, float]) -> None:
        super().__init__("sensors", SourceOptions(one_member()))
        self.streams, self.phases = streams, phases
        self.begin = 0.0  # of the latest phase, by the clock of `time.time`

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        sent = 0
        for seconds, pace in self.phases:
            self.begin = time.time()
            for number in range(int(seconds / CHUNK_S)):
                if pace and (early := self.begin + (number + 1) * STEP / pace - time.time()) > 0:
                    stopped.wait(early)
                for stream in range(self.streams):
                    put(Chunk(f"{stream}", FORM, samples_of(stream, number), sent, start="1"))
                sent += STEP
                if stopped.is_set():
                    return


ARRIVAL = np.dtype([("at", "<f8"), ("stream", "<i4"), ("start", "<i8"), ("stop", "<i8"), ("missing", "<i8")])


class Clocked(Sink):
    """Where verdicts go: notes in a file when those of windows came, so that it takes no memory itself."""

    def __init__(self) -> None:
        super().__init__("clocked")
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (gone with this object)

    def send(self, records: Sequence[VerdictRecord]) -> None:
        windows = [record.data for record in records if record.data["kind"] == "window"]
        rows = [(time.time(), number_in(one["stream"]), one["start"], one["stop"], one["missing"]) for one in windows]
        self._file.write(np.array(rows, ARRIVAL).tobytes())

    @property
    def arrivals(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Of all windows, in the order in which they came; `ARRIVAL`."""
        self._file.seek(0)
        return np.frombuffer(self._file.read(), ARRIVAL)


def number_in(stream: str) -> int:
    """A stream's, by which the senders of datagrams have their addresses, too."""
    *_, high, low = f"1.{stream}".rsplit("/", 1)[-1].partition(":")[0].split(".")
    return 250 * (int(high) - 1) + int(low)


def address_of(stream: int) -> str:
    """Of this machine."""
    return f"127.0.{1 + stream // 250}.{stream % 250}"


@dataclass(frozen=True)
class Usage:
    """What the process and its spool take at a moment."""

    at: float
    memory_mb: float  # resident
    spool_mb: float  # of the file
    wal_mb: float
    threads: int
    files: int  # open


@contextmanager
def watching(source: Source, sink: Sink, quota: int = 1 << 30, **options: Any) -> Iterator[tuple[Agent, Spool]]:
    """An agent with a spool on the disk of temporary files; memory is kept as the command keeps it.

    Ctrl-C stops it in good order, and `INTERRUPTED` says so.
    """
    keep_freed_memory()
    with tempfile.TemporaryDirectory() as folder, Spool(Path(folder) / "spool.sqlite", quota) as spool:
        agent = Agent(one_member(), [source], [sink], spool, **options)

        def stop(*_: object) -> None:
            INTERRUPTED.set()
            agent.stop()

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield agent, spool
        finally:
            signal.signal(signal.SIGINT, before)


def usage(spool: Path) -> Usage:
    """Now."""
    wal = spool.with_name(f"{spool.name}-wal")
    memory = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    sizes = [path.stat().st_size / MB if path.exists() else 0.0 for path in (spool, wal)]
    files = len(list(Path("/proc/self/fd").iterdir()))
    return Usage(time.time(), memory / MB, *sizes, threading.active_count(), files)


def peak_mb() -> float:
    """Resident, the most so far."""
    (line,) = (one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmHWM"))
    return round(int(line.split()[1]) * 1024 / MB, 1)


def parser_of(text: str | None) -> argparse.ArgumentParser:
    """With what all of these scripts take."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, help="a file for the JSON, beside standard output")
    parser.add_argument("--only", help=argparse.SUPPRESS)  # in a process of its own
    return parser


def each_alone(names: Sequence[str]) -> dict[str, Any]:
    """What this script prints with `--only` each of these: a fresh process has memory of its own.

    After Ctrl-C, which the process gets as well, there is as much as it said.
    """
    found: dict[str, Any] = {}
    for name in names:
        with subprocess.Popen([sys.executable, *sys.argv, "--only", name], stdout=subprocess.PIPE) as process:
            try:
                said, _ = process.communicate()
            except KeyboardInterrupt:
                INTERRUPTED.set()
                said, _ = process.communicate()
        if process.returncode and not INTERRUPTED.is_set():
            sys.exit(f"{name}: ended with status {process.returncode}")
        found |= {name: json.loads(said)} if said else {}
        if INTERRUPTED.is_set():
            break
    return found


def tell(result: Mapping[str, Any], out: Path | None = None) -> None:
    text = json.dumps(result, indent=1)
    if out:
        out.write_text(text + "\n")
    print(text)


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def machine() -> dict[str, Any]:
    """On what this was measured."""
    info = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    return {
        "machine": names[0] if names else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),  # of others: it was not always idle
        "kernel": variant(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }

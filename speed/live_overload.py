"""What becomes of live streams when three times as much comes as can be judged? Prints JSON.

First it is measured how much one process judges. Then so many times as much comes for ten minutes, and half of it
afterwards, until verdicts are on time again. `waits`: chunks that come from a source which sends on as they are
acknowledged, as a broker does; nothing may be missing. `udp`: stamped datagrams by the real socket, from as many
senders; what there was no room for must be told as missing, to the sample. A verdict is late if it comes more than half
a second after the last sample of its window was sent. Each is a process of its own, and datagrams are sent by another.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from _live import (
    FORM,
    INTERRUPTED,
    RATE,
    STEP,
    Clocked,
    Sensors,
    Usage,
    address_of,
    each_alone,
    machine,
    one_member,
    parser_of,
    peak_mb,
    progress,
    samples_of,
    tell,
    usage,
    watching,
)
from dualres.stream.monitor.chunk import STAMP, Chunk
from dualres.stream.watch.agent import Agent, Status
from dualres.stream.watch.sources.source import Put, Say, Source, SourceOptions, StreamPosition
from dualres.stream.watch.sources.udp import Udp

ABLE_S = 10.0  # of every stream, to measure what it is able to do
UNDER_WAY = 1000  # chunks that were not acknowledged yet
LATE_S = 0.5
SLOWEST_RECOVERY_S = 1200.0
Span = tuple[float, float]  # of too much input, seconds since 1970
Arrivals = Times = np.ndarray[Any, np.dtype[Any]]
WINDOW_S = 0.512  # of which one begins every half


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10.0, help="of too much input")
    parser.add_argument("--times", type=float, default=3.0, help="what it is able to do")
    parser.add_argument("--quota-mb", type=int, default=512, help="of the spool")
    parser.add_argument("--calm", type=int, default=10, help="seconds at half of it before, and on time in the end")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--sender", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.sender:
        send_datagrams(**arguments.sender)
    elif arguments.only:
        tell(overload(arguments))
    else:
        asked = {"streams": arguments.streams, "minutes": arguments.minutes, "times": arguments.times}
        asked |= {"quota_mb": arguments.quota_mb}
        earlier = earlier_kinds(arguments.out, asked)
        found = {kind: {**one, "measured": machine()} for kind, one in each_alone(arguments.kinds).items()}
        tell({**asked, **earlier, **found}, arguments.out)


def earlier_kinds(out: Path | None, asked: dict[str, Any]) -> dict[str, Any]:
    """What the file holds of kinds of sources that were asked the same; those that are measured again replace it."""
    kept = json.loads(out.read_text()) if out and out.exists() else {}
    same = all(kept.get(name) == value for name, value in asked.items())
    return {kind: kept[kind] for kind in KINDS if kind in kept} if same else {}


def overload(arguments: argparse.Namespace) -> dict[str, Any]:
    able = capacity(arguments.streams)
    if INTERRUPTED.is_set():
        sys.exit("stopped before there was anything to say")
    progress(f"{arguments.only}: able to judge {able * arguments.streams / RATE:.0f} streams")
    seconds, calm = 60 * arguments.minutes, arguments.calm
    paces = [(calm, able / 2), (seconds, arguments.times * able), (SLOWEST_RECOVERY_S, able / 2)]
    source, sink, said = KINDS[arguments.only](arguments.streams, paces), Clocked(), dict[str, None]()
    watcher = Watcher(source, calm, calm + seconds)
    options = {"say": lambda text: said.setdefault(text), "report": watcher}
    with watching(source, sink, arguments.quota_mb << 20, **options) as (agent, spool):
        watcher.spool = spool.path
        agent.run()
    span = source.begun + calm, source.begun + calm + seconds
    return {
        "able_streams": round(able * arguments.streams / RATE),
        **source.account(span, able, sink.arrivals, agent),
        **lateness(sink.arrivals, np.array(source.sent_at), span, calm),
        **memory(watcher.used, span),
        "peak_mb": peak_mb(),
        "said": [text.partition(": ")[2] or text for text in said],
    }


def capacity(streams: int) -> float:
    """Samples per second of each stream that are judged."""
    with watching(Sensors(streams, (ABLE_S, 0)), Clocked()) as (agent, _):
        begin = time.time()
        agent.run()
    return ABLE_S * RATE / (time.time() - begin)


class Watcher:
    """Told every second how it goes: notes what is used, and says when it is over."""

    def __init__(self, source: Load, calm_s: int, relief_s: float) -> None:
        """The load becomes less `relief_s` seconds after it began."""
        self._source, self._calm_s, self._relief_s, self._calm = source, calm_s, relief_s, 0
        self.spool = Path()
        self.used: list[Usage] = []

    def __call__(self, status: Status) -> None:
        self.used.append(now := usage(self.spool))
        since = now.at - self._source.begun - self._relief_s
        if len(self.used) % 10 == 1:
            progress(
                f"{since:+5.0f} s  {now.memory_mb:.0f} MB  spool {now.spool_mb:.0f} MB  "
                f"{status.behind_s:.1f} s behind  {status.missing:,} missing"
            )
        self._calm = self._calm + 1 if since > 0 and status.behind_s < LATE_S else 0
        if self._calm == 2 * self._calm_s:
            self._source.over.set()


class Load(Source):
    """Streams in step, each at a pace: seconds, and samples per second of the clock."""

    def __init__(self, name: str, told: SourceOptions, streams: int, paces: Sequence[tuple[float, float]]) -> None:
        super().__init__(name, told)
        self.streams, self.paces = streams, paces
        self.over = threading.Event()  # enough was sent
        self.begun = float("inf")  # seconds since 1970
        self.sent_at: list[float] = []  # the last chunk of every step


class Waiting(Load):
    """Sends as many chunks as it may before they are acknowledged."""

    def __init__(self, streams: int, paces: Sequence[tuple[float, float]]) -> None:
        super().__init__("waiting", SourceOptions(one_member()), streams, paces)

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        room, self.begun = threading.Semaphore(UNDER_WAY), time.time()
        for number in steps(self.paces, self.over, catches_up=False):
            for stream in range(self.streams):
                while not room.acquire(timeout=1.0):
                    if stopped.is_set():
                        return
                data = samples_of(stream, number)
                put(Chunk(f"{stream}", FORM, data, number * STEP, start="1", acknowledge=room.release))
            self.sent_at.append(time.time())

    def account(self, span: Span, able: float, arrivals: Arrivals, agent: Agent) -> dict[str, Any]:
        """Whether all that was acknowledged is judged."""
        sent = len(self.sent_at) * STEP
        windows = 1 + int((sent / RATE - WINDOW_S) / (WINDOW_S / 2) + 1e-9)
        return {
            "acknowledged": sent * self.streams,
            "windows": len(arrivals),
            "windows_lacking": windows * self.streams - len(np.unique(arrivals[["stream", "start"]])),
            "missing": int(arrivals["missing"].sum()),
        }


class Datagrams(Load, Udp):
    """Stamped, by a process of its own."""

    waits, live = False, True

    def __init__(self, streams: int, paces: Sequence[tuple[float, float]]) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        told = SourceOptions(one_member(), FORM.rate, FORM.dtype, stamped=True)
        super().__init__(f"udp://127.0.0.1:{port}", told, streams, paces)
        self._asked = {"port": port, "streams": streams, "paces": paces}
        self._received = 0  # samples

    def run(self, put: Put, say: Say, stopped: threading.Event, positions: Mapping[str, StreamPosition]) -> None:
        def counted(chunk: Chunk) -> None:
            self._received += chunk.count
            put(chunk)

        enough = threading.Event()
        ending = threading.Thread(target=self._send, args=(stopped, enough))
        ending.start()
        Udp.run(self, counted, say, enough, positions)
        ending.join()

    def _send(self, stopped: threading.Event, enough: threading.Event) -> None:
        """Datagrams until it is over, and a moment for those under way."""
        words = [sys.executable, __file__, "--sender", json.dumps(self._asked)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sender:
            assert sender.stdout
            self.begun = float(sender.stdout.readline())
            while not self.over.wait(0.1) and not stopped.is_set() and sender.poll() is None:
                pass
            self.sent_at += json.loads(sender.communicate()[0])
        enough.wait(1.0)
        enough.set()

    def account(self, span: Span, able: float, arrivals: Arrivals, agent: Agent) -> dict[str, Any]:
        """What was lost, where, and whether it was told."""
        sent = len(self.sent_at) * STEP * self.streams
        offered = np.count_nonzero((np.array(self.sent_at) >= span[0]) & (np.array(self.sent_at) < span[1]))
        return {
            "offered_times": round(offered * STEP / (span[1] - span[0]) / able, 2),
            "sent": sent,
            "lost_by_the_system": sent - self._received,
            "lost_for_want_of_room": agent.lost_samples,
            "missing_told": int(arrivals["missing"].sum()),
            "untold": sent - self._received + agent.lost_samples - int(arrivals["missing"].sum()),
            "windows": len(arrivals),
        }


def steps(paces: Sequence[tuple[float, float]], over: threading.Event, catches_up: bool) -> Iterator[int]:
    """Numbers of chunks, when each is due."""
    due = begin = time.time()
    number = 0
    for seconds, pace in paces:
        begin += seconds
        while due < begin:
            due += STEP / pace
            if (early := due - time.time()) > 0:
                over.wait(early)
            elif not catches_up:
                due -= early
            if over.is_set():
                return
            yield number
            number += 1


def send_datagrams(port: int, streams: int, paces: Sequence[tuple[float, float]]) -> None:
    """Until standard input ends; prints when it begins, and in the end when each step was sent."""
    over, sent_at = threading.Event(), list[float]()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(streams)]
    for stream, one in enumerate(sockets):
        one.bind((address_of(stream), 0))
        one.connect(("127.0.0.1", port))
    print(time.time(), flush=True)
    for number in steps(paces, over, catches_up=True):
        for stream, one in enumerate(sockets):
            one.send(STAMP.pack(1, number * STEP) + samples_of(stream, number))
        sent_at.append(time.time())
    print(json.dumps(sent_at))


def lateness(arrivals: Arrivals, sent_at: Times, span: Span, calm_s: int) -> dict[str, Any]:
    """Before, during and after, and how long after the relief verdicts were on time for some seconds in a row."""
    late = arrivals["at"] - sent_at[(arrivals["stop"] - 1) // STEP]
    after = arrivals["at"] - span[1]
    parts = {"before": arrivals["at"] < span[0], "during": (after < 0) & (arrivals["at"] >= span[0])}
    parts["after"] = after > after.max() - calm_s
    p99 = {name: round(float(np.quantile(late[part], 0.99)), 3) for name, part in parts.items() if part.any()}
    seconds = np.floor(after[after >= 0]).astype(int)
    share = np.bincount(seconds, late[after >= 0] > LATE_S) / np.maximum(1, np.bincount(seconds))
    calm = [second for second in range(len(share)) if (share[second : second + calm_s] <= 0.01).all()]
    return {"late_p99_s": p99, "recovered_after_s": calm[0] if calm else None}


def memory(used: Sequence[Usage], span: Span) -> dict[str, Any]:
    """Megabytes, at most in each part of the time."""
    half = (span[0] + span[1]) / 2
    bounds = {"before": (0, span[0]), "first_half": (span[0], half), "second_half": (half, span[1])}
    bounds["after"] = (span[1], float("inf"))
    parts = {name: [one for one in used if low <= one.at < high] for name, (low, high) in bounds.items()}
    return {
        "memory_mb": {name: round(max(one.memory_mb for one in part), 1) for name, part in parts.items() if part},
        "spool_mb": {name: round(max(one.spool_mb for one in part), 1) for name, part in parts.items() if part},
        "wal_mb": round(max(one.wal_mb for one in used), 1),
        "threads": max(one.threads for one in used),
        "files": max(one.files for one in used),
    }


KINDS = {"waits": Waiting, "udp": Datagrams}

if __name__ == "__main__":
    main()

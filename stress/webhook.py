"""Does every verdict reach a webhook that often fails? Adds up in a state file, see _tally.py.

    python stress/webhook.py 10 --state webhook.json

`dualres watch` judges a file and posts its verdicts to a server of which one answer in ten is a 500, and one in fifty
is none: the connection is cut, before or after the verdict was taken. Meanwhile the agent is killed with SIGKILL, 39
times, at random moments, and started again. In the end the server must have every verdict that a monitor gives of the
whole file, to the last bit, and no other. It must have got them in their order: whenever it gets one, it got all before
it, also those of which its answer was lost. After a kill the agent may begin anew with verdicts that have arrived, as
many as it had not committed; then they come in their order again.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from _noise_model import last_bits_needed, write_model
from _tally import Attack, main
from _undisturbed import essence, undisturbed
from _watchers import PATIENCE_S, Nursery, Watcher
from _workers import Attempt

LONGEST_S = 600.0  # of a storm, on a machine that has far too much to do
RATE = 12_800  # Hz
ANSWER_S = 0.01  # that the server takes: as long as one that is not far away


@dataclass(frozen=True)
class Plan:
    kills: int = 39
    seconds: float = 72.0  # of the file: 280 windows and 14 blocks
    refused: float = 0.1  # of all answers, those that are a 500
    cut: float = 0.02  # those that do not come


class FlakyServer:
    """Remembers what it took, in its order."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self._plan, self._chance, self._lock = plan, random.Random(seed), threading.Lock()
        self.taken: list[dict[str, Any]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                try:
                    verdict = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                except ValueError:  # the agent was killed before it had sent all
                    return
                time.sleep(ANSWER_S)
                status = owner.status(verdict)
                if status:
                    self.send_response(status)
                    self.send_header("Content-Length", "0")
                    self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}/verdicts"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))

    def status(self, verdict: dict[str, Any]) -> int:
        """Of the answer; 0 for none."""
        with self._lock:
            happens = self._chance.random()
            if happens < self._plan.refused:
                return 500
            cut = happens < self._plan.refused + self._plan.cut
            if not cut or self._chance.random() < 0.5:
                self.taken.append(verdict)
            return 0 if cut else 204

    def __enter__(self) -> FlakyServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@contextmanager
def storms(plan: Plan, folder: Path) -> Iterator[Attempt]:
    last_bits_needed()
    model = write_model(folder / "model.safetensors")
    with Nursery() as nursery:
        yield lambda seed: storm(folder / f"{os.getpid()}-{seed}", model, plan, seed, nursery)


def storm(folder: Path, model: Path, plan: Plan, seed: int, nursery: Nursery) -> tuple[str, dict[str, float]]:
    """One try; an AssertionError where something is lost, altered or out of its order."""
    from dualres.judge.model import load

    folder.mkdir()
    signal = np.random.default_rng(seed).standard_normal(round(plan.seconds * RATE)).astype("<f4")
    (folder / "pump.raw").write_bytes(signal.tobytes())
    expected = [essence(one.as_data()) for one in undisturbed(load(model), signal, [], RATE)]
    chance, killed = random.Random(seed), 0
    with FlakyServer(plan, seed) as server:
        words = [str(model), str(folder / "pump.raw"), "--rate", str(RATE), "--to", server.address]
        agent = Watcher([*words, "--state", str(folder / "state")], folder / "log", nursery)
        agent.start()
        try:
            while killed < plan.kills:
                await_moment(server, chance, len(expected))
                agent.kill()
                agent.start()
                killed += 1
            end = time.monotonic() + PATIENCE_S
            while len({one["id"] for one in server.taken}) < len(expected):
                assert time.monotonic() < end, f"{len(server.taken)} were taken, and no more come: {agent.log[-300:]}"
                time.sleep(0.05)
            agent.end()
        finally:
            agent.kill()
    return f"survived {killed} kills", {"verdicts that came again": check(server.taken, expected)}


def await_moment(server: FlakyServer, chance: random.Random, wanted: int) -> None:
    """Mostly until some more were taken, else any moment of a start. Where most have arrived, no more are waited for,
    so that enough are left for the kills that are left."""
    before, end = len(server.taken), time.monotonic() + (5.0 if chance.random() < 0.8 else chance.uniform(0, 0.5))
    more = chance.randrange(12)
    while len(server.taken) < min(before + more, wanted) and time.monotonic() < end:
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.05))


def check(taken: list[dict[str, Any]], expected: list[str]) -> int:
    """An AssertionError unless these are the expected ones, in their order, and none altered; how many came again."""
    names: list[str] = []  # ids, in the order in which they came first
    place: dict[str, int] = {}
    last = -1
    for one in taken:
        if one["id"] not in place:
            place[one["id"]] = len(names)
            names.append(one["id"])
        now = place[one["id"]]
        assert now < len(expected), f"{one['id']} is of no sample"
        assert essence(one) == expected[now], f"{one['id']} is altered, or came before another one"
        assert now <= last + 1, f"{one['id']} came before one that was made before it"
        last = now
    assert len(names) == len(expected), f"{len(expected) - len(names)} verdicts are missing"
    return len(taken) - len(names)


PLAN = Plan()
ATTACKS = (
    Attack(
        "webhook",
        "kills of an agent whose webhook answers one in ten with a 500, and one in fifty not at all",
        partial(storms, PLAN),
        (),
        LONGEST_S,
        each=PLAN.kills,
    ),
)


if __name__ == "__main__":
    main(__doc__, ATTACKS)

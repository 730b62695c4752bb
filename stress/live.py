"""Does a live stream survive kills of agent and broker, and a full disk? Adds up in a state file, see _tally.py.

    python stress/live.py 10 --state live.json

Two devices publish numbered samples to a real Mosquitto, and `dualres watch` judges them while

* kills: the agent is killed with SIGKILL, twenty times, at random moments; the broker is restarted, stays away for a
  while once, and once no byte more can be written to the agent's disk for a while. In the end there must be every
  verdict that a monitor gives of the whole signal, to the last bit, and no other.
* lost: the broker itself is killed, which loses what it had not saved. Every gap must be told where it is: the verdicts
  must be those, to the last bit, of a monitor that is told of these gaps.
* shared: two agents share the streams by --shard, and one of them is killed and started again.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from _mosquitto import Device, Mosquitto
from _tally import Attack, main

RATE, TOPICS = 12_800, ("plant/a", "plant/d")  # of two shards one each
SLOWEST_S = 180.0  # until verdicts are complete, when all samples were sent
KEPT = ("kind", "number", "start", "stop", "label", "probabilities", "windows", "missing")


@dataclass(frozen=True)
class Plan:
    kills: int = 20
    restarts: int = 1  # of the broker
    away_s: float = 3.0  # once, the broker
    full: bool = True  # once, the agent's disk
    broker_kills: int = 0
    shards: int = 1
    every_s: float = 0.02  # a chunk of each device, of about 0.1 s


@contextmanager
def storms(plan: Plan, folder: Path) -> Iterator[Callable[[int], str]]:
    model = write_model(folder / "model.safetensors")
    with Nursery() as nursery:
        yield lambda seed: storm(folder / f"{os.getpid()}-{seed}", model, plan, seed, nursery)


def write_model(path: Path) -> Path:
    """Of noise: what it says does not matter, only that it is always the same."""
    from dualres.config import HELD, ModelConfig
    from dualres.file import VIEWS, Card, Model, save
    from dualres.learn.views import fit_views
    from dualres.scorers import weights_of

    windows = np.random.default_rng(0).standard_normal((6, ModelConfig().window)).astype(np.float32)
    card = Card(("good", "inner", "outer"), ModelConfig(), None, 0, HELD, {}, method=VIEWS)
    save(Model((weights_of(fit_views(windows, np.arange(6) % 3, 3)),), card), path)
    return path


def storm(folder: Path, model: Path, plan: Plan, seed: int, nursery: Nursery) -> str:
    """One try; an AssertionError where something is lost or altered."""
    chance = random.Random(seed)
    folder.mkdir()
    with ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(folder / "broker"))
        agents = [Agent(folder, model, broker, f"{k + 1}/{plan.shards}", nursery) for k in range(plan.shards)]
        for agent in agents:
            agent.start()
            stack.callback(agent.kill)
            agent.await_connection()  # what came before it ever was there is not its business
        devices = [stack.enter_context(Publisher(broker, topic, plan.every_s, seed)) for topic in TOPICS]
        for act in acts(plan, chance):
            agent = chance.choice(agents)
            if act == "kill":
                agent.wait_a_little(chance)
                agent.kill()
                agent.start()
            elif act == "restart":
                broker.stop()
                broker.start()
            elif act == "away":
                broker.stop()
                time.sleep(plan.away_s)
                broker.start()
            elif act == "full":
                agent.with_full_disk()
            elif act == "broker kill":
                time.sleep(chance.uniform(1.0, 2.0))
                broker.kill()
                broker.start()
                time.sleep(1.0)  # so that gaps are apart by more than a window
        for device in devices:
            device.finish()
        compare(agents, devices, model, gaps_allowed=bool(plan.broker_kills))
        for agent in agents:
            agent.end()
    return "survived"


def acts(plan: Plan, chance: random.Random) -> list[str]:
    """What happens, in which order."""
    found = ["kill"] * plan.kills + ["restart"] * plan.restarts + ["broker kill"] * plan.broker_kills
    found += ["away"] * (plan.away_s > 0) + ["full"] * plan.full
    chance.shuffle(found)
    return found


class Nursery:
    """A process that has imported everything, and forks agents: a start takes no time, and a kill is a kill."""

    def __enter__(self) -> Nursery:
        words = [sys.executable, __file__, "--nursery"]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(self, words: list[str], log: Path) -> int:
        """The process that runs this command line; its number."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps([str(log), *words]), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())


def nursery() -> None:
    import dualres.stream.agent
    import dualres.stream.sinks.catalogue
    import dualres.stream.sources.catalogue  # noqa: F401
    from dualres.cli import main as command

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        log, *words = json.loads(line)
        number = os.fork()
        if not number:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(errors, 1)
            os.dup2(errors, 2)
            sys.argv = ["dualres", *words]
            try:
                command()
            finally:
                os._exit(0)
        print(number, flush=True)


class Agent:
    """`dualres watch`, as a process that may die at any moment."""

    def __init__(self, folder: Path, model: Path, broker: Mosquitto, shard: str, nursery: Nursery) -> None:
        name = shard.replace("/", "-of-")
        self._out, self._log, self._state = folder / f"{name}.jsonl", folder / f"{name}.log", folder / name
        words = ["watch", str(model), broker.url("plant/+"), "--to", str(self._out), "--state", str(self._state)]
        self._words, self._nursery = [*words, "--shard", shard, "--group", "storm"], nursery
        self._number = 0

    def start(self) -> None:
        self._number = self._nursery.start(self._words, self._log)

    def await_connection(self) -> None:
        end = time.monotonic() + SLOWEST_S
        while "connected as" not in self.log:
            assert time.monotonic() < end, f"the agent does not connect: {self.log}"
            time.sleep(0.05)

    def kill(self) -> None:
        os.kill(self._number, signal.SIGKILL) if self.alive() else None
        assert self._gone(SLOWEST_S), "a killed agent does not end"  # until then it holds its spool

    def end(self) -> None:
        """As a service is stopped."""
        os.kill(self._number, signal.SIGTERM)
        assert self._gone(20), "the agent does not end"
        assert "Traceback" not in self.log, self.log[-2000:]

    def alive(self) -> bool:
        try:
            os.kill(self._number, 0)
        except ProcessLookupError:
            return False
        return True

    def _gone(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self.alive() and time.monotonic() < end:
            time.sleep(0.005)
        return not self.alive()

    def wait_a_little(self, chance: random.Random) -> None:
        """Mostly until it has told something, else any moment of its start; then a little more."""
        before, end = self._size(), time.monotonic() + (5.0 if chance.random() < 0.8 else chance.uniform(0, 0.5))
        while self._size() == before and time.monotonic() < end:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.3))

    def with_full_disk(self) -> None:
        """None of its files can be written to beyond a few bytes until it has said so, as on a full disk."""
        told, end = self.log.count("waits for room"), time.monotonic() + 20
        self._limit(self._log.stat().st_size + 65_536)  # there is room for its words
        while self.log.count("waits for room") == told:
            assert time.monotonic() < end, f"a full disk was not told of: {self.log[-500:]}"
            time.sleep(0.02)
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        resource.prlimit(self._number, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def _size(self) -> int:
        return self._out.stat().st_size if self._out.exists() else 0

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def told(self) -> list[dict[str, Any]]:
        """All verdicts so far; a line that is being written is none yet."""
        lines = self._out.read_text().splitlines(keepends=True) if self._out.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]


class Publisher:
    """A device that sends noise in numbered chunks, and remembers all of it."""

    def __init__(self, broker: Mosquitto, topic: str, every_s: float, seed: int) -> None:
        self.topic, self._every_s = topic, every_s
        self._device, self._stop = Device(broker, topic, RATE), threading.Event()
        self._rng, self._sent = np.random.default_rng([seed, *topic.encode()]), []
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Publisher:
        self._device.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._device.__exit__()

    def _run(self) -> None:
        first, due = 0, time.monotonic()
        while not self._stop.is_set():
            due += self._every_s
            chunk = self._rng.standard_normal(int(self._rng.integers(1, RATE // 5))).astype(np.float32)
            # One message at a time: with several under way, a client sends new ones before old ones that it repeats.
            self._device.deliver(chunk, first)
            self._sent.append(chunk)
            first += len(chunk)
            self._stop.wait(max(0.0, due - time.monotonic()))  # none, where the broker was away

    def finish(self) -> None:
        """Until the broker has everything."""
        self._stop.set()
        self._thread.join()

    @property
    def signal(self) -> np.ndarray:
        return np.concatenate(self._sent)


def compare(agents: list[Agent], devices: list[Publisher], model: Path, gaps_allowed: bool) -> None:
    """Wait for all verdicts, and hold them to those of monitors that nothing happened to."""
    from dualres.file import load

    judge, end, before = load(model), time.monotonic() + SLOWEST_S, -1
    while True:
        told = [one for agent in agents for one in agent.told()]
        quiet, before = len(told) == before, len(told)
        late = time.monotonic() > end
        if quiet or late:
            try:
                for device in devices:
                    check([one for one in told if one["stream"] == device.topic], device.signal, judge, gaps_allowed)
                return
            except UnfinishedError as error:
                gone = [agent for agent in agents if not agent.alive()]
                if late or gone:
                    last = " | ".join(agent.log[-150:] for agent in gone or agents)
                    raise AssertionError(f"{error}, {len(gone)} agents ended: {last}") from None
        time.sleep(0.5)


class UnfinishedError(Exception):
    """Not all is there yet."""


def check(told: list[dict[str, Any]], signal_: np.ndarray, model: Any, gaps_allowed: bool) -> None:
    """An AssertionError if verdicts of a stream are altered, too many or too few."""
    by_id: dict[str, str] = {}
    for one in told:
        assert by_id.setdefault(one["id"], essence(one)) == essence(one), f"{one['id']} came twice, and not the same"
    if not told:
        raise UnfinishedError("there are no verdicts")
    first = told[0]
    assert {one["run"] for one in told} == {first["run"]}, "the stream was taken for several"
    windows = {one["number"]: one for one in told if one["kind"] == "window"}
    gaps = [(one["start"] - one["missing"], one["start"]) for _, one in sorted(windows.items()) if one["missing"]]
    assert gaps_allowed or not gaps, f"{gaps} are told to be missing, and were acknowledged"
    events = undisturbed(model, signal_, gaps)
    expected = {f"{first['stream']}/{first['run']}/{one.kind}/{one.number}": essence(one.as_data()) for one in events}
    wrong = [name for name in by_id if name in expected and by_id[name] != expected[name]]
    assert not wrong, f"{len(wrong)} verdicts are altered, {wrong[0]} first"
    assert by_id.keys() <= expected.keys(), f"{len(by_id.keys() - expected.keys())} verdicts are of no sample"
    if missing := expected.keys() - by_id.keys():
        raise UnfinishedError(f"{len(missing)} of {len(expected)} verdicts are missing, such as {min(missing)}")


def essence(verdict: dict[str, Any]) -> str:
    """What must be the same, to the last bit."""
    return json.dumps({name: verdict[name] for name in KEPT})


def undisturbed(model: Any, signal_: np.ndarray, gaps: list[tuple[int, int]]) -> list[Any]:
    """What a monitor says of the signal without these parts."""
    from dualres.stream import Monitor

    monitor, events, at = Monitor(model, RATE), [], 0
    for start, stop in gaps:
        events += monitor.push(signal_[at:start]) + monitor.gap(stop - start)
        at = stop
    return events + monitor.push(signal_[at:])


KILLS, LOST, SHARED = Plan(), Plan(kills=4, restarts=0, away_s=0, full=False, broker_kills=3), Plan(kills=6, shards=2)
ATTACKS = (
    Attack("kills", "kills of the agent", partial(storms, KILLS), ("paho.mqtt",), 600.0, each=KILLS.kills),
    Attack("lost", "kills of the broker", partial(storms, LOST), ("paho.mqtt",), 600.0, each=LOST.broker_kills),
    Attack("shared", "kills of one of two agents", partial(storms, SHARED), ("paho.mqtt",), 600.0, each=SHARED.kills),
)


if __name__ == "__main__":
    if sys.argv[1:] == ["--nursery"]:
        nursery()
    else:
        main(__doc__, ATTACKS)

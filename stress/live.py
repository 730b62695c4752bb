"""Does a live stream survive kills of agent and broker, and a full disk? Adds up in a state file, see _tally.py.

    python stress/live.py 10 --state live.json

Two devices publish numbered samples to a real Mosquitto, and `dualres watch` judges them while

* kills: the agent is killed with SIGKILL, twenty times, at random moments; the broker is restarted, stays away for a
  while once, and once no byte more can be written to the agent's disk for a while. In the end there must be every
  verdict that a monitor gives of the whole signal, to the last bit, and no other.
* lost: the broker itself is killed, which loses what it had not saved. Every gap must be told where it is: the verdicts
  must be those, to the last bit, of a monitor that is told of these gaps.
* downtime: the broker is away for an hour. Time is compressed: when it is back, devices send as many samples as an hour
  brings, as fast as it takes them, and the agent is killed while it catches up. An hour at 12.8 kHz would need long to
  judge and to compare, so devices sample at 1 kHz. There must be every verdict.
* shared: two agents share the streams by --shard, and one of them is killed and started again.
* takeover: three machines share the streams of two shards by --standby. Two of them die for good, with their disks, one
  after the other; one does nothing for so long that another takes over, and comes back; and the broker is restarted.
  There must be every verdict, to the last bit.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from _mosquitto import Device, Mosquitto
from _noise_model import last_bits_needed, write_model
from _tally import Attack, main
from _undisturbed import compare
from _watchers import Agent, Nursery

TOPICS = ("plant/a", "plant/d")  # of two shards one each
LONGEST_S = 1800.0  # of a storm, on a machine that has far too much to do


@dataclass(frozen=True)
class Plan:
    kills: int = 20
    restarts: int = 1  # of the broker
    away_s: float = 3.0  # once, the broker
    full: bool = True  # once, the agent's disk
    downtime_s: float = 0.0  # once, the broker, compressed
    broker_kills: int = 0
    shards: int = 1
    machines: int = 0  # that stand by for each other; 0: none does
    deaths: int = 0  # of machines
    calm_s: float = 8.0  # at most, before a death: so it may come before a checkpoint or after it
    frozen_s: float = 0.0  # once, a machine
    rate: int = 12_800  # Hz
    every_s: float = 0.02  # a chunk of each device, of about 0.1 s


@contextmanager
def storms(plan: Plan, folder: Path) -> Iterator[Callable[[int], str]]:
    last_bits_needed()
    model = write_model(folder / "model.safetensors")
    with Nursery() as nursery:
        yield lambda seed: storm(folder / f"{os.getpid()}-{seed}", model, plan, seed, nursery)


def storm(folder: Path, model: Path, plan: Plan, seed: int, nursery: Nursery) -> str:
    """One try; an AssertionError where something is lost or altered."""
    chance = random.Random(seed)
    folder.mkdir()
    with ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(folder / "broker"))
        agents = staff(plan, partial(Agent, folder, model, broker, nursery=nursery))
        for i, agent in enumerate(agents):
            agent.start()
            stack.callback(agent.kill)
            # What came before it ever was there is not its business.
            agent.await_word("connected as" if i < plan.shards else "stands by")
        devices = [stack.enter_context(Publisher(broker, topic, plan, seed)) for topic in TOPICS]
        happens = acts(plan, chance)
        for act in happens:
            agent = chance.choice([one for one in agents if not one.dead])
            there = [one for one in agents if one.machine == agent.machine]
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
            elif act == "downtime":
                broker.stop()
                for device in devices:
                    device.owe(plan.downtime_s)
                broker.start()
            elif act == "full disk":
                agent.with_full_disk()
            elif act == "death":
                time.sleep(chance.uniform(1.0, plan.calm_s))
                for one in there:
                    one.kill()
                    one.dead = True
            elif act == "frozen":
                for one in there:
                    one.freeze(True)
                time.sleep(plan.frozen_s)
                for one in there:
                    one.freeze(False)
            elif act == "broker kill":
                time.sleep(chance.uniform(1.0, 2.0))
                broker.kill()
                broker.start()
                time.sleep(1.0)  # so that gaps are apart by more than a window
        for device in devices:
            device.finish()
        compare(agents, devices, model, gaps_allowed=bool(plan.broker_kills))
        for agent in agents:
            agent.check_log() if agent.dead else agent.end()
    return f"survived {', '.join(f'{count} x {act}' for act, count in sorted(Counter(happens).items()))}"


def staff(plan: Plan, agent: Callable[..., Agent]) -> list[Agent]:
    """Those that work first, each on another machine, then those that stand by."""
    shards = [f"{k + 1}/{plan.shards}" for k in range(plan.shards)]
    if not plan.machines:
        return [agent(shard=shard) for shard in shards]
    return [
        agent(shard=shard, machine=(k + turn) % plan.machines)
        for turn in range(plan.machines)
        for k, shard in enumerate(shards)
    ]


def acts(plan: Plan, chance: random.Random) -> list[str]:
    """What happens, in which order."""
    found = ["kill"] * plan.kills + ["restart"] * plan.restarts + ["broker kill"] * plan.broker_kills
    found += ["away"] * (plan.away_s > 0) + ["full disk"] * plan.full
    found += ["death"] * plan.deaths + ["frozen"] * (plan.frozen_s > 0)
    chance.shuffle(found)
    return ["downtime"] * (plan.downtime_s > 0) + found  # so that kills fall into the time of catching up


class Publisher:
    """A device that sends noise in numbered chunks, and remembers all of it."""

    def __init__(self, broker: Mosquitto, topic: str, plan: Plan, seed: int) -> None:
        self.topic, self.rate, self._every_s = topic, plan.rate, plan.every_s
        self._device, self._stop = Device(broker, topic, plan.rate), threading.Event()
        self._rng, self._sent = np.random.default_rng([seed, *topic.encode()]), []
        self._owed = 0  # samples that were taken and could not be sent
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Publisher:
        self._device.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._device.__exit__()

    def owe(self, seconds: float) -> None:
        """So much is to be sent as fast as the broker takes it."""
        self._owed += round(seconds * self.rate)

    def _run(self) -> None:
        first, due = 0, time.monotonic()
        while self._owed > 0 or not self._stop.is_set():
            due += self._every_s
            chunk = self._rng.standard_normal(int(self._rng.integers(1, self.rate // 5))).astype(np.float32)
            # One message at a time: with several under way, a client sends new ones before old ones that it repeats.
            self._device.deliver(chunk, first)
            self._sent.append(chunk)
            first += len(chunk)
            if self._owed > 0:
                self._owed, due = self._owed - len(chunk), time.monotonic()
            else:
                self._stop.wait(max(0.0, due - time.monotonic()))  # none, where the broker was away

    def finish(self) -> None:
        """Until the broker has everything."""
        self._stop.set()
        self._thread.join()

    @property
    def signal(self) -> np.ndarray:
        return np.concatenate(self._sent)


KILLS, SHARED = Plan(), Plan(kills=6, shards=2)
LOST = Plan(kills=4, restarts=0, away_s=0, full=False, broker_kills=3)
DOWNTIME = Plan(kills=2, restarts=0, away_s=0, full=False, downtime_s=3600.0, rate=1000)
TAKEOVER = Plan(kills=0, restarts=1, away_s=0, full=False, shards=2, machines=3, deaths=2, frozen_s=30.0)
ALSO = "with a restart and an absence of the broker and a full disk"


def attack(name: str, title: str, plan: Plan, each: int) -> Attack:
    return Attack(name, title, partial(storms, plan), ("paho.mqtt",), LONGEST_S, each=each)


ATTACKS = (
    attack("kills", f"kills of a live agent; every {KILLS.kills} {ALSO}", KILLS, KILLS.kills),
    attack("lost", "kills of the broker of a live agent", LOST, LOST.broker_kills),
    attack("downtime", "an hour without a broker, at 1 kHz and compressed", DOWNTIME, 1),
    attack("shared", f"kills of one of two live agents; every {SHARED.kills} {ALSO}", SHARED, SHARED.kills),
    attack("takeover", "machines of three that die for good, while others stand by", TAKEOVER, TAKEOVER.deaths),
)


if __name__ == "__main__":
    main(__doc__, ATTACKS)

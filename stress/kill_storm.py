"""Does a campaign survive anything? Adds up in a state file, see _tally.py.

    python stress/kill_storm.py 10 --only local --state kills.json

Each storm is a campaign of small jobs on the rig that is run while its coordinator, its workers or both are killed with
SIGKILL at random moments, 20 times, and the coordinator is started again; with Ray, its workers are killed. In the end
every job must be in the ledger exactly once, and the scores must be those of an undisturbed campaign to the last byte.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice, product
from pathlib import Path

from _tally import Attack, main

METHODS = ("itransformer", "crossformer", "patchtst")
BUDGETS = ((1, 1), (1, 2), (2, 1), (2, 2))  # recordings per class x windows per recording
UPDATES = (1, 2)
JUDGED = 4  # recordings
SHARE_BY_TIME, LONGEST_PAUSE_S = 0.3, 5.0
POLL_S, LITTLE_S = 0.05, 0.4  # a little: about a job
COORDINATE = "--coordinate"  # with which this script starts itself
LONGEST_ORPHAN_S = 60.0  # a worker that is still importing when its coordinator dies notices afterwards


@dataclass(frozen=True)
class Plan:
    """Of one storm."""

    executor: str = "local"
    jobs: int = 80
    kills: int = 20
    workers: int = 2


@contextmanager
def storms(plan: Plan, folder: Path) -> Iterator[Callable[[int], str]]:
    """Rages through a campaign, which must end as an undisturbed one does."""
    calm = folder / "calm"
    coordinate(calm, replace(plan, executor="local"))
    expected = scores(calm)
    assert len(expected) == plan.jobs

    def attempt(seed: int) -> str:
        stormy = folder / f"stormy-{seed}"
        storm = rage(stormy, plan, seed)
        found = scores(stormy)
        shutil.rmtree(stormy)
        assert expected.keys() == found.keys(), f"{len(found)} jobs were done, not {plan.jobs}"
        assert expected == found, "scores differ from those of the undisturbed campaign"
        assert not storm.orphans, f"{storm.orphans} workers outlived their coordinator"
        assert storm.killed == plan.kills, f"the campaign ended after {storm.killed} kills"
        return "survived"

    yield attempt


def coordinate(folder: Path, plan: Plan) -> None:
    """What a coordinator does: whatever is missing of the campaign."""
    from dualres.bench.campaign.coordinator import run
    from dualres.bench.campaign.executors import Executor
    from dualres.bench.campaign.ledger import Ledger
    from dualres.bench.campaign.process_executor import LocalExecutor

    engine: Executor
    if plan.executor == "ray":
        from dualres.bench.campaign.ray_executor import RayExecutor

        engine = RayExecutor(Path("stores"), folder, address=None, jobs=plan.workers, device="cpu")
    else:
        engine = LocalExecutor(plan.workers, Path("stores"), folder)
    with Ledger(folder / "ledger.sqlite") as ledger:
        summary = run(campaign(plan.jobs), ledger, engine)
    if summary.failed:
        sys.exit(f"{summary.failed[0].job.title}: {summary.failed[0].reason}")


def campaign(count: int):
    """So many different small jobs."""
    from dualres.bench.campaign.job import Job
    from dualres.bench.datasets.folds import load_fold
    from dualres.config import Recipe
    from dualres.learn.fold import Budget

    seeds = range(41, 41 + count)
    cases = product(seeds, ("S1", "S2"), UPDATES, BUDGETS, METHODS)
    return [
        Job(
            dataset="simulated",
            fold=fold,
            fold_hash=load_fold(fold).hash,
            budget=Budget(*budget),
            method=method,
            recipe=Recipe(updates=updates),
            seed=seed,
            most_judged=JUDGED,
        )
        for seed, fold, updates, budget, method in islice(cases, count)
    ]


@dataclass
class Storm:
    kills: dict[str, int]  # by victim
    starts: int = 0  # of a coordinator
    orphans: int = 0  # workers that outlived their coordinator

    @property
    def killed(self) -> int:
        return sum(self.kills.values())


def rage(folder: Path, plan: Plan, seed: int) -> Storm:
    """Run the campaign to its end, and kill at random moments until there were enough kills."""
    chance = random.Random(seed)
    storm = Storm({"worker": 0, "coordinator": 0, "both": 0})
    words = [sys.executable, __file__, COORDINATE, str(folder), json.dumps(asdict(plan))]
    while True:
        with subprocess.Popen(words) as coordinator:
            storm.starts += 1
            while storm.killed < plan.kills and disturb(coordinator, folder, chance, storm, plan):
                pass
            status = coordinator.wait()
        if status != -signal.SIGKILL:
            assert status == 0, f"the coordinator ended with {status}"
            return storm


def disturb(
    coordinator: subprocess.Popen[bytes], folder: Path, chance: random.Random, storm: Storm, plan: Plan
) -> bool:
    """Wait, then kill; False when the coordinator is gone."""
    if not await_moment(coordinator, folder, chance, plan.kills - storm.killed, plan):
        return False
    workers = descendants(coordinator.pid)
    if plan.executor == "ray":  # whose own processes are Ray's to look after
        workers = [pid for pid in workers if command(pid).startswith("ray::") and "Agent" not in command(pid)]
        if workers:
            kill(chance.choice(workers))
            storm.kills["worker"] += 1
        return True
    victim = chance.choice(list(storm.kills) if workers else ["coordinator"])
    if victim != "coordinator":
        kill(chance.choice(workers))
    if victim != "worker":
        coordinator.kill()
        storm.orphans += outliving(workers)
    storm.kills[victim] += 1
    return victim == "worker"


def await_moment(
    coordinator: subprocess.Popen[bytes], folder: Path, chance: random.Random, kills: int, plan: Plan
) -> bool:
    """Wait for some jobs to finish, or, more seldom, for some time, such as that in which a coordinator starts; then a
    little more. The jobs that are left must last for the kills that are left. False when the coordinator is gone.
    """
    before = finished(folder)
    jobs = chance.randrange(max(1, (plan.jobs - before) // kills))
    seconds = chance.uniform(0, LONGEST_PAUSE_S) if chance.random() < SHARE_BY_TIME else float("inf")
    end = time.monotonic() + seconds
    while (done := finished(folder)) - before < jobs and time.monotonic() < end:
        if coordinator.poll() is not None:
            return False
        time.sleep(POLL_S)
    if plan.jobs - done > kills + 2 * plan.workers:
        time.sleep(chance.uniform(0, LITTLE_S))
    return coordinator.poll() is None


def finished(folder: Path) -> int:
    """Jobs in the ledger so far."""
    path = folder / "ledger.sqlite"
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM jobs").fetchone()[0])
        except sqlite3.OperationalError:  # killed before it had tables
            return 0


def descendants(pid: int) -> list[int]:
    """Children of a process, and theirs."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [one for child in children for one in descendants(child)]


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def outliving(workers: list[int]) -> int:
    """How many of the processes are still there when they should have noticed that their coordinator is gone."""
    deadline = time.monotonic() + LONGEST_ORPHAN_S
    while time.monotonic() < deadline and any(map(alive, workers)):
        time.sleep(0.05)
    return sum(map(alive, workers))


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def scores(folder: Path) -> dict[str, str]:
    """The score tables as text, by job, without times and machines."""
    from dualres.bench.campaign.ledger import Ledger

    with Ledger(folder / "ledger.sqlite", create=False) as ledger:
        found = {key: ledger.outcome(key) for key in sorted(ledger.jobs())}
    return {
        key: json.dumps([key, o.classes, o.recordings, o.truth, o.windows, o.scores, [s.loss for s in o.history]])
        for key, o in found.items()
    }


LONGEST_S = 1800.0  # of a storm: a coordinator that never ends must not hold up everything
ATTACKS = [
    Attack("local", "kills in a campaign of processes", partial(storms, Plan()), (), LONGEST_S, each=Plan.kills),
    Attack("ray", "kills in a campaign on Ray", partial(storms, Plan("ray")), ("ray",), LONGEST_S, each=Plan.kills),
]

if __name__ == "__main__":
    if sys.argv[1:2] == [COORDINATE]:
        coordinate(Path(sys.argv[2]), Plan(**json.loads(sys.argv[3])))
    else:
        main(__doc__, ATTACKS)

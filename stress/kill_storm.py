"""Does a campaign survive anything? Prints JSON.

A campaign of small jobs on the rig is run twice: once undisturbed, and once while its coordinator, its workers or both
are killed with SIGKILL at random moments and the coordinator is started again; with Ray, its workers. In the end every
job must be in the ledger exactly once, and the scores must be the same to the last byte.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, product
from pathlib import Path

METHODS = ("itransformer", "crossformer", "patchtst")
BUDGETS = ((1, 1), (1, 2), (2, 1), (2, 2))  # recordings per class x windows per recording
UPDATES = (1, 2)
JUDGED = 4  # recordings
SHARE_BY_TIME, LONGEST_PAUSE_S = 0.3, 5.0
POLL_S, LITTLE_S = 0.05, 0.4  # a little: about a job
LONGEST_ORPHAN_S = 60.0  # a worker that is still importing when its coordinator dies notices afterwards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=200, help="jobs of the campaign")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--executor", choices=["local", "ray"], default="local", help="of the disturbed campaign")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and the victims")
    parser.add_argument("--coordinate", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.coordinate:
        coordinate(arguments.coordinate, arguments.jobs, arguments.workers, arguments.executor)
        return
    with tempfile.TemporaryDirectory() as folder:
        result = compare(Path(folder), arguments)
    print(json.dumps(result, indent=1))
    sys.exit(0 if result["passed"] else 1)


def compare(folder: Path, arguments: argparse.Namespace) -> dict[str, object]:
    """Both campaigns, and whether they agree."""
    calm, stormy = folder / "calm", folder / "stormy"
    begin = time.perf_counter()
    coordinate(calm, arguments.jobs, arguments.workers, "local")
    calm_s = time.perf_counter() - begin
    storm = rage(stormy, arguments)
    expected, found = scores(calm), scores(stormy)
    once = len(expected) == len(found) == arguments.jobs and expected.keys() == found.keys()
    return {
        "jobs": arguments.jobs,
        "executor": arguments.executor,
        "kills": storm.kills,
        "starts": storm.starts,
        "orphans": storm.orphans,
        "calm_s": round(calm_s, 1),
        "storm_s": round(time.perf_counter() - begin - calm_s, 1),
        "every_job_once": once,
        "scores_identical": expected == found,
        "scores_sha256": sha256("".join(found.values()).encode()).hexdigest(),
        "passed": once and expected == found and not storm.orphans and storm.killed >= arguments.kills,
    }


def coordinate(folder: Path, count: int, workers: int, executor: str) -> None:
    """What a coordinator does: whatever is missing of the campaign."""
    from dualres.campaign.executors import Executor
    from dualres.campaign.ledger import Ledger
    from dualres.campaign.local import LocalExecutor
    from dualres.campaign.run import run

    engine: Executor
    if executor == "ray":
        from dualres.campaign.ray_executor import RayExecutor

        engine = RayExecutor(Path("stores"), folder, address=None, jobs=workers, device="cpu")
    else:
        engine = LocalExecutor(workers, Path("stores"), folder)
    with Ledger(folder / "ledger.sqlite") as ledger:
        summary = run(campaign(count), ledger, engine)
    if summary.failed:
        sys.exit(f"{summary.failed[0].job.title}: {summary.failed[0].reason}")


def campaign(count: int):
    """So many different small jobs."""
    from dualres.campaign.job import Job
    from dualres.config import Recipe
    from dualres.datasets.budget import Budget
    from dualres.datasets.folds import load_fold

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


def rage(folder: Path, arguments: argparse.Namespace) -> Storm:
    """Run the campaign to its end, and kill at random moments until there were enough kills."""
    chance = random.Random(arguments.seed)
    storm = Storm({"worker": 0, "coordinator": 0, "both": 0})
    numbers = ["--jobs", str(arguments.jobs), "--workers", str(arguments.workers), "--executor", arguments.executor]
    while True:
        with subprocess.Popen([sys.executable, __file__, "--coordinate", str(folder), *numbers]) as coordinator:
            storm.starts += 1
            while storm.killed < arguments.kills and disturb(coordinator, folder, chance, storm, arguments):
                pass
            status = coordinator.wait()
        if status != -signal.SIGKILL:
            return storm


def disturb(
    coordinator: subprocess.Popen[bytes],
    folder: Path,
    chance: random.Random,
    storm: Storm,
    arguments: argparse.Namespace,
) -> bool:
    """Wait, then kill; False when the coordinator is gone."""
    if not await_moment(coordinator, folder, chance, arguments.kills - storm.killed, arguments):
        return False
    workers = descendants(coordinator.pid)
    if arguments.executor == "ray":  # whose own processes are Ray's to look after
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
    coordinator: subprocess.Popen[bytes], folder: Path, chance: random.Random, kills: int, arguments: argparse.Namespace
) -> bool:
    """Wait for some jobs to finish, or, more seldom, for some time, such as that in which a coordinator starts; then a
    little more. The jobs that are left must last for the kills that are left. False when the coordinator is gone.
    """
    before = finished(folder)
    jobs = chance.randrange(max(1, (arguments.jobs - before) // kills))
    seconds = chance.uniform(0, LONGEST_PAUSE_S) if chance.random() < SHARE_BY_TIME else float("inf")
    end = time.monotonic() + seconds
    while (done := finished(folder)) - before < jobs and time.monotonic() < end:
        if coordinator.poll() is not None:
            return False
        time.sleep(POLL_S)
    if arguments.jobs - done > kills + 2 * arguments.workers:
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
    from dualres.campaign.ledger import Ledger

    with Ledger(folder / "ledger.sqlite", create=False) as ledger:
        found = {key: ledger.outcome(key) for key in sorted(ledger.jobs())}
    return {
        key: json.dumps([key, o.classes, o.recordings, o.truth, o.windows, o.scores, [s.loss for s in o.history]])
        for key, o in found.items()
    }


if __name__ == "__main__":
    main()

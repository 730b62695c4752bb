"""How long does a campaign on a GPU take, by processes that share it and by one that fits networks side by side?

The jobs are those of all methods that make updates, on every fold of a dataset, with one seed. `processes_s` is by four
processes with a fit each, as published results were made, `side_by_side_s` as `dualres bench run` does it. Both begin
with nothing resampled and no kernel compiled. `differing` names the jobs whose weights, losses or scores are not the
same by both ways, to the last bit. Prints JSON, and on the error channel what is finished.

A way is measured in a process of its own and kept in `--dir`, so that the ways can be measured one after the other by
`--ways`, and what is there already is compared. `--former` is the `src` of an earlier version for the processes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from safetensors.numpy import load_file

from dualres.campaign.executors import FITS_TOGETHER
from dualres.campaign.job import Job
from dualres.campaign.ledger import Ledger
from dualres.campaign.local import LocalExecutor, local_executor
from dualres.campaign.run import State, run
from dualres.campaign.studies import folds_of
from dualres.config import Recipe
from dualres.datasets.budget import Budget
from dualres.datasets.folds import load_fold
from dualres.methods import NAMES
from dualres.methods.catalogue import entry

PROCESSES, SIDE_BY_SIDE = WAYS = ("processes", "side_by_side")
AT_ONCE = 4  # of the processes
SEED, BUDGET = 41, Budget(3, 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", type=Path, help="folder of prepared datasets")
    parser.add_argument("--dir", type=Path, required=True, help="an empty folder, or one of an earlier call")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--dataset", default="phm2009")
    parser.add_argument("--methods", nargs="+", choices=NAMES, default=[name for name in NAMES if entry(name).trains])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--former", type=Path, help="src of an earlier version, for the processes")
    parser.add_argument("--here", choices=WAYS, help=argparse.SUPPRESS)  # measure this way in this process
    arguments = parser.parse_args()
    if arguments.here:
        measure(arguments)
        return
    for way in arguments.ways:
        sources = arguments.former if way == PROCESSES and arguments.former else Path(__file__).parents[1] / "src"
        folder = arguments.dir / way
        settings = {"PYTHONPATH": str(sources.absolute()), "TRITON_CACHE_DIR": str(folder.absolute() / "triton")}
        command = [sys.executable, __file__, *sys.argv[1:], "--here", way]
        subprocess.run(command, check=True, env=os.environ | settings)
    print(json.dumps(compared(arguments.dir)))


def planned(arguments: argparse.Namespace) -> list[Job]:
    """The jobs, those of DualRes first, as in the paper's order."""
    return [
        Job(
            arguments.dataset,
            fold,
            load_fold(fold).hash,
            BUDGET,
            method,
            Recipe(arguments.updates),
            SEED,
            device=arguments.device,
        )
        for method in arguments.methods
        for fold in folds_of(arguments.dataset)
    ]


def measure(arguments: argparse.Namespace) -> None:
    """Run the jobs by one way and keep what came of it."""
    way, folder = arguments.here, arguments.dir / arguments.here
    folder.mkdir(parents=True)
    begin, told = time.perf_counter(), 0

    def report(state: State) -> None:
        nonlocal told
        for one in state.so_far.ended[told:]:
            print(
                f"{time.perf_counter() - begin:7.1f} s {way}: {one.job.title} {one.reason or 'done'}", file=sys.stderr
            )
        told = len(state.so_far.ended)

    if way == PROCESSES:
        executor = LocalExecutor(AT_ONCE, arguments.stores, folder, FITS_TOGETHER)
    else:
        executor = local_executor(arguments.stores, folder, jobs=None, threads=1, device=arguments.device)
    jobs = planned(arguments)
    with Ledger(folder / "ledger.sqlite") as ledger:
        summary = run(jobs, ledger, executor, report)
        seconds = time.perf_counter() - begin
        there = ledger.keys()
        outcomes = {job.title: (job.key, ledger.outcome(job.key)) for job in jobs if job.key in there}
    found = {
        "seconds": round(seconds, 2),
        "updates": arguments.updates,
        "failed": {one.job.title: one.reason for one in summary.failed},
        "machine": next((outcome.facts["machine"] for _, outcome in outcomes.values()), None),
        "fit_s": {title: round(outcome.facts["cost"]["fit_s"], 2) for title, (_, outcome) in outcomes.items()},
        "judge_s": {title: round(outcome.facts["judge_s"], 2) for title, (_, outcome) in outcomes.items()},
        "weights": {title: weights(folder / "models" / f"{key}.safetensors") for title, (key, _) in outcomes.items()},
        "losses": {title: [step.loss for step in outcome.history] for title, (_, outcome) in outcomes.items()},
        "scores": {title: outcome.scores for title, (_, outcome) in outcomes.items()},
    }
    (folder / "found.json").write_text(json.dumps(found))


def weights(path: Path) -> str:
    """A hash of all tensors of a model file; its card tells the time of the fit, which is never the same."""
    digest = hashlib.sha256()
    for name, array in sorted(load_file(path).items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def compared(folder: Path) -> dict[str, object]:
    """What was measured so far, and where both ways were, how they compare."""
    ways = {way: folder / way / "found.json" for way in WAYS}
    found = {way: json.loads(path.read_text()) for way, path in ways.items() if path.exists()}
    result: dict[str, object] = {"ways": list(found)}
    for way, one in found.items():
        result |= {f"{way}_s": one["seconds"]}
        result |= {f"{way}_{part}": one[part] for part in ("updates", "machine", "failed", "fit_s", "judge_s")}
    if len(found) == len(WAYS):
        one, other = found.values()
        parts = ("weights", "losses", "scores")
        titles = sorted({*one["weights"], *other["weights"]})
        result["side_by_side_over_processes"] = round(other["seconds"] / one["seconds"], 3)
        result["same"] = sum(all(one[p].get(t) == other[p].get(t) for p in parts) for t in titles)
        result["differing"] = {
            t: lack for t in titles if (lack := [p for p in parts if one[p].get(t) != other[p].get(t)])
        }
    return result


if __name__ == "__main__":
    main()

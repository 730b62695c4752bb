"""How long does a campaign on a GPU take, and how long did it take by an earlier version? Prints JSON.

The campaign is one seed of a study on one dataset, by default the paper's nine methods on PHM2009, run as a command,
`dualres bench run`, from its start to its end: with nothing resampled before and no kernel compiled. `former_s` is by
the package whose `src` is given as `--former`, `now_s` by this one, and `now_over_former` compares them; each has what
its jobs report of their time, and their macro-F1. A version that is stopped at `--limit` has no `status`; where it is
the former one, the ratio is an upper bound.

What was measured is kept in `--dir`, so that the versions may be measured in two calls; the second one compares them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.methods import NAMES

FORMER, NOW = VERSIONS = ("former", "now")
SOURCES = Path(__file__).parents[1] / "src"
FOUND = "found.json"  # what a version left in its folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", type=Path, help="folder of prepared datasets")
    parser.add_argument("--dir", type=Path, required=True, help="an empty folder, or one of an earlier call")
    parser.add_argument("--former", type=Path, help="src of an earlier version; without it, this one alone is measured")
    parser.add_argument("--only", choices=VERSIONS, help="measure one of the versions in this call")
    parser.add_argument("--study", default="published")
    parser.add_argument("--dataset", default="phm2009")
    parser.add_argument("--budget", default="3x4")
    parser.add_argument("--seed", default="41")
    parser.add_argument("--methods", default=",".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="the study's reduced size")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", help="processes; by default as many as the version takes by itself")
    parser.add_argument("--limit", type=float, help="seconds after which a version is stopped")
    arguments = parser.parse_args()
    if arguments.only == FORMER and not arguments.former:
        parser.error("--only former: its src is needed, as --former")
    sources = {FORMER: arguments.former, NOW: SOURCES}
    for version in [arguments.only] if arguments.only else VERSIONS:
        if sources[version] and not (arguments.dir / version / FOUND).exists():
            measure(arguments, sources[version], arguments.dir / version)
    print(json.dumps(compared(arguments.dir)))


def measure(arguments: argparse.Namespace, sources: Path, folder: Path) -> None:
    """Run the campaign by one version and keep what came of it."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "dualres.cli", "bench", "run", arguments.study, "--stores", str(arguments.stores)]
    command += ["--dir", str(folder), "--datasets", arguments.dataset, "--budgets", arguments.budget]
    command += ["--seeds", arguments.seed, "--methods", arguments.methods, "--device", arguments.device]
    command += ["--jobs", arguments.jobs] if arguments.jobs else []
    command += ["--quick"] if arguments.quick else []
    caches = {name: str(folder.absolute() / "compiled" / name) for name in ("TRITON_CACHE_DIR", "NUMBA_CACHE_DIR")}
    paths = os.pathsep.join([str(sources.absolute()), *filter(None, [os.environ.get("PYTHONPATH")])])
    begin = time.perf_counter()
    with subprocess.Popen(command, env=os.environ | caches | {"PYTHONPATH": paths}, stdout=sys.stderr) as running:
        try:
            status: int | None = running.wait(arguments.limit)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)  # what is finished is kept
            status = None
        seconds = round(time.perf_counter() - begin, 2)
    (folder / FOUND).write_text(json.dumps({"seconds": seconds, "status": status, **told(folder)}))


def told(folder: Path) -> dict[str, Any]:
    """What the jobs of a ledger say of themselves, by their titles."""
    with Ledger(folder / "ledger.sqlite") as ledger:
        outcomes = {job.title: ledger.outcome(key) for key, job in ledger.jobs().items()}
    return {
        "finished": len(outcomes),
        "machine": next((outcome.facts["machine"] for outcome in outcomes.values()), None),
        "fit_s": {title: round(outcome.facts["cost"]["fit_s"], 2) for title, outcome in outcomes.items()},
        "judge_s": {title: round(outcome.facts["judge_s"], 2) for title, outcome in outcomes.items()},
        "macro_f1": {title: round(outcome.macro_f1, 4) for title, outcome in outcomes.items()},
    }


def compared(folder: Path) -> dict[str, Any]:
    """What was measured so far, and where both versions were, how they compare."""
    paths = {version: folder / version / FOUND for version in VERSIONS}
    found = {version: json.loads(path.read_text()) for version, path in paths.items() if path.exists()}
    result: dict[str, Any] = {}
    for version, one in found.items():
        result |= {f"{version}_s": one.pop("seconds")} | {f"{version}_{part}": value for part, value in one.items()}
    if len(found) == len(VERSIONS) and result["now_status"] == 0 and not result["former_status"]:
        result["now_over_former"] = round(result["now_s"] / result["former_s"], 3)
    return result


if __name__ == "__main__":
    main()

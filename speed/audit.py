"""How long does an audit of simulated recordings take, in how much memory, and how far is it from its transforms?

The rounds that hold out a fifth of the recordings each are audited as `dualres audit` does, on one thread; the default
is 40 recordings of a minute. `cpu_s` is processor time, as others may use the machine too. `floor_s` is that of the
same transforms alone, each by the fastest library that is installed, on numbers at random. With `--against TREE`,
another source tree audits the same recordings in turns with this one, and has to find the same; `ratio` is the median
over turns of this tree's time over the other's. Prints JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
ROUNDS = 5
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
Tally = Counter[tuple[str, int, int]]  # transforms by kind, size and how many at once


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each")
    parser.add_argument("--machine", type=int, default=10, help="the first simulated machine; it says the rate")
    parser.add_argument("--against", type=Path, help="the root of another source tree, built")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", type=Path, help=argparse.SUPPRESS)  # these recordings, in a process of its own
    parser.add_argument("--tally", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(audited(arguments.only, tally=arguments.tally)))
        return
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        folder = Path(temporary)
        rate = simulated(folder, arguments.recordings, arguments.seconds, arguments.machine)
        trees = {"here": HERE, **({"there": arguments.against.resolve()} if arguments.against else {})}
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in trees}
        for _ in range(arguments.repeats):
            for name, tree in trees.items():
                runs[name].append(child(tree, folder))
        if len({one["findings"] for each in runs.values() for one in each}) > 1:
            sys.exit("the two trees find different things")
        counted = child(HERE, folder, "--tally")
    floor_s = sum(times * fastest(*what) for *what, times in counted["transforms"])
    found: dict[str, object] = {
        "recordings": arguments.recordings,
        "seconds": arguments.seconds,
        "rate": rate,
        "rounds": ROUNDS,
        "load": round(os.getloadavg()[0], 1),
        "floor_s": round(floor_s, 2),
        "transforms": sum(many * times for _, _, many, times in counted["transforms"]),
    }
    for name, each in runs.items():
        found[f"{name}_cpu_s"] = [one["cpu_s"] for one in each]
        found[f"{name}_peak_mb"] = max(one["peak_mb"] for one in each)
    found["over_floor"] = round(statistics.median(one["cpu_s"] for one in runs["here"]) / floor_s, 2)
    if arguments.against:
        both = zip(runs["here"], runs["there"], strict=True)
        found["ratio"] = round(statistics.median(a["cpu_s"] / b["cpu_s"] for a, b in both), 3)
    print(json.dumps(found, indent=1))


def child(tree: Path, folder: Path, *words: str) -> dict[str, Any]:
    own = os.environ | ONE_THREAD | {"PYTHONPATH": str(tree / "src")}
    command = [sys.executable, str(Path(__file__).resolve()), "--only", str(folder), *words]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, env=own).stdout)
    return found


def simulated(folder: Path, count: int, seconds: float, number: int) -> int:
    """Signals of simulated machines of one rate, from number `number` on, in files; the rate is returned."""
    import numpy as np

    from dualres.simulated import machines

    rate, listed = machines.machine(number).rate, list[tuple[str, str]]()
    while len(listed) < count:
        made = replace(machines.machine(number), seconds=seconds, rate=rate)
        each = machines.recordings(made)
        for i in np.random.default_rng(0).permutation(len(each))[: count - len(listed)].tolist():
            np.save(folder / f"{len(listed)}.npy", each[i].signal)
            listed.append((each[i].id, str(each[i].label)))
        number += 1
    (folder / "recordings.json").write_text(json.dumps({"rate": rate, "recordings": listed}))
    return rate


def audited(folder: Path, *, tally: bool) -> dict[str, Any]:
    """By the tree that is imported here."""
    import numpy as np

    from dualres.audit import Split, audit_splits
    from dualres.recordings.recording import Recording
    from dualres.utils.malloc import keep_freed_memory

    keep_freed_memory()  # as the command does
    known = json.loads((folder / "recordings.json").read_text())
    recordings = [
        Recording(id, partial(np.load, folder / f"{i}.npy"), Fraction(known["rate"]), label)
        for i, (id, label) in enumerate(known["recordings"])
    ]
    ids = [one.id for one in recordings]
    splits = [
        Split(tuple(id for i, id in enumerate(ids) if i % ROUNDS != k), tuple(sorted(ids[k::ROUNDS])), "recording")
        for k in range(ROUNDS)
    ]
    counted: Tally = Counter()
    for kind in ("rfft", "irfft") if tally else ():
        setattr(np.fft, kind, partial(counting, getattr(np.fft, kind), kind, counted))
    before = time.process_time()
    findings = audit_splits(recordings, splits)
    spent = time.process_time() - before
    said = repr([(f.kind, f.message, f.recordings, sorted(f.evidence.items()), f.rounds) for f in findings])
    (peak,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return {
        "cpu_s": round(spent, 2),
        "peak_mb": round(int(peak.split()[1]) * 1024 / 1e6),
        "findings": hashlib.sha256(said.encode()).hexdigest(),
        "transforms": [[*what, times] for what, times in counted.items()],
    }


def counting(transform: Callable[..., Any], kind: str, counted: Tally, values: Any, size: int | None = None) -> Any:
    """The transform itself, and a note of what it was."""
    length = size or values.shape[-1]
    counted[kind, length, values.size // values.shape[-1]] += 1
    return transform(values, size)


def fastest(kind: str, size: int, many: int) -> float:
    """Processor seconds of so many transforms at once, by the fastest library here, the best of three times."""
    import numpy as np

    values = np.random.default_rng(0).standard_normal((many, size)).astype(np.float32)
    if kind == "irfft":
        values = np.fft.rfft(values)
    ways: list[Callable[[], object]] = [partial(getattr(np.fft, kind), values, size)]
    if find_spec("scipy"):
        import scipy.fft

        ways.append(partial(getattr(scipy.fft, kind), values, size))
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        ways.append(partial(getattr(torch.fft, kind), torch.from_numpy(values), size))
    best = float("inf")
    for way in 3 * ways:
        before = time.process_time()
        way()
        best = min(best, time.process_time() - before)
    return best


if __name__ == "__main__":
    main()

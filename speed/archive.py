"""How fast does `dualres diagnose FOLDER -o FILE` judge an archive of short recordings? Prints JSON.

The floor is measured in the same run, in turns with the archive and by as many processes at once as judge it: decoding
by the library alone (libsndfile, `numpy.loadtxt`), resampling and windows by the kernel, and nothing else. `ratio` is
the throughput of the whole command, start and end included, over the floor's; `ratio_cpu` is that by the time of
processors, for a machine that others use, too. The names are many and the files few:
hard links, so that the disk holds a thousand of them.

By default the files are WAV; `--kind csv` writes numbers as text. `--ray` adds the same over Ray with one worker and
with two. `peak_mib` are of the command and of its largest process. `slope_ms` is what a further file costs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

import many_files
from dualres.judge.model import Model, load
from dualres.judge.turning import labelled_speeds
from dualres.judge.verdict import at_model_rate
from dualres.kernel.threads import limit_threads
from dualres.recordings.windows import evenly
from dualres.utils.malloc import keep_freed_memory

HERE = Path(__file__).parents[1]
BEGIN, END = "<!-- archives -->\n", "<!-- end of archives -->\n"
DISTINCT = 1000
IN_A_FOLDER = 1000  # names, so that no folder is slow to list
FLOOR_FILES = 300  # whose floor is measured, by each process in each turn
YEAR_FILES = 10_000 * 24 * 365  # of ten thousand sensors, a recording each an hour


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--kind", choices=("wav", "csv"), default="wav")
    parser.add_argument("--suffix", choices=(".csv", ".jsonl", ".parquet"), default=".jsonl")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeats", type=int, default=3, help="of every size; of 100,000 files one is enough")
    parser.add_argument("--ray", type=int, metavar="FILES", help="judge so many over Ray, too")
    parser.add_argument("--page", type=Path, metavar="JSON", help="only write docs/speed.md anew from what was printed")
    parser.add_argument("--floor-of", type=Path, nargs="+", help=argparse.SUPPRESS)  # what a process of the floor does
    given = parser.parse_args()
    if given.floor_of:
        print(json.dumps(floor_ms(given.floor_of[0], given.floor_of[1:])))
        return
    if given.page:
        write_page(json.loads(given.page.read_text()))
        return
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        folder = Path(temporary)
        model = many_files.written(folder, DISTINCT)
        distinct = sorted((folder / "many").iterdir())
        if given.kind == "csv":
            distinct = [as_text(path) for path in distinct]
        sizes = []
        for files in given.files:
            sizes.append(measured(folder, model, linked(distinct, folder / str(files), files), given))
            print(json.dumps(sizes[-1]), file=sys.stderr, flush=True)
        found: dict[str, Any] = {"kind": given.kind, "suffix": given.suffix, "seconds": many_files.SECONDS}
        found |= {"processes": given.processes, "distinct": DISTINCT, "sizes": sizes}
        if len(sizes) > 1:
            first, last = sizes[0], sizes[-1]
            more = last["files"] - first["files"]
            found["slope_ms"] = round(1000 * (last["wall_s"] - first["wall_s"]) / more, 4)
            found["slope_cpu_ms"] = round(1000 * (last["cpu_s"] - first["cpu_s"]) / more, 4)
            found["slope_peak_bytes"] = round(2**20 * (last["peak_mib"] - first["peak_mib"]) / more, 1)
            found["year"] = year(found["slope_cpu_ms"])
        if given.ray:
            found["ray"] = over_ray(folder, model, linked(distinct, folder / "ray", given.ray), given)
        print(json.dumps(found, indent=1))


def measured(folder: Path, model: Path, archive: Path, given: argparse.Namespace) -> dict[str, Any]:
    """The archive and its floor, in turns."""
    some = [str(path) for path in sorted(archive.rglob(f"*.{given.kind}"))[:FLOOR_FILES]]
    files, turns = sum(1 for _ in archive.rglob(f"*.{given.kind}")), []
    for turn in range(given.repeats):
        results = folder / f"verdicts{turn}{given.suffix}"
        before = floor_of(model, some, given.processes)
        spent = command_s(["diagnose", str(model), str(archive), "-o", str(results)], given.processes)
        after = floor_of(model, some, given.processes)
        spent |= {name: (before[name] + after[name]) / 2 for name in before}
        spent["bytes"] = results.stat().st_size
        turns.append(spent)
        results.unlink()
    found = {name: round(statistics.median(one[name] for one in turns), 4) for name in turns[0]}
    found["file_ms"] = round(1000 * found["wall_s"] / files, 4)  # of the clock, by all processes
    found["file_cpu_ms"] = round(1000 * found["cpu_s"] / files, 4)
    ratios = [one["floor_ms"] / given.processes / (1000 * one["wall_s"] / files) for one in turns]
    busy = [one["cpu_s"] / one["wall_s"] for one in turns]
    cpu = [one["floor_cpu_ms"] / (1000 * one["cpu_s"] / files) for one in turns]
    found |= {"ratio": round(statistics.median(ratios), 3), "ratio_cpu": round(statistics.median(cpu), 3)}
    return {"files": files, **found, "cores_busy": round(max(busy), 2)}


def floor_of(model: Path, files: Sequence[str], processes: int) -> dict[str, float]:
    """Milliseconds a file of one process, by the clock and of a processor, the mean of so many that run at once."""
    command = [sys.executable, __file__, "--floor-of", str(model), *files]
    own = os.environ | {"PYTHONPATH": str(HERE / "src"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, env=own) for _ in range(processes)]
    found = [json.loads(one.communicate()[0]) for one in running]
    return {name: statistics.mean(one[name] for one in found) for name in found[0]}


def floor_ms(path: Path, files: Sequence[Path]) -> dict[str, float]:
    """Milliseconds a file: decoded, resampled, and its windows judged by the kernel on one thread."""
    keep_freed_memory()
    limit_threads(1)
    model = load(path)
    one_by_one(model, files[:20])
    begin, spent = time.perf_counter(), time.process_time()
    one_by_one(model, files)
    wall, cpu = time.perf_counter() - begin, time.process_time() - spent
    return {"floor_ms": 1000 * wall / len(files), "floor_cpu_ms": 1000 * cpu / len(files)}


def one_by_one(model: Model, files: Sequence[Path]) -> None:
    window, knows_orders = model.card.config.window, labelled_speeds(model) is not None
    for path in files:
        if path.suffix == ".wav":
            signal, rate = soundfile.read(path, dtype="int16")
        else:
            signal, rate = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1], many_files.RATE
        whole = at_model_rate(model, signal.astype(np.float32), rate)
        starts = evenly(0, 1 + (len(whole) - window) // (window // 2), window // 2)
        windows = np.lib.stride_tricks.sliding_window_view(whole, window)[list(starts)]
        model.scores(windows, None, np.full(len(windows), np.nan) if knows_orders else None)


def command_s(words: list[str], threads: int) -> dict[str, float]:
    """Seconds of a command, those of processors with its children's, and its memory at most."""
    own = os.environ | {"PYTHONPATH": str(HERE / "src"), "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}
    watched = [sys.executable, "-c", WATCHED, *words]
    done = subprocess.run(watched, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=own)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


# Its own process, so that the largest of the children is the command or one of its workers.
WATCHED = """
import json, os, resource, subprocess, sys, time
begin = time.perf_counter()
subprocess.run([sys.executable, "-m", "dualres.cli", *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
wall, spent = time.perf_counter() - begin, os.times()
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(json.dumps({"wall_s": wall, "cpu_s": spent.children_user + spent.children_system, "peak_mib": peak}))
"""


def over_ray(folder: Path, model: Path, archive: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Seconds by one worker and by two, from the first verdict on: the start of Ray is no part of it."""
    found: dict[str, Any] = {"files": sum(1 for _ in archive.rglob(f"*.{given.kind}"))}
    taken: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(given.repeats):
        for workers, each in taken.items():
            own = os.environ | {"PYTHONPATH": str(HERE / "src"), "OMP_NUM_THREADS": "1"}
            words = [str(model), str(archive), str(workers)]
            done = subprocess.run([sys.executable, "-c", BY_RAY, *words], check=True, stdout=subprocess.PIPE, env=own)
            each.append(float(done.stdout.splitlines()[-1]))
    found |= {f"workers_{workers}_s": round(statistics.median(each), 3) for workers, each in taken.items()}
    found["gain"] = round(statistics.median(a / b for a, b in zip(taken[1], taken[2], strict=True)), 3)
    return found


BY_RAY = """
import sys, time
from pathlib import Path
from dualres.judge.files import judge_files_by_ray
from dualres.judge.model import load
from dualres.recordings.labels.rows_to_judge import RowsToJudge
rows = RowsToJudge([Path(sys.argv[2])])
begin = None
for number, one in enumerate(judge_files_by_ray(load(sys.argv[1]), rows, None, None, cpus=int(sys.argv[3]))):
    if number == 200:
        begin = time.perf_counter()
print(time.perf_counter() - begin)
"""


def year(file_cpu_ms: float) -> dict[str, float]:
    """What a recording an hour of each of ten thousand sensors takes for a year, on paper."""
    hours = YEAR_FILES * file_cpu_ms / 3.6e6
    return {"files": YEAR_FILES, "core_hours": round(hours, 1), "cores": round(hours / (24 * 365), 4)}


def section(found: dict[str, Any]) -> str:
    """What stands in docs/speed.md of the figures."""
    rows = ["| files | a file, ms | of processors, ms | floor, ms | share of the floor | by processors | peak, MiB |"]
    rows.append("|---|---|---|---|---|---|---|")
    for one in found["sizes"]:
        figures = (one[name] for name in ("file_ms", "file_cpu_ms", "floor_cpu_ms", "ratio", "ratio_cpu", "peak_mib"))
        rows.append(f"| {one['files']} | {' | '.join(f'{figure:.3g}' for figure in figures)} |")
    paper = found["year"]
    said = (
        f"A further file takes {found['slope_cpu_ms']:.3g} ms of a processor and {found['slope_peak_bytes']:.0f} bytes "
        f"of memory. On paper, 10,000 sensors that each record {found['seconds']} s an hour leave {paper['files']:,} "
        f"files a year. To judge them takes {paper['core_hours']:.0f} hours of one core: "
        f"{100 * paper['cores']:.2g} % of it, all year."
    )
    return "\n".join([*rows, "", *textwrap.wrap(said, 115), ""])


def write_page(found: dict[str, Any]) -> None:
    """Put the section between its marks."""
    page = HERE / "docs" / "speed.md"
    before, rest = page.read_text().split(BEGIN)
    page.write_text(f"{before}{BEGIN}{section(found)}{END}{rest.split(END)[1]}")


def linked(distinct: Sequence[Path], folder: Path, files: int) -> Path:
    """A folder of so many names, hard links to the distinct files."""
    for number in range(files):
        place = folder / f"{number // IN_A_FOLDER:04}"
        if number % IN_A_FOLDER == 0:
            place.mkdir(parents=True)
        original = distinct[number % len(distinct)]
        os.link(original, place / f"{number % IN_A_FOLDER:04}{original.suffix}")
    return folder


def as_text(path: Path) -> Path:
    """The same signal as a table of times and values, beside it."""
    signal, rate = soundfile.read(path, dtype="int16")
    table, text = np.c_[np.arange(len(signal)) / rate, signal], path.with_suffix(".csv")
    np.savetxt(text, table, fmt=["%.7f", "%d"], delimiter=",", header="time [s],x", comments="")
    path.unlink()
    return text


if __name__ == "__main__":
    main()

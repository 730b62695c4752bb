"""Does cost grow linearly? CPU time over tokens, channels and oscillators, windows and recordings; prints JSON.

`tokens`, `width` and `states` are of the memory's scan alone (PyTorch, in chunks), with the coefficients of a network
at the start of training: each is varied while the other two stay. `windows` are scored from an array in memory;
`recordings` are WAV files (16 bit, mono) from file to verdict. Everything runs on one thread. Times are seconds of the
processor, those of the process in which files are parsed included, since other work on the machine does not add to
them; each is the best of several that take turns. `default` has the same of the network that `dualres fit` fits by
default; it searches for the speed of a recording. `rise_mb` is the peak of resident memory over what the bare imports
hold, in a fresh process for every number of windows and every recording.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch

from _default import default_network
from _timing import best_ms
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.judge.backends import scorer, weights_of
from dualres.judge.files import judge_files
from dualres.judge.model import Model
from dualres.model.kinds import kind_of
from dualres.model.memory import OscillatoryMemory
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from dualres.recordings.windows import every_window
from dualres.utils.malloc import keep_freed_memory

TOKENS = tuple(4**power for power in range(3, 9))  # 64 to 65,536; a window has 249
WIDTHS = tuple(2**power for power in range(4, 11))  # 16 to 1,024
STATES = tuple(2**power for power in range(1, 9))  # 2 to 256
FIXED = {"tokens": 1024, "width": 64, "states": 8}  # while another is varied
WINDOWS = (1, 10, 100, 1000, 10_000)
SECONDS = (1, 10, 60, 600, 3600)
RATE = 12_800  # Hz
CHUNK = 1_000_000  # samples written at a time
CALLS_S = 1.0  # a fresh process repeats short calls for so long


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, nargs="*", default=TOKENS)
    parser.add_argument("--width", type=int, nargs="*", default=WIDTHS)
    parser.add_argument("--states", type=int, nargs="*", default=STATES)
    parser.add_argument("--windows", type=int, nargs="*", default=WINDOWS)
    parser.add_argument("--seconds", type=int, nargs="*", default=SECONDS)
    parser.add_argument("--rate", type=int, default=RATE, help="of the recordings, in Hz")
    parser.add_argument("--repeats", type=int, default=30, help="turns of each scan")
    parser.add_argument("--rounds", type=int, default=5, help="fresh processes of each number of windows or seconds")
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--default", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    if arguments.point:
        print(json.dumps(point(*arguments.point, default=arguments.default)))
        return
    scans = {name: scan_points(name, getattr(arguments, name), arguments.repeats) for name in FIXED}
    with tempfile.TemporaryDirectory() as folder:
        files = {s: str(written(Path(folder) / f"{s}s.wav", s, arguments.rate)) for s in arguments.seconds}
        result = {
            "rate_hz": arguments.rate,
            "window_s": ModelConfig().window_s,
            "fixed": FIXED,
            **scans,
            "windows": fresh("windows", {n: str(n) for n in arguments.windows}, arguments.rounds),
            "recordings": fresh("seconds", files, arguments.rounds),
            "default": {
                "windows": fresh("windows", {n: str(n) for n in arguments.windows}, arguments.rounds, default=True),
                "recordings": fresh("seconds", files, arguments.rounds, default=True),
            },
        }
    print(json.dumps(result, indent=1))


def scan_points(varied: str, values: list[int], repeats: int) -> list[dict[str, float]]:
    """The scan's time for each value."""
    calls = {value: max(values) // value for value in values}  # so that turns are alike, and caches warm in all
    scans = {value: scan_of(**FIXED | {varied: value}) for value in values}
    ways = {str(value): partial(repeated, scans[value], calls[value]) for value in values}
    best = best_ms(ways, repeats, time.process_time)
    return [{varied: value, "s": round(best[str(value)] / 1000 / calls[value], 7)} for value in values]


def repeated(call: Callable[[], object], times: int) -> None:
    for _ in range(times):
        call()


def scan_of(tokens: int, width: int, states: int):
    torch.manual_seed(0)
    memory = OscillatoryMemory(ModelConfig(width=width, states=states)).eval()
    with torch.inference_mode():
        coefficients = memory.coefficients(torch.randn(1, tokens, width))
        return partial(torch.inference_mode()(memory.scan), coefficients, memory.theta(), None)


def fresh(kind: str, whats: dict[int, str], rounds: int, *, default: bool = False) -> list[dict[str, float]]:
    """The best time and the highest rise of each, of processes that take turns."""
    found: dict[int, list[dict[str, float]]] = {size: [] for size in whats}
    for _ in range(rounds):
        for size, what in whats.items():
            command = [sys.executable, __file__, "--point", kind, what, *(["--default"] if default else [])]
            environment = os.environ | {"OMP_NUM_THREADS": "1"}
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
            found[size].append(json.loads(done.stdout))
    return [
        {kind: size, "s": min(one["s"] for one in ones), "rise_mb": max(one["rise_mb"] for one in ones)}
        for size, ones in found.items()
    ]


def point(kind: str, what: str, *, default: bool) -> dict[str, float]:
    network = default_network(2) if default else weights_of(DualRes(2, seed=41))
    card = Card(("a", "b"), ModelConfig(), Recipe(), 41, POLYPHASE, {}, method=kind_of(network).method)
    model = Model((network,), card)
    before = resident_mb("VmRSS")
    if kind == "windows":
        half = ModelConfig().window // 2
        signal = np.random.default_rng(0).standard_normal((int(what) + 1) * half, dtype=np.float32)
        call = partial(scorer(model.network), every_window(signal, ModelConfig().window))
    else:
        call = partial(judged, model, Path(what))
    best, begin = [], used_s()
    while len(best) < 2 or used_s() < begin + CALLS_S:  # the first call starts the process that parses files
        best.append(best_ms({kind: call}, 1, used_s)[kind])
    rise = resident_mb("VmHWM") + sum(resident_mb("VmHWM", child) for child in children()) - before
    return {"s": round(min(best) / 1000, 6), "rise_mb": round(rise, 1)}


def judged(model: Model, path: Path) -> None:
    (found,) = judge_files(model, [path], None, None)
    if found.verdict is None:
        raise SystemExit(found.problem)


def resident_mb(field: str, process: str = "self") -> float:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(rf"^{field}:\s*(\d+) kB", status, re.MULTILINE)
    return int(found[1]) / 1000 if found else 0.0


def used_s() -> float:
    """Seconds of the processor that this process and its children have used."""
    return time.process_time() + sum(map(child_s, children()))


def child_s(process: str) -> float:
    """Nanoseconds are its scheduler's, since its clock ticks are as long as a short recording takes."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def written(path: Path, seconds: int, rate: int) -> Path:
    import soundfile

    rng = np.random.default_rng(seconds)
    with soundfile.SoundFile(path, "w", rate, 1, "PCM_16") as file:
        left = seconds * rate
        while left:
            count = min(left, CHUNK)
            file.write(0.1 * rng.standard_normal(count, dtype=np.float32))
            left -= count
    return path


if __name__ == "__main__":
    main()

"""How long do `dualres diagnose` of a recording of 4 s and `dualres --help` take from a cold start? Prints JSON.

Whole processes are timed, start and end included. Beside them stand Python alone and Python with NumPy, which a verdict
cannot be faster than. All take turns, so that a busy machine slows all of them: `over_numpy` and `help_over_numpy` are
medians of the ratios of each turn, the `cpu_` ones those of the time of processors. `modules` counts what a process has
imported, and `imports` says by whom they are and how many milliseconds they take by `-X importtime`, which itself slows
them: the least of each module. The rest is the verdict: the model's file, the recording's, and its windows.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile

from dualres.config import HELD, ModelConfig
from dualres.judge.model import Model, save
from dualres.model.kinds import VIEWS
from dualres.model.views.weights import ViewsWeights, views_shapes
from dualres.model_file.card import Card

CLASSES, RATE, SECONDS = ("good", "worn", "broken"), 12_800, 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=21)
    parser.add_argument("--python", default=sys.executable, help="of the environment to measure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        model, recording = written(Path(temporary))
        judging = ["-m", "dualres.cli", "diagnose", str(model), str(recording)]
        ways = {"diagnose": judging, "help": ["-m", "dualres.cli", "--help"]}
        ways |= {"numpy": ["-c", "import numpy"], "python": ["-c", "pass"]}
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for turn in range(arguments.repeats + 1):
            for name, words in ways.items():
                spent = process_s([arguments.python, *words])
                if turn:  # before the first, files are not yet in the system's memory
                    taken[name].append(spent)
        least = min(5, arguments.repeats)
        table = {name: imports([arguments.python, "-X", "importtime", *each], least) for name, each in ways.items()}
    found = {f"{name}_s": round(statistics.median(wall for wall, _ in each), 3) for name, each in taken.items()}
    best = {f"best_{name}_s": round(min(wall for wall, _ in each), 3) for name, each in taken.items()}
    cpu = {f"cpu_{name}_s": round(statistics.median(cpu for _, cpu in each), 3) for name, each in taken.items()}
    ratios: dict[str, float] = {}
    for name, ahead in (("diagnose", ""), ("help", "help_")):
        both = list(zip(taken[name], taken["numpy"], strict=True))
        ratios[f"{ahead}over_numpy"] = round(statistics.median(a[0] / b[0] for a, b in both), 2)
        ratios[f"cpu_{ahead}over_numpy"] = round(cpu[f"cpu_{name}_s"] / max(cpu["cpu_numpy_s"], 0.01), 2)
    modules = {name: sum(count for count, _ in each.values()) for name, each in table.items()}
    shown = {
        name: {whose: [count, round(ms, 1)] for whose, (count, ms) in each.items()} for name, each in table.items()
    }
    whole = {"seconds": SECONDS, "repeats": arguments.repeats, **found, **best, **cpu, **ratios}
    print(json.dumps({**whole, "modules": modules, "imports": shown}))


def imports(command: list[str], repeats: int) -> dict[str, tuple[int, float]]:
    """Modules that a command imports, and milliseconds, by whose they are; the least of each over repeats."""
    least: dict[str, float] = {}
    for _ in range(repeats):
        told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        for own, name in re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", told, re.MULTILINE):
            least[name] = min(least.get(name, float("inf")), int(own) / 1000)
    found: dict[str, tuple[int, float]] = {}
    for name, ms in least.items():
        first = name.partition(".")[0]
        whose = "standard library" if first in sys.stdlib_module_names else first
        count, sum_ms = found.get(whose, (0, 0.0))
        found[whose] = count + 1, sum_ms + ms
    return dict(sorted(found.items(), key=lambda one: -one[1][1]))


def process_s(command: list[str]) -> tuple[float, float]:
    """Seconds from its start to its end, and those of processors, of its children as well."""
    before, begin = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - begin, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, max(0.0, spent)


def written(folder: Path) -> tuple[Path, Path]:
    """A model of views whose heads know little, and a recording of noise."""
    rng, config = np.random.default_rng(0), ModelConfig()
    arrays = {
        name: 0.01 * rng.standard_normal(shape).astype(np.float32)
        for name, shape in views_shapes(config, len(CLASSES)).items()
    }
    for name in arrays:
        if name.endswith((".scale", ".sharpness", ".offsets")):
            arrays[name] = np.abs(arrays[name]) + np.float32(1)
    card = Card(CLASSES, config, None, 0, HELD, dict.fromkeys(CLASSES, 1.0), method=VIEWS.method)
    save(Model((ViewsWeights(config, arrays),), card), folder / "model.safetensors")
    soundfile.write(folder / "pump.wav", 0.1 * rng.standard_normal(SECONDS * RATE), RATE)
    return folder / "model.safetensors", folder / "pump.wav"


if __name__ == "__main__":
    main()

"""How long does `dualres diagnose` take from a cold start, for a recording of 4 s? Prints JSON.

A whole process is timed, start and end included. Beside it stand Python alone and Python with NumPy, which it cannot
be faster than. It takes turns with them, so that a busy machine slows all of them.
"""

import argparse
import json
import os
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--python", default=sys.executable, help="of the environment to measure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        model, recording = written(Path(temporary))
        judging = ["-m", "dualres.cli", "diagnose", str(model), str(recording)]
        ways = {"diagnose": judging, "numpy": ["-c", "import numpy"], "python": ["-c", "pass"]}
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for turn in range(arguments.repeats + 1):
            for name, words in ways.items():
                spent = process_s([arguments.python, *words])
                if turn:  # before the first, files are not yet in the system's memory
                    taken[name].append(spent)
    found = {f"{name}_s": round(statistics.median(wall for wall, _ in each), 3) for name, each in taken.items()}
    best = {f"best_{name}_s": round(min(wall for wall, _ in each), 3) for name, each in taken.items()}
    cpu = {f"cpu_{name}_s": round(min(cpu for _, cpu in each), 3) for name, each in taken.items()}
    over = round(statistics.median(a / b for (a, _), (b, _) in zip(taken["diagnose"], taken["numpy"], strict=True)), 2)
    print(json.dumps({"seconds": SECONDS, "repeats": arguments.repeats, **found, **best, **cpu, "over_numpy": over}))


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

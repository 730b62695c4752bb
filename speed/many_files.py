"""How long does `dualres diagnose --json` take for 1,000 WAV files of 2 s, against another source tree? Prints JSON.

Both trees judge the same files by the same model, as `dualres fit` writes it, in turns and on one thread, so that a
busy machine slows both. `ratio` is the median over turns of this tree's seconds over the other's; what they print must
be the same.
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

HERE = Path(__file__).parents[1]
RATE, SECONDS = 12_800, 2
TONES = {"good": 200.0, "worn": 700.0, "broken": 1800.0}  # Hz


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the root of another source tree, built")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    trees = {"here": HERE, **({"there": arguments.against} if arguments.against else {})}
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        folder = Path(temporary)
        model = written(folder, arguments.files)
        command = ["diagnose", str(model), str(folder / "many"), "--json"]
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in trees}
        for _ in range(arguments.repeats):
            said = {}
            for name, tree in trees.items():
                spent, said[name] = run(tree, command)
                taken[name].append(spent)
            if len(set(said.values())) > 1:
                sys.exit("the two trees say different things")
    found: dict[str, object] = {"files": arguments.files, "seconds": SECONDS, "repeats": arguments.repeats}
    for name, each in taken.items():
        found[f"{name}_s"], found[f"{name}_cpu_s"] = ([round(s, 3) for s in kind] for kind in zip(*each, strict=True))
    for key, which in (("ratio", 0), ("cpu_ratio", 1)) if arguments.against else ():
        both = zip(taken["here"], taken["there"], strict=True)
        found[key] = round(statistics.median(a[which] / b[which] for a, b in both), 3)
    print(json.dumps(found))


def run(tree: Path, words: list[str]) -> tuple[tuple[float, float], bytes]:
    """Seconds of a command of a source tree, those of processors with its children's, and what it prints."""
    own = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
    before, begin = os.times(), time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "dualres.cli", *words], check=True, capture_output=True, env=own)
    wall, after = time.perf_counter() - begin, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return (wall, spent), done.stdout


def written(folder: Path, files: int) -> Path:
    """A model of a few labelled recordings, with its calibration, and beside it the folder `many`."""
    rng = np.random.default_rng(0)
    (folder / "many").mkdir()
    for label in TONES:
        (folder / "labelled" / label).mkdir(parents=True)
        for number in range(4):
            write(folder / "labelled" / label / f"{label}{number}.wav", TONES[label] * (1 + number / 100), rng)
    for number in range(files):
        write(folder / "many" / f"{number:04}.wav", list(TONES.values())[number % len(TONES)], rng)
    run(HERE, ["fit", str(folder / "labelled"), "-o", str(folder / "model.safetensors")])
    return folder / "model.safetensors"


def write(path: Path, hz: float, rng: np.random.Generator) -> None:
    """A tone in noise."""
    time_s = np.arange(SECONDS * RATE) / RATE
    signal = 0.05 * rng.standard_normal(len(time_s)) + 0.1 * np.sin(2 * np.pi * hz * time_s)
    soundfile.write(path, signal, RATE)


if __name__ == "__main__":
    main()

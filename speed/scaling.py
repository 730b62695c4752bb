"""Does cost grow linearly? Time and memory over windows (1 to 10,000) and recording length (1 s to 1 h); prints JSON.

Each point is a fresh process with one thread. Windows are scored from an array in memory; recordings are WAV files
(16 bit, mono) from file to verdict. `rise_mb` is the peak of resident memory, that of the process in which files are
parsed included, over what the bare imports hold.
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
from pathlib import Path

import numpy as np

WINDOWS = (1, 10, 100, 1000, 10_000)
SECONDS = (1, 10, 60, 600, 3600)
RATE = 12_800  # Hz
CHUNK = 1_000_000  # samples written at a time


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--windows", type=int, nargs="*", default=WINDOWS)
    parser.add_argument("--seconds", type=int, nargs="*", default=SECONDS)
    parser.add_argument("--rate", type=int, default=RATE, help="of the recordings, in Hz")
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.point:
        print(json.dumps(point(*arguments.point)))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = [(s, written(Path(folder) / f"{s}s.wav", s, arguments.rate)) for s in arguments.seconds]
        print(
            json.dumps(
                {
                    "rate_hz": arguments.rate,
                    "windows": [{"windows": n, **fresh("windows", str(n))} for n in arguments.windows],
                    "recordings": [{"seconds": s, **fresh("recording", str(path))} for s, path in files],
                },
                indent=1,
            )
        )


def fresh(kind: str, what: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--point", kind, what]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def point(kind: str, what: str) -> dict[str, float]:
    import torch

    from dualres.config import POLYPHASE, ModelConfig, Recipe
    from dualres.file import Card, Model
    from dualres.judge_files import judge_files
    from dualres.model.network import DualRes
    from dualres.recordings.windows import every_window
    from dualres.scorers import scorer

    torch.set_num_threads(1)
    model = Model((DualRes(2, seed=41).eval(),), Card(("a", "b"), ModelConfig(), Recipe(), 41, POLYPHASE, {}))
    before = resident_mb("VmRSS")
    if kind == "windows":
        half = ModelConfig().window // 2
        signal = np.random.default_rng(0).standard_normal((int(what) + 1) * half, dtype=np.float32)
        begin = time.perf_counter()
        scorer(model.network)(every_window(signal, ModelConfig().window))
        seconds = time.perf_counter() - begin
    else:
        begin = time.perf_counter()
        (judged,) = judge_files(model, [Path(what)], None, None)
        seconds = time.perf_counter() - begin
        if judged.verdict is None:
            raise SystemExit(judged.problem)
    return {"s": round(seconds, 4), "rise_mb": round(resident_mb("VmHWM") + children_mb() - before, 1)}


def resident_mb(field: str, process: str = "self") -> float:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(rf"^{field}:\s*(\d+) kB", status, re.MULTILINE)
    return int(found[1]) / 1000 if found else 0.0


def children_mb() -> float:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return sum(resident_mb("VmHWM", child) for child in children)


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

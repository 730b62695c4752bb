"""How many instructions does a window take on 64-bit ARM, by vectors and by scalars? Emulated; prints JSON.

    python speed/aarch64.py

Exports of both kinds of networks are compiled for one lane and for four (NEON), with the same options, and run by
qemu-aarch64 with a plugin that counts (count_instructions.c). A window's count is what one more of them adds. It is
exact, and the same on every machine. It is not a time: a processor may do several instructions at once, and a vector's
may take longer. Needs Debian's gcc-aarch64-linux-gnu and qemu-user (7.2 was tried).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dualres.config import HELD, ModelConfig, Recipe
from dualres.export.compiler import STRICT
from dualres.export.destination import write_files
from dualres.export.device_network import device_of
from dualres.export.sources import copied, made
from dualres.judge.model import Model
from dualres.learn.closed_form import fit_views
from dualres.model.kinds import PAPER, VIEWS
from dualres.model.network import DualRes
from dualres.model_file.card import Card

HERE = Path(__file__).parent
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
CLASSES = 8
LANES = {"scalar": 1, "vector": 4}
AGREE = 1e-3  # of the largest logit: that either build computes what the other does, which tests hold it to closely


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=KINDS, nargs="+", default=list(KINDS), help="instead of both networks")
    arguments = parser.parse_args()
    for program in (COMPILER, EMULATOR, "cc"):
        if not shutil.which(program):
            sys.exit(f"{program} is not installed: apt install gcc-aarch64-linux-gnu qemu-user gcc")
    result = {"compiler": first_line(COMPILER), "emulator": first_line(EMULATOR), "classes": CLASSES}
    with TemporaryDirectory() as folder:
        plugin = Path(folder) / "count.so"
        output("cc", "-shared", "-fPIC", "-O2", HERE / "count_instructions.c", "-o", plugin)
        for name in arguments.only:
            model, board = KINDS[name](), Path(folder) / name
            write_files(copied(device_of(model)) | made(model, Fraction(64_000), Fraction(1), False), board)
            result |= counts(name, board, plugin)
    print(json.dumps(result))


def papers() -> Model:
    return modelled(DualRes(CLASSES, seed=41).eval(), PAPER.method)


def views() -> Model:
    noise = np.random.default_rng(41).standard_normal((2 * CLASSES, ModelConfig().window)).astype(np.float32)
    return modelled(fit_views(noise, np.arange(2 * CLASSES) % CLASSES, CLASSES), VIEWS.method)


def modelled(network: object, method: str) -> Model:
    names = tuple(f"class {i}" for i in range(CLASSES))
    recipe = Recipe() if method == PAPER.method else None
    return Model((network,), Card(names, ModelConfig(), recipe, 0, HELD, {}, method=method))


KINDS = {"paper": papers, "views": views}


def counts(name: str, board: Path, plugin: Path) -> dict[str, float]:
    """Millions of instructions of a window in either build, and how many times as many the scalar one takes."""
    millions, logits = {}, {}
    for build, lanes in LANES.items():
        program = board / build
        sources = [HERE / "judge_windows.c", board / "dualres.c", board / "dualres_model.c"]
        flags = [*STRICT, "-static", f"-DDUALRES_LANES={lanes}", "-I", board]
        output(COMPILER, *flags, *sources, "-lm", "-o", program)
        once, thrice = (counted(plugin, program, times) for times in (1, 3))
        millions[build], logits[build] = (thrice[0] - once[0]) / 2e6, once[1]
    off = np.abs(logits["scalar"] - logits["vector"]).max() / max(1.0, np.abs(logits["scalar"]).max())
    if not off < AGREE:
        sys.exit(f"{name}: the builds do not agree, they are {off:.2g} apart")
    found = {f"{name}_{build}_million": round(count, 2) for build, count in millions.items()}
    return found | {f"{name}_scalar_over_vector": round(millions["scalar"] / millions["vector"], 2)}


def counted(plugin: Path, program: Path, times: int) -> tuple[int, np.ndarray]:
    """Instructions in all, and the logits."""
    done = ran(EMULATOR, "-plugin", plugin, program, str(times))
    found = re.search(r"^instructions (\d+)$", done.stderr, re.MULTILINE)
    if not found:
        sys.exit(f"{EMULATOR} did not count; its plugins may have another interface: {done.stderr.strip()}")
    return int(found[1]), np.array(done.stdout.split(), float)


def first_line(program: str) -> str:
    return output(program, "--version").splitlines()[0]


def output(*command: str | Path) -> str:
    return ran(*command).stdout


def ran(*command: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done


if __name__ == "__main__":
    main()

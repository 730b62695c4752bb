"""What does `pip install dualres` take on disk, with all that it needs? Prints JSON.

A bare virtual environment is made, the package is installed from a wheel or from this checkout, and what came is
counted, with the bytecode that pip compiles: MB of a million bytes that files hold, and MiB of the blocks that they
take, as `du -m` counts them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
MB, MIB, BLOCK = 1_000_000, 2**20, 512


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default=str(ROOT), help="a wheel, or a folder with the source")
    parser.add_argument("--extra", default="", help="one of the package's extras, such as mat")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        subprocess.run([sys.executable, "-m", "venv", temporary], check=True)
        (packages,) = Path(temporary).glob("lib/python*/site-packages")
        before, begin = sizes(packages), time.perf_counter()
        wanted = arguments.what + (f"[{arguments.extra}]" if arguments.extra else "")
        pip = [str(Path(temporary) / "bin" / "python"), "-m", "pip", "install", "--quiet", wanted]
        subprocess.run(pip, check=True, stdout=sys.stderr)
        seconds, after = time.perf_counter() - begin, sizes(packages)
    came = {name: size for name, size in after.items() if size != before.get(name)}
    held, taken = (sum(each) for each in zip(*came.values(), strict=True))
    largest = sorted(came, key=came.__getitem__, reverse=True)[:8]
    told = {"mb": round(held / MB, 1), "mib_on_disk": round(taken / MIB, 1), "install_s": round(seconds, 1)}
    print(json.dumps({**told, "largest_mb": {name: round(came[name][0] / MB, 1) for name in largest}}))


def sizes(folder: Path) -> dict[str, tuple[int, int]]:
    """Of everything in a folder by its name there, the bytes that its files hold, and those of their blocks."""
    return {one.name: _size([file.lstat() for file in [one, *one.rglob("*")]]) for one in folder.iterdir()}


def _size(stats: list[os.stat_result]) -> tuple[int, int]:
    return sum(one.st_size for one in stats), sum(one.st_blocks * BLOCK for one in stats)


if __name__ == "__main__":
    main()

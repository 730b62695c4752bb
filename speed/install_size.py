"""What does `pip install dualres` take on disk, with all that it needs? Prints JSON, in MB of a million bytes.

A bare virtual environment is made, the package is installed from a wheel or from this checkout, and what came is
counted: the space that files take, with the bytecode that pip compiles.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
MB = 1_000_000


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
    came = {name: size - before.get(name, 0) for name, size in after.items() if size > before.get(name, 0)}
    largest = sorted(came, key=came.__getitem__, reverse=True)[:8]
    told = {name: round(came[name] / MB, 1) for name in largest}
    print(json.dumps({"mb": round(sum(came.values()) / MB, 1), "install_s": round(seconds, 1), "largest_mb": told}))


def sizes(folder: Path) -> dict[str, int]:
    """Bytes on disk of everything in a folder, by its name there."""
    return {one.name: sum(on_disk(file) for file in [one, *one.rglob("*")]) for one in folder.iterdir()}


def on_disk(file: Path) -> int:
    return file.lstat().st_blocks * 512


if __name__ == "__main__":
    main()

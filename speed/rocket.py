"""How long does MiniRocket's transform of one window take? One thread, normalised samples to features; prints JSON.

Per build of the library, `window_ms` is ours, `floor_ms` as many comparisons and counts, and an addition for every
three or four of them, on a block that stays in the first cache (`rocket_floor.c`; null without a C compiler), and
`over_floor` their ratio. `numpy_ms` is the readable twin. `aeon_ms` is aeon's, null where it is not installed, and
`aeon_over_ours` is relative to each build. `same` says whether all features are equal to the last bit. Times are the
best of calls that take turns.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from _timing import best_ms
from dualres.bench.methods.neural import WINDOW
from dualres.bench.methods.rocket import KERNELS, TAPS, dilations, features, features_ref, fit_levels
from dualres.kernel import compiled
from dualres.kernel.threads import limit_threads, thread_count

FLOOR = Path(__file__).with_name("rocket_floor.c")
FLAGS = {
    "avx512": ["-DDUALRES_LANES=16", "-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx2", "-mfma"],
    "avx2": ["-DDUALRES_LANES=8", "-mavx2", "-mfma"],
    "baseline": ["-DDUALRES_LANES=4"],
}
BLOCK = 512  # samples; that of rocket_floor.c


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    arguments = parser.parse_args()
    limit_threads(1)  # PyTorch's number is not enough: aeon's transform raises it to that of the cores
    if not compiled.able():
        raise SystemExit("the compiled library is not built: make setup")
    signal = np.random.default_rng(0).standard_normal((1, WINDOW)).astype(np.float32)
    levels = fit_levels(signal, 41)
    with tempfile.TemporaryDirectory() as folder:
        floors = {build: floor(build, Path(folder)) for build in compiled.able()}
        theirs = aeon_transform(signal, levels)
        ways: dict[str, Callable[[], object]] = {"numpy": lambda: features_ref(signal, levels)}
        ways |= {f"{build} ours": lambda build=build: ours(build, signal, levels) for build in floors}
        ways |= {f"{build} floor": call for build, call in floors.items() if call}
        ways |= {"aeon": theirs} if theirs else {}
        found = [np.asarray(call()) for name, call in ways.items() if not name.endswith("floor")]  # warms up, too
        best = best_ms(ways, arguments.repeats)
    print(json.dumps(told(best, all(np.array_equal(found[0], one) for one in found)), indent=1))


def ours(build: str, signal: np.ndarray, levels: np.ndarray) -> np.ndarray:
    os.environ[compiled.SETTING] = build
    return features(signal, levels)


def told(best: dict[str, float], same: bool) -> dict[str, object]:
    aeon = best.get("aeon")
    builds = {}
    for build in compiled.able():
        window, least = best[f"{build} ours"], best.get(f"{build} floor")
        builds[build] = {
            "window_ms": round(window, 2),
            "floor_ms": least and round(least, 2),
            "over_floor": least and round(window / least, 2),
            "aeon_over_ours": aeon and round(aeon / window, 2),
        }
    times = {"numpy_ms": round(best["numpy"], 2), "aeon_ms": aeon and round(aeon, 2)}
    return {"builds": builds, **times, "comparisons": sum(comparisons()), "threads": thread_count(), "same": same}


def comparisons() -> tuple[int, int]:
    """Of a window: those that are made four of a response at a time, and those made three at a time."""
    fours = threes = 0
    for dilation, count in zip(*(numbers.tolist() for numbers in dilations(WINDOW)), strict=True):
        samples = KERNELS // 2 * (2 * WINDOW - (TAPS - 1) * dilation)  # every second kernel leaves the edges out
        fours, threes = fours + count // 4 * 4 * samples, threes + count % 4 * samples
    return fours, threes


def floor(build: str, folder: Path) -> Callable[[], object] | None:
    """A call of `rocket_floor`, compiled for a build; None where that cannot be done."""
    library, compiler = folder / f"{build}.so", shutil.which("cc")
    if compiler is None:
        return None
    kernel = Path(compiled.__file__).parent
    command = [compiler, "-O3", "-shared", "-fPIC", f"-I{kernel}", *FLAGS[build], str(FLOOR), "-o", str(library), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    function = ctypes.CDLL(str(library)).rocket_floor
    function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 2 + [ctypes.c_void_p]
    a, b, levels = np.random.default_rng(0).standard_normal((3, BLOCK)).astype(np.float32)
    counts = np.zeros(4, np.int32)
    fours, threes = comparisons()
    arrays = a, b, levels
    return lambda: function(*(x.ctypes.data for x in arrays), fours // 4, threes // 3, counts.ctypes.data)


def aeon_transform(signal: np.ndarray, levels: np.ndarray) -> Callable[[], object] | None:
    """aeon's transform by our levels; its own, from a fit, are the same."""
    if find_spec("aeon") is None:
        return None
    from aeon.transformations.collection.convolution_based import MiniRocket

    transformer = MiniRocket(10_000, max_dilations_per_kernel=32, n_jobs=1, random_state=41).fit(signal[:, None])
    transformer.parameters = (*transformer.parameters[:-1], levels)
    return lambda: transformer.transform(signal[:, None])


if __name__ == "__main__":
    main()

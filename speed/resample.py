"""How long does it take to bring a recording to 64 kHz? One thread; prints JSON, one entry per native rate.

`ours_ms` is a signal resampled at once, mean included, as a fit takes it. `blocks_ms` is the way that verdicts take: a
recording in memory is checked, resampled and cut into blocks of windows; `blocks_over_ours` is what that costs more.
`disk_ms` is the same in the blocks in which a long recording comes from its file, without the reading. `scipy_ms` and
`soxr_ms` are the libraries' own. `floor_ms` is the larger of two times: what the multiplications take at the rate of a
large matrix product, and what it takes to read the input and to write the output once.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import soxr
from scipy.signal import resample_poly
from threadpoolctl import threadpool_limits

from _timing import best_ms
from dualres.config import POLYPHASE, ModelConfig
from dualres.judge.windows import STRETCH
from dualres.kernel import compiled
from dualres.recordings.recording import BLOCK, Blockwise, Recording, Samples, mean_of, sliced
from dualres.recordings.resample import resample
from dualres.recordings.windows import window_blocks
from dualres.utils.malloc import keep_freed_memory

TARGET = 64_000  # Hz
RATES = ("8000", "12000", "12800", "20000", "25600", "42000", "48000", "50000", "51200")
HIGHER_RATES = ("200000/3", "97656", "100000", "200000")
SIDE = 768  # of the matrices


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the recording")
    parser.add_argument("--rates", nargs="+", default=[*RATES, *HIGHER_RATES], help="Hz")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    with threadpool_limits(1):
        results = {rate: timed(Fraction(rate), arguments.seconds, arguments.repeats) for rate in arguments.rates}
    print(json.dumps({"variant": compiled.variant(), "seconds": arguments.seconds, "rates": results}, indent=1))


def timed(rate: Fraction, seconds: float, repeats: int) -> dict[str, object]:
    signal = np.random.default_rng(0).standard_normal(int(seconds * rate)).astype(np.float32)
    recording, on_disk, ratio = Recording.from_array(signal, rate), Recording("", InBlocks(signal), rate), TARGET / rate
    out = resample(signal, rate, TARGET)  # the filter is designed now
    matrix = np.ones((SIDE, SIDE), np.float32)
    ways = {
        "ours_ms": lambda: resample(signal, rate, TARGET),
        "blocks_ms": lambda: in_blocks(recording),
        "disk_ms": lambda: in_blocks(on_disk),
        "scipy_ms": lambda: resample_poly(signal, ratio.numerator, ratio.denominator, padtype="mean"),
        "soxr_ms": lambda: soxr.resample(signal, float(rate), TARGET, quality="VHQ"),
        "matrices_ms": lambda: matrix @ matrix,
        "read_ms": lambda: signal.sum(),
        "write_ms": lambda: out.fill(0.0),
    }
    best = best_ms(ways, repeats)
    multiplying = best.pop("matrices_ms") * len(out) * weights_of_an_output(ratio) / SIDE**3
    best["floor_ms"] = max(multiplying, best.pop("read_ms") + best.pop("write_ms"))
    result: dict[str, object] = {"ratio": str(ratio)} | {name: round(ms, 2) for name, ms in best.items()}
    result |= {"blocks_over_ours": round(best["blocks_ms"] / best["ours_ms"], 2)}
    result |= {"times_scipy": round(best["scipy_ms"] / best["ours_ms"], 1)}
    return result | {"ours_over_floor": round(best["ours_ms"] / best["floor_ms"], 2)}


class InBlocks(Blockwise):
    """A signal that comes as one on disk does."""

    def __init__(self, signal: Samples) -> None:
        self.length, self.mean, self._signal = len(signal), mean_of(sliced(signal, BLOCK)), signal

    def blocks(self) -> Iterator[Samples]:
        return sliced(self._signal, BLOCK)


def in_blocks(recording: Recording) -> int:
    window = ModelConfig().window
    blocks = window_blocks(recording, rate=TARGET, window=window, resampler=POLYPHASE, at_once=STRETCH)
    return sum(map(len, blocks))


def weights_of_an_output(ratio: Fraction) -> float:
    """On average: the filter has 20 zero crossings, and where outputs are denser, one in `numerator` is a copy."""
    return 20 * (1 - 1 / ratio.numerator) if ratio > 1 else 20 / float(ratio)


if __name__ == "__main__":
    main()

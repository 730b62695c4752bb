"""How much faster do two threads score a batch of windows than one? Prints JSON.

`one_ms` and `threads_ms` are a minute's half-overlapping windows through the compiled kernel, and `speedup` is their
ratio. `apart` is what the machine has to give: as many threads that share nothing, each scoring a batch of its own,
against one that scores one batch. It is less than the number of threads where the processors are not idle, or slow one
another down. All are the best of calls that take turns; only an idle machine tells anything.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from _timing import best_ms
from dualres.config import ModelConfig
from dualres.judge.backends import weights_of
from dualres.kernel.compiled import variant
from dualres.kernel.inference import Kernel
from dualres.kernel.threads import limit_threads
from dualres.model.network import DualRes
from dualres.recordings.windows import every_window
from dualres.utils.malloc import keep_freed_memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--windows", type=int, default=233, help="in a batch; a minute has 233")
    parser.add_argument("--repeats", type=int, default=50)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    config, threads = ModelConfig(), arguments.threads
    if not Kernel.serves(config):
        raise SystemExit("the compiled library is not built: make setup")
    kernel = Kernel(weights_of(DualRes(classes=8, seed=41)))
    samples = (arguments.windows + 1) * config.window // 2
    signals = np.random.default_rng(0).standard_normal((threads, samples), dtype=np.float32)
    batches = [every_window(signal, config.window) for signal in signals]

    def scored(count: int) -> None:
        limit_threads(count)
        kernel.logits(batches[0])

    with ThreadPoolExecutor(threads) as pool:
        ways = {
            "one": lambda: scored(1),
            "threads": lambda: scored(threads),
            "apart": lambda: (limit_threads(1), list(pool.map(kernel.logits, batches))),
        }
        best = best_ms(ways, arguments.repeats)
    result = {
        "variant": variant(),
        "windows": arguments.windows,
        "threads": threads,
        "one_ms": round(best["one"], 2),
        "threads_ms": round(best["threads"], 2),
        "speedup": round(best["one"] / best["threads"], 2),
        "apart": round(threads * best["one"] / best["apart"], 2),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()

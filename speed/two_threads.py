"""How much faster do two threads score a batch of windows than one? Prints JSON.

`one_ms` and `threads_ms` are a minute's half-overlapping windows through the compiled kernel, and `speedup` is their
ratio. `apart` is what the machine has to give: as many threads that share nothing, each scoring a batch of its own,
against one that scores one batch. It is less than the number of threads where the processors are not idle, or slow one
another down. All are the best of calls that take turns; only an idle machine tells anything. The same of the network
that `dualres fit` fits by default, at a known speed, is in `default`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from _default import HZ, default_network
from _timing import best_ms
from dualres.config import ModelConfig
from dualres.judge.backends import weights_of
from dualres.kernel.compiled import variant
from dualres.kernel.inference import Kernel
from dualres.kernel.orders import OrdersKernel
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
    samples = (arguments.windows + 1) * config.window // 2
    signals = np.random.default_rng(0).standard_normal((threads, samples), dtype=np.float32)
    batches = [every_window(signal, config.window) for signal in signals]
    orders, hz = OrdersKernel(default_network()), np.full(arguments.windows, HZ)
    scored = Kernel(weights_of(DualRes(classes=8, seed=41))).logits
    result: dict[str, object] = {"variant": variant(), "windows": arguments.windows, "threads": threads}
    result |= shared_out(scored, batches, arguments.repeats)
    result["default"] = shared_out(lambda batch: orders.logits(batch, hz), batches, arguments.repeats)
    print(json.dumps(result))


def shared_out(score: Callable[[np.ndarray], object], batches: Sequence[np.ndarray], repeats: int) -> dict[str, float]:
    """One batch by one thread, and by as many as there are batches; and those apart, a thread each."""
    threads = len(batches)

    def scored(count: int) -> None:
        limit_threads(count)
        score(batches[0])

    with ThreadPoolExecutor(threads) as pool:
        ways = {
            "one": lambda: scored(1),
            "threads": lambda: scored(threads),
            "apart": lambda: (limit_threads(1), list(pool.map(score, batches))),
        }
        best = best_ms(ways, repeats)
    return {
        "one_ms": round(best["one"], 2),
        "threads_ms": round(best["threads"], 2),
        "speedup": round(best["one"] / best["threads"], 2),
        "apart": round(threads * best["one"] / best["apart"], 2),
    }


if __name__ == "__main__":
    main()

"""What does a window through the network of views cost beside one through the paper's? One thread; prints JSON.

Both are the whole way from raw samples to logits by the compiled kernel, one window at a time, the best of calls that
take turns. `torch_ms` is the network of views by PyTorch. `working_kb` is what the kernel needs beside the window.
"""

import argparse
import json

import numpy as np
import torch

from _timing import best_ms
from dualres.config import ModelConfig
from dualres.judge.backends import by_torch, weights_of
from dualres.kernel.compiled import variant
from dualres.kernel.inference import Kernel
from dualres.kernel.views import ViewsKernel, scratch_bytes
from dualres.learn.closed_form import fit_views
from dualres.model.check import check_window
from dualres.model.network import DualRes
from dualres.utils.malloc import keep_freed_memory

CLASSES = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=400)
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    config = ModelConfig()
    if not ViewsKernel.serves(config):
        raise SystemExit("the compiled library is not built: make setup")
    noise = np.random.default_rng(41).standard_normal((2 * CLASSES, config.window)).astype(np.float32)
    network = fit_views(noise, np.arange(2 * CLASSES) % CLASSES, CLASSES)
    kernel, views = Kernel(weights_of(DualRes(CLASSES, seed=41))), ViewsKernel(weights_of(network))
    window = check_window(0, config.window)[None]
    fast = {"paper": lambda: kernel.logits(window), "views": lambda: views.logits(window)}
    best = best_ms(fast, arguments.repeats) | best_ms({"torch": lambda: by_torch(network, window)}, 10)
    result = {"variant": variant()} | {f"{name}_ms": round(ms, 3) for name, ms in best.items()}
    result["views_over_paper"] = round(best["views"] / best["paper"], 2)
    result["working_kb"] = round(scratch_bytes() / 1000)
    print(json.dumps(result))


if __name__ == "__main__":
    main()

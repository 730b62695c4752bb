"""How long does one window take, spectra included? One thread, one window at a time; prints JSON.

`kernel_ms`, `torch_ms` and `scan_ref_ms` are the whole way from raw samples to logits: by the compiled kernel, by
PyTorch, and by PyTorch with the token loop. `floor_ms` is its FFTs and matrix products alone, done by PyTorch's
libraries, and `fused_floor_ms` the same with products of one input joined to one. `others` are the other methods'
windows, raw samples to scores, relative to the kernel's. All are the best of calls that take turns: the kernel and the
floors with each other, as the slower ways leave nothing of theirs in the caches.

`default` is a window of the network that `dualres fit` fits by default, at a known speed, by every variant of the
kernel that this processor can run, beside its own floor: its transforms by the library that is fastest here, its
products likewise, and its bytes, copied once.
"""

from __future__ import annotations

import argparse
import json
import os
from unittest.mock import patch

import numpy as np
import torch

from _default import HZ, default_network, over_floor
from _timing import best_ms
from dualres.bench.methods import NAMES
from dualres.config import ModelConfig
from dualres.judge.backends import weights_of
from dualres.kernel import compiled
from dualres.kernel.compiled import variant
from dualres.kernel.inference import Kernel
from dualres.kernel.orders import OrdersKernel
from dualres.model.check import check_window
from dualres.model.network import DualRes
from dualres.model.scan import scan, scan_ref
from dualres.utils.malloc import keep_freed_memory
from methods import short_fit

TURNS_OF_OTHERS = 10  # repeats are for the fast ones; some methods take tens of times as long


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--alone", action="store_true", help="leave the other methods out")
    arguments = parser.parse_args()
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    network = DualRes(classes=8, seed=41).eval()
    window = check_window(0, network.config.window)[None]
    if not Kernel.serves(network.config):
        raise SystemExit("the compiled library is not built: make setup")
    kernel = Kernel(weights_of(network))

    raw = torch.from_numpy(window)
    fast = {
        "kernel": lambda: kernel.logits(window),
        "floor": floor(network, raw),
        "fused_floor": floor(network, raw, fused=True),
    }
    slow = {"torch": lambda: whole(network, raw, scan), "scan_ref": lambda: whole(network, raw, scan_ref)}
    best = best_ms(fast, arguments.repeats) | best_ms(slow, max(10, arguments.repeats // 10))
    result = {"variant": variant()} | {f"{name}_ms": round(ms, 3) for name, ms in best.items()}
    result["kernel_over_floor"] = round(best["kernel"] / best["floor"], 2)
    result["torch_over_floor"] = round(best["torch"] / best["floor"], 2)
    result["scan_ref_over_kernel"] = round(best["scan_ref"] / best["kernel"], 1)
    result["default"] = default(window, arguments.repeats)
    if not arguments.alone:
        result["others"] = {name: round(ms / best["kernel"], 1) for name, ms in others_ms(window).items()}
    print(json.dumps(result))


def default(window: np.ndarray, repeats: int) -> dict[str, float]:
    """A window of the default network by each variant, beside its floor."""
    network, hz, ways = default_network(), np.full(1, HZ), {}
    for name in compiled.able():
        with patch.dict(os.environ, {compiled.SETTING: name}):
            kernel = OrdersKernel(network)

        def scored(name: str = name, kernel: OrdersKernel = kernel) -> None:
            os.environ[compiled.SETTING] = name
            kernel.logits(window, hz)

        ways[name] = scored
    with patch.dict(os.environ):
        return over_floor(ways, repeats)


@torch.inference_mode()
def whole(network: DualRes, window: torch.Tensor, way) -> torch.Tensor:
    network.encoder.memory.scan = way
    return network(window)


def others_ms(window: np.ndarray) -> dict[str, float]:
    names = [name for name in NAMES if name != "dualres"]
    fitted = {name: short_fit(name, "cpu") for name in names}
    return best_ms({name: lambda one=one: one.scores(window) for name, one in fitted.items()}, TURNS_OF_OTHERS)


def floor(network: DualRes, window: torch.Tensor, fused: bool = False):
    """The unavoidable part: both FFTs and the maps, on frames and vectors that are already in place."""
    config: ModelConfig = network.config
    frames = [window.unfold(-1, n, config.hop)[:, : config.tokens].contiguous() for n in (config.short, config.long)]
    views = [torch.randn(config.tokens, n) for n in (config.short_bins, config.long_bins)]
    vectors = torch.randn(config.tokens, config.width)
    encoder, memory = network.encoder, network.encoder.memory
    maps = [memory.write_in, memory.damping, memory.write, memory.read, encoder.mix, encoder.gate]
    if fused:
        maps = [torch.nn.Linear(config.width, sum(m.out_features for m in some)) for some in (maps[:4], maps[4:])]

    @torch.inference_mode()
    def run():
        for f in frames:
            torch.fft.rfft(f)
        encoder.short(views[0])
        encoder.long(views[1])
        for m in maps:
            m(vectors)

    return run


if __name__ == "__main__":
    main()

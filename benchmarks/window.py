"""How long does one window take, spectra included? One thread, one window at a time; prints JSON.

`scan_ms` and `scan_ref_ms` are the whole way from raw samples to logits by either form of the recurrence;
`floor_ms` is its FFTs and matrix products alone, done by PyTorch's libraries.
"""

from __future__ import annotations

import argparse
import json

import torch

from _timing import best_ms
from dualres.config import ModelConfig
from dualres.model.check import check_window
from dualres.model.network import DualRes
from dualres.model.scan import scan, scan_ref
from dualres.runtime import keep_freed_memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    repeats = parser.parse_args().repeats
    keep_freed_memory()  # as the command line does
    torch.set_num_threads(1)
    config = ModelConfig()
    network = DualRes(classes=8, seed=41).eval()
    window = torch.from_numpy(check_window(0, config.window))[None]

    @torch.inference_mode()
    def whole(way):
        network.encoder.memory.scan = way
        return network(window)

    with torch.inference_mode():
        ways = {"scan_ref": lambda: whole(scan_ref), "scan": lambda: whole(scan), "floor": floor(network, window)}
        best = best_ms(ways, repeats)
    result = {f"{name}_ms": round(ms, 3) for name, ms in best.items()}
    result["speedup"] = round(best["scan_ref"] / best["scan"], 2)
    result["scan_over_floor"] = round(best["scan"] / best["floor"], 2)
    print(json.dumps(result))


def floor(network: DualRes, window: torch.Tensor):
    """The unavoidable part: both FFTs and the maps, on frames and vectors that are already in place."""
    config = network.config
    frames = [window.unfold(-1, n, config.hop)[:, : config.tokens].contiguous() for n in (config.short, config.long)]
    views = [torch.randn(config.tokens, n) for n in (config.short_bins, config.long_bins)]
    vectors = torch.randn(config.tokens, config.width)
    encoder, memory = network.encoder, network.encoder.memory
    maps = (memory.write_in, memory.damping, memory.write, memory.read, encoder.mix, encoder.gate)

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

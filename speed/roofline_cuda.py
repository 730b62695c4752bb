"""How far is each kernel of kernel/gpu from what this device can do? Prints JSON; run it on a GPU.

Every kernel is launched as its pass launches it, with the same arguments, many times in one CUDA graph: `us` is what a
launch takes so. Its roof is the longest of three, each measured on this device in the same run: a copy of as many bytes
as the kernel must read and write once (`bytes_us`), the products of matrices in it by cuBLAS in float32
(`products_us`), and its other operations at the rate of a large product in float32 (`operations_us`), which is as fast
as this device adds and multiplies outside the units for matrices. `of_roof` is that roof over the time: 1 cannot be
passed by a kernel whose data come from memory. Where less than `NOTHING_US` is to be done, an empty kernel is the roof.

`passes` are whole: `us` is all of their kernels one after the other, `roof_us` the sum of the roofs, and `graph_us`,
where it is there, the pass as it is run, with its libraries' kernels and what goes on side by side.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

import torch
import triton
import triton.language as tl
from triton.runtime.jit import JITFunction

from dualres.config import ModelConfig, Recipe
from dualres.kernel.gpu.cuda_graphs import beside, full_precision, recorded
from dualres.kernel.gpu.draws import NoiseSource
from dualres.kernel.gpu.graphs import Inference, _Block
from dualres.kernel.gpu.layout import ParameterLayout
from dualres.kernel.gpu.passes import Passes
from dualres.kernel.gpu.spectra import Spectra
from dualres.learn.trained.gpu.fit import Adam
from dualres.model.network import DualRes

CLASSES, SEED = 8, 41
MINUTE, SUPPORT, FITS = 240, 96, 6  # windows of a minute in one graph, and of a fit; fits of a budget at once
LAUNCHES, REPLAYS = 20, 12  # in one graph, and of it
RATE = 4096  # rows and columns of the product that shows how fast the device computes
NOTHING_US = 1.0

Launch = tuple[JITFunction, tuple[Any, ...], dict[str, Any]]
Given = Mapping[str, Any]
Product = tuple[int, int, int, int]  # batches of (m, k) times (k, n)

# What each kernel must read or write once, by the names of its arguments; of those in OWN only a share is touched.
MOVED: dict[str, tuple[str, ...]] = {
    "levels_kernel": ("signal", "levels"),
    "centred_kernel": ("signal", "centred"),
    "magnitudes_kernel": ("short_spectra", "long_spectra", "short", "long", "short_lowest", "long_lowest"),
    "views_kernel": ("short", "long", "short_view", "long_view"),
    "encode_views_kernel": ("short", "long", "weights", "features", "normed", "maps", "coefficients"),
    "encode_frames_kernel": ("short", "long", "weights", "features", "coefficients"),
    "lead_kernel": ("coefficients", "leads"),
    "walk_kernel": ("coefficients", "leads", "y", "states"),
    "gates_kernel": ("y", "features", "weights", "gates", "shares"),
    "head_kernel": ("shares", "logits", "d_pooled"),
    "gates_backward_kernel": ("gates", "d_pooled", "d_gates"),
    "lead_backward_kernel": ("coefficients", "d_y", "leads"),
    "walk_backward_kernel": (
        "coefficients", "leads", "states", "d_y", "d_alpha", "d_written", "d_vectors", "d_theta",
    ),
    "coefficients_backward_kernel": ("maps", "coefficients", "d_alpha", "d_written", "d_vectors", "d_theta", "d_maps"),
    "norm_backward_kernel": ("features", "d_normed", "d_pooled", "d_features"),
    "projections_backward_kernel": ("short", "long", "d_features", "gradients"),
    "adam_kernel": ("gradients", "weights", "mean", "square", "weights", "mean", "square"),
    "centred_sums_kernel": ("samples", "centred", "sums"),
    "coefficients_of_kernel": ("short_spectra", "long_spectra", "weights", "features", "coefficients"),
    "shares_kernel": ("y", "features", "shares"),
    "logits_kernel": ("shares", "logits"),
}  # fmt: skip


def products_of(name: str, a: Given) -> list[Product]:
    """The products of matrices in a launch."""
    rows = a["features"].numel() // a["WIDTH"] if "features" in a and "WIDTH" in a else 0
    width = a.get("WIDTH", 0)
    if name.startswith("encode") or name == "coefficients_of_kernel":
        maps = 2 * width + 4 * a["STATES"]
        views = [(1, rows, a["SHORT_COLUMNS"], width // 2), (1, rows, a["LONG_COLUMNS"], width // 2)]
        return [*views, (1, rows, width, maps)]
    if name in ("gates_kernel", "shares_kernel"):
        return [(1, rows, width, 2 * width)]
    if name == "projections_backward_kernel":
        windows = len(a["gradients"])
        return [(windows, width // 2, a["TOKENS"], a[columns]) for columns in ("SHORT_COLUMNS", "LONG_COLUMNS")]
    return []


def operations_of(name: str, a: Given) -> float:
    """Additions and multiplications outside of products: of the walks, where they are many. A state has two numbers."""
    each = {"lead_kernel": 6, "walk_kernel": 10, "lead_backward_kernel": 4, "walk_backward_kernel": 34}.get(name, 0)
    if not each:
        return 0.0
    of_token = 2 * a["WIDTH"] + 4 * a["STATES"]
    return each * a["WIDTH"] * a["STATES"] * a["coefficients"].numel() / of_token


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    result: dict[str, Any] = {"device": torch.cuda.get_device_name(), "empty_us": round(empty_us(), 2)}
    result["copy_gb_s"] = round(2 * 2**30 / copy_us(2 * 2**30) / 1e3)
    result["float32_tflop_s"] = round(float32_rate() / 1e6, 1)
    result["passes"] = {}
    with full_precision(), torch.no_grad():
        for name, ready in PASSES.items():
            run, whole = ready()
            result["passes"][name] = of_pass(run, whole)
    print(json.dumps(result, indent=1))


def of_pass(run: Callable[[], None], whole: Callable[[], float] | None) -> dict[str, Any]:
    run()
    torch.cuda.synchronize()
    kernels = [of_launch(*launch) for launch in launches_of(run)]
    total, roof = (sum(kernel[part] for kernel in kernels) for part in ("us", "roof_us"))
    found: dict[str, Any] = {"us": round(total, 1), "roof_us": round(roof, 1), "of_roof": round(roof / total, 2)}
    return found | ({"graph_us": round(whole(), 1)} if whole else {}) | {"kernels": kernels}


def launches_of(run: Callable[[], None]) -> list[Launch]:
    """The launches of this package's kernels in a call, which is done."""
    found: list[Launch] = []
    launch = JITFunction.run

    def kept(self: JITFunction, *arguments: Any, **named: Any) -> Any:
        found.append((self, arguments, named))
        return launch(self, *arguments, **named)

    with patch.object(JITFunction, "run", kept):
        run()
    return found


def of_launch(kernel: JITFunction, arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    given = dict(zip(kernel.arg_names, arguments, strict=False)) | named
    name = kernel.__name__
    moved = sum(given[one].numel() * given[one].element_size() for one in MOVED[name])
    us = timed_us(lambda: kernel.run(*arguments, **named))
    parts = {
        "bytes_us": copy_us(moved),
        "products_us": sum(product_us(*shape) for shape in products_of(name, given)),
        "operations_us": operations_of(name, given) / float32_rate(),
    }
    roof = max(parts.values())
    if roof < NOTHING_US:
        roof = empty_us()
    said = {"kernel": name, "us": round(us, 2), "roof_us": round(roof, 2), "of_roof": round(roof / us, 2)}
    return said | {"mb": round(moved / 1e6, 2)} | {part: round(value, 2) for part, value in parts.items() if value}


def timed_us(call: Callable[[], Any]) -> float:
    """Microseconds of a call, of many in one graph; the best of some replays."""
    with _aside():
        call()
        graph = recorded(lambda: [call() for _ in range(LAUNCHES)] and None)
    return replayed_us(graph) / LAUNCHES


def replayed_us(graph: torch.cuda.CUDAGraph) -> float:
    best = float("inf")
    for _ in range(REPLAYS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        best = min(best, 1000 * begin.elapsed_time(end))
    return best


@contextmanager
def _aside():
    stream = beside(torch.cuda.current_device())
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        yield
    torch.cuda.synchronize()


@triton.jit
def _empty_kernel(x):
    tl.store(x, 0.0)


@cache
def empty_us() -> float:
    x = torch.zeros(1, device="cuda")
    return timed_us(lambda: _empty_kernel[(1,)](x))


@cache
def copy_us(moved: int) -> float:
    """Of as many bytes, half of them read and half of them written."""
    here, there = torch.zeros(2, max(1, moved // 8), device="cuda")
    return timed_us(lambda: there.copy_(here))


@cache
def product_us(batches: int, m: int, k: int, n: int) -> float:
    a, b, c = (torch.zeros(batches, *shape, device="cuda") for shape in ((m, k), (k, n), (m, n)))
    return timed_us(lambda: torch.bmm(a, b, out=c))


@cache
def float32_rate() -> float:
    """Operations in a microsecond."""
    return 2 * RATE**3 / product_us(1, RATE, RATE, RATE)


def _network() -> DualRes:
    return DualRes(CLASSES, ModelConfig(), seed=SEED).cuda().eval()


def minute() -> tuple[Callable[[], None], Callable[[], float]]:
    """The windows of a minute, which share their frames."""
    network = _network()
    layout = ParameterLayout(network.config, CLASSES)
    block = _Block(layout, layout.pack(network)[None], MINUTE, apart=False)
    block._signal.normal_()
    return block._go, lambda: replayed_us(block._graph)


def window() -> tuple[Callable[[], None], Callable[[], float]]:
    network = _network()
    layout = ParameterLayout(network.config, CLASSES)
    samples, logits = torch.randn(network.config.window, device="cuda"), torch.zeros(CLASSES, device="cuda")
    inference = Inference(layout, layout.pack(network)[None])

    def run() -> None:
        inference.run(samples, logits)

    def whole() -> float:
        with _aside():
            run()
            graph = recorded(run)
        return replayed_us(graph)

    return run, whole


def update() -> tuple[Callable[[], None], None]:
    """An update of several fits at once, and the spectra of their support before."""
    network, device = _network(), torch.device("cuda")
    config, layout = network.config, ParameterLayout(network.config, CLASSES)
    draws = NoiseSource(range(FITS), SUPPORT, config.width, device)
    passes = Passes(layout, FITS, SUPPORT, device, draws=draws)
    passes.weights.copy_(layout.pack(network)[None])
    adam = Adam(FITS, layout.size, Recipe(), device)
    spectra = Spectra(layout, SUPPORT, SUPPORT * config.window, device, apart=True)
    starts = torch.arange(0, SUPPORT * config.window, config.window, device=device)
    signal = torch.randn(SUPPORT * config.window, device=device)

    def run() -> None:
        spectra.fill(passes.short[:SUPPORT], passes.long[:SUPPORT], signal, starts)
        passes.forward()
        passes.backward()
        adam.step(passes.weights, passes.gradients, passes.losses, draws.count)

    return run, None


PASSES: dict[str, Callable[[], Any]] = {"minute": minute, "window": window, "update": update}


if __name__ == "__main__":
    main()

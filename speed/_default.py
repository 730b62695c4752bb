"""The default network for measuring, and the floor of its windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.fft
import torch

from _timing import best_ms
from dualres.config import ORDER_SIZES, VIEW_SIZES, ModelConfig
from dualres.judge.backends import weights_of
from dualres.learn.closed_form import fit_orders
from dualres.model.views import envelope, order_modulation
from dualres.model.views.order_weights import OrdersWeights

CLASSES, HZ = 8, 25.0  # Hz, of every shaft that was labelled
Ways = dict[str, Callable[[], object]]


def default_network(classes: int = CLASSES) -> OrdersWeights:
    """One that has learned two windows of noise of each class, as a model file has it."""
    config, labels = ModelConfig(), np.arange(2 * classes) % classes
    noise = np.random.default_rng(41).standard_normal((len(labels), config.window)).astype(np.float32)
    weights = weights_of(fit_orders(noise, labels, classes, hz=np.full(len(labels), HZ)))
    assert isinstance(weights, OrdersWeights)
    return weights


def floor_ways(config: ModelConfig | None = None) -> Ways:
    """What cannot be left out of a window at a known speed, on frames and vectors that are already in place: all of its
    transforms by each library (`transforms_*`), its products by each, and its bytes, copied once."""
    config, rng = config or ModelConfig(), np.random.default_rng(0)
    count = (config.window - config.short) // (config.hop // 2) + 1  # short frames, two in a hop
    halves = (config.window - config.long) // (config.long // 2) + 1  # long ones that overlap by half
    driven, bank = order_modulation.transform_length(count), ORDER_SIZES.bank
    of_reals = [(count, config.short), (config.tokens, config.long), (1, envelope.transform_length(config))]
    of_reals.append((VIEW_SIZES.bands, driven))
    reals = [_noise(rng, *shape) for shape in of_reals]
    whitened = (_noise(rng, halves, config.long // 2) + 1j * _noise(rng, halves, config.long // 2)).astype(np.complex64)
    sizes = ORDER_SIZES.features(config)
    seen = [sizes[name] for name in ("spectra", "order_modulation", "order_envelope")]
    factors = [(_noise(rng, VIEW_SIZES.bands, driven // 2 + 1), _noise(rng, driven // 2 + 1, bank))]
    factors += [(_noise(rng, 1, n), _noise(rng, n, VIEW_SIZES.rank + CLASSES)) for n in seen]
    window, samples = _noise(rng, config.window), np.empty(config.window, np.float32)
    looks = _noise(rng, sizes["spectra"] + envelope.transform_length(config) // 2 + VIEW_SIZES.bands * bank)
    kept, tensors = np.empty_like(looks), [torch.from_numpy(x) for x in reals]
    complex_tensor, pairs = torch.from_numpy(whitened), [tuple(map(torch.from_numpy, each)) for each in factors]

    @torch.inference_mode()
    def by_torch() -> None:
        for x in tensors:
            torch.fft.rfft(x)
        torch.fft.ifft(complex_tensor)

    @torch.inference_mode()
    def products_by_torch() -> None:
        for a, b in pairs:
            a @ b

    return {
        "transforms_torch": by_torch,
        "transforms_scipy": lambda: ([scipy.fft.rfft(x) for x in reals], scipy.fft.ifft(whitened)),
        "transforms_numpy": lambda: ([np.fft.rfft(x) for x in reals], np.fft.ifft(whitened)),
        "products_torch": products_by_torch,
        "products_numpy": lambda: [a @ b for a, b in factors],
        "bytes": lambda: (np.copyto(samples, window), np.copyto(kept, looks)),
    }


PARTS = ("transforms", "products", "bytes")  # of a floor


def over_floor(ways: Ways, repeats: int) -> dict[str, float]:
    """Milliseconds of windows of the default network and of its floor, each part by the library that is fastest here,
    and their ratios.

    Libraries take turns first, part by part, so that none finds the others' numbers in the caches; then windows and the
    fastest ones do. The least time of both counts for a floor.
    """
    every, known = floor_ways(), dict[str, float]()
    for part in PARTS:
        known |= best_ms({name: way for name, way in every.items() if name.startswith(part)}, repeats)
    chosen = [min((name for name in every if name.startswith(part)), key=known.__getitem__) for part in PARTS]
    best = best_ms(ways | {name: every[name] for name in chosen}, repeats)
    least = {name: min(ms, best.get(name, ms)) for name, ms in known.items()}
    floor = sum(least[name] for name in chosen)
    found = {f"{name}_ms": round(ms, 4) for name, ms in (best | least).items()} | {"floor_ms": round(floor, 4)}
    return found | {f"{name}_over_floor": round(best[name] / floor, 3) for name in ways}


def _noise(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)

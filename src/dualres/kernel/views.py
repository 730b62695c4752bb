"""Windows to log-probabilities by the compiled kernel of the network of views."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.errors import ConfigError
from dualres.kernel.compiled import function
from dualres.kernel.inference import ADDRESS, Kernel
from dualres.kernel.pack import bands, bin_order, fft_tables, in_one_run, turns
from dualres.kernel.threads import room
from dualres.model.kinds import MovableViews
from dualres.model.reference.views import views
from dualres.model.views.weights import HEAD, ViewsWeights, moved
from dualres.utils.arrays import Exact, Floats

LINES, PHASES, NEAR = 512, 32, 16  # as views.h has them
OSCILLATORS_ROOM = 80  # likewise


def features(windows: Floats) -> Floats:
    """What the heads see of float32 windows (n, window) of the paper's size: spectra, modulation, lines side by side.
    Rows of windows that hold a sample which is not finite are NaN."""
    entry, look = ViewsKernel.entry(), function("dualres_views_features", [ADDRESS] * 4)
    if entry is None or look is None:
        raise ConfigError("there is no compiled kernel here, or it is switched off")
    config, windows = ModelConfig(), np.require(windows, np.float32, ["C", "A"])
    constants, scratch, order = _packed_constants(config), room(entry[1]), _spectra_order(config)
    sizes = VIEW_SIZES.features(config)
    seen = np.full((len(windows), sum(sizes.values()) - sizes["rhythm"]), np.nan, np.float32)
    for window, row in zip(windows, seen, strict=True):
        look(constants.ctypes.data, window.ctypes.data, row.ctypes.data, scratch.ctypes.data)
    seen[:, order] = seen[:, : len(order)].copy()
    return seen


def views_of(weights: ViewsWeights, windows: Floats) -> dict[str, Floats]:
    """What the heads of a network see of raw windows (n, window), by their names, (n, features) each."""
    if ViewsKernel.serves(weights.config):
        seen = views_in(features(windows))
        return {name: seen.get(name, seen["repetition"]) for name in VIEW_SIZES.features(weights.config)}
    return {name: view.astype(np.float32) for name, view in views(weights.config, windows).items()}


MOVABLE = MovableViews(lambda weights, windows, hz: views_of(weights, windows), moved)


def views_in(seen: Floats) -> dict[str, Floats]:
    """The columns of `features` by the name of a head that takes them; `rhythm` takes those of `repetition`."""
    sizes = VIEW_SIZES.features(ModelConfig())
    ends = np.cumsum([sizes["spectra"], sizes["repetition"]])
    return dict(zip(("spectra", "repetition", "lines"), np.split(seen, ends, axis=1), strict=True))


def packed_views(weights: ViewsWeights) -> tuple[Floats, Floats]:
    """The kernel's constants and heads, in the order of `dualres_views_constants` and of `dualres_views_model`."""
    return _packed_constants(weights.config), in_one_run(_heads(weights))


class ViewsKernel(Kernel):
    """A network of views as it was when this was made; its logits are log-probabilities."""

    names = ("dualres_views", "dualres_views_scratch")

    @staticmethod
    def pack(weights: Any) -> tuple[Floats, Floats]:
        return packed_views(weights)


def scratch_bytes() -> int:
    """Working memory of the variant in use beside the window; 0 without one."""
    entry = ViewsKernel.entry()
    return 4 * entry[1] if entry else 0


@lru_cache(2)
def _packed_constants(config: ModelConfig) -> Floats:
    return in_one_run(_constants(config))


def _constants(config: ModelConfig) -> Iterator[Exact]:
    yield from fft_tables(config)
    yield from bands(config)
    rate = 2 * config.token_rate
    swing = VIEW_SIZES.left_of_swing(rate) * np.exp(2j * np.pi * np.array(VIEW_SIZES.oscillator_hz()) / rate)
    filled = np.pad(swing, (0, OSCILLATORS_ROOM - len(swing)))
    yield np.stack([filled.real, filled.imag])
    yield np.array(VIEW_SIZES.line_edges, dtype=np.float64)
    phases = np.arange(PHASES)
    yield np.stack([np.cos(2 * np.pi * phases / config.window), np.sin(2 * np.pi * phases / config.window)])
    for bins in (np.arange(0, LINES, NEAR), np.arange(NEAR)):
        yield np.moveaxis(turns(np.outer(bins, phases) / config.window), -1, 1)


def _heads(weights: ViewsWeights) -> Iterator[Exact]:
    order = _spectra_order(weights.config)
    for head in VIEW_SIZES.features(weights.config):
        for name in HEAD:
            array = weights.arrays[f"heads.{head}.{name}"].astype(np.float64)
            by_feature = head == "spectra" and name not in ("offsets", "sharpness")
            yield array[..., order] if by_feature else array


@lru_cache(2)
def _spectra_order(config: ModelConfig) -> list[int]:
    """The features of mean spectra in the order in which the FFT leaves them."""
    return [*bin_order(config.short_bins), *(config.short_bins + k for k in bin_order(config.long_bins))]

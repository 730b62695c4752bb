"""Random transfer paths: the curves that a training by the robust recipe draws, and a recording at the end of some."""

from functools import partial

import numpy as np
import torch
from matplotlib.axes import Axes
from torch import Tensor

from dualres.bench.report.plots.picture import Picture
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Results
from dualres.config import RECIPES, ModelConfig
from dualres.learn.trained.augment.paths import Paths, curves, draw_paths, filtered
from dualres.model.spectra import magnitudes, normalise
from dualres.recordings.windows import at_rate
from dualres.simulated.rig import RATE, recordings
from dualres.utils.figures import ACCENT, DASHED, DOUBLE, INK, PALE, RULE, canvas, printed

DRAWN, FOLLOWED = 8, 3  # curves on the left; the first of them lead to the spectra on the right
SEED = 2
NATS_IN_DB = 20 / np.log(10)
SHOWN, START_S = "pitting_M_speed_2000rpm_20Nm", 6.0  # the recording that a window is cut from, and where


@draws_figure("transfer_paths")
def transfer_paths(results: Results) -> Picture | None:
    return paths_picture() if results.entries else None


@printed()
def paths_picture() -> Picture:
    """Curves on the left, one window's spectrum by some of them on the right."""
    config, robust = ModelConfig(), RECIPES["robust"]
    paths = draw_paths(np.random.default_rng(SEED), DRAWN, robust.path_sigma, robust.path_waves)
    figure, grid = canvas(DOUBLE, 2.5, 1, 2)
    _curves(grid[0, 0], paths, config)
    _spectra(grid[0, 1], paths, config)
    caption = (
        f"Left: {DRAWN} of the curves that the robust recipe draws, one for every window at every update, each a sum "
        f"of {robust.path_waves} cosines; at any frequency they are spread by "
        f"{NATS_IN_DB * robust.path_sigma / np.sqrt(2):.1f} dB. Right: one window of the simulated rig, its magnitude "
        f"spectrum by frames of {config.long} samples, as it is (black) and by the first {FOLLOWED} of these paths. "
        "Lines keep their places and their neighbours; which part of the spectrum is loud does not."
    )
    return Picture("paths", "Random transfer paths", caption, "", figure)


def rig_window(config: ModelConfig) -> Tensor:
    """A window of the simulated rig: raw samples at `config.rate`, (1, window), float64."""
    (recording,) = (one for one in recordings() if one.id == SHOWN)
    begin = int(START_S * config.rate)
    samples = at_rate(recording, config.rate, config.window)[begin : begin + config.window]
    return torch.from_numpy(samples[None].astype(np.float64))


def _curves(axes: Axes, paths: Paths, config: ModelConfig) -> None:
    frequencies = torch.linspace(0, 1, 400, dtype=torch.float64)
    khz = frequencies.numpy() * config.rate / 2000
    axes.axhline(0, color=RULE, linewidth=0.6, zorder=0)
    for number, curve in reversed(list(enumerate(curves(paths, frequencies).numpy()))):
        followed = number < FOLLOWED
        axes.plot(khz, NATS_IN_DB * curve, color=ACCENT if followed else PALE, linewidth=1.2 if followed else 0.7)
    axes.axvline(RATE / 2000, color=INK, linewidth=0.6, linestyle=DASHED)
    low, high = axes.get_ylim()
    axes.set(xlim=(0, config.rate / 2000), xlabel="kHz", ylabel="gain (dB)", ylim=(low, high + 0.12 * (high - low)))
    place = (RATE / 2000, 1), (-3, -2), ("data", "axes fraction"), "offset points"
    axes.annotate("right panel", *place, ha="right", va="top")
    axes.set_title("random paths")


def _spectra(axes: Axes, paths: Paths, config: ModelConfig) -> None:
    window = normalise(rig_window(config))
    chosen = Paths(paths.amplitudes[:FOLLOWED], paths.phases[:FOLLOWED])
    bins = RATE * config.long // (2 * config.rate) + 1  # beyond them the rig is silent
    khz = np.arange(bins) * config.rate / config.long / 1000
    for heard in filtered(window.expand(FOLLOWED, -1), partial(curves, chosen)):
        axes.plot(khz, _spectrum(heard, config)[:bins], color=ACCENT, linewidth=0.8)
    axes.plot(khz, _spectrum(window[0], config)[:bins], color=INK, linewidth=1.4)
    axes.set(xlim=(0, RATE / 2000), xlabel="kHz", ylabel="magnitude (dB)")
    axes.set_title("a window of the rig at the end of three paths")


def _spectrum(window: Tensor, config: ModelConfig) -> Tensor:
    """Mean magnitude of a window's long frames, (bins,), in dB."""
    return 20 * magnitudes(window[None], config.long, config.hop)[0].mean(0).log10()

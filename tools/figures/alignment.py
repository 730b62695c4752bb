"""The two views: which of their frames share a centre, and how each pair becomes one token."""

from collections.abc import Callable
from typing import Any

import torch
from matplotlib.axes import Axes

from dualres.bench.report.plots.boxes import CROSS, LONG, SHARED, SHORT, TO, bare, box, note, path
from dualres.bench.report.plots.picture import Picture
from dualres.config import ModelConfig
from dualres.model.network import Encoder
from dualres.model.spectra import hann
from dualres.utils.figures import DOUBLE, INK, MUTED, printed

SHOWN = 4  # tokens
LEFT, RIGHT = 1.12, 6.78  # inches, of the sample axis
LANE, BUMP = 0.19, 0.15  # inches, from one frame to the next below it, and the height of a frame
SHORT_TOP, LONG_TOP, CENTRES, AXIS = 3.02, 2.37, 1.63, 1.48
UPPER, LOWER = 0.83, 0.28  # the two branches


@printed()
def alignment() -> Picture:
    """Above, the first frames of both views on the sample axis; below, their way to one token."""
    config = ModelConfig()
    figure, axes = bare(DOUBLE, 3.25)
    _frames(axes, config)
    _branches(axes, config)
    half = config.width // 2
    return Picture(
        "alignment",
        "Alignment of the two views",
        "Above: frames at the start of a window, each under its Hann window. A short and a long frame make one token "
        "when they share their centre tau (dashed); so the short sequence is cropped by kappa = (N_l - N_s) / (2 H) = "
        f"{config.crop} frames at either end (white), and of {_short_frames(config)} short frames {config.tokens} "
        f"tokens are left, {1000 / config.token_rate:g} ms apart. Numbers are those of the frames. Below: independent "
        f"projections map the F_s = {config.short_bins} and F_l = {config.long_bins} magnitude bins of a pair into "
        f"D/2 = {half} channels each, which are concatenated to D = {config.width}. B is the batch size.",
        "",
        figure,
    )


def _frames(axes: Axes, config: ModelConfig) -> None:
    last = config.long + (SHOWN - 1) * config.hop  # sample

    def at(sample: float) -> float:
        return LEFT + sample * (RIGHT - LEFT) / last

    for frame in range(config.crop + SHOWN):
        lane = SHORT_TOP - LANE * (frame % 3)
        _frame(axes, at, frame, (config.hop, config.short), base=lane, colour=SHORT, dropped=frame < config.crop)
    for token in range(SHOWN):
        _frame(axes, at, token, (config.hop, config.long), base=LONG_TOP - LANE * token, colour=LONG)
        centre = token * config.hop + config.long // 2
        top = SHORT_TOP - LANE * ((token + config.crop) % 3) + BUMP
        axes.plot([at(centre)] * 2, [CENTRES, top], color=INK, linewidth=0.8, linestyle=(0, (2, 1.5)))
        axes.text(at(centre), CENTRES - 0.015, rf"$\tau_{token}$", ha="center", va="top", fontsize=8.5)
    for lane, name, symbol, length in (
        (SHORT_TOP - LANE / 2, "short", "N_s", config.short),
        (LONG_TOP - LANE, "long", "N_l", config.long),
    ):
        told = f"{name} frames\n${symbol}={length}$\nhop $H={config.hop}$"
        axes.text(0.05, lane, told, va="center", linespacing=1.35)
    axes.text(at(config.long * 1.02), SHORT_TOP + 0.05, r"$(j+\kappa)\,H+N_s/2\;=\;j\,H+N_l/2\;=\;\tau_j$", va="center")
    note(axes, at(0), SHORT_TOP - 2 * LANE - 0.02, f"0 to {config.crop - 1}: cropped", ha="left", va="bottom")
    axes.plot([at(0), at(last)], [AXIS, AXIS], color=INK, linewidth=0.6)
    for sample in range(0, last + 1, 2 * config.hop):
        axes.plot([at(sample)] * 2, [AXIS - 0.03, AXIS], color=INK, linewidth=0.6)
        axes.text(at(sample), AXIS - 0.06, f"{sample}", ha="center", va="top")
    axes.text(0.05, AXIS - 0.06, "sample", va="top")


def _frame(
    axes: Axes,
    at: Callable[[float], float],
    number: int,
    sizes: tuple[int, int],
    *,
    base: float,
    colour: str,
    dropped: bool = False,
) -> None:
    """Its Hann window and its number; `sizes` are the hop and the length in samples."""
    start, length = number * sizes[0], sizes[1]
    bump = hann(length, torch.float64, torch.device("cpu")).tolist()
    edge: dict[str, Any] = {"edgecolor": MUTED, "linestyle": (0, (2, 1.5))} if dropped else {"edgecolor": INK}
    x = [at(start + sample) for sample in range(length)] + [at(start + length)]
    y = [base + BUMP * height for height in (*bump, bump[0])]
    axes.fill(x, y, facecolor="white" if dropped else colour, linewidth=0.6, **edge)
    # Beside the centre, where a dashed line runs.
    place = at(start + (0.43 if length > 500 else 0.36) * length)
    axes.text(place, base + 0.055, str(number), ha="center", va="center", color=MUTED if dropped else INK)


def _branches(axes: Axes, config: ModelConfig) -> None:
    encoder = Encoder(config)
    tokens, half = config.tokens, config.width // 2
    middle = (UPPER + LOWER) / 2

    def shape(*sizes: int) -> str:
        return CROSS.join(["B", *map(str, sizes)])

    view, kept = r"$\log(1+|X|)$", shape(tokens, config.short_bins)
    every = shape(_short_frames(config), config.short_bins)
    box(axes, (0.72, UPPER), (1.34, 0.42), (f"short STFT, {view}", every), colour=SHORT)
    box(axes, (0.72, LOWER), (1.34, 0.42), (f"long STFT, {view}", shape(tokens, config.long_bins)), colour=LONG)
    box(axes, (2.2, UPPER), (1.02, 0.42), (rf"crop $\kappa={config.crop}$", kept), colour=SHORT)
    path(axes, (1.39, UPPER), (1.69, UPPER))
    path(axes, (1.39, LOWER), (2.97, LOWER))
    path(axes, (2.71, UPPER), (2.97, UPPER))
    for y, name, colour, linear in ((UPPER, "s", SHORT, encoder.short), (LOWER, "l", LONG, encoder.long)):
        sizes = f"{linear.in_features} {TO} {linear.out_features}"
        box(axes, (3.47, y), (1.0, 0.42), (rf"$W_{name},\;a_{name}$", sizes), colour=colour)
        path(axes, (3.97, y), (4.75, y), (4.75, middle), (4.95, middle))
        note(axes, 4.36, y + 0.03, shape(tokens, half), va="bottom")
    box(axes, (5.4, middle), (0.9, 0.42), ("concatenate", f"{half} + {half}"), colour=SHARED)
    path(axes, (5.85, middle), (6.05, middle))
    axes.text(6.08, middle, f"$e_j$:  {shape(tokens, config.width)}", va="center")


def _short_frames(config: ModelConfig) -> int:
    return (config.window - config.short) // config.hop + 1

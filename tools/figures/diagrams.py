"""Diagrams of the architecture and of where labelled windows come from, drawn from the real sizes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import nn

from dualres.bench.paper.protocol import ALLOCATIONS, GEARBOX_BUDGETS
from dualres.bench.report.captions import times
from dualres.bench.report.plots.boxes import CROSS, LONG, SHARED, SHORT, TO, bare, box, circled, note, path
from dualres.bench.report.plots.picture import Picture
from dualres.config import ModelConfig
from dualres.learn.fold import Budget
from dualres.model.network import DualRes
from dualres.utils.figures import ACCENT, DOUBLE, INK, PALE, POINTS, printed


@printed()
def architecture(classes: int = 8) -> Picture:
    """From a raw window to logits, with sizes and parameters."""
    config = ModelConfig()
    network = DualRes(classes, config)
    encoder, memory = network.encoder, network.encoder.memory
    width, tokens, states = config.width, config.tokens, f"{config.states} oscillators"
    figure, axes = bare(DOUBLE, 2.62)
    upper, middle, lower = 2.05, 1.42, 0.79

    boxes: tuple[tuple[float, float, float, float, str, tuple[str, ...]], ...] = (
        (0.42, middle, 0.74, 0.86, SHARED, ("window", f"{config.window:,}", "samples", f"{config.window_s:g} s")),
        (1.45, upper, 0.94, 0.74, SHORT, _view("short", config.short, config)),
        (1.45, lower, 0.94, 0.74, LONG, _view("long", config.long, config)),
        (2.6, upper, 0.88, 0.62, SHORT, _linear(encoder.short)),
        (2.6, lower, 0.88, 0.62, LONG, _linear(encoder.long)),
        (3.52, middle, 0.5, 0.62, SHARED, ("norm", f"{width}", _size(encoder.norm))),
        (4.42, middle, 0.88, 0.98, PALE, ("oscillatory", "memory", f"{width} channels", states, _size(memory))),
        (5.41, middle, 0.72, 0.86, PALE, (f"mix {CROSS}", "SiLU(gate)", _size(encoder.mix, encoder.gate))),
        (6.44, upper, 0.74, 0.62, SHARED, ("mean over", f"{tokens} tokens,", f"dropout {config.dropout:g}")),
        (6.44, lower, 0.74, 0.62, SHARED, _linear(network.head)),
    )
    for each in boxes:
        box(axes, each[:2], each[2:4], each[5], colour=each[4])

    for y in (upper, lower):
        path(axes, (0.79, middle), (0.88, middle), (0.88, y), (0.98, y))
        path(axes, (1.92, y), (2.16, y))
        path(axes, (3.04, y), (3.14, y), (3.14, middle), (3.27, middle))
    note(axes, 3.52, middle + 0.35, f"{tokens}{CROSS}{width}", va="bottom")
    path(axes, (3.77, middle), (3.98, middle))
    path(axes, (4.86, middle), (5.05, middle))
    circled(axes, 5.92, middle, "+")
    path(axes, (5.77, middle), (5.855, middle))
    path(axes, (3.205, middle), (3.205, 0.32), (5.92, 0.32), (5.92, middle - 0.065))
    note(axes, 4.56, 0.28, "residual: the projected views, before the norm", va="top")
    path(axes, (5.92, middle + 0.065), (5.92, upper), (6.07, upper))
    path(axes, (6.44, 1.74), (6.44, 1.1))
    path(axes, (6.44, 0.48), (6.44, 0.3))
    note(axes, 6.44, 0.27, f"{classes} logits", va="top")
    total = sum(p.numel() for p in network.parameters())
    return Picture(
        "architecture",
        "Architecture",
        f"DualRes: two centre-aligned log-magnitude STFTs of the same window of {config.window:,} samples at "
        f"{config.rate / 1000:g} kHz (centred and scaled to unit RMS), learned projections, layer normalisation, the "
        "oscillatory memory, a gated residual, the mean over tokens and a linear head. The last number in a box is its "
        f"parameters; all in all {total:,} for {classes} classes.",
        "",
        figure,
    )


@printed()
def allocations() -> Picture:
    """Every budget as a grid: a row is a recording, a cell a labelled window of it."""
    window_s = ModelConfig().window_s
    widening = [b for b in GEARBOX_BUDGETS if b.windows == GEARBOX_BUDGETS[0].windows]
    most = max(b.recordings for b in GEARBOX_BUDGETS)
    lengthening = [b for b in GEARBOX_BUDGETS if b.recordings == most]
    groups = (
        ("(a) more recordings", widening),
        ("(b) longer, same recordings", lengthening),
        ("(c) same seconds, spread", ALLOCATIONS),
    )
    gaps = sum(len(budgets) - 1 for _, budgets in groups)
    cells = sum(budget.windows for _, budgets in groups for budget in budgets)
    narrow, wide, height = 0.17, 0.3, 1.28
    cell = (DOUBLE - 0.2 - gaps * narrow - (len(groups) - 1) * wide) / cells
    figure, axes = bare(DOUBLE, height)
    x = 0.07
    for title, budgets in groups:
        axes.text(x, height - 0.05, title, va="top", fontsize=POINTS + 0.5)
        for budget in budgets:
            _grid(axes, (x, 0.43), cell, budget)
            seconds = budget.recordings * budget.windows * window_s
            centre = x + budget.windows * cell / 2
            axes.text(centre, 0.37, f"{times(budget)}\n{seconds:.1f} s", ha="center", va="top", linespacing=1.2)
            x += budget.windows * cell + narrow
        x += wide - narrow
    return Picture(
        "allocations",
        "Support allocations",
        f"Labelled windows of one class in each budget of the gearbox studies: a row is a recording, a cell one of its "
        f"disjoint windows of {window_s:g} s; below, recordings \N{MULTIPLICATION SIGN} windows and unique labelled "
        "seconds per class. Added recordings (a), added duration (b), and the same duration from one, three or six "
        "recordings (c). Only source recordings supply windows.",
        "",
        figure,
    )


def _grid(axes: Axes, corner: tuple[float, float], cell: float, budget: Budget) -> None:
    shades = np.linspace(0, 1, 6)
    for row in range(budget.recordings):
        for column in range(budget.windows):
            place = (corner[0] + column * cell, corner[1] + row * cell)
            colour = _between(ACCENT, "#d9e8ee", shades[row % 6])
            axes.add_patch(Rectangle(place, 0.86 * cell, 0.86 * cell, facecolor=colour, edgecolor=INK, linewidth=0.3))


def _between(one: str, other: str, share: float) -> tuple[float, float, float]:
    ends = [np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]) for colour in (one, other)]
    red, green, blue = (1 - share) * ends[0] + share * ends[1]
    return float(red), float(green), float(blue)


def _size(*modules: nn.Module) -> str:
    return f"{sum(p.numel() for module in modules for p in module.parameters()):,}"


def _view(name: str, length: int, config: ModelConfig) -> tuple[str, ...]:
    return f"{name} STFT {length}", f"hop {config.hop}", "log(1+|X|)", f"{config.tokens}{CROSS}{length // 2 + 1}"


def _linear(module: nn.Linear) -> tuple[str, ...]:
    return "linear", f"{module.in_features} {TO} {module.out_features}", _size(module)

"""How the paper's methods read a sequence, family by family, and how DualRes reads a window: a schematic."""

import textwrap
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import entry
from dualres.bench.report.names import method_name
from dualres.bench.report.plots.boxes import LONG, SHARED, SHORT, note, path
from dualres.utils.figures import ACCENT, INK, POINTS, RULE

WIDTH, HEIGHT = 3.25, 3.12  # in units that are about inches
TITLE = POINTS + 0.5
TOKENS = 7
SIDE, PITCH = 0.11, 0.155  # of a token, and from one to the next
ROW = 0.42
TILES = 0.32  # height of a spectrogram
WORDS, LINE = 1.36, 30  # where text begins, and how many letters fit on a line


def families(axes: Axes) -> None:
    """A row per family, and DualRes below."""
    axes.axis("off")
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT), aspect="equal", anchor="NW")
    axes.text(0.05, HEIGHT - 0.04, "representative sequence classifiers", va="top", fontsize=TITLE)
    y = HEIGHT - 0.58
    for family, (told, draw) in _READS.items():
        names = [method_name(name) for name in NAMES if entry(name).family == family and name != "dualres"]
        _tokens(axes, y)
        draw(axes, y)
        axes.text(WORDS, y + 0.23, told, va="center")
        note(axes, WORDS, y + 0.16, textwrap.fill(", ".join(names), LINE), ha="left", va="top")
        y -= ROW
    axes.plot([0.05, WIDTH - 0.05], [y + 0.27] * 2, color=RULE, linewidth=0.8)
    axes.text(0.05, y + 0.2, "DualRes: aligned spectral views, oscillatory memory", va="top", fontsize=TITLE)
    _dualres(axes, y + 0.02)


def _tokens(axes: Axes, y: float) -> None:
    for place in range(TOKENS):
        corner = (_middle(place) - SIDE / 2, y)
        axes.add_patch(Rectangle(corner, SIDE, SIDE, facecolor=SHARED, edgecolor=INK, linewidth=0.5))


def _middle(place: int) -> float:
    return 0.12 + place * PITCH


def _attention(axes: Axes, y: float) -> None:
    """Every token looks at every other; drawn for one of them."""
    own = TOKENS // 2
    for other in (place for place in range(TOKENS) if place != own):
        x = np.linspace(_middle(own), _middle(other), 20)
        height = 0.2 * (abs(other - own) / own) ** 0.6
        rise = 4 * height * np.linspace(0, 1, 20) * np.linspace(1, 0, 20)
        axes.plot(x, y + SIDE + rise, color=ACCENT, linewidth=0.9)


def _state_space(axes: Axes, y: float) -> None:
    """A state goes from token to token, each of which writes to it."""
    height = y + 0.27
    for place in range(TOKENS):
        x = _middle(place)
        axes.plot([x, x], [y + SIDE, height - 0.03], color=ACCENT, linewidth=0.7)
        axes.plot(x, height, "o", color=ACCENT, markersize=3.4)
    axes.plot([_middle(0), _middle(TOKENS - 1)], [height] * 2, color=ACCENT, linewidth=0.9)
    path(axes, (_middle(TOKENS - 1), height), (_middle(TOKENS - 1) + 0.15, height))


def _convolution(axes: Axes, y: float) -> None:
    """Neighbours are weighted alike wherever they are."""
    height = y + 0.29
    for place in range(1, TOKENS - 1, 2):
        for other in (place - 1, place, place + 1):
            axes.plot([_middle(other), _middle(place)], [y + SIDE, height], color=ACCENT, linewidth=0.8)
        axes.plot(_middle(place), height, "s", color=ACCENT, markersize=4)


def _kernels(axes: Axes, y: float) -> None:
    """Fixed kernels of several dilations, each of which gives features."""
    for places, height in (((0, 1, 2), 0.17), ((1, 3, 5), 0.23), ((0, 3, 6), 0.29)):
        x = [_middle(place) for place in places]
        axes.plot(x, [y + height] * len(x), color=ACCENT, linewidth=0.7, marker="o", markersize=2.6)


_READS: dict[str, tuple[str, Callable[[Axes, float], None]]] = {
    "attention": ("attention among tokens", _attention),
    "state space": ("selective state space", _state_space),
    "convolution": ("convolution over tokens", _convolution),
    "kernels, ridge": ("fixed kernels, ridge classifier", _kernels),
}


def _dualres(axes: Axes, top: float) -> None:
    """The window, its two views token by token, the memory and the verdict."""
    upper, lower = top - 0.4, top - 0.8
    middle = (upper + lower + TILES) / 2
    x = np.linspace(0, 1, 160)
    burst = sum(
        np.exp(-np.clip(x - at, 0, None) / 0.06) * (x >= at) * np.sin(150 * (x - at)) for at in (0.08, 0.41, 0.74)
    )
    axes.plot(0.05 + 0.47 * x, middle + 0.13 * burst, color=INK, linewidth=0.7)
    left, right = 0.84, 1.84
    for low, rows, colour in ((upper, 2, SHORT), (lower, 8, LONG)):
        path(axes, (0.56, middle), (0.66, middle), (0.66, low + 0.19), (left - 0.06, low + 0.19))
        _tiles(axes, (left, right), low, rows=rows, colour=colour)
        path(
            axes, (right + 0.04, low + 0.19), (right + 0.16, low + 0.19), (right + 0.16, middle), (right + 0.27, middle)
        )
    for place in range(TOKENS):
        centre = left + (place + 0.5) * (right - left) / TOKENS
        axes.plot([centre] * 2, [lower - 0.04, upper + TILES + 0.04], color=INK, linewidth=0.5, linestyle=(0, (2, 1.5)))
    turn = np.linspace(0, 5 * np.pi, 200)
    radius = 0.19 * np.exp(-turn / 6)
    axes.add_patch(Circle((2.35, middle), 0.225, facecolor="white", edgecolor=INK, linewidth=0.7))
    axes.plot(2.35 + radius * np.cos(-turn), middle + radius * np.sin(-turn), color=ACCENT, linewidth=1)
    path(axes, (2.58, middle), (2.72, middle))
    axes.text(2.75, middle, "verdict", va="center")


def _tiles(axes: Axes, ends: tuple[float, float], low: float, *, rows: int, colour: str) -> None:
    """A spectrogram: a column per token, and rows of frequency."""
    left, right = ends
    axes.add_patch(Rectangle((left, low), right - left, TILES, facecolor=colour, edgecolor=INK, linewidth=0.6))
    for row in range(1, rows):
        axes.plot([left, right], [low + row * TILES / rows] * 2, color="white", linewidth=0.6)

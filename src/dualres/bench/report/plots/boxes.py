"""What diagrams are made of: boxes, arrows and sums, in inches on a bare figure."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from dualres.utils.figures import INK, MUTED

CROSS, TO = "\N{MULTIPLICATION SIGN}", "\N{RIGHTWARDS ARROW}"
SHORT, LONG, SHARED = "#f4dcae", "#cfe3ec", "#eceff1"  # of the two views, and of what both go through
ARROW: dict[str, Any] = {
    "arrowstyle": "-|>",
    "color": INK,
    "linewidth": 0.8,
    "shrinkA": 0,
    "shrinkB": 0,
    "mutation_scale": 6,
}


def bare(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure to draw a diagram on, in inches from its lower left corner."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return figure, axes


def box(
    axes: Axes, centre: tuple[float, float], size: tuple[float, float], lines: Sequence[str], *, colour: str
) -> None:
    """`size` is its width and height."""
    (x, y), (width, height) = centre, size
    corner = (x - width / 2, y - height / 2)
    look: dict[str, Any] = {"boxstyle": "round,pad=0,rounding_size=0.05", "facecolor": colour, "edgecolor": INK}
    axes.add_patch(FancyBboxPatch(corner, width, height, linewidth=0.7, **look))
    axes.text(x, y, "\n".join(lines), ha="center", va="center", linespacing=1.25)


def path(axes: Axes, *points: tuple[float, float]) -> None:
    """A line along the points that ends in an arrow."""
    axes.plot(*zip(*points[:-1], strict=True), color=INK, linewidth=0.8, solid_joinstyle="round")
    axes.annotate("", points[-1], points[-2], arrowprops=ARROW)


def circled(axes: Axes, x: float, y: float, sign: str) -> None:
    """A marker such as "+" in a circle: where arrows are added."""
    axes.plot(x, y, "o", markersize=8.5, markerfacecolor="white", markeredgecolor=INK, markeredgewidth=0.8)
    axes.plot(x, y, sign, markersize=6, color=INK, markeredgewidth=0.8)


def note(axes: Axes, x: float, y: float, text: str, *, ha: str = "center", va: str = "center") -> None:
    axes.text(x, y, text, ha=ha, va=va, color=MUTED)

"""Probabilities over time: a strip per recording, a row per class, the darker the more probable."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap

from dualres.utils.figures import ACCENT, DOUBLE, INK, MUTED, PNG_DPI, RULE, canvas, printed
from dualres.utils.files import write_whole
from dualres.utils.printable import printable

ROW = 0.2  # inches, for a class
MINUTES, HOURS = 180.0, 3 * 3600.0  # seconds from which an axis counts in them
SHADES = LinearSegmentedColormap.from_list("probability", ["white", ACCENT, "#0d3443"])


@dataclass
class Strip:
    """The segments of a recording; parts of a file may leave gaps."""

    name: str
    starts: list[float] = field(default_factory=list)  # s
    ends: list[float] = field(default_factory=list)
    probabilities: list[list[float]] = field(default_factory=list)  # of every class
    unlike: list[tuple[float, float]] = field(default_factory=list)  # s, from and to: like nothing that was labelled

    def add(self, start_s: float, end_s: float, probabilities: list[float]) -> None:
        self.starts.append(start_s)
        self.ends.append(end_s)
        self.probabilities.append(probabilities)


@printed()
def draw_strips(path: Path, strips: Sequence[Strip], classes: Sequence[str]) -> None:
    """Write the picture; the suffix says as what."""
    figure, grid = canvas(DOUBLE, len(strips) * (ROW * len(classes) + 0.5) + 0.15, len(strips))
    for axes, strip in zip(grid[:, 0], strips, strict=True):
        shades = _draw(axes, strip, classes)
    bar = figure.colorbar(shades, ax=grid[:, 0].tolist(), aspect=10 * len(strips), pad=0.015, ticks=[0, 0.5, 1])
    bar.outline.set_edgecolor(RULE)
    bar.set_label("probability")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=PNG_DPI)
    write_whole(path, buffer.getvalue())


def _draw(axes: Axes, strip: Strip, classes: Sequence[str]) -> QuadMesh:
    longest = max(strip.ends)
    scale, unit = (3600, "hours") if longest > HOURS else (60, "minutes") if longest > MINUTES else (1, "seconds")
    edges: list[float] = [min(strip.starts)]
    columns: list[list[float]] = []
    for start, end, each in sorted(zip(strip.starts, strip.ends, strip.probabilities, strict=True)):
        if start > edges[-1]:  # between two parts of a file nothing was judged
            edges.append(start)
            columns.append([np.nan] * len(classes))
        edges.append(end)
        columns.append(each)
    # No line between segments: there may be hundreds.
    rows = np.arange(len(classes) + 1)
    shades = axes.pcolormesh(np.array(edges) / scale, rows, np.array(columns).T, cmap=SHADES, vmin=0, vmax=1)
    for boundary in range(1, len(classes)):
        axes.axhline(boundary, color=RULE, linewidth=0.4)
    for start, end in strip.unlike:
        axes.axvspan(start / scale, end / scale, fill=False, hatch="/////", edgecolor=MUTED, linewidth=0)
    named = [printable(name) for name in classes]
    axes.set_yticks(np.arange(len(classes)) + 0.5, named, parse_math=False)  # a $ is a $
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    axes.set_title(printable(strip.name), color=INK, parse_math=False)
    if strip.unlike:
        axes.set_title("hatched: none of these", loc="right", color=MUTED)
    for spine in axes.spines.values():
        spine.set(visible=True, color=RULE)
    return shades

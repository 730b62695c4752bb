"""The one visual language of pictures in files: printed size, colours that survive grey and colour blindness."""

import io
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from dualres.utils.files import write_whole

INK, ACCENT, PALE = "#1d2733", "#1f6f8b", "#8fbccb"

STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "dualres",  # the same picture is the same file
}

SINGLE, DOUBLE = 3.3, 6.9  # inches, one column of a paper and two
POINTS = 7.0  # the smallest text, at printed size
MUTED, RULE = "#5c6670", "#c3c9ce"
DASHED = (0, (4, 3))
PNG_DPI = 200

PRINTED: Any = {
    **STYLE,
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same picture on every machine
    "font.size": POINTS,
    "axes.labelsize": POINTS,
    "axes.titlesize": POINTS + 0.5,
    "axes.titlepad": 4,
    "axes.labelpad": 2.5,
    "xtick.labelsize": POINTS,
    "ytick.labelsize": POINTS,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.pad": 2,
    "ytick.major.pad": 2,
    "legend.fontsize": POINTS,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.2,
    "hatch.linewidth": 0.7,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "pdf.fonttype": 42,  # text stays text
}


@contextmanager
def printed() -> Iterator[None]:
    """Within it, everything is drawn for print; also a decorator."""
    with matplotlib.rc_context(PRINTED):
        yield


def canvas(
    width: float, height: float, rows: int = 1, columns: int = 1, **shared: Any
) -> tuple[Figure, npt.NDArray[Any]]:
    """A figure of the given inches and its axes, (rows, columns)."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes: npt.NDArray[Any] = figure.subplots(rows, columns, squeeze=False, **shared)
    return figure, axes


def footnote(figure: Figure, *sentences: str) -> None:
    """Small print under the figure; empty sentences are left out."""
    text = " ".join(sentence for sentence in sentences if sentence)
    if text:
        characters = int(figure.get_figwidth() / 0.054)  # of the smallest text
        wrapped = textwrap.fill(text, characters)
        figure.supxlabel(wrapped, x=0.01, ha="left", fontsize=POINTS, color=MUTED, linespacing=1.25)


def percent_axis(axes: Axes, highest: float, label: str = "macro-F1 (%)") -> None:
    """From zero to a little above the highest value, since half a bar is no bar."""
    axes.set_ylim(0, min(104.0, max(10.0, 1.12 * highest)))
    axes.set_ylabel(label)


def not_run(axes: Axes, x: float, y: float, *, upright: bool = False) -> None:
    """The words where a bar would be."""
    place: Any = {"ha": "center", "va": "bottom", "rotation": 90} if upright else {"ha": "left", "va": "center"}
    offset = (0, 2) if upright else (2, 0)
    axes.annotate("not run", (x, y), offset, textcoords="offset points", color=MUTED, fontstyle="italic", **place)


def value_column(axes: Axes, words: Sequence[tuple[float, str]]) -> None:
    """Numbers in a column at the right edge, flush right: (row, text). There nobody takes them for those of a mark."""
    place: Any = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "center", "annotation_clip": False}
    for row, text in words:
        axes.annotate(text, (1, row), **place)


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Positions near the wanted ones and at least `gap` apart, in the order given."""
    order = np.argsort(wanted, kind="stable")
    groups: list[tuple[list[int], float]] = []  # members and the centre of each run of touching labels
    for index in order:
        members, centre = [int(index)], float(wanted[index])
        while groups and centre - groups[-1][1] < gap * (len(members) + len(groups[-1][0])) / 2:
            members = groups.pop()[0] + members
            centre = float(np.mean([wanted[i] for i in members]))
        groups.append((members, centre))
    placed = [0.0] * len(wanted)
    for members, centre in groups:
        for position, index in enumerate(members):
            placed[index] = centre + gap * (position - (len(members) - 1) / 2)
    return placed


def label_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Names to the right of lines, moved apart where they would touch: (x, y, name, colour) of each line's end. The y
    axis must be linear and have its limits."""
    beside = blended_transform_factory(axes.transAxes, axes.transData)
    (low, high), dpi = axes.get_ylim(), lay_out(axes)
    text_height = (high - low) * POINTS / 72 * dpi / axes.get_window_extent().height  # of the smallest, in units of y
    heights = spread([end[1] for end in ends], 1.25 * text_height)
    for (x, y, name, colour), height in zip(ends, heights, strict=True):
        # Grey, so that nobody takes it for a part of the line.
        leader = {"arrowstyle": "-", "color": RULE, "linewidth": 0.5, "shrinkA": 0.5, "shrinkB": 2.5}
        place: Any = {"textcoords": beside, "va": "center", "annotation_clip": False, "color": colour}
        axes.annotate(name, (x, y), (1.03, height), arrowprops=leader, **place)


def lay_out(axes: Axes) -> float:
    """Give the axes their place in the figure, so that sizes can be measured; the pixels of an inch."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    return float(figure.dpi)


def save(figure: Figure, stem: Path, mark: str = "") -> tuple[Path, Path]:
    """`stem`.pdf and `stem`.png, the same bytes every time; `mark` stands in both, where no viewer shows it."""
    paths = stem.with_name(stem.name + ".pdf"), stem.with_name(stem.name + ".png")
    options: tuple[dict[str, Any], ...] = (
        {
            "format": "pdf",
            "metadata": {"CreationDate": None, "Producer": None, "Creator": None, "Keywords": mark or None},
        },
        {"format": "png", "metadata": {"Software": None, "Comment": mark or None}, "dpi": PNG_DPI},
    )
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, the same in both files
    for path, option in zip(paths, options, strict=True):
        buffer = io.BytesIO()
        figure.savefig(buffer, **option)
        write_whole(path, buffer.getvalue())
    return paths

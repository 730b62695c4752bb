"""The picture of `dualres trend`: levels over time, the healthy baseline, and the change."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

from dualres.errors import ConfigError
from dualres.explain.trend.curves import Curve, curves_of
from dualres.explain.trend.series import Trend
from dualres.utils.figures import ACCENT, DASHED, DOUBLE, INK, MUTED, PALE, PNG_DPI, RULE, canvas, printed
from dualres.utils.files import write_whole
from dualres.utils.printable import printable

ROW = 0.95  # inches, of one curve
MOST = 6  # machines in a picture
CHANGED = "#c8553d"


@printed()
def draw_trends(trends: Sequence[Trend], path: Path) -> None:
    """Write the picture of one series, or of several below each other, as PNG."""
    drawn = [one for one in trends if one.points]
    if not drawn:
        raise ConfigError(f"--picture {path}: no recording could be used, so there is nothing to draw")
    if len(drawn) > MOST:
        raise ConfigError(f"--picture draws up to {MOST} series, and there are {len(drawn)}; write a --page instead")
    rows = [(one, curve) for one in drawn for curve in curves_of(one)]
    figure, grid = canvas(DOUBLE, ROW * len(rows) + 0.3 * len(drawn), len(rows))
    before: Trend | None = None
    for place, (axes, (one, curve)) in enumerate(zip(grid[:, 0], rows, strict=True)):
        _draw(axes, one, curve)
        if one is not before:
            axes.set_title(printable(f"{one.name or 'Machine'}: {one.answer}"), fontweight="bold", parse_math=False)
        if place + 1 < len(rows) and rows[place + 1][0] is one:  # the time stands once, below a machine's last curve
            axes.tick_params(labelbottom=False)
            axes.xaxis.get_offset_text().set_visible(False)
        before = one
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
    write_whole(path, buffer.getvalue())


def _draw(axes: Axes, one: Trend, curve: Curve) -> None:
    at: Any = [point.at for point in one.points]
    if one.dated:
        at = [datetime.fromtimestamp(each, UTC) for each in at]
        locator = AutoDateLocator(maxticks=8)  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    values = np.array(curve.values, dtype=np.float64)
    axes.plot(at, values, color=ACCENT, marker="o" if len(at) <= 100 else "", markersize=2, linewidth=0.8, zorder=3)
    axes.axvspan(at[0], at[one.baseline - 1], color=PALE, alpha=0.25, linewidth=0, zorder=0)
    if curve.limit is not None:
        axes.axhline(curve.limit, color=CHANGED, linestyle=DASHED, linewidth=0.7)
    if one.change:
        axes.axvline(at[one.change.began], color=MUTED, linewidth=0.7, linestyle=DASHED)
        axes.axvline(at[one.change.found], color=CHANGED, linewidth=1.0)
    axes.set_ylabel(curve.title, color=INK)
    axes.grid(axis="y", color=RULE, linewidth=0.3)

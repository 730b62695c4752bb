"""Does cost grow linearly? What `speed/scaling.py` measured, on logarithmic axes and per unit."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter

from dualres.bench.report.plots.picture import Picture
from dualres.utils.figures import ACCENT, DASHED, DOUBLE, MUTED, canvas, printed

MEASURED = "measured/scaling.json"  # beside a ledger
FITTED = 3  # of a curve, the last points: the first ones are mostly what every call costs
FIRST: Any = {"color": ACCENT, "marker": "o", "markersize": 3.6}
SECOND: Any = {"color": "#d55e00", "marker": "s", "markersize": 3.4}


@dataclass(frozen=True)
class ScalingCurve:
    """Seconds of one processor over some size."""

    name: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def slope(self) -> float:
        """Of the last points, by least squares on logarithmic axes; 1 is linear."""
        x, y = (np.log(values[-FITTED:]) for values in (self.sizes, self.seconds))
        return float(np.polyfit(x, y, 1)[0])

    @property
    def relative(self) -> tuple[float, ...]:
        """Cost per unit of size, over that of the largest size."""
        per_unit = [s / size for s, size in zip(self.seconds, self.sizes, strict=True)]
        return tuple(each / per_unit[-1] for each in per_unit)


def curves(measured: Mapping[str, Any]) -> dict[str, ScalingCurve]:
    """What the script's JSON holds, by the name of what was varied."""
    half = measured["window_s"] / 2  # of signal, for every further window

    def curve(name: str, told: str, key: str = "") -> ScalingCurve:
        points = measured[name]
        return ScalingCurve(told, tuple(point[key or name] for point in points), tuple(point["s"] for point in points))

    windows = curve("windows", "from memory")
    return {
        "tokens": curve("tokens", "tokens T"),
        "width": curve("width", "channels D"),
        "states": curve("states", "oscillators K"),
        "windows": ScalingCurve(windows.name, tuple(half * count for count in windows.sizes), windows.seconds),
        "recordings": curve("recordings", "from a file", "seconds"),
    }


@printed()
def scaling_picture(folder: Path) -> Picture | None:
    """Of a ledger's folder, if the measurement lies there."""
    path = folder / MEASURED
    if not path.exists():
        return None
    measured = json.loads(path.read_text())
    found, fixed = curves(measured), measured["fixed"]
    figure, grid = canvas(DOUBLE, 3.1, 2, 3, sharex="col", sharey="row", height_ratios=(1.7, 1))
    panels = (
        ("the scan, over tokens", "tokens T", (found["tokens"],)),
        ("the scan, over its sizes", "channels D, oscillators K", (found["width"], found["states"])),
        ("a verdict, over duration", "seconds of signal", (found["recordings"], found["windows"])),
    )
    for column, (title, label, drawn) in enumerate(panels):
        _cost(grid[0, column], drawn)
        _per_unit(grid[1, column], drawn)
        grid[0, column].set_title(title)
        grid[1, column].set_xlabel(label)
    grid[0, 0].set_ylabel("seconds of one core")
    grid[1, 0].set_ylabel("cost per unit,\nover the last")
    caption = (
        "Processor time on one thread, the best of several. Left and middle: the memory's scan, in chunks by PyTorch, "
        f"with T = {fixed['tokens']}, D = {fixed['width']} and K = {fixed['states']} where they are not varied. Right: "
        f"from a WAV file at {measured['rate_hz'] / 1000:g} kHz to its verdict, and from windows in memory, which "
        "overlap by half, to their scores. Dashed: linear growth through the last point; slopes are of the last "
        f"{FITTED} points. Below: cost per unit of size, relative to the largest size; a level line is linear growth, "
        "a falling one less than linear, as costs that do not depend on the size wear off."
    )
    return Picture("scaling", "Cost against size", caption, "", figure)


def _cost(axes: Axes, drawn: Sequence[ScalingCurve]) -> None:
    axes.set(xscale="log", yscale="log")
    for curve, look in zip(drawn, (FIRST, SECOND), strict=False):
        end, cost = curve.sizes[-1], curve.seconds[-1]
        linear = [cost * size / end for size in curve.sizes]
        axes.plot(curve.sizes, linear, color=MUTED, linewidth=0.8, linestyle=DASHED)
        told = f"{curve.name}: " if len(drawn) > 1 else ""
        axes.plot(curve.sizes, curve.seconds, linewidth=1.1, label=f"{told}slope {curve.slope:.2f}", **look)
    axes.minorticks_off()
    axes.legend(loc="upper left", borderaxespad=0.1, handlelength=1.5)


def _per_unit(axes: Axes, drawn: Sequence[ScalingCurve]) -> None:
    axes.set_yscale("log")
    axes.axhline(1, color=MUTED, linewidth=0.8, linestyle=DASHED)
    for curve, look in zip(drawn, (FIRST, SECOND), strict=False):
        axes.plot(curve.sizes, curve.relative, linewidth=1.1, **look)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))

"""What panels of the picture of `dualres explain` are drawn with."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm

from dualres.explain.reasons import Share
from dualres.utils.arrays import Exact
from dualres.utils.figures import ACCENT, INK, spread

AGAINST = "#c8553d"
SHADES = LinearSegmentedColormap.from_list("odds", [AGAINST, "#ffffff", ACCENT])
CROWDED = 50  # bars beyond which gaps between them would be more than the bars
CHARACTER = 0.068  # inches: the width of one
LEAST_CHARACTERS = 5  # that a name has room for

Rates = tuple[float, float]  # from one to another: times a second, or in each turn of a shaft


def bars(axes: Axes, left: Exact, width: Exact, nats: Exact) -> None:
    """Blue for the verdict, red for the runner-up."""
    colours = [ACCENT if value > 0 else AGAINST for value in nats]
    edge: Any = {"edgecolor": "white", "linewidth": 0.3} if len(nats) < CROWDED else {"linewidth": 0}
    axes.bar(left, nats, width, align="edge", color=colours, **edge)
    axes.axhline(0, color=INK, linewidth=0.5)


def rates_of(share: Share) -> Rates:
    """Where what repeats lies on its axis: in orders where the speed is known, else in Hz."""
    rates = share.region.orders or share.region.repeats_hz
    assert rates
    return rates


def heat(axes: Axes, shares: Sequence[Share], beside: Axes) -> None:
    """Bands upwards, and to the right how often what sounds in them comes and goes; `beside` has the scale."""
    bands = sorted({(share.region.low_hz, share.region.high_hz) for share in shares})
    rates = sorted({rates_of(share) for share in shares})
    values = np.zeros((len(bands), len(rates)))
    for share in shares:
        row = bands.index((share.region.low_hz, share.region.high_hz))
        values[row, rates.index(rates_of(share))] = share.nats
    edges = [rate[0] for rate in rates] + [rates[-1][1]]
    largest = max(float(np.abs(values).max()), 1e-9)
    norm = TwoSlopeNorm(0, -largest, largest)
    edge: Any = {"edgecolor": "white", "linewidth": 0.8 if len(rates) < CROWDED // 2 else 0.4}
    drawn = axes.pcolormesh(edges, np.arange(len(bands) + 1), values, cmap=SHADES, norm=norm, **edge)
    axes.set(xscale="log", ylabel="kHz")
    axes.set_yticks(
        np.arange(len(bands) + 1), [f"{hz / 1000:.3g}" for hz in (*(low for low, _ in bands), bands[-1][1])]
    )
    axes.tick_params(length=0)
    figure = axes.get_figure(root=True)
    assert figure is not None
    bar = figure.colorbar(drawn, cax=beside)
    bar.set_ticks([-largest, 0, largest], labels=[f"{-largest:.1g}", "0", f"{largest:.1g}"])
    bar.outline.set_visible(False)


def names_above(axes: Axes, names: Sequence[tuple[float, str, str]]) -> None:
    """Names above places on the x axis, moved apart where they would touch: (x, name, colour) each. The axis must have
    its limits."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    inches = axes.get_position().width * figure.get_figwidth()
    low, high = axes.transScale.transform([(x, 1.0) for x in axes.get_xlim()])[:, 0]
    at = [float((axes.transScale.transform((x, 1.0))[0] - low) / (high - low)) for x, _, _ in names]
    gap = CHARACTER / inches * max([LEAST_CHARACTERS, *(len(name) for _, name, _ in names)])
    places = spread(at, gap)
    moved = max([0.0, *(gap / 2 - x for x in places)])  # names begin where the axis does
    for (_, name, colour), x, place in zip(names, at, places, strict=True):
        axes.annotate(
            name, (x, 1.0), (place + moved, 1.035), "axes fraction", "axes fraction", ha="center", va="bottom",
            color=colour, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0.5, "shrinkB": 0},
        )  # fmt: skip

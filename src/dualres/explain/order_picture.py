"""Panels of the picture of `dualres explain` about what comes and goes, by a network of orders."""

import numpy as np
from matplotlib.axes import Axes

from dualres.explain.marks import bars, heat, names_above, rates_of
from dualres.explain.regions import ENVELOPE, MODULATION
from dualres.explain.report import Case
from dualres.utils.figures import DASHED, MUTED, RULE

ORDERS = (0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14)
HZ = (10, 20, 50, 100, 200, 350)


def draw_repeating(envelope: Axes, modulation: Axes, beside: Axes, case: Case) -> None:
    """The envelope above, the modulation of each band below it; `beside` has the latter's scale."""
    shares = [share for share in case.reasons.shares if share.region.view == ENVELOPE]
    low, high = (np.array([rates_of(share)[side] for share in shares]) for side in (0, 1))
    bars(envelope, low, high - low, np.array([share.nats for share in shares]))
    envelope.set(ylabel="nats", xscale="log")
    heat(modulation, [share for share in case.reasons.shares if share.region.view == MODULATION], beside)
    for axes in (envelope, modulation):
        axes.set_xlim(low.min(), high.max())
        ticks = [tick for tick in (ORDERS if case.reasons.speed else HZ) if low.min() <= tick <= high.max() + 1e-9]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    envelope.tick_params(labelbottom=False)
    modulation.set_title("Modulation of each band")
    speed = case.reasons.speed
    if speed is None:
        envelope.set_title("Envelope")
        modulation.set_xlabel("times a second")
        return
    envelope.set_title("Envelope", pad=14 if case.known_orders else None)
    modulation.set_xlabel(f"times in a turn of the shaft, {speed.mean_hz:.2f} Hz ({speed.source})")
    _known_orders(envelope, modulation, case)


def _known_orders(envelope: Axes, modulation: Axes, case: Case) -> None:
    """Lines of the machine's geometry, with their names where they are no harmonics."""
    first, last = envelope.get_xlim()
    for line in (line for line in case.known_orders if first <= line.order <= last):
        for axes in (envelope, modulation):
            axes.axvline(line.order, color=RULE, linestyle=DASHED, linewidth=0.7, zorder=0 if axes is envelope else 2)
    lowest = [line for line in case.known_orders if line.lowest and first <= line.order <= last]
    names = [line.name.partition(" of ")[0].replace(" x ", "x").removesuffix("'s shaft") for line in lowest]
    names_above(envelope, [(line.order, name, MUTED) for line, name in zip(lowest, names, strict=True)])

"""The picture of `dualres check`: what stands out of a machine's envelope over orders, and the lines looked for."""

import io
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dualres.errors import ConfigError
from dualres.explain.check import CheckedRecording
from dualres.explain.check_curves import curves_of
from dualres.explain.marks import AGAINST, names_above
from dualres.faultlines.check import Finding
from dualres.utils.figures import DASHED, DOUBLE, INK, MUTED, PNG_DPI, POINTS, RULE, printed
from dualres.utils.files import write_whole

HEIGHT = 2.9  # inches


@printed()
def draw_check(found: CheckedRecording, path: Path) -> None:
    """Write the picture of a check as PNG."""
    figure = check_figure(found)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
    write_whole(path, buffer.getvalue())


@printed()
def check_figure(found: CheckedRecording) -> Figure:
    """The pooled envelope above, the spectrum of the signal below; lines that are named are broad."""
    check, curves = found.check, curves_of(found)
    if curves is None:
        raise ConfigError(f"{found.file}: there is nothing to draw: {check.said}")
    figure = Figure(figsize=(DOUBLE, HEIGHT))
    parts = [one for one in check.findings if one.order]
    for bottom, curve, title in ((0.57, curves.envelope, "Envelope of all bands"), (0.14, curves.signal, "Signal")):
        axes = figure.add_axes((0.06, bottom, 0.925, 0.27))
        axes.plot(curves.orders, curve, color=INK, linewidth=0.5, zorder=3)
        top = 1.05 * max(8.0, float(curve.max()))
        axes.set(xlim=(0, float(curves.orders[-1])), ylim=(-2, top), ylabel="deviations")
        axes.set_title(title, pad=14 if bottom > 0.5 else None)
        if bottom > 0.5:
            names = []
            for one in parts:
                colour, look = (AGAINST, {"linewidth": 2.6, "alpha": 0.35}) if one.named else (RULE, {"linewidth": 0.7})
                for order, _ in one.lines:
                    axes.axvline(order, color=colour, zorder=1, **look)
                assert one.order
                short = one.name.removesuffix(" race").removeprefix("rolling ")  # long names move each other aside
                names.append((one.order * (one.factor or 1.0), short, AGAINST if one.named else MUTED))
            names_above(axes, names)
        else:
            _shaft_lines(axes, [one for one in check.findings if not one.order and one.named])
    figure.axes[-1].set_xlabel(f"times in a turn of the shaft ({curves.rpm:.0f} rpm)")
    title = f"{Path(found.file).name}: {check.sentence}"
    figure.text(0.01, 0.985, title, va="top", fontsize=POINTS + 2, fontweight="bold")
    return figure


def _shaft_lines(axes: Axes, named: list[Finding]) -> None:
    for one in named:
        for order, _ in one.lines:
            axes.axvline(order, color=AGAINST, linestyle=DASHED, linewidth=0.8, zorder=1)

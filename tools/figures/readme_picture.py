"""The README's picture: half a second of the simulated rig, what the network of orders reads of it, and the verdict.

The model is the one that `make demo` writes. The recording is one of those that it did not learn from.
"""

import argparse
import io
from itertools import islice
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from matplotlib.transforms import blended_transform_factory

from dualres import Model, ModelConfig, Recording, Verdict, diagnose_recording, load
from dualres.config import ORDER_SIZES, VIEW_SIZES
from dualres.judge.turning import unsearched_speeds
from dualres.judge.windows import model_windows
from dualres.model.reference.orders import looks, views_of_looks
from dualres.recordings.recording import Samples
from dualres.simulated import rig as simulated
from dualres.utils.arrays import Exact
from dualres.utils.figures import ACCENT, DASHED, INK, MUTED, PALE, STYLE
from dualres.utils.files import write_whole

ROOT = Path(__file__).parents[2]
RECORDING, WINDOW = "break_outer_H_speed_3000rpm_20Nm", 16  # and the number of the window that is shown
FAULTS = {"broken tooth: 1": 1.0, f"outer ring: {simulated.OUTER_ORDER:g}": simulated.OUTER_ORDER}  # orders
SHADES = LinearSegmentedColormap.from_list("shades", ["#f7fafb", "#cfe2e9", PALE, ACCENT, "#0d3a4a"])
MARK = "#b4481a"
TICKS = (0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12)  # orders
LOOK: Any = STYLE | {"font.sans-serif": ["DejaVu Sans"], "font.size": 9.5, "axes.titlesize": 10.5, "axes.titlepad": 6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=ROOT / "demo" / "model.safetensors")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "overview.png")
    arguments = parser.parse_args()
    model = load(arguments.model)
    (recording,) = [r for r in simulated.recordings() if r.id == RECORDING]
    verdict = diagnose_recording(model, recording)
    print(f"{recording.id}: {verdict.label} {verdict.probability:.2f} from {verdict.windows} windows")
    with matplotlib.rc_context(LOOK):
        picture = drawn(model, recording, verdict)
    buffer = io.BytesIO()
    picture.savefig(buffer, format="png", dpi=170, metadata={"Software": None})
    write_whole(arguments.out, buffer.getvalue())


def drawn(model: Model, recording: Recording, verdict: Verdict) -> Figure:
    """A window and what is read of it on the left, one below the other; the verdict on the right."""
    figure = Figure(figsize=(9.4, 5.0), layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.05, wspace=0.06)
    left, right = figure.subfigures(1, 2, width_ratios=(1.6, 1))
    wave, modulation, envelope = left.subplots(3, 1, height_ratios=(0.75, 1, 1))
    (window,) = next(islice(model_windows(model, recording, at_once=1), WINDOW, None))
    speeds = unsearched_speeds(model, recording)
    assert speeds is not None
    hz = speeds.hz(WINDOW, 1)
    views = views_of_looks(model.card.config, looks(model.card.config, window[None]), hz)
    draw_wave(window, model.card.config.rate, wave)
    draw_modulation(views["modulation"][0], model.card.config, modulation)
    draw_envelope(views["envelope"][0], envelope)
    for axes in (modulation, envelope):
        axes.set(xscale="log", xlim=ORDER_SIZES.orders)
        axes.set_xticks(TICKS, [f"{order:g}" for order in TICKS])
        axes.xaxis.set_minor_locator(NullLocator())
    modulation.tick_params(axis="x", labelbottom=False)
    envelope.set_xlabel(f"orders: multiples of the shaft's rate, here {60 * hz[0]:.0f} rpm")
    left.align_ylabels()
    draw_verdict(verdict, right.subplots())
    return figure


def draw_wave(window: Samples, rate: int, axes: Axes) -> None:
    """The window as it was recorded, at the model's rate."""
    seconds = len(window) / rate
    axes.plot(np.arange(len(window)) / rate, window - window.mean(), color=ACCENT, linewidth=0.45)
    axes.set(xlim=(0, seconds), yticks=[], title="Half a second of vibration", ylabel=" ")
    axes.set_xticks((0, seconds), ("0", f"{seconds:g} s"))
    first, last = axes.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", length=0)


def draw_modulation(read: Exact, config: ModelConfig, axes: Axes) -> None:
    """Five bands by 72 orders."""
    bands = read.reshape(VIEW_SIZES.bands, ORDER_SIZES.oscillators)
    axes.pcolormesh(
        ORDER_SIZES.edges(ORDER_SIZES.oscillators),
        range(VIEW_SIZES.bands + 1),
        bands,
        cmap=SHADES,
        vmin=float(np.quantile(bands, 0.3)),
        vmax=float(bands.max()),
    )
    edges = [f"{edge * config.rate / config.short / 1000:.3g}" for edge in VIEW_SIZES.band_edges]
    axes.set_yticks(range(VIEW_SIZES.bands + 1), edges)
    axes.set(ylabel="kHz", title="How strongly each band comes and goes")
    axes.tick_params(axis="both", length=0)
    axes.spines[["left", "bottom"]].set_visible(False)


def draw_envelope(read: Exact, axes: Axes) -> None:
    """The lines of the whitened envelope, those of the faults marked."""
    orders = ORDER_SIZES.axis(ORDER_SIZES.lines)
    axes.plot(orders, read, color=ACCENT, linewidth=1.2)
    axes.fill_between(orders, read, color=PALE, alpha=0.35, linewidth=0)
    where = blended_transform_factory(axes.transData, axes.transAxes)
    for name, order in FAULTS.items():
        axes.axvline(order, ymax=0.86, color=MARK, linewidth=0.9, linestyle=DASHED)
        axes.text(order, 0.89, name, color=MARK, ha="center", transform=where)
    axes.set(
        ylim=(0, 1.3 * float(read.max())), yticks=[], title="How often impacts repeat: lines of the whitened envelope"
    )
    axes.spines["left"].set_visible(False)


def draw_verdict(verdict: Verdict, axes: Axes) -> None:
    """Probabilities of the classes, the most probable first."""
    ranked = sorted(verdict.probabilities.items(), key=lambda item: -item[1])
    names, values = zip(*ranked, strict=True)
    rows = np.arange(len(names))
    axes.barh(rows, values, height=0.62, color=[ACCENT, *[PALE] * (len(names) - 1)])
    for row, value in zip(rows, values, strict=True):
        axes.text(value + 0.015, row, f"{value:.2f}", va="center", color=INK if row == 0 else MUTED)
    axes.set_yticks(rows, [name.replace("_", " ") for name in names])
    axes.get_yticklabels()[0].set_fontweight("bold")
    axes.invert_yaxis()
    axes.set(xlim=(0, max(values) * 1.18), xticks=[], title="One verdict for the recording")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    said = f"probability, the mean of {verdict.windows} windows\njudged {verdict.speed_words}"
    axes.set_xlabel(said, color=MUTED, fontsize=9, loc="left")


if __name__ == "__main__":
    main()

"""The README's picture: half a second of the simulated rig, the two views of it, and the verdict on its recording.

The model is the one that `make demo` writes. The recording is one of those that it did not learn from.
"""

import argparse
import io
import math
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from dualres import ModelConfig, Recording, Verdict, diagnose_recording, load
from dualres.model.spectra import aligned_spectra
from dualres.recordings.windows import at_rate
from dualres.simulated import rig as simulated
from dualres.utils.figures import ACCENT, INK, PALE, STYLE
from dualres.utils.files import write_whole

ROOT = Path(__file__).parents[2]
RECORDING = "missing_teeth_speed_2000rpm_20Nm"
START_S = 4.0  # of the window that is shown
MUTED = "#5c6670"
SHADES = LinearSegmentedColormap.from_list("shades", ["#f7fafb", "#cfe2e9", PALE, ACCENT, "#0d3a4a"])
LOOK: Any = STYLE | {"font.sans-serif": ["DejaVu Sans"], "font.size": 9.5, "axes.titlesize": 10.5, "axes.titlepad": 6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=ROOT / "demo" / "model.safetensors")
    parser.add_argument("--recording", default=RECORDING)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "overview.png")
    arguments = parser.parse_args()
    model = load(arguments.model)
    (recording,) = [r for r in simulated.recordings() if r.id == arguments.recording]
    verdict = diagnose_recording(model, recording)
    print(f"{recording.id}: {verdict.label} {verdict.probability:.2f} from {verdict.windows} windows")
    with matplotlib.rc_context(LOOK):
        picture = drawn(recording, model.card.config, verdict)
    buffer = io.BytesIO()
    picture.savefig(buffer, format="png", dpi=170, metadata={"Software": None})
    write_whole(arguments.out, buffer.getvalue())


def drawn(recording: Recording, config: ModelConfig, verdict: Verdict) -> Figure:
    """Signal and views on the left, one below the other on one clock; the verdict on the right."""
    figure = Figure(figsize=(9.4, 4.5), layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.05, wspace=0.06)
    left, right = figure.subfigures(1, 2, width_ratios=(1.55, 1))
    wave, short, long = left.subplots(3, 1, sharex=True, height_ratios=(0.7, 1, 1))
    draw_signal(recording, config, wave, short, long)
    left.align_ylabels()
    draw_verdict(verdict, right.subplots())
    return figure


def draw_signal(recording: Recording, config: ModelConfig, wave: Axes, *views: Axes) -> None:
    """One window as a waveform and as what the network is given of it."""
    first = int(START_S * config.rate)
    window = np.array(at_rate(recording, config.rate, config.window)[first : first + config.window])
    wave.plot(np.arange(config.window) / config.rate, window - window.mean(), color=ACCENT, linewidth=0.45)
    wave.set(xlim=(0, config.window_s), yticks=[], title="Half a second of vibration")
    wave.spines[["left", "bottom"]].set_visible(False)
    highest_hz = simulated.RATE / 2
    titles = ("Short frames tell when", "Long frames tell which frequency")
    spectra = aligned_spectra(torch.from_numpy(window[None]), config)
    for axes, view, length, title in zip(views, spectra, (config.short, config.long), titles, strict=True):
        centre = config.long / 2 / config.rate
        last = centre + (config.tokens - 1) / config.token_rate
        bins = math.ceil(highest_hz / config.rate * length) + 1
        shown = view[0, :, :bins].T.numpy()
        axes.imshow(
            shown,
            origin="lower",
            aspect="auto",
            cmap=SHADES,
            vmin=float(np.quantile(shown, 0.3)),
            vmax=float(np.quantile(shown, 0.999)),
            extent=(centre, last, 0, (bins - 1) * config.rate / length / 1000),
            interpolation="nearest",
        )
        axes.set(ylabel="kHz", ylim=(0, highest_hz / 1000), title=title)
        axes.yaxis.set_major_locator(MultipleLocator(2))
        detail = f"{1000 * length / config.rate:g} ms, every {config.rate / length:g} Hz"
        axes.set_title(detail, loc="right", color=MUTED, fontsize=9)
    views[-1].set_xlabel("seconds")
    wave.tick_params(axis="x", length=0, labelbottom=False)


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
    axes.set_xlabel(f"probability, the mean of {verdict.windows} windows", color=MUTED, fontsize=9)


if __name__ == "__main__":
    main()

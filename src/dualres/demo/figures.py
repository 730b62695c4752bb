"""Pictures, in one visual language: readable in grey, at column width, and inside a page."""

import io
import math
from collections.abc import Sequence
from itertools import pairwise

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.figure import Figure

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.learn.trained.task import Step
from dualres.model.spectra import aligned_spectra
from dualres.model.views.modulation import modulation
from dualres.model.views.network import low_lines
from dualres.recordings.recording import Samples
from dualres.utils.figures import ACCENT, INK, STYLE


def as_svg(figure: Figure) -> str:
    """The figure as an SVG element to put into a page; the figure is closed."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    plt.close(figure)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def window_and_views(window: Samples, config: ModelConfig, highest_hz: float) -> Figure:
    """One window as waveform and as the two views the network is given, up to `highest_hz`."""
    with plt.rc_context(STYLE):
        figure, (wave, *views) = plt.subplots(3, 1, figsize=(7.2, 5.2), layout="constrained")
        seconds = np.arange(config.window) / config.rate
        wave.plot(seconds, window, color=ACCENT, linewidth=0.4)
        wave.set(xlim=(0, config.window_s), ylabel="amplitude", title="Waveform")
        spectra = aligned_spectra(torch.from_numpy(window[None]), config)
        for axes, view, length in zip(views, spectra, (config.short, config.long), strict=True):
            first = config.long / 2 / config.rate
            last = first + (config.tokens - 1) / config.token_rate
            bins = math.ceil(highest_hz / config.rate * length) + 1
            axes.imshow(
                view[0, :, :bins].T.numpy(),
                origin="lower",
                aspect="auto",
                cmap="cividis",
                extent=(first, last, 0, (bins - 1) * config.rate / length / 1000),
                interpolation="nearest",
            )
            axes.set(
                xlim=(0, config.window_s),
                ylabel="kHz",
                title=f"{length / config.rate * 1000:g} ms frames: every {config.rate / length:g} Hz "
                f"(log magnitude, {config.tokens} tokens)",
            )
        for upper in (wave, *views[:-1]):
            upper.tick_params(labelbottom=False)  # the seconds stand below the last
        views[-1].set_xlabel("seconds")
        figure.align_ylabels()
        return figure


def repetition_and_lines(window: Samples, config: ModelConfig) -> Figure:
    """How fast the sound of one window comes and goes, band by band, and its lowest lines."""
    with plt.rc_context(STYLE):
        figure, (rates, lines) = plt.subplots(2, 1, figsize=(7.2, 4.2), layout="constrained")
        batch = torch.from_numpy(window[None])
        view = modulation(batch, config)[0].numpy()
        edges = config.rate / config.short * np.array(VIEW_SIZES.band_edges) / 1000
        places = np.geomspace(*VIEW_SIZES.range_hz, VIEW_SIZES.oscillators + 1)
        rates.pcolormesh(places, np.arange(len(edges)), view, cmap="cividis", rasterized=True)
        names = [f"{low:.2g} to {high:.2g}" for low, high in pairwise(edges)]
        rates.set_yticks(np.arange(len(names)) + 0.5, names)
        rates.tick_params(axis="y", length=0)
        rates.set(
            xscale="log", ylabel="band, kHz", xlabel="times per second", title="How often the sound comes and goes"
        )
        bins = np.array(VIEW_SIZES.line_edges) * config.rate / config.window
        lines.stairs(low_lines(batch, config)[0].numpy(), bins, baseline=None, color=ACCENT, linewidth=1.2)
        lines.set(xscale="log", xlim=(bins[0], bins[-1]), xlabel="Hz", ylabel="log magnitude", title="The lowest lines")
        for axes in (rates, lines):
            axes.xaxis.set_major_formatter("{x:g}")
        figure.align_ylabels()
        return figure


def training_curve(history: Sequence[Step], classes: int) -> Figure:
    """Loss over updates, with the level of guessing."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7.2, 2.6), layout="constrained")
        guess = math.log(classes)
        axes.axhline(guess, color=INK, linewidth=0.7, linestyle=(0, (4, 3)))
        axes.annotate("guessing", (len(history), guess), (0, 3), textcoords="offset points", ha="right")
        axes.plot([s.update for s in history], [s.loss for s in history], color=ACCENT, linewidth=1.4)
        top = max(guess, *(s.loss for s in history)) * 1.12
        axes.set(xlabel="update", ylabel="training loss (nats)", xlim=(0, len(history)), ylim=(0, top))
        return figure

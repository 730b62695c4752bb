"""The picture of `dualres explain`: what spoke, when, and which fault lines a recording has."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure

from dualres.explain.reasons import Reasons, Share
from dualres.explain.regions import LOW_LINES, REPETITION, SPECTRA
from dualres.explain.report import Case
from dualres.faultlines.comb import LineTest
from dualres.faultlines.envelope import PowerSpectrum, averaged_spectrum
from dualres.utils.figures import ACCENT, DASHED, DOUBLE, INK, MUTED, PALE, PNG_DPI, POINTS, RULE, printed, spread
from dualres.utils.files import write_whole

AGAINST = "#c8553d"
FRAME_S = 0.016  # of the spectrum at the top: as fine as what the network hears
SHADES = LinearSegmentedColormap.from_list("odds", [AGAINST, "#ffffff", ACCENT])
CROWDED = 50  # bars beyond which gaps between them would be more than the bars
FLOOR_DB = 70  # below the strongest, nothing is drawn


@printed()
def draw_explanation(case: Case, path: Path) -> None:
    """Write the picture of a case as PNG."""
    figure = explanation_figure(case)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
    write_whole(path, buffer.getvalue())


@printed()
def explanation_figure(case: Case) -> Figure:
    """Spectrum and shares over frequency; lines, repetition and moments; below, fault lines where there are any."""
    lines, views = case.assessment is not None, any(s.region.view == REPETITION for s in case.reasons.shares)
    figure = Figure(figsize=(DOUBLE, 7.3 if lines else 5.0))
    inches = figure.get_figheight()

    def row(top: float, height: float, *widths: float, gap: float = 0.3) -> list[Axes]:
        """Axes side by side, from `top` inches below the figure's upper edge on."""
        place = {"top": 1 - top / inches, "bottom": 1 - (top + height) / inches, "left": 0.085, "right": 0.985}
        cells = figure.add_gridspec(1, len(widths), width_ratios=widths, wspace=gap, **place)
        return [figure.add_subplot(cells[0, i]) for i in range(len(widths))]

    (top,), (bands,) = row(0.62, 1.15, 1), row(2.02, 0.8, 1)
    _spectrum(top, case)
    _shares_over_frequency(bands, case)
    if views:
        low, repeats, moments = row(3.42, 1.15, 1, 0.95, 0.95, gap=0.5)
        _low_lines(low, case.reasons)
        _repetition(figure, repeats, [s for s in case.reasons.shares if s.region.view == REPETITION])
    else:
        (moments,) = row(3.42, 1.15, 1)
        moments.set_ylabel("nats")
    _moments(moments, case.reasons)
    if lines:
        _fault_lines(row(5.3, 1.55, 1, 1), case)
    verdict = case.verdict
    figure.text(
        0.01, 1 - 0.12 / inches,
        f"{Path(verdict.recording).name}: {verdict.label} {verdict.probability:.2f}, "
        f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}",
        va="top", fontsize=POINTS + 2, fontweight="bold",
    )  # fmt: skip
    return figure


def _spectrum(axes: Axes, case: Case) -> None:
    if case.neighbours:
        nearest = case.nearest[0].recording
        _plot_db(axes, averaged_spectrum(nearest.signal.astype(float), float(nearest.rate), FRAME_S), PALE, 0.9)
        beside = f"pale: the nearest labelled recording, {Path(nearest.id).name} ({nearest.label})"
        axes.set_title(beside, loc="right", color=MUTED)
    _plot_db(axes, averaged_spectrum(case.signal.astype(float), case.rate, FRAME_S), INK, 0.7)
    axes.set(ylabel="dB", ylim=(-FLOOR_DB, 3), xlim=(0, case.rate / 2000))
    axes.set_title("Spectrum")
    axes.tick_params(labelbottom=False)


def _plot_db(axes: Axes, spectrum: PowerSpectrum, colour: str, width: float) -> None:
    power = np.maximum(spectrum.power[1:], np.finfo(float).tiny)
    axes.plot(spectrum.hz[1:] / 1000, 10 * np.log10(power / power.max()), color=colour, linewidth=width)


def _shares_over_frequency(axes: Axes, case: Case) -> None:
    shares = [share for share in case.reasons.shares if share.region.view == SPECTRA]
    low = np.array([share.region.low_hz for share in shares]) / 1000
    width = np.array([share.region.high_hz for share in shares]) / 1000 - low
    _bars(axes, low, width, np.array([share.nats for share in shares]))
    axes.set(xlabel="kHz", ylabel="nats", xlim=(0, case.rate / 2000))
    axes.set_title(f"Which bands spoke for {case.reasons.label} (blue) and for {case.reasons.rival} (red)")


def _low_lines(axes: Axes, reasons: Reasons) -> None:
    shares = [share for share in reasons.shares if share.region.view == LOW_LINES]
    low = np.array([share.region.low_hz for share in shares])
    _bars(axes, low, np.array([s.region.high_hz for s in shares]) - low, np.array([s.nats for s in shares]))
    axes.set(xlabel="Hz", ylabel="nats", xscale="log", xlim=(low.min(), 1000))
    axes.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
    axes.set_title("Low lines")


def _moments(axes: Axes, reasons: Reasons) -> None:
    start = np.array([moment.start_s for moment in reasons.moments])
    end = np.array([moment.end_s for moment in reasons.moments])
    _bars(axes, start, end - start, np.array([moment.strength for moment in reasons.moments]))
    axes.set(xlabel="s", xlim=(0, end[-1]))
    axes.set_title("Moments")


def _repetition(figure: Figure, axes: Axes, shares: Sequence[Share]) -> None:
    """Bands upwards, and to the right how often what sounds in them comes and goes."""
    bands = sorted({(share.region.low_hz, share.region.high_hz) for share in shares})
    rates = sorted({share.region.repeats_hz for share in shares if share.region.repeats_hz})
    values = np.zeros((len(bands), len(rates)))
    for share in shares:
        if share.region.repeats_hz:
            row = bands.index((share.region.low_hz, share.region.high_hz))
            values[row, rates.index(share.region.repeats_hz)] = share.nats
    edges = [rate[0] for rate in rates] + [rates[-1][1]]
    largest = max(float(np.abs(values).max()), 1e-9)
    norm = TwoSlopeNorm(0, -largest, largest)
    drawn = axes.pcolormesh(edges, np.arange(len(bands) + 1), values, cmap=SHADES, norm=norm, edgecolor="white")
    axes.set(xscale="log", xlabel="times a second", ylabel="kHz")
    axes.set_xticks([4, 10, 40, 100, 400], ["4", "10", "40", "100", "400"])
    axes.minorticks_off()
    axes.set_yticks(np.arange(len(bands)) + 0.5, [f"{low / 1000:.3g} to {high / 1000:.3g}" for low, high in bands])
    axes.tick_params(length=0)
    axes.set_title("What repeats")
    bar = figure.colorbar(drawn, ax=axes, pad=0.02, aspect=12)
    bar.set_ticks([-largest, 0, largest], labels=[f"{-largest:.1g}", "0", f"{largest:.1g}"])
    bar.outline.set_visible(False)


def _fault_lines(panels: Sequence[Axes], case: Case) -> None:
    heard = case.assessment
    assert heard
    of_envelope = f"Envelope of {heard.band.low_hz / 1000:.3g} to {heard.band.high_hz / 1000:.3g} kHz"
    titles = {"spectrum": "Spectrum: shaft and gears", "envelope": of_envelope}
    for axes, (where, title) in zip(panels, titles.items(), strict=True):
        found = [one for one in heard.found if one.line.where == where]
        _drawn_lines(axes, heard.spectrum if where == "spectrum" else heard.envelope, found, heard.shaft_hz)
        axes.set_title(title, pad=14)


def _drawn_lines(axes: Axes, spectrum: PowerSpectrum, found: Sequence[LineTest], shaft_hz: float) -> None:
    """A spectrum in dB up to the last line, and the lines: broad where they are named, dashed where they are not."""
    ends = [one.line.frequencies(one.hz / one.line.hz).max() for one in found]
    last = min(1.06 * max([10 * shaft_hz, *ends]), spectrum.hz[-1])
    shown = (spectrum.hz > 1.5 * spectrum.step_hz) & (spectrum.hz <= last)
    level = 10 * np.log10(np.maximum(spectrum.power[shown], np.finfo(float).tiny))
    level -= level.max()
    axes.plot(spectrum.hz[shown], level, color=INK, linewidth=0.5, zorder=3)
    names: list[tuple[float, LineTest]] = []
    for one in found:
        frequencies = one.line.frequencies(one.hz / one.line.hz if one.named else 1.0)
        named: Any = {"color": AGAINST, "linewidth": 2.6, "alpha": 0.35, "zorder": 2}
        look: Any = named if one.named else {"color": RULE, "linestyle": DASHED, "linewidth": 0.7, "zorder": 1}
        inside = frequencies[(frequencies > 0) & (frequencies < last)]
        for hz in inside:
            axes.axvline(hz, **look)
        names += [(float(hz), one) for hz in inside[:1]]
    gap = 0.026 * last * max([5, *(len(_short(one)) for one in found)])
    places = spread([hz for hz, _ in names], gap)
    moved = max([0.0, *(gap / 2 - x for x in places)])  # names begin where the axis does
    for (hz, one), x in zip(names, places, strict=True):
        colour = AGAINST if one.named else MUTED
        axes.annotate(
            _short(one), (hz, 1.0), (x + moved, 1.035), axes.get_xaxis_transform(),
            axes.get_xaxis_transform(), ha="center", va="bottom", color=colour, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0.5, "shrinkB": 0},
        )  # fmt: skip
    axes.set(xlim=(0, last), ylim=(max(-FLOOR_DB, float(np.quantile(level, 0.02)) - 3), 3), xlabel="Hz", ylabel="dB")


def _short(found: LineTest) -> str:
    return found.line.name.removeprefix("mesh ")


def _bars(axes: Axes, left: np.ndarray, width: np.ndarray, nats: np.ndarray) -> None:
    colours = [ACCENT if value > 0 else AGAINST for value in nats]
    edge: Any = {"edgecolor": "white", "linewidth": 0.3} if len(nats) < CROWDED else {"linewidth": 0}
    axes.bar(left, nats, width, align="edge", color=colours, **edge)
    axes.axhline(0, color=INK, linewidth=0.5)

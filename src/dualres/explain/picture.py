"""The picture of `dualres explain`: what spoke, when, and which fault lines a recording has."""

import io
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dualres.explain.marks import AGAINST, bars, heat, names_above
from dualres.explain.order_picture import draw_repeating
from dualres.explain.reasons import Reasons, Share
from dualres.explain.regions import LOW_LINES, MODULATION, REPETITION, SPECTRA
from dualres.explain.report import Case
from dualres.faultlines.comb import LineTest
from dualres.faultlines.envelope import PowerSpectrum, averaged_spectrum
from dualres.utils.figures import ACCENT, DASHED, DOUBLE, INK, MUTED, PALE, PNG_DPI, POINTS, RULE, printed
from dualres.utils.files import write_whole
from dualres.utils.printable import printable

ORDERS_INCHES, SHORTER = 2.6, 0.35  # that panels of orders take, and by which moments are then shorter
FRAME_S = 0.016  # of the spectrum at the top: as fine as what the network hears
SENTENCE = 0.32  # inches that the sentence takes
LINE = 135  # characters of it in a line
FLOOR_DB = 70  # below the strongest, nothing is drawn


@printed()
def draw_explanation(case: Case, path: Path) -> None:
    """Write the picture of a case; the suffix says as what."""
    figure = explanation_figure(case)
    buffer = io.BytesIO()
    kind = path.suffix[1:].lower() or "png"
    figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata={"Software": None} if kind == "png" else None)
    write_whole(path, buffer.getvalue())


@printed()
def explanation_figure(case: Case) -> Figure:
    """Spectrum and shares over frequency; lines, repetition and moments; below, fault lines where there are any."""
    lines, heard = case.assessment is not None, {share.region.view for share in case.reasons.shares}
    more, less = (ORDERS_INCHES, SHORTER) if MODULATION in heard else (0.0, 0.0)
    figure = Figure(figsize=(DOUBLE, (7.3 if lines else 5.0) + more - less + SENTENCE))
    inches = figure.get_figheight()

    def row(top: float, height: float, *widths: float, gap: float = 0.3, right: float = 0.985) -> list[Axes]:
        """Axes side by side, from `top` inches below the figure's upper edge on."""
        top += SENTENCE
        place = {"top": 1 - top / inches, "bottom": 1 - (top + height) / inches, "left": 0.085, "right": right}
        cells = figure.add_gridspec(1, len(widths), width_ratios=widths, wspace=gap, **place)
        return [figure.add_subplot(cells[0, i]) for i in range(len(widths))]

    (top,), (bands,) = row(0.62, 1.15, 1), row(2.02, 0.8, 1)
    _spectrum(top, case)
    _marks(top, case)
    _shares_over_frequency(bands, case)
    if REPETITION in heard:
        low, repeats, moments = row(3.42, 1.15, 1, 0.95, 0.95, gap=0.5)
        _low_lines(low, case.reasons)
        _repetition(repeats, [s for s in case.reasons.shares if s.region.view == REPETITION])
    else:
        (moments,) = row(3.42 + more, 1.15 - less, 1)
        moments.set_ylabel("nats")
    if more:
        (envelope,), (modulation,) = row(3.55, 0.8, 1, right=0.94), row(4.6, 0.9, 1, right=0.94)
        draw_repeating(envelope, modulation, modulation.inset_axes((1.01, 0, 0.012, 1)), case)
    _moments(moments, case.reasons)
    if lines:
        _fault_lines(row(5.3 + more - less, 1.55, 1, 1), case)
    verdict = case.verdict
    said = (
        f"{Path(verdict.recording).name}: {verdict.label} {verdict.probability:.2f}, "
        f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}"
    )
    look: Any = {"va": "top", "fontsize": POINTS + 2, "fontweight": "bold"}
    figure.text(0.01, 1 - 0.12 / inches, printable(said), parse_math=False, **look)
    why = "\n".join(wrap(printable(case.sentence), LINE))
    figure.text(0.01, 1 - 0.34 / inches, why, parse_math=False, va="top", color=MUTED, linespacing=1.3)
    return figure


def _marks(axes: Axes, case: Case) -> None:
    """What the sentence names of the spectrum: blue for the verdict, red for the runner-up."""
    for mark in case.marks:
        if mark.where == "spectrum":
            colour = ACCENT if mark.speaks_for == case.reasons.label else AGAINST
            axes.axvspan(mark.low / 1000, mark.high / 1000, color=colour, alpha=0.12, linewidth=0, zorder=0)


def _spectrum(axes: Axes, case: Case) -> None:
    if case.neighbours:
        nearest = case.nearest[0].recording
        _plot_db(axes, averaged_spectrum(nearest.signal.astype(float), float(nearest.rate), FRAME_S), PALE, 0.9)
        beside = f"pale: the nearest labelled recording, {Path(nearest.id).name} ({nearest.label})"
        axes.set_title(printable(beside), loc="right", color=MUTED, parse_math=False)
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
    bars(axes, low, width, np.array([share.nats for share in shares]))
    axes.set(xlabel="kHz", ylabel="nats", xlim=(0, case.rate / 2000))
    title = f"Which bands spoke for {case.reasons.label} (blue) and for {case.reasons.rival} (red)"
    axes.set_title(printable(title), parse_math=False)


def _low_lines(axes: Axes, reasons: Reasons) -> None:
    shares = [share for share in reasons.shares if share.region.view == LOW_LINES]
    low = np.array([share.region.low_hz for share in shares])
    bars(axes, low, np.array([s.region.high_hz for s in shares]) - low, np.array([s.nats for s in shares]))
    axes.set(xlabel="Hz", ylabel="nats", xscale="log", xlim=(low.min(), 1000))
    axes.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
    axes.set_title("Low lines")


def _moments(axes: Axes, reasons: Reasons) -> None:
    start = np.array([moment.start_s for moment in reasons.moments])
    end = np.array([moment.end_s for moment in reasons.moments])
    bars(axes, start, end - start, np.array([moment.strength for moment in reasons.moments]))
    axes.set(xlabel="s", xlim=(0, end[-1]))
    axes.set_title("Moments")


def _repetition(axes: Axes, shares: Sequence[Share]) -> None:
    heat(axes, shares, axes.inset_axes((1.03, 0, 0.08, 1)))
    axes.set(xlabel="times a second")
    axes.set_xticks([4, 10, 40, 100, 400], ["4", "10", "40", "100", "400"])
    axes.minorticks_off()
    axes.set_title("What repeats")


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
    axes.set(xlim=(0, last), ylim=(max(-FLOOR_DB, float(np.quantile(level, 0.02)) - 3), 3), xlabel="Hz", ylabel="dB")
    names_above(axes, [(hz, _short(one), AGAINST if one.named else MUTED) for hz, one in names])


def _short(found: LineTest) -> str:
    return found.line.name.removeprefix("mesh ")

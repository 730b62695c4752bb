"""The page of `dualres trend`: everything that was found, in one file that needs no network."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dualres.explain.trend.curves import Curve, curves_of
from dualres.explain.trend.series import Trend
from dualres.utils import html
from dualres.utils.files import write_whole
from dualres.utils.html import check_page, escape

WIDTH, HEIGHT, EDGE = 1000.0, 100.0, 6.0  # of the coordinates of a drawing; a page stretches it as it likes
LEAST_SPAN = 1.0  # dB or other units, so that noise does not look like a change


def write_trend_page(trends: Sequence[Trend], path: Path, title: str) -> None:
    """Write the page. One of an earlier look is replaced, any other file is not."""
    check_page(path)
    write_whole(path, trend_page(trends, title).encode(), precious=True)


def trend_page(trends: Sequence[Trend], title: str) -> str:
    """The page as text."""
    count = sum(len(one.points) for one in trends)
    changed = sum(one.change is not None for one in trends)
    series = f"{len(trends)} series" if len(trends) > 1 else "1 machine"
    lead = f"{count} recordings of {series}. {changed} changed." if len(trends) > 1 else trends[0].sentence
    sections = [section for one in trends for section in _sections(one, len(trends) > 1)]
    return html.page(f"The trend of {title}", lead, [], sections)


def _sections(one: Trend, several: bool) -> list[str]:
    of = f" of {one.name}" if one.name else ""
    adjusted = f" Levels were adjusted for {', '.join(one.explaining)}." if one.explaining else ""
    about = (
        f"{one.sentence if several else ''} {one.severity and one.severity + '.'} Times are from {one.times}. "
        f"The shaded recordings, {one.baseline} of them, "
        f"are the healthy baseline; the solid line is where the change was found, the dashed one where it "
        f"began.{adjusted}"
    )
    if not one.points:
        return [html.section(f"Left out{of}", "No recording could be used.", _left_out(one))]
    found = [html.section(f"Over time{of}", about.strip(), "".join(_sketch(one, curve) for curve in curves_of(one)))]
    if one.search.changes:
        found.append(html.section(f"What changed{of}", "The first one first.", _changes(one)))
    found.append(html.section(f"The recordings{of}", f"From {one.points[0].time} on.", _recordings(one)))
    if one.left_out:
        found.append(html.section(f"Left out{of}", "These could not be used.", _left_out(one)))
    return found


def _sketch(one: Trend, curve: Curve) -> str:
    at = np.array([point.at for point in one.points])
    values = np.array(curve.values, dtype=np.float64)
    if not np.isfinite(values).any():
        return ""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if curve.limit is not None:
        low, high = min(low, curve.limit), max(high, curve.limit)
    middle, half = (low + high) / 2, max(high - low, LEAST_SPAN) / 2
    x = WIDTH * (at - at[0]) / max(float(at[-1] - at[0]), 1e-9)
    y = HEIGHT / 2 - (values - middle) / half * (HEIGHT / 2 - EDGE)
    known = np.isfinite(y)
    line = "M" + "L".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[known], y[known], strict=True))
    shade = (
        f'<rect x="0" y="0" width="{x[one.baseline - 1]:.1f}" height="{HEIGHT:g}" fill="currentColor" opacity="0.08"/>'
    )
    marks = ""
    if one.change:
        marks = _upright(float(x[one.change.began]), "4 4") + _upright(float(x[one.change.found]), "")
    name = f"{curve.title}: from {low:.3g} to {high:.3g}"
    return (
        f'<figure class="sketch"><svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(name)}">{shade}{marks}<path d="{line}"/></svg><figcaption><span>'
        f"{escape(one.points[0].time)}</span><span>{escape(name)}</span><span>{escape(one.points[-1].time)}</span>"
        "</figcaption></figure>"
    )


def _upright(x: float, dashes: str) -> str:
    look = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path class="single" style="opacity:1;stroke:var(--bad)" d="M{x:.1f},0L{x:.1f},{HEIGHT:g}"{look}/>'


def _changes(one: Trend) -> str:
    rows = [
        [
            one.what(each),
            one.points[each.found].time,
            one.points[each.began].time,
            f"{each.healthy:.1f}{one.unit(each)}",
            f"{each.level:.1f}",
            f"{each.limit:.1f}",
        ]
        for each in one.search.changes
    ]
    return html.table(["By", "Found", "Began about", "Healthy", "Then", "Limit"], rows, numbers=(3, 4, 5))


def _recordings(one: Trend) -> str:
    rows = []
    for number, point in enumerate(one.points):
        levels = point.levels
        velocity = "" if levels.velocity_mm_s is None else f"{levels.velocity_mm_s:.3g}"
        distance = "" if point.distance_db is None else f"{point.distance_db:.1f}"
        said = ", ".join(filter(None, [levels.answer, levels.verdict, levels.zone and f"zone {levels.zone}"]))
        numbers = [f"{levels.rms:.4g}", f"{one.rise_db(number):+.1f}", f"{levels.kurtosis:.1f}", f"{levels.crest:.1f}"]
        rows.append([point.time, point.file, *numbers, distance, velocity, said])
    header = ["Time", "File", "Rms", "Rise, dB", "Kurtosis", "Crest", "Distance, dB", "mm/s", "Said"]
    return html.table(header, rows, numbers=(2, 3, 4, 5, 6, 7))


def _left_out(one: Trend) -> str:
    return html.listed([f"{file}: {reason}" for file, reason in one.left_out])

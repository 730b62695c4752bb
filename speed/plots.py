"""The speed history as it stands on the site: what became worse, in red and in words, and a plot of each ratio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import log

from speed.history import HISTORY, Drop, Run, drops, read, summary
from speed.ratios import RATIOS, Ratio

WIDTH, HEIGHT = 340, 170  # of a plot, in CSS pixels where it is as wide as a telephone
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 16, 34  # around the points
_MOST_RUNS = 40  # the newest ones that a plot shows
_ROOM = 1.1  # times the highest value and below the lowest, for noise is not to look like news
_COLOURS = 5
_MOST_LABELS = 3  # commits that have room below a plot
# A disc, a square, a diamond and a triangle, so that machines can be told apart without colours.
_SHAPES = (
    "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
    "M-1-1h2v2h-2z",
    "M0-1.3l1.3 1.3-1.3 1.3-1.3-1.3z",
    "M0-1.2l1.2 2h-2.4z",
)


def plots(runs: Sequence[Run] | None = None) -> str:
    """HTML for the site, from the history unless other runs are given."""
    runs = read(HISTORY) if runs is None else runs
    found = drops(runs)
    worse = "".join(f'<li class="{_kind([drop])}">{escape(str(drop))}</li>' for drop in found)
    machines = list(dict.fromkeys(run.machine for run in runs))
    marks = {machine: i for i, machine in enumerate(machines)}
    legend = "".join(
        f'<li><svg viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true">{_mark(0, 0, i, False)}</svg>'
        f"{escape(machine)}</li>"
        for machine, i in marks.items()
    )
    measured = [ratio for ratio in RATIOS if any(ratio.name in run.ratios for run in runs)]
    figures = "".join(_figure(ratio, runs, marks, found) for ratio in measured)
    return (
        f'<p class="{_kind(found)}"><b>{escape(summary(found))}</b></p>\n'
        + (f"<ul>{worse}</ul>\n" if found else "")
        + f'<ul class="machines">{legend}</ul>\n<div class="plots">{figures}</div>\n'
    )


def _kind(found: Sequence[Drop]) -> str:
    """The class of what is said of drops: red where one was not regained."""
    return "fine" if all(drop.regained for drop in found) else "worse"


def _figure(ratio: Ratio, runs: Sequence[Run], marks: Mapping[str, int], found: Sequence[Drop]) -> str:
    """One ratio over the commits at which it was measured; machines are never joined by a line."""
    some = [run for run in runs if ratio.name in run.ratios][-_MOST_RUNS:]
    of_this = [drop for drop in found if drop.ratio is ratio]
    bad = {id(drop.now): drop.change for drop in of_this}
    commits = list(dict.fromkeys(run.commit for run in some))
    values = [run.ratios[ratio.name] for run in some]
    low, high = log(min(values) / _ROOM), log(max(values) * _ROOM)

    def x(run: Run) -> float:
        share = commits.index(run.commit) / (len(commits) - 1) if len(commits) > 1 else 0.5
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(TOP + (high - log(value)) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    parts = [_scale(y, values), _labels(some, commits, x)]
    for machine, i in marks.items():
        points = [(x(run), y(run.ratios[ratio.name]), run) for run in some if run.machine == machine]
        line = " ".join(f"{left},{top}" for left, top, _ in points)
        parts.append(f'<polyline class="series-{i % _COLOURS}" points="{line}"/>' if len(points) > 1 else "")
        for left, top, run in points:
            change = bad.get(id(run))
            told = f"{run.ratios[ratio.name]:.4g} at {run.commit}, {run.date}, {run.machine}"
            parts.append(f"<g><title>{escape(told)}</title>{_mark(left, top, i, bool(change))}</g>")
            if change:
                parts.append(f'<text class="bad" x="{left}" y="{top - 10}" text-anchor="middle">{change}</text>')
    newest = f"{values[-1]:.4g} at {some[-1].commit}, {some[-1].machine}"
    return (
        f'<figure class="{_kind(of_this)}"><figcaption><b>{escape(ratio.title)}</b>'
        f"<span>{ratio.better} is better</span><span>{escape(newest)}</span></figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(ratio.title)}, {len(some)} runs; '
        f'now {escape(newest)}">{"".join(parts)}</svg></figure>'
    )


def _scale(y: Callable[[float], float], values: Sequence[float]) -> str:
    """A line at the lowest and at the highest value, unless they would touch."""
    low, high = min(values), max(values)
    shown = [low, high] if abs(y(low) - y(high)) > 14 else [high]
    return "".join(
        f'<path class="grid" d="M{LEFT} {y(value)}H{WIDTH - RIGHT}"/>'
        f'<text x="{LEFT - 8}" y="{y(value) + 4}" text-anchor="end">{value:.3g}</text>'
        for value in shown
    )


def _labels(runs: Sequence[Run], commits: Sequence[str], x: Callable[[Run], float]) -> str:
    """Commits and days below the points: of many, the first and the last."""
    first = {run.commit: run for run in reversed(runs)}
    shown = commits if len(commits) <= _MOST_LABELS else [commits[0], commits[-1]]
    parts = []
    for commit in shown:
        side = "middle" if 0 < commits.index(commit) < len(commits) - 1 or len(commits) == 1 else ""
        side = side or ("start" if commit == commits[0] else "end")
        left = x(first[commit]) - (LEFT - 8 if side == "start" else 0)
        parts.append(
            f'<text x="{left}" y="{HEIGHT - 16}" text-anchor="{side}">{commit}</text>'
            f'<text x="{left}" y="{HEIGHT - 4}" text-anchor="{side}">{first[commit].date}</text>'
        )
    return "".join(parts)


def _mark(x: float, y: float, number: int, bad: bool) -> str:
    """A point, in the shape of its machine; a red one is larger."""
    size = 6.5 if bad else 4.5
    return (
        f'<path class="point series-{number % _COLOURS}{" bad" if bad else ""}" d="{_SHAPES[number % len(_SHAPES)]}" '
        f'transform="translate({x} {y}) scale({size})"/>'
    )

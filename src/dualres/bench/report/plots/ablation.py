"""What each component is worth: full model minus control."""

import statistics

from dualres.bench.methods import CONTROL_NAMES
from dualres.bench.report.captions import facts, in_words, left_out
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.picture import Picture, finished
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import FinishedJob, Results
from dualres.utils.figures import ACCENT, DOUBLE, INK, PALE, RULE, canvas, not_run

SHOWN = 0.05  # points; less is zero in print


def difference(results: Results, dataset: str, control: str) -> tuple[dict[int, float], list[FinishedJob]]:
    """Full model minus control in points of macro-F1, by the seeds that have all folds of both; and their jobs."""
    full, less = (results.f1(dataset=dataset, method=name) for name in ("dualres", control))
    found = full.minus(less)
    return found, [e for e in (*full.entries, *less.entries) if e.job.seed in found]


@draws_figure("ablation_panels")
def ablation_panels(results: Results) -> Picture | None:
    """A panel per control, a row per dataset, one scale, zero marked."""
    datasets = results.datasets()
    found = {(d, c): difference(results, d, c) for d in datasets for c in CONTROL_NAMES}
    values = {place: statistics.fmean(by_seed.values()) for place, (by_seed, _) in found.items() if by_seed}
    if not values:
        return None
    limits = _limits(min(0.0, *values.values()), max(0.0, *values.values()))
    figure, grid = canvas(DOUBLE, 0.85 + 0.19 * len(datasets), 1, len(CONTROL_NAMES), sharex=True, sharey=True)
    for axes, control in zip(grid[0], CONTROL_NAMES, strict=True):
        for row, dataset in enumerate(datasets):
            value = values.get((dataset, control))
            if value is None:
                not_run(axes, 0, row)
                continue
            gain = value >= 0
            look = {"color": ACCENT, "hatch": ""} if gain else {"color": PALE, "hatch": "////"}
            axes.barh(row, value, 0.66, edgecolor="white", linewidth=0, **look)
            place = {"ha": "left" if gain else "right", "va": "center", "textcoords": "offset points"}
            text = f"{value:+z.1f}".replace("-", "\N{MINUS SIGN}") if abs(value) >= SHOWN else "0.0"
            axes.annotate(text, (value, row), (3 if gain else -3, 0), **place)
        axes.grid(axis="x", color=RULE, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set(title=method_name(control), xlim=limits, ylim=(len(datasets) - 0.45, -0.55))
        axes.set_yticks(range(len(datasets)), [dataset_name(d) for d in datasets])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("full \N{MINUS SIGN} control (points)")
    entries = [entry for _, behind in found.values() for entry in behind]
    n = sorted({len(by_seed) for by_seed, _ in found.values() if by_seed})
    caption = (
        "Macro-F1 of the full model minus that of a control, in percentage points; right of zero favours the full "
        "model, left of it (hatched) the control. All panels share one scale. "
        f"Means over n = {in_words([str(count) for count in n])} fold-averaged seed(s) that both were run with."
    )
    absent = [dataset_name(name) for name in results.planned_datasets() if name not in datasets]
    missing = [
        f"n = {in_words([str(count) for count in n])}.",
        "Hatched: the control is better." if min(values.values()) <= -SHOWN else "",
        left_out(CONTROL_NAMES, {entry.job.method for entry in entries}),
        f"Not run: {in_words(absent)}." if absent else "",
    ]
    return finished(results, figure, "ablation", "Worth of each component", caption, facts(entries), missing=missing)


def _limits(low: float, high: float) -> tuple[float, float]:
    """Of an axis with room for a value beside the longest bar on either side that has bars."""
    share = [0.27 if low < 0 else 0.04, 0.27 if high > 0 else 0.04]
    whole = max(high - low, 1.0) / (1 - sum(share))
    return low - share[0] * whole, high + share[1] * whole

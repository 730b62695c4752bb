"""Mean ranks over datasets with the critical difference, where there are datasets enough."""

import numpy as np

from dualres.bench.report.captions import facts, in_words
from dualres.bench.report.compare import Ranks, critical_difference
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.plots.picture import LOOKS, Picture, finished
from dualres.bench.report.registry import draws_figure
from dualres.bench.report.results import Results
from dualres.utils.figures import INK, MUTED, SINGLE, canvas


@draws_figure("mean_ranks")
def mean_ranks(results: Results) -> Picture | None:
    """One row per method, best on top; the bar below is as long as ranks must differ to count."""
    ranks = critical_difference(results)
    if not isinstance(ranks, Ranks):
        return None
    order = np.argsort(ranks.average_ranks, kind="stable")
    figure, grid = canvas(SINGLE, 0.95 + 0.2 * len(order))
    axes = grid[0, 0]
    for row, index in enumerate(order):
        method, rank = ranks.methods[index], ranks.average_ranks[index]
        axes.plot(rank, row, LOOKS[method].marker, color=LOOKS[method].colour, markersize=6)
        axes.annotate(f"{rank:.2f}", (rank, row), (6, 0), textcoords="offset points", va="center")
    base, best = len(order), ranks.average_ranks[order[0]]
    half = ranks.critical_difference / 2
    axes.errorbar(best + half, base, xerr=half, color=INK, capsize=3, linewidth=1)
    axes.set_yticks(range(base + 1), [*(method_name(ranks.methods[i]) for i in order), "critical difference"])
    axes.set(ylim=(base + 0.6, -0.6), xlim=(0.9, max(len(order), best + ranks.critical_difference) + 0.3))
    axes.set_xticks(range(1, len(order) + 1))
    axes.grid(axis="x", color="#e3e6e8", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"mean rank (n = {len(ranks.datasets)} datasets, 1 is best)")
    axes.get_yticklabels()[-1].set_color(MUTED)
    entries = [e for e in results.entries if e.job.dataset in ranks.datasets and e.job.method in ranks.methods]
    caption = (
        f"Mean rank of recording macro-F1 over n = {len(ranks.datasets)} datasets "
        f"({in_words([dataset_name(d) for d in ranks.datasets])}). "
        "Methods whose ranks differ by less than the bar (Nemenyi, 5 %) are not told apart; Friedman's test: "
        f"statistic {ranks.statistic:.2f}, p = {ranks.p:.3f}."
    )
    return finished(results, figure, f"ranks_{results.study.name}", "Mean ranks", caption, facts(entries))

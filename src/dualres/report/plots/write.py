"""Which figures a ledger can fill, and writing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from dualres.machinery.checksums import replace_sums
from dualres.paper.protocol import BEARING_BUDGET, FINALISTS, PAIR, PRIMARY_BUDGET
from dualres.profile.costs import Costs
from dualres.report.plots.ablation import ablation_panels
from dualres.report.plots.bars import allocation_bars, bearing_bars
from dualres.report.plots.confusion import confusion_matrices
from dualres.report.plots.costs import latency_bars, score_and_latency
from dualres.report.plots.curves import fixed_coverage, learning_curves
from dualres.report.plots.diagrams import alignment, allocations, architecture
from dualres.report.plots.losses import duration_selection, training_loss
from dualres.report.plots.memory import memory_picture
from dualres.report.plots.panels import class_recall, gearbox_panels
from dualres.report.plots.paths import paths_picture
from dualres.report.plots.picture import Drawn, Picture
from dualres.report.plots.published import control_dots, method_dots, rig_curve
from dualres.report.plots.ranks import mean_ranks
from dualres.report.plots.recipes import recipe_pairs
from dualres.report.plots.style import printed, save
from dualres.report.plots.tradeoff import score_and_cost
from dualres.report.results import Results

# Of a whole study, and of each of its datasets; a function says None where the ledger has nothing for it.
_OF_STUDY: dict[str, tuple[Callable[[Results], Picture | None], ...]] = {
    "bearing": (bearing_bars, mean_ranks),
    "ablation": (ablation_panels,),
    "published": (
        partial(method_dots, dataset="phm2009"),
        partial(method_dots, dataset="cwru"),
        control_dots,
        rig_curve,
    ),
    "recipes": (lambda own: paths_picture() if own.entries else None, recipe_pairs),
}
_OF_DATASET: dict[str, tuple[Callable[[Results, str], Picture | None], ...]] = {
    "bearing": (partial(confusion_matrices, budget=BEARING_BUDGET, wanted=FINALISTS),),
    "gearbox": (
        gearbox_panels,
        score_and_cost,
        partial(confusion_matrices, budget=PRIMARY_BUDGET, wanted=FINALISTS),
    ),
    "replication": (learning_curves, fixed_coverage),
    "allocation": (allocation_bars,),
    "pilot": (class_recall, partial(confusion_matrices, budget=PRIMARY_BUDGET, wanted=PAIR)),
    "optimisation": (training_loss,),
    "duration": (duration_selection,),
}
_DIAGRAMS = (architecture, memory_picture, alignment, allocations)


def pictures(results: Mapping[str, Results], costs: Sequence[Costs] = ()) -> Iterator[Picture]:
    """Diagrams first, then all that the results of each study and the measured costs can fill; drawn one at a time."""
    for diagram in _DIAGRAMS:
        yield diagram()
    for name, own in ((name, each.own()) for name, each in results.items()):
        yield from filter(None, (draw(own) for draw in _OF_STUDY.get(name, ())))
        for dataset in own.datasets():
            yield from filter(None, (draw(own, dataset) for draw in _OF_DATASET.get(name, ())))
    for each in (each for each in costs if not each.long):
        yield latency_bars(each)
        if "gearbox" in results:
            scored = results["gearbox"].own()
            yield from filter(None, (score_and_latency(scored, dataset, each) for dataset in scored.datasets()))


def write_figures(results: Mapping[str, Results], directory: Path, costs: Sequence[Costs] = ()) -> list[Drawn]:
    """Write every figure as PDF and PNG, and their hashes. `results` are by name of their study.

    Figures of an earlier report that this one does not have are removed.
    """
    drawn = []
    for picture in pictures(results, costs):
        with printed():
            pdf, png = save(picture.figure, directory / picture.name)
        drawn.append(Drawn(picture.name, picture.title, picture.caption, pdf, png, picture.study))
    replace_sums(directory, [path.name for each in drawn for path in (each.pdf, each.png)])
    return drawn

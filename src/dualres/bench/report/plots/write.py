"""Which figures a ledger can fill, and writing them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dualres.bench.profile.measurements import Costs
from dualres.bench.report.plots.costs import latency_bars
from dualres.bench.report.plots.picture import Picture, PictureFile
from dualres.bench.report.plots.scaling import scaling_picture
from dualres.bench.report.registry import FIGURES, made
from dualres.bench.report.results import Results
from dualres.utils.checksums import replace_sums
from dualres.utils.figures import printed, save


def pictures(
    results: Mapping[str, Results], costs: Sequence[Costs] = (), folder: Path | None = None
) -> Iterator[Picture]:
    """All that the results of each study, the costs and the ledger's `folder` can fill; drawn one at a time."""
    if folder and (growth := scaling_picture(folder)):
        yield growth
    shown = [each.planned_only() for each in results.values()]
    for own in shown:
        yield from made(FIGURES, own.study.figures, own)
        for dataset in own.datasets():
            yield from made(FIGURES, own.study.dataset_figures, own, dataset)
    for each in (each for each in costs if not each.long):
        yield latency_bars(each)
        for own in (own for own in shown if own.study.cost_figures):
            for dataset in own.datasets():
                yield from made(FIGURES, own.study.cost_figures, own, dataset, each)


def write_figures(
    results: Mapping[str, Results], directory: Path, costs: Sequence[Costs] = (), folder: Path | None = None
) -> list[PictureFile]:
    """Write every figure as PDF and PNG, and their hashes; what an earlier report had beyond them is removed.

    `results` are by name of their study, `folder` is the ledger's.
    """
    drawn = []
    for picture in pictures(results, costs, folder):
        with printed():
            pdf, png = save(picture.figure, directory / picture.name)
        drawn.append(PictureFile(picture.name, picture.title, picture.caption, pdf, png, picture.study))
    replace_sums(directory, [path.name for each in drawn for path in (each.pdf, each.png)])
    return drawn

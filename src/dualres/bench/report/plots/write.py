"""Which figures a ledger can fill, and writing them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dualres.bench.profile.measurements import Costs
from dualres.bench.report.plots.costs import latency_bars
from dualres.bench.report.plots.data_efficiency import BARS, LINES, data_efficiency
from dualres.bench.report.plots.drawn import DATA, DrawnData, drawn, mark_of, write_drawn
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
    own_of = {own.study.name: own for own in shown}
    lines, bars = own_of.get(LINES), own_of.get(BARS)
    for dataset in dict.fromkeys(name for own in (lines, bars) if own for name in own.datasets()):
        if joint := data_efficiency(lines, bars, dataset):
            yield joint
    for each in (each for each in costs if not each.long):
        yield latency_bars(each)
        done: set[str] = set()  # datasets, each shown of the first study that has its scores
        for own in (own for own in shown if own.study.cost_figures):
            for dataset in (dataset for dataset in own.datasets() if dataset not in done):
                found = list(made(FIGURES, own.study.cost_figures, own, dataset, each))
                done |= {dataset} if found else set()
                yield from found


def write_figures(
    results: Mapping[str, Results], directory: Path, costs: Sequence[Costs] = (), folder: Path | None = None
) -> list[PictureFile]:
    """Write every figure as PDF and PNG, their data and hashes; what an earlier report had beyond them is removed.

    `results` are by name of their study, `folder` is the ledger's.
    """
    files, lines = [], []
    for picture in pictures(results, costs, folder):
        file, line = write_picture(picture, directory)
        files.append(file)
        lines.append(line)
    write_drawn(directory, lines)
    replace_sums(directory, [DATA, *(path.name for each in files for path in (each.pdf, each.png))])
    return files


def write_picture(picture: Picture, directory: Path) -> tuple[PictureFile, DrawnData]:
    """Its two files, and what it shows, whose hash stands in both."""
    data = drawn(picture)
    with printed():
        pdf, png = save(picture.figure, directory / picture.name, mark_of(data))
    return PictureFile(picture.name, picture.title, picture.caption, pdf, png, picture.study), data

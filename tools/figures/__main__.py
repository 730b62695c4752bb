"""Draw the paper's schematics, and the overview with what results/ holds, beside the figures of `dualres bench report`.

python -m tools.figures

The checksums of results/figures and results/MANIFEST then name them too; `make results` runs this.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.report.build import FIGURES, TABLES
from dualres.bench.report.plots.picture import Picture
from dualres.bench.report.results import Results
from dualres.bench.report.tables.write import read_settings
from dualres.bench.verify.manifest import write_manifest
from dualres.utils.checksums import listed, write_sums
from dualres.utils.figures import printed, save
from tools.figures.alignment import alignment
from tools.figures.diagrams import allocations, architecture
from tools.figures.mechanism import mechanism
from tools.figures.memory import memory_picture
from tools.figures.overview import snapshot

RESULTS = Path(__file__).parents[2] / "results"
SCHEMATICS = (architecture, mechanism, memory_picture, alignment, allocations)


def main() -> None:
    settings = read_settings(RESULTS / TABLES)
    with TemporaryDirectory() as scratch, load_export(RESULTS, Path(scratch) / "ledger.sqlite") as ledger:
        write(RESULTS / FIGURES, settings.results(ledger, "gearbox").planned_only())
    print(f"root hash of results: {write_manifest(RESULTS)}")


def pictures(gearbox: Results) -> Iterator[Picture]:
    """Schematics, then the overview of every dataset; drawn one at a time."""
    for draw in SCHEMATICS:
        yield draw()
    yield from (one for one in (snapshot(gearbox, dataset) for dataset in gearbox.datasets()) if one)


def write(folder: Path, gearbox: Results) -> None:
    """Each as PDF and PNG; what else the folder's list names stays listed."""
    names = set(listed(folder))
    for picture in pictures(gearbox):
        with printed():
            names |= {path.name for path in save(picture.figure, folder / picture.name)}
    write_sums(folder, names)


if __name__ == "__main__":
    main()

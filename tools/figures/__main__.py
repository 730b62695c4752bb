"""Draw the paper's schematics, which show no results, beside the figures of `dualres bench report`.

python -m tools.figures

The checksums of results/figures and results/MANIFEST then name them too; `make results` runs this.
"""

from collections.abc import Iterator
from pathlib import Path

from dualres.bench.report.build import FIGURES
from dualres.bench.report.plots.drawn import DATA, read_drawn, write_drawn
from dualres.bench.report.plots.picture import Picture
from dualres.bench.report.plots.write import write_picture
from dualres.bench.verify.manifest import write_manifest
from dualres.utils.checksums import listed, write_sums
from tools.figures.alignment import alignment
from tools.figures.diagrams import allocations, architecture
from tools.figures.mechanism import mechanism
from tools.figures.memory import memory_picture

RESULTS = Path(__file__).parents[2] / "results"
SCHEMATICS = (architecture, mechanism, memory_picture, alignment, allocations)


def main() -> None:
    write(RESULTS / FIGURES)
    print(f"root hash of results: {write_manifest(RESULTS)}")


def pictures() -> Iterator[Picture]:
    """Drawn one at a time."""
    yield from (draw() for draw in SCHEMATICS)


def write(folder: Path) -> None:
    """Each as PDF and PNG; what else the folder's lists name stays listed."""
    names, lines = set(listed(folder)), read_drawn(folder)
    for picture in pictures():
        file, lines[picture.name] = write_picture(picture, folder)
        names |= {file.pdf.name, file.png.name}
    write_drawn(folder, lines.values())
    write_sums(folder, names | {DATA})


if __name__ == "__main__":
    main()

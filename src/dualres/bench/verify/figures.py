"""Do a report's figures show what the ledger and the measurements give now? All are drawn again, to compare data."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from dualres.bench.report.plots.drawn import DATA, DrawnData, bears, difference, drawn, mark_of, read_drawn
from dualres.bench.report.plots.picture import Picture
from dualres.utils.checksums import listed

ANEW = "`dualres bench report` draws it again"


def verify_figures(directory: Path, now: Iterable[Picture]) -> list[str]:
    """What is not as it is drawn now, one sentence each; schematics, which are of no study, show no results."""
    kept = read_drawn(directory)
    if not kept:
        return (
            [f"{directory / DATA}: is missing, so nobody knows what the figures show; {ANEW}"]
            if _pictures(directory)
            else []
        )
    problems: list[str] = []
    fresh: set[str] = set()
    for picture in now:
        fresh.add(picture.name)
        problems += _compared(directory, drawn(picture), kept.get(picture.name))
    for name, data in kept.items():
        problems += _marked(directory, data)
        if data["study"] and name not in fresh:
            problems.append(f"{directory / name}: is kept as a figure of {data['study']}, but the ledger gives no such")
    unknown = sorted(_pictures(directory) - kept.keys())
    return problems + [f"{directory / name}: what it shows is not kept in {DATA}; {ANEW}" for name in unknown]


def _pictures(directory: Path) -> set[str]:
    return {Path(name).stem for name in listed(directory) if Path(name).suffix in (".png", ".pdf")}


def _compared(directory: Path, now: DrawnData, kept: DrawnData | None) -> Iterator[str]:
    where = directory / now["name"]
    if kept is None:
        yield f"{where}: is missing, though the ledger gives it"
    elif told := difference(kept, now):
        yield f"{where}: is not what the ledger and the measurements give now ({told}); {ANEW}"


def _marked(directory: Path, data: DrawnData) -> Iterator[str]:
    """Each file bears the hash of the data that it was drawn from."""
    for path in (directory / f"{data['name']}{end}" for end in (".pdf", ".png")):
        if path.is_file() and not bears(path, mark_of(data)):
            yield f"{path}: was drawn of other data than {DATA} holds; {ANEW}"

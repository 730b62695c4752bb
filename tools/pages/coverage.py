"""Write docs/coverage.md: where everything that the paper contains is found here; with `--check`, only compare.

coverage.toml says where; how much of a study has been run is counted in results/.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.studies import RIG, jobs, study
from dualres.bench.methods import NAMES
from dualres.bench.paper import protocol
from dualres.bench.profile.measurements import all_costs
from dualres.bench.report.names import dataset_name, dataset_title
from dualres.bench.report.plots.drawn import read_drawn
from dualres.errors import ConfigError
from dualres.learn.fold import Budget
from tools.generated import ROOT, only_checked, write_page

SOURCE = ROOT / "tools" / "pages" / "coverage.toml"
RESULTS = ROOT / "results"
INTRODUCTION = """# What of the paper is here

Every section, equation, table, figure and appendix of the paper, by its label. Some have none. `make
results` makes this page of what lies in results/, and a test compares. "Here" says that what a row names is in place,
and no more. Where a study is counted, its jobs are those of the paper's plan; the rig is our simulation, shaped like
MCC5, and stands in for no dataset. What is not at hand has not been run: of the eight datasets, results/ covers PHM2009
as released and CWRU by excerpts. Costs are of the machine that a row names; no RTX A4000 was at hand.
"""
# Whose recordings results/ was made from, and what to say of them.
AT_HAND = {"phm2009": "", "cwru": " (4 s excerpts)", RIG: ""}


def main() -> None:
    check = only_checked(__doc__)
    with TemporaryDirectory() as scratch, load_export(RESULTS, Path(scratch) / "ledger.sqlite") as ledger:
        text = page(ledger.keys())
    write_page("coverage.md", text, check, source="the results", target="results")


def page(done: Collection[str]) -> str:
    lines = [INTRODUCTION]
    for part in tomllib.loads(SOURCE.read_text())["part"]:
        lines += [f"## {part['title']}", "", "| label | what | where | command | state |", "|---|---|---|---|---|"]
        for row in part["row"]:
            label = f"`{row['label']}`" if row["label"] else "none"
            command = f"`{row['command']}`" if "command" in row else ""
            where = ", ".join(map(linked, row["where"]))
            lines.append(f"| {label} | {row['what']} | {where} | {command} | {state(row, done)} |")
        lines.append("")
    return "\n".join(lines)


def linked(place: str) -> str:
    """A file, and what to look for in it."""
    path, _, name = place.partition("::")
    return f"[{name or Path(path).name}](../{path})"


def state(row: dict[str, Any], done: Collection[str]) -> str:
    check_shown(row)
    if "profiled" in row:
        return profiled(row["profiled"])
    if "drawn" in row:
        return drawn_of(row["drawn"])
    if "study" not in row:
        return str(row.get("state", "here"))
    parts = list(counted(row, done))
    absent = [dataset_name(d) for d in datasets_of(row) if d not in AT_HAND]
    return "; ".join([*parts, *([f"{', '.join(absent)}: not at hand"] if absent else [])])


def check_shown(row: dict[str, Any]) -> None:
    """An error where a table or figure of the row lacks what the row says that it shows."""
    texts = {place: text_of(RESULTS.parent / place) for place in row["where"] if place.startswith("results/")}
    if "drawn" in row:
        texts |= {name: readable(line) for name, line in of_figure(row["drawn"]).items()}
    for place, text in texts.items():
        if lacking := [words for words in row.get("shows", ()) if words not in text]:
            raise ConfigError(f"{SOURCE}: {row['what']}: {place} does not show {', '.join(lacking)}")


def text_of(path: Path) -> str:
    """What can be read in a table, or in a picture."""
    return readable(read_drawn(path.parent)[path.stem]) if path.suffix == ".png" else path.read_text()


def readable(line: dict[str, Any]) -> str:
    return json.dumps(line["panels"] + line["words"], ensure_ascii=False)


def of_figure(name: str) -> dict[str, dict[str, Any]]:
    """The pictures of that name and of whatever they are about."""
    return {each: line for each, line in read_drawn(RESULTS / "figures").items() if each.startswith(f"{name}_")}


def drawn_of(name: str) -> str:
    """Each picture's title, with a link."""
    found = [f"[{line['title']}](../results/figures/{each}.png)" for each, line in of_figure(name).items()]
    return "; ".join(found) or "not drawn, since nothing was measured"


def datasets_of(row: dict[str, Any]) -> list[str]:
    its = dict.fromkeys(name for part in study(row["study"]).parts for name in part.datasets)
    return [name for name in its if name in row.get("datasets", its)]


def counted(row: dict[str, Any], done: Collection[str]) -> Iterator[str]:
    """Dataset by dataset, how many of the row's jobs are finished; a method counts on the device that did most."""
    budgets = [Budget(*map(int, one.split("x"))) for one in row["budgets"]] if "budgets" in row else None
    chosen: Any = {"methods": row.get("methods"), "seeds": row.get("seeds"), "budgets": budgets}
    for dataset in (name for name in datasets_of(row) if name in AT_HAND):
        finished: dict[str, int] = {}
        planned: list[Job] = []
        for device in ("cpu", "cuda"):
            planned = jobs(study(row["study"]), [dataset], device=device, **chosen)
            for name in {job.method for job in planned}:
                its = sum(job.key in done for job in planned if job.method == name)
                finished[name] = max(finished.get(name, 0), its)
        count = sum(finished.values())
        told = f"all {count} jobs" if count == len(planned) else f"{count} of {len(planned)} jobs"
        yield f"{dataset_title(dataset)}{AT_HAND[dataset]}: {told}"


def profiled(table: str) -> str:
    """Which tables there are of that kind, each with its pairs of method and dataset, the paper's counted apart."""
    wanted = {(dataset, method) for dataset in (*protocol.BEARINGS, "mcc5") for method in NAMES}
    told = []
    for costs in all_costs(RESULTS / "profile"):
        path = RESULTS / "tables" / f"{table}_{costs.name}.md"
        if not path.exists():
            continue
        pairs = {pair for pair in costs.found if pair[1] in NAMES}
        more = Counter(dataset_name(dataset) for dataset, _ in pairs - wanted)
        beside = "".join(f", {count} of {name}" for name, count in sorted(more.items()))
        machines = {str(each.facts["machine"]["device"]) for each in costs.found.values()}
        where = f"{', '.join(sorted(machines))}, {costs.way}"
        told.append(f"[{where}](../results/tables/{path.name}): {len(pairs & wanted)} of {len(wanted)} pairs{beside}")
    return "; ".join(told) or "not made: it takes a GPU, or more datasets than were measured"


if __name__ == "__main__":
    main()

"""Write docs/coverage.md: where everything that the paper contains is found here; with `--check`, only compare.

coverage.toml says where; how much of a study has been run is counted in results/.
"""

import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.job import Job
from dualres.bench.campaign.studies import RIG, jobs, study
from dualres.bench.methods import NAMES
from dualres.bench.paper import protocol
from dualres.bench.profile.measurements import kept
from dualres.bench.report.names import dataset_name, dataset_title
from dualres.learn.fold import Budget
from tools.generated import ROOT, only_checked, write_page

SOURCE = ROOT / "tools" / "pages" / "coverage.toml"
RESULTS = ROOT / "results"
INTRODUCTION = """# What of the paper is here

Every section, equation, table, figure and appendix of the paper, by its label. Some have none. `make
results` makes this page, and a test compares. What needs no recordings is complete. Where a study is counted, its jobs
are those of the paper's plan; the rig is our simulation, shaped like MCC5, and stands in for
no dataset. What is not at hand has not been run: of the eight datasets, results/ covers PHM2009 as released and CWRU by
excerpts.
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
    if row.get("profiled"):
        return profiled()
    if "study" not in row:
        return str(row.get("state", "complete"))
    parts = list(counted(row, done))
    absent = [dataset_name(d) for d in datasets_of(row) if d not in AT_HAND]
    return "; ".join([*parts, *([f"{', '.join(absent)}: not at hand"] if absent else [])])


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


def profiled() -> str:
    """How many of the paper's pairs of method and dataset were measured, on whatever machine."""
    pairs = {(plan.dataset, plan.method) for plan in kept(RESULTS / "profile")}
    wanted = {(dataset, method) for dataset in (*protocol.BEARINGS, "mcc5") for method in NAMES}
    more = {dataset for dataset, _ in pairs - wanted}
    beside = f", and {', '.join(sorted(map(dataset_name, more)))}" if more else ""
    return f"{len(pairs & wanted)} of {len(wanted)} pairs of method and dataset{beside}; no RTX A4000 at hand"


if __name__ == "__main__":
    main()

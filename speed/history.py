"""Append the ratios of what speed/ measured to results/speed_history.jsonl, and write them into docs/speed.md.

A line is a run: its date, the commit whose code ran ("+" where src/ or speed/ differed from it), the kind of machine
in words, and the ratios by their names in ratios.py. `from` names another source than results/measured.
Without scripts nothing is appended; with `--check` nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill

from dualres.utils.files import write_whole
from speed.ratios import RATIOS, WORSE, Ratio

ROOT = Path(__file__).parents[1]
HISTORY = ROOT / "results" / "speed_history.jsonl"
MEASURED = ROOT / "results" / "measured"
PAGE = ROOT / "docs" / "speed.md"
BEGIN, END = "<!-- speed history -->\n", "<!-- end of speed history -->\n"
CPU_FACTS = Path("/proc/cpuinfo")
_MORE = f"by more than {100 * WORSE:.0f} %"
_DIGITS = 4  # of a ratio, significant ones
_INSTRUCTIONS = {"avx512": "AVX-512", "avx2": "AVX2", "neon": "NEON"}


@dataclass(frozen=True)
class Run:
    date: str
    commit: str
    machine: str
    ratios: Mapping[str, float]


@dataclass(frozen=True)
class Drop:
    """A ratio that became worse from one run to the next on the same kind of machine, beyond what is let pass."""

    ratio: Ratio
    before: Run
    now: Run
    regained: bool  # by the newest run there

    @property
    def change(self) -> str:
        return f"{100 * (self.now.ratios[self.ratio.name] / self.before.ratios[self.ratio.name] - 1):+.0f}\u00a0%"

    def __str__(self) -> str:
        """What became worse, where and by how much, and whether it is as good as before again."""
        before, now = (f"{run.ratios[self.ratio.name]:.4g} at {run.commit}" for run in (self.before, self.now))
        said = f"{self.ratio.title}: {before}, {now} ({self.change}; {self.ratio.better} is better), "
        return f"{said}{self.now.machine}, {self.now.date}{'; since regained' if self.regained else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scripts", nargs="*", help="those that have just run, by the names of their files")
    parser.add_argument("--machine", help="in words, where another one than this has measured")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where the page is not as it should be"
    )
    arguments = parser.parse_args()
    if arguments.scripts and not arguments.check:
        append(HISTORY, measured(MEASURED, arguments.scripts, arguments.machine))
    runs = read(HISTORY)
    text = PAGE.read_text()
    filled = re.sub(f"(?<={BEGIN}).*(?={END})", lambda _: in_words(runs), text, flags=re.DOTALL)
    if arguments.check and filled != text:
        sys.exit("docs/speed.md: is not what results/speed_history.jsonl gives; `python -m speed.history` writes it")
    if filled != text:
        write_whole(PAGE, filled.encode())
    for drop in drops(runs):
        print(drop)


def read(path: Path) -> list[Run]:
    """All runs, the oldest first."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [Run(row["date"], row["commit"], row["machine"], row["ratios"]) for row in rows]


def append(path: Path, runs: Sequence[Run]) -> None:
    lines = "".join(json.dumps(vars(run)) + "\n" for run in runs)
    write_whole(path, (path.read_text() + lines).encode())


def measured(folder: Path, scripts: Sequence[str], machine: str | None = None) -> list[Run]:
    """What `scripts` have left in a folder as runs of this day and commit, one for each machine."""
    ratios: dict[str, dict[str, float]] = {}
    for script in scripts:
        path = folder / f"{script}.json"
        if not path.exists():
            raise SystemExit(f"{path}: is missing; speed/{script}.py prints what belongs there")
        found = json.loads(path.read_text())
        where = found["device"] if script.endswith("_cuda") else machine or this_machine()
        for ratio in (one for one in RATIOS if one.script == script):
            ratios.setdefault(where, {})[ratio.name] = value_of(ratio, found, folder)
    today = datetime.now(UTC).date().isoformat()
    return [Run(today, commit(), where, some) for where, some in ratios.items()]


def value_of(ratio: Ratio, found: Mapping[str, object], folder: Path) -> float:
    try:
        return float(f"{ratio.value(found):.{_DIGITS}g}")
    except (KeyError, TypeError, ValueError) as error:
        path = folder / f"{ratio.script}.json"
        raise SystemExit(f"{path}: has no {ratio.name} ({error!r}); speed/ratios.py says where it should be") from error


def this_machine() -> str:
    """Processor, vector instructions that the kernel runs by, and cores."""
    from dualres.bench.campaign.run_job import machine  # brings PyTorch, which nothing else here needs

    facts = machine("cpu")
    words = re.sub(r"\((R|TM)\)|\bCPU\b|\bProcessor\b|@.*", "", facts["device"]).split()
    if not re.search(r"\d", " ".join(words)):  # a virtual machine's may have a name that all its generations have
        words += _generation()
    kernel = facts["kernel"]
    by = f"with {_INSTRUCTIONS.get(kernel, kernel)}" if kernel else "without the compiled kernel"
    return f"{' '.join(words)} {by}, {os.cpu_count()} cores"


def _generation() -> list[str]:
    """The numbers of this processor's family and model in words, as Linux tells them."""
    facts = CPU_FACTS.read_text() if CPU_FACTS.exists() else ""
    found = {name: re.search(rf"^{name}\s*: (\d+)$", facts, re.MULTILINE) for name in ("cpu family", "model")}
    return [f"(family {found['cpu family'][1]}, model {found['model'][1]})"] if all(found.values()) else []


def commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "--short=7", "HEAD") + ("+" if git("status", "--porcelain", "--", "src", "speed") else "")


def drops(runs: Sequence[Run]) -> list[Drop]:
    """Changes for the worse that are pointed out: those that were not regained first, and of these the newest."""
    found = []
    for ratio in RATIOS:
        for machine in dict.fromkeys(run.machine for run in runs):
            some = [run for run in runs if run.machine == machine and ratio.name in run.ratios]
            values = [run.ratios[ratio.name] for run in some]
            for i in range(1, len(some)):
                if ratio.worse(values[i - 1], values[i]):
                    found.append(Drop(ratio, some[i - 1], some[i], not ratio.worse(values[i - 1], values[-1])))
    newest = {id(run): -i for i, run in enumerate(runs)}
    return sorted(found, key=lambda drop: (drop.regained, newest[id(drop.now)]))


def summary(found: Sequence[Drop]) -> str:
    """Whether anything became worse, in a sentence."""
    open_ones = sum(not drop.regained for drop in found)
    if open_ones:
        return f"Worse {_MORE} than in the run before: {open_ones}."
    if found:
        return f"Everything that became worse {_MORE} from one run to the next was regained since."
    return f"No ratio became worse {_MORE} from one run to the next on the same kind of machine."


def in_words(runs: Sequence[Run]) -> str:
    """The part of docs/speed.md that is made from the runs: drops first, then the newest value of each ratio."""
    found = drops(runs)
    lines = [f"**{summary(found)}**", "", *(fill(f"* {drop}.", 115, subsequent_indent="  ") for drop in found)]
    lines += [""] if found else []
    lines += ["| ratio | better | machine | commit | now | before |", "|---|---|---|---|---|---|"]
    for ratio in RATIOS:
        for machine in dict.fromkeys(run.machine for run in runs):
            some = [run for run in runs if run.machine == machine and ratio.name in run.ratios]
            if some:
                now, before = some[-1], some[-2].ratios[ratio.name] if len(some) > 1 else None
                cells = [ratio.title, ratio.better, machine, now.commit, f"{now.ratios[ratio.name]:.4g}"]
                lines.append(f"| {' | '.join([*cells, '-' if before is None else f'{before:.4g}'])} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

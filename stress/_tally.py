"""What the scripts in stress/ share: numbered tries, several processes, and a file that adds everything up.

A try is named by its seed, which decides all that is random in it, so a failure can be repeated. A run does the seeds
from `--seed` on that its state file does not hold yet. The same command therefore goes on where an earlier one stopped,
whether by `--minutes`, Ctrl-C or SIGTERM; a larger number of tries adds to it. Machines that share the work take seeds
apart from each other, and

    python stress/_tally.py merge A.json B.json -o C.json

makes one state of theirs. A try fails if it raises, takes too long or too much memory, or ends its process.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from _workers import FAILED, Attack, Tried, done, scratch, tried
from dualres.utils.files import write_whole

ROOT = Path(__file__).parents[1]
TOLD_EVERY_S = 5.0  # progress, and the state on disk
State = dict[str, Any]


@dataclass
class Tally:
    """What is known of one attack."""

    title: str
    each: int = 1
    seeds: set[int] = field(default_factory=set)
    outcomes: dict[str, int] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)  # seed -> what was wrong
    slowest_s: float = 0.0
    peak_mb: float = 0.0
    most: dict[str, float] = field(default_factory=dict)  # of what tries have measured
    runs: list[dict[str, Any]] = field(default_factory=list)

    def add(self, tried: Tried) -> None:
        if tried.seed in self.failures:  # and is repeated now
            del self.failures[tried.seed]
            self.outcomes[FAILED] -= 1
        self.seeds.add(tried.seed)
        self.outcomes[tried.how] = self.outcomes.get(tried.how, 0) + 1
        if tried.problem:
            self.failures[tried.seed] = tried.problem
        self.slowest_s = max(self.slowest_s, tried.seconds)
        self.peak_mb = max(self.peak_mb, tried.peak_mb)
        self.most = larger(self.most, tried.most)

    def as_data(self) -> State:
        return {
            "title": self.title,
            "tries": self.each * len(self.seeds),
            "failures": {str(seed): self.failures[seed] for seed in sorted(self.failures)},
            "outcomes": {how: count for how, count in sorted(self.outcomes.items()) if count},
            "slowest_s": round(self.slowest_s, 3),
            "peak_mb": round(self.peak_mb),
            **({"most": self.most} if self.most else {}),
            "each": self.each,
            "seeds": ranges(self.seeds),  # first and last of each stretch
            "runs": self.runs,
        }

    @staticmethod
    def parsed(data: State) -> Tally:
        return Tally(
            data["title"],
            data["each"],
            {seed for first, last in data["seeds"] for seed in range(first, last + 1)},
            dict(data["outcomes"]),
            {int(seed): problem for seed, problem in data["failures"].items()},
            data["slowest_s"],
            data["peak_mb"],
            data.get("most", {}),
            list(data["runs"]),
        )


def main(description: str | None, attacks: Sequence[Attack]) -> None:
    """The command line of a script with these attacks."""
    names = [attack.name for attack in attacks]
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tries", type=int, help="seeds of each attack; those that the state holds are not done again")
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="instead of all attacks")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--state", type=Path, help="a JSON file to go on from and to add to")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, help="begin no try after that; attacks share it")
    parser.add_argument("--again", action="store_true", help="repeat the seeds that failed, and no others")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    script = f"stress/{Path(sys.argv[0]).name}"
    tallies = read(arguments.state, script) if arguments.state and arguments.state.exists() else {}
    end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    run = this_run(script)
    chosen = [attack for attack in attacks if attack.name in arguments.only]
    for attack in chosen:
        if attack.missing:
            print(f"{attack.name}: skipped, for {', '.join(attack.missing)} is not installed", file=sys.stderr)
    chosen = [attack for attack in chosen if not attack.missing]
    stopped = False
    for i, attack in enumerate(chosen):
        tally = tallies.setdefault(attack.name, Tally(attack.title, attack.each))
        seeds = range(arguments.seed, arguments.seed + arguments.tries)
        due = [seed for seed in seeds if (seed in tally.failures if arguments.again else seed not in tally.seeds)]
        share = (end - time.monotonic()) / (len(chosen) - i)
        stopped = follow(attack, tally, due, run, arguments.workers, share, saved(arguments.state, script, tallies))
        if stopped:
            break
    print(json.dumps({name: tallies[name].as_data() for name in tallies}, indent=1))
    sys.exit(130 if stopped else any(tallies[attack.name].failures for attack in chosen))


def follow(
    attack: Attack,
    tally: Tally,
    seeds: Sequence[int],
    run: dict[str, Any],
    workers: int,
    seconds: float,
    save: Callable[[], None],
) -> bool:
    """Do the seeds, add up and save now and then; True if the user stopped it."""
    began = told = time.monotonic()
    stopped, count = False, 0
    this = {**run, "workers": workers}

    def tell() -> None:
        rate = count / max(time.monotonic() - began, 1e-9)
        of = f"{count} of {len(seeds)} seeds, {rate:.1f}/s"
        print(f"{attack.name}: {of}, {len(tally.failures)} failed so far", file=sys.stderr)
        save()

    try:
        with closing(done(attack, seeds, workers, began + seconds)) as results:
            for result in results:
                if not count:
                    tally.runs.append(this)
                count += 1
                this["tries"] = attack.each * count
                tally.add(result)
                if time.monotonic() - told > TOLD_EVERY_S:
                    told = time.monotonic()
                    tell()
    except KeyboardInterrupt:
        stopped = True
    tell()
    return stopped


def here(attack: Attack, seeds: Iterable[int]) -> State:
    """The same in this process, for tests, which have filled its memory already."""
    attack = replace(attack, most_mb=float("inf"))
    tally = Tally(attack.title, attack.each)
    with scratch() as folder, attack.prepared(Path(folder)) as attempt:
        for seed in seeds:
            tally.add(tried(attack, attempt, seed))
    return tally.as_data()


def this_run(script: str) -> dict[str, Any]:
    """What the results of a run depend on."""
    from dualres import __version__

    facts: dict[str, Any] = {"machine": processor(), "cores": os.cpu_count()}
    facts |= {"date": date.today().isoformat(), "version": __version__, "commit": commit()}
    words = sys.argv[1:]
    for option in {"--state", "-o", "--out"}.intersection(words):  # where it lies is nobody's business
        del words[words.index(option) : words.index(option) + 2]
    return facts | {"command": " ".join(["python", script, *words])}


def processor() -> str:
    try:
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def commit() -> str | None:
    """The commit of this checkout, with a + where files differ from it; None if it is none."""

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def saved(path: Path | None, script: str, tallies: dict[str, Tally]) -> Callable[[], None]:
    def save() -> None:
        if path:
            data = {"script": script, "attacks": {name: tally.as_data() for name, tally in tallies.items()}}
            write_whole(path, (json.dumps(data, indent=1) + "\n").encode())

    return save


def read(path: Path, script: str | None = None) -> dict[str, Tally]:
    data = json.loads(path.read_text())
    if script not in (None, data["script"]):
        sys.exit(f"{path}: holds tries of {data['script']}, not of {script}")
    return {name: Tally.parsed(one) for name, one in data["attacks"].items()}


def larger(some: Mapping[str, float], others: Mapping[str, float]) -> dict[str, float]:
    """Of both the larger numbers, by their names."""
    return {name: max(some.get(name, 0.0), others.get(name, 0.0)) for name in {**some, **others}}


def ranges(seeds: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of each stretch without gaps."""
    stretches = [list(group) for _, group in groupby(enumerate(sorted(seeds)), lambda pair: pair[1] - pair[0])]
    return [(stretch[0][1], stretch[-1][1]) for stretch in stretches]


def merge(paths: Sequence[Path], out: Path) -> None:
    """One state of several of one script; refused where two hold the same seed of an attack."""
    script = json.loads(paths[0].read_text())["script"]
    total: dict[str, Tally] = {}
    for path in paths:
        for name, tally in read(path, script).items():
            if name not in total:
                total[name] = tally
                continue
            sum_ = total[name]
            if common := ranges(sum_.seeds & tally.seeds):
                sys.exit(f"{path}: {name} has seeds that another state has, too: {common[0][0]} to {common[0][1]}")
            if sum_.each != tally.each:
                sys.exit(f"{path}: a seed of {name} counts for {tally.each} tries, and for {sum_.each} in another")
            sum_.seeds |= tally.seeds
            for how, count in tally.outcomes.items():
                sum_.outcomes[how] = sum_.outcomes.get(how, 0) + count
            sum_.failures |= tally.failures
            sum_.slowest_s, sum_.peak_mb = max(sum_.slowest_s, tally.slowest_s), max(sum_.peak_mb, tally.peak_mb)
            sum_.most = larger(sum_.most, tally.most)
            sum_.runs += tally.runs
    saved(out, script, total)()


if __name__ == "__main__":
    merging = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = merging.add_subparsers(required=True, metavar="merge")
    action = actions.add_parser("merge", help="one state of several")
    action.add_argument("states", type=Path, nargs="+", metavar="STATE")
    action.add_argument("-o", "--out", type=Path, required=True, metavar="STATE")
    given = action.parse_args(sys.argv[2:]) if sys.argv[1:2] == ["merge"] else merging.parse_args()
    merge(given.states, given.out)

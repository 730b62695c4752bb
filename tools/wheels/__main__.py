"""Build a wheel for every target there are tools for, audit it, and try it where it is to run; prints JSON.

python -m tools.wheels [--only PLATFORM ...]

The wheels and the source archive are left in dist/. What can be built here and not run is said to be so, with the
reason, and so is what cannot be built. It fails where a wheel does.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.wheels import given
from tools.wheels.audit import AuditError, audited
from tools.wheels.build import ROOT, source_archive, tools, wheel
from tools.wheels.compilers import missing
from tools.wheels.places import NotRunError, places, without_compiler
from tools.wheels.targets import GNU, TARGETS, Target
from tools.wheels.trial import TrialError, timed, tried

WORK, DIST = ROOT / "build/wheels", ROOT / "dist"
MOST_MB = 120  # that the wheel and its dependencies may take on disk
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [target.platform for target in TARGETS]
    parser.add_argument("--only", nargs="+", choices=known, default=known, metavar="PLATFORM")
    chosen = [target for target in TARGETS if target.platform in parser.parse_args().only]
    built_from, programs = commit(), tools(WORK)
    archive, models = source_archive(programs, DIST), given.make(WORK / "given")
    rows = [wheel_row(target, programs, archive, models) for target in chosen]
    rows.append(source_row(archive, models))
    print(table(rows), file=sys.stderr)
    machine = {"processors": os.cpu_count(), "load": round(os.getloadavg()[2], 1)}  # programs at once, over 15 minutes
    print(json.dumps({"commit": built_from, **machine, "tried": rows}, indent=1))
    sys.exit(any("failed" in row for row in rows))


def wheel_row(target: Target, programs: Path, archive: Path, models: Path) -> Row:
    """What became of a target: the wheel's name and size, and its runs, or why there are none."""
    row: Row = {"platform": target.platform, "emulated": target.machine != platform.machine()}
    if absent := missing(target):
        return row | {"not_built": f"there is no {absent}"}

    def fill() -> None:
        say(f"{target.platform}: building")
        file = audited(wheel(target, programs, archive, WORK), target, programs, DIST)
        row.update(file=file.name, mb=round(file.stat().st_size / 1e6, 2), runs=[])
        say(f"{target.platform}: installing and trying")
        for environment, size in places(target, file, programs, WORK):
            recording = given.SOUND if target.libc == GNU else given.ARRAY  # no `soundfile` has its library for musl
            run = tried(environment, models, recording) | on_disk(size)
            row["runs"].append(run if row["emulated"] else run | timed(environment, models, recording))

    return row | explained(fill)


def source_row(archive: Path, models: Path) -> Row:
    """What became of the source where there is no compiler."""
    row: Row = {"platform": "source, no compiler", "file": archive.name, "runs": []}

    def fill() -> None:
        say("source: installing and trying without a compiler")
        environment = without_compiler(archive, WORK)
        run = tried(environment, models, given.SOUND, compiled=False)
        row["runs"].append(run | timed(environment, models, given.SOUND))

    return row | explained(fill)


def on_disk(size: int | None) -> Row:
    """The bytes of an installation, in MB; an error where they are too many."""
    if size is not None and size > MOST_MB * 1e6:
        raise TrialError(f"the wheel and its dependencies take {size / 1e6:.1f} MB on disk; {MOST_MB} are allowed")
    return {} if size is None else {"installed_mb": round(size / 1e6, 1)}


def explained(fill: Callable[[], None]) -> Row:
    """Nothing, or what went wrong while a row was filled."""
    try:
        fill()
    except NotRunError as reason:
        return {"not_run": str(reason)}
    except (AuditError, TrialError, RuntimeError, OSError, subprocess.CalledProcessError) as error:
        return {"failed": str(error)}
    return {}


def table(rows: list[Row]) -> str:
    """One line per run, and one for what was not built, not run or failed."""
    lines = [("platform", "Python", "largest error of logits, by variant", "cold s", "warm s", "CPU s", "MB")]
    for row in rows:
        for run in row.get("runs", ()):
            errors = ", ".join(f"{variant} {error:.0e}" for variant, error in run["errors"].items())
            figures = (str(run.get(key, "")) for key in ("cold_s", "warm_s", "cpu_s", "installed_mb"))
            lines.append((row["platform"], run["python"], errors, *figures))
        lines += [
            (row["platform"], "", f"{why.replace('_', ' ')}: {row[why].splitlines()[0]}", "", "", "", "")
            for why in ("not_built", "not_run", "failed")
            if why in row
        ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def commit() -> str:
    """What was built: the commit, and whether anything was changed since."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def say(what: str) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

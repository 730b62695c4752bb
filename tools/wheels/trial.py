"""What a wheel does once it is installed: golden logits by every variant, and a verdict by the command line."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from tools.wheels.environments import Environment

CHECK = Path(__file__).with_name("check.py")
TOLERANCE = 1e-5  # of logits
CALLS = 5  # of which the best is `warm_s`


class TrialError(Exception):
    """A wheel that does not do what it should, with what it did."""


def tried(environment: Environment, given: Path, recording: tuple[str, ...], compiled: bool = True) -> dict[str, Any]:
    """What `check.py` says, and the verdict on a recording of 4 s; an error where the logits are not the golden ones.

    `compiled` says whether there has to be a kernel. Otherwise there must be none.
    """
    said = json.loads(environment.run(environment.python, CHECK, given))
    complain(said, environment.folder, compiled)
    errors = {variant: float(f"{error:.1e}") for variant, error in said["errors"].items()}
    verdict = diagnosed(environment, given, recording)[-1]
    return {"python": said["python"], "packages": said["packages"], "errors": errors, "verdict": verdict}


def timed(environment: Environment, given: Path, recording: tuple[str, ...]) -> dict[str, float]:
    """Seconds of a verdict, from the start of a process to its end.

    `cold_s` is after the environment's files were dropped from the system's memory of them, `warm_s` the best of the
    calls after it, and `cpu_s` what a processor spent on one of these, which other programs do not change.
    """
    environment.forget()
    (cold, _, _), *warm = (diagnosed(environment, given, recording) for _ in range(1 + CALLS))
    walls, processors, _ = zip(*warm, strict=True)
    return {"cold_s": round(cold, 3), "warm_s": round(min(walls), 3), "cpu_s": round(min(processors), 3)}


def complain(said: dict[str, Any], folder: Path, compiled: bool) -> None:
    """An error where a check was not of what is installed in `folder`, or where it found something wrong."""
    if not Path(said["installed_in"]).is_relative_to(folder):
        raise TrialError(f"{said['installed_in']} was tested, and not what is installed in {folder}")
    if said["compilers"]:
        raise TrialError(f"{folder}: there is a compiler, {', '.join(said['compilers'])}")
    if compiled != ("baseline" in said["errors"]):
        raise TrialError(f"{folder}: there is {'no' if compiled else 'a'} compiled kernel")
    for variant, error in said["errors"].items():
        if not error <= TOLERANCE:
            raise TrialError(f"{folder}: the variant {variant} is {error:.1e} from the golden logits")


def diagnosed(environment: Environment, given: Path, recording: tuple[str, ...]) -> tuple[float, float, str]:
    """Seconds from the start of a process to its verdict, those of processors, and what it says."""
    command = (environment.python, "-m", "dualres.cli", "diagnose", "--json", "views.safetensors", *recording)
    before, begin = os.times(), time.perf_counter()
    said = environment.run(*command, cwd=given)
    wall, after = time.perf_counter() - begin, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, spent, json.loads(said)["verdict"]

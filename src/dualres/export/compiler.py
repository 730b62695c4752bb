"""Compiling what was exported: does it agree with the model, and how much memory does it need?"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dualres.errors import ExportError

SOURCES = ("dualres.c", "dualres_model.c")
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O3", "-ffp-contract=fast")
CORTEX_M4 = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
SECONDS = 300  # within which a compiler, and the check, have to end


@dataclass(frozen=True)
class Check:
    """What the compiled check said."""

    lines: tuple[str, ...]
    state: int  # bytes of a stream's state, the window included
    window: int  # bytes


@dataclass(frozen=True)
class Flash:
    """Bytes of code and constants that a device has to store, its libm apart."""

    machine: str
    bytes: int


def host_compiler() -> list[str] | None:
    """The command in $CC, else cc; None where there is neither."""
    command = shlex.split(os.environ.get("CC", "")) or ["cc"]
    return command if shutil.which(command[0]) else None


def compile_objects(folder: Path, compiler: Sequence[str], build: Path) -> list[Path]:
    """The exported library's objects, below a folder that is made for them."""
    build.mkdir(parents=True)
    objects = [build / f"{Path(name).stem}.o" for name in SOURCES]
    for name, to in zip(SOURCES, objects, strict=True):
        _run([*compiler, *STRICT, "-c", folder / name, "-o", to])
    return objects


def check(folder: Path, compiler: Sequence[str], objects: Sequence[Path]) -> Check:
    """Link and run the folder's check; an error if it does not agree with the model."""
    program = objects[0].with_name("check")
    _run([*compiler, *STRICT, folder / "check.c", *objects, "-lm", "-o", program])
    said = _run([program])
    found = re.search(r"^state: (\d+) bytes, of which window: (\d+)\n.*\n\Z", said, re.MULTILINE)
    if not found:
        raise ExportError(f"the exported check said {said!r}, which cannot be understood")
    lines = tuple(line for line in said.splitlines() if not line.startswith("state"))
    return Check(lines, int(found[1]), int(found[2]))


def cortex_m4_compiler() -> list[str] | None:
    """GCC for a Cortex-M4 with FPU; None where it is not installed."""
    return ["arm-none-eabi-gcc", *CORTEX_M4] if shutil.which("arm-none-eabi-gcc") else None


def flash_size(machine: str, objects: Sequence[Path], tool: str = "size") -> list[Flash]:
    """What the objects take, by the given tool; empty without it."""
    if not shutil.which(tool):
        return []
    rows = [line.split() for line in _run([tool, *objects]).splitlines()[1:]]  # text, data, bss, ...
    return [Flash(machine, sum(int(row[0]) + int(row[1]) for row in rows))]


def _run(command: Sequence[str | Path]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ExportError(f"{command[0]}: could not be run to the end ({error}); set CC to a C compiler") from error
    if done.returncode:
        tail = (done.stdout + done.stderr).strip()[-2000:]
        raise ExportError(f"{command[0]}: the exported code was not accepted or not confirmed:\n{tail}")
    return done.stdout

"""Compiling what was exported: does it agree with the model, and how much memory does it need?"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dualres.errors import ExportError
from dualres.utils.printable import printable

SOURCES = ("dualres.c", "dualres_model.c")
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O3", "-ffp-contract=fast")
CORTEX_M4 = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
SECONDS = 300  # within which a compiler, and the check, have to end
CANNOT_RUN = "the compiled check could not be run"
ADVICE = (
    ". A cross compiler in $CC? Set it to one for this machine. A temporary folder without programs (noexec)? "
    "Set $TMPDIR to another."
)


@dataclass(frozen=True)
class Build:
    """One way to compile an export."""

    name: str
    samples: str
    flags: tuple[str, ...] = ()


AS_MADE = {False: Build("float", "float samples"), True: Build("int16", "int16_t samples")}
INT16 = Build("int16", "int16_t samples", ("-DDUALRES_INT16",))  # of an export that takes floats


@dataclass(frozen=True)
class CompiledCheck:
    """What the compiled check said."""

    build: str
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
    given = os.environ.get("CC", "")
    try:
        command = shlex.split(given) or ["cc"]
    except ValueError as error:
        raise ExportError(f"$CC is {given!r}, which is no command ({error}); set it to a C compiler") from error
    return command if shutil.which(command[0]) else None


def compiler_name(compiler: Sequence[str]) -> str:
    """What the compiler calls itself, with the optimisation that is asked of it."""
    said = _run([*compiler, "--version"]).stdout.splitlines() or [compiler[0]]
    return f"{said[0]} with {' '.join(flag for flag in STRICT if flag[:2] in ('-O', '-f'))}"


def compile_objects(folder: Path, compiler: Sequence[str], into: Path, build: Build) -> list[Path]:
    """The exported library's objects, in a folder that is made for them."""
    into.mkdir(parents=True)
    objects = [into / f"{Path(name).stem}.o" for name in SOURCES]
    for name, to in zip(SOURCES, objects, strict=True):
        _compile([*compiler, *STRICT, *build.flags, "-c", folder / name, "-o", to])
    return objects


def link_program(
    compiler: Sequence[str], build: Build, source: Path, *, objects: Sequence[Path], includes: Sequence[Path]
) -> Path:
    """Compile a source that uses the library, and link it with the library's objects to a program beside these."""
    program = objects[0].with_name(source.stem)
    within = [f"-I{folder}" for folder in includes]
    _compile([*compiler, *STRICT, *build.flags, *within, source, *objects, "-lm", "-o", program])
    return program


def check(
    folder: Path,
    compiler: Sequence[str],
    objects: Sequence[Path],
    build: Build,
    *,
    classes: Sequence[str],
    library: Path | None = None,
) -> CompiledCheck:
    """Link and run the folder's check, of a library in another folder where that is given; an error if it does not
    agree with the model."""
    program = link_program(compiler, build, folder / "check.c", objects=objects, includes=[library or folder])
    refused = f"the code compiled with {build.samples} is not confirmed by its check"
    said = _output([program], CANNOT_RUN, ADVICE, refused)
    found = re.search(r"^state: (\d+) bytes, of which window: (\d+)\n.*\n\Z", said, re.MULTILINE)
    if not found:
        raise ExportError(f"the exported check said {said!r}, which cannot be understood")
    lines = (line for line in said.splitlines() if not line.startswith("state"))
    return CompiledCheck(build.samples, with_names(lines, classes), int(found[1]), int(found[2]))


def with_names(lines: Iterable[str], classes: Sequence[str]) -> tuple[str, ...]:
    """Lines that know classes by number, with their names, which may hold anything."""
    return tuple(re.sub(r"class (\d+)", lambda n: f"{n[0]} ({printable(classes[int(n[1])])})", line) for line in lines)


def program_output(program: Path, arguments: Sequence[str], given: str) -> str:
    """What a compiled program says of what is given on its standard input."""
    fails = f"{program.name}: fails on the check's stream"
    return _output([program, *arguments], CANNOT_RUN, ADVICE, fails, given=given)


def cortex_m4_compiler() -> list[str] | None:
    """GCC for a Cortex-M4 with FPU; None where it is not installed."""
    return ["arm-none-eabi-gcc", *CORTEX_M4] if shutil.which("arm-none-eabi-gcc") else None


def flash_size(machine: str, objects: Sequence[Path], tool: str = "size") -> list[Flash]:
    """What the objects take, by the given tool; empty without it."""
    if not shutil.which(tool):
        return []
    rows = [line.split() for line in _compile([tool, *objects]).splitlines()[1:]]  # text, data, bss, ...
    return [Flash(machine, sum(int(row[0]) + int(row[1]) for row in rows))]


def _compile(command: Sequence[str | Path]) -> str:
    fails = f"{command[0]}: the exported code could not be compiled"
    return _output(command, f"{command[0]}: cannot be run", "; set $CC to a C compiler", fails)


def _output(command: Sequence[str | Path], cannot: str, advice: str, fails: str, *, given: str = "") -> str:
    """What a command prints; errors in the given words where it cannot be run, and where it fails."""
    try:
        done = _run(command, given)
    except OSError as error:
        raise ExportError(f"{cannot} ({error.strerror}){advice}") from error
    if done.returncode:
        ended = f"\nended by signal {-done.returncode}" if done.returncode < 0 else ""
        raise ExportError(f"{fails}:\n{(done.stdout + done.stderr).strip()[-2000:]}{ended}")
    return done.stdout


def _run(command: Sequence[str | Path], given: str = "") -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, input=given, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ExportError(f"{command[0]}: did not end within {SECONDS} s; set $CC to another C compiler") from error

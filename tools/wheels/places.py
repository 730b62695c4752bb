"""Where a wheel is tried: on every Python at hand for its own system, and on an unpacked one for any other."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

from tools.wheels.debian import Archive
from tools.wheels.environments import Environment, installed, pythons, unpacked
from tools.wheels.musl_python import musl_python
from tools.wheels.targets import GNU, Target

DEBIANS_PYTHON = (
    *("python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib"),
    *("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libffi8"),
)


class NotRunError(Exception):
    """A wheel that cannot be tried here, with what is missing."""


def places(target: Target, wheel: Path, programs: Path, work: Path) -> Iterator[tuple[Environment, int | None]]:
    """Environments with the wheel in them, and of those of this system the bytes that the installation takes."""
    if target.libc == GNU and target.machine == platform.machine():
        for python in pythons():
            yield installed(python, wheel, fresh(work, python.name))
        return
    python, command = _foreign(target, work)
    folder = fresh(work, target.platform)
    yield unpacked(target, python, command, wheel=wheel, programs=programs, folder=folder), None


def without_compiler(archive: Path, work: Path) -> Environment:
    """An environment into which the source was installed, and in which nothing compiles."""
    return installed(next(pythons()), archive, fresh(work, "source"), CC="/bin/false")[0]


def fresh(work: Path, name: str) -> Path:
    """A folder for an environment, which does not exist yet."""
    folder = work / "environments" / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _foreign(target: Target, work: Path) -> tuple[Path, list[str]]:
    """A Python 3.11 of the target's system, and what runs it: nothing, or an emulator."""
    emulator = [] if target.machine == platform.machine() else [f"qemu-{target.machine}"]
    if absent := [name for name in (*emulator, "apt-get", "dpkg") if shutil.which(name) is None]:
        raise NotRunError(f"there is no {', '.join(absent)}")
    emulator = [str(shutil.which(name)) for name in emulator]  # the environments have no path to it
    if target.libc == GNU:
        root = Archive(target.machine, work / "debian").unpack(DEBIANS_PYTHON, work / f"{target.triplet}-python")
        return root / "usr/bin/python3.11", [*emulator, "-L", str(root)]
    builder = next(pythons())
    if not builder.name.endswith("3.11"):
        raise NotRunError("compiling Python 3.11 for musl needs a Python 3.11")
    return musl_python(target, builder, work), emulator

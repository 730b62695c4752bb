"""Bare environments: a Python, the wheel, what the wheel asks for, and nothing else."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.wheels.targets import GNU, MUSL, Target

# What pip may need to reach an index is passed on; nothing else is, least of all a path to a compiler.
PASSED_ON = ("PIP_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
FIRST, LAST = 11, 15  # minor versions of Python that are looked for
SYSTEMS = {  # that pip may take packages for: what was released by the year of the unpacked Python
    GNU: ("manylinux2014_{0}", *(f"manylinux_2_{minor}_{{0}}" for minor in range(17, 37))),
    MUSL: ("musllinux_1_1_{0}", "musllinux_1_2_{0}"),
}


@dataclass(frozen=True)
class Environment:
    """A folder laid out as a virtual environment."""

    folder: Path
    more: dict[str, str] = field(default_factory=dict)  # settings for its programs

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    @property
    def packages(self) -> Path:
        (found,) = self.folder.glob("lib/python3.*/site-packages")
        return found

    def run(self, *command: str | Path, cwd: Path | None = None) -> str:
        """What a program prints, with this environment's programs in reach and no others."""
        done = subprocess.run(command, cwd=cwd or self.folder, env=self._settings(), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: failed\n{done.stdout}{done.stderr}")
        return done.stdout

    def bytes(self) -> int:
        """That its packages take on disk."""
        return sum(512 * path.lstat().st_blocks for path in self.packages.rglob("*"))

    def forget(self) -> None:
        """Have the system read the files of this environment, and of the Python it stands on, from the disk again."""
        os.sync()  # what is not on the disk yet cannot be dropped
        base = Path(os.path.realpath(self.python)).parents[1]
        for folder in {self.folder, base}:
            for path in (p for p in folder.rglob("*") if p.is_file()):
                handle = os.open(path, os.O_RDONLY)
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(handle)

    def _settings(self) -> dict[str, str]:
        passed = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
        own = {"PATH": str(self.python.parent), "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        return passed | own | self.more


def pythons() -> Iterator[Path]:
    """One of each version at hand, from 3.11: on the path, or among those of pyenv, the newest of a version."""
    kept = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in range(FIRST, LAST + 1):
        found = [
            Path(sys.base_prefix) / "bin" / f"python3.{minor}",
            *sorted(kept.glob(f"3.{minor}.*/bin/python3.{minor}")),
        ]
        found += [
            Path(folder) / f"python3.{minor}"
            for folder in os.environ["PATH"].split(os.pathsep)
            if "shims" not in folder
        ]
        yield from [path for path in found if path.exists()][:1]


def installed(python: Path, wheel: Path, folder: Path, **more: str) -> tuple[Environment, int]:
    """A new environment of this Python with the wheel and its dependencies, and the bytes that they take."""
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    made = Environment(folder, more)
    before = made.bytes()
    made.run(made.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
    return made, made.bytes() - before


def unpacked(
    target: Target, python: Path, emulator: list[str], *, wheel: Path, programs: Path, folder: Path
) -> Environment:
    """An environment for another system's Python 3.11, which `emulator` runs; without one it runs by itself.

    The pip in `programs` fills it, with files for that system.
    """
    made, packages = Environment(folder), folder / "lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    made.python.parent.mkdir()
    (folder / "pyvenv.cfg").write_text(f"home = {python.parent}\nversion = 3.11\n")
    if emulator:  # it tells Python to be `made.python`, so that Python finds the environment and starts itself again
        made.python.write_text(f'#!/bin/sh\nexec {shlex.join(emulator)} -0 "$0" {shlex.quote(str(python))} "$@"\n')
        made.python.chmod(0o755)
    else:
        made.python.symlink_to(python)
    systems = [f"--platform={name.format(target.machine)}" for name in SYSTEMS[target.libc]]
    kinds = ["--implementation=cp", "--python-version=3.11", "--abi=cp311", "--abi=abi3", "--abi=none"]
    install = [programs / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary=:all:"]
    subprocess.run([*install, *systems, *kinds, "--target", packages, wheel], check=True)
    return made

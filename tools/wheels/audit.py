"""What a wheel has to be before anybody may have it: complete, as portable as its name says, and of the stable ABI."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from tools.wheels.build import ROOT
from tools.wheels.targets import GNU, Target

EXTENSION = "dualres/kernel/_compiled.abi3.so"
OLDEST_PYTHON = "3.11"


class AuditError(Exception):
    """A wheel that must not be published, with the reason."""


def audited(wheel: Path, target: Target, programs: Path, into: Path) -> Path:
    """The wheel under the name that it deserves, in `into`; an error where that is not the target's."""
    check_content(wheel)
    with tempfile.TemporaryDirectory() as folder:
        if target.libc == GNU:
            check_symbols(wheel, Path(folder))
        named = _named(wheel, programs, Path(folder))
        if target.platform not in named.name:
            raise AuditError(f"{named.name}: was to serve {target.platform}")
        _check_abi(named, programs)
        into.mkdir(parents=True, exist_ok=True)
        return Path(named.replace(into / named.name))


def check_content(wheel: Path) -> None:
    """An error where the extension was not built, or where a file of the package was left behind."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    if EXTENSION not in names:
        raise AuditError(f"{wheel.name}: there is no {EXTENSION}; its compilation failed")
    if absent := sorted(set(package_files()) - names):
        raise AuditError(f"{wheel.name}: lacks {', '.join(absent)}; package-data in pyproject.toml has to name them")


def package_files() -> Iterable[str]:
    """Every file of the package that is kept in the repository, named as in a wheel."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "dualres"]
    return subprocess.run(listed, cwd=ROOT / "src", check=True, capture_output=True, text=True).stdout.splitlines()


def check_symbols(wheel: Path, folder: Path) -> None:
    """An error where the extension leaves to chance which version of a function it gets, as no link to libm would."""
    with zipfile.ZipFile(wheel) as archive:
        library = archive.extract(EXTENSION, folder)
    listed = subprocess.run(["readelf", "-W", "--dyn-syms", library], check=True, capture_output=True, text=True)
    if loose := [name for name in undefined(listed.stdout) if "@" not in name and not name.startswith("Py")]:
        raise AuditError(f"{wheel.name}: no library is linked that has {', '.join(loose)}")


def undefined(symbols: str) -> list[str]:
    """What `readelf --dyn-syms` lists as needed from elsewhere; what may be absent is not."""
    return re.findall(r"\bGLOBAL +DEFAULT +UND +(\S+)", symbols)


def _named(wheel: Path, programs: Path, folder: Path) -> Path:
    """As auditwheel names it by what it links against."""
    command = [programs / "auditwheel", "repair", "--only-plat", "-w", folder, wheel]
    found = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}  # where patchelf is
    done = subprocess.run(command, capture_output=True, text=True, env=found)
    if done.returncode:
        raise AuditError(f"{wheel.name}: auditwheel refuses it\n{done.stderr}")
    (named,) = folder.glob("*.whl")
    return named


def _check_abi(wheel: Path, programs: Path) -> None:
    """An error where the extension asks of Python what a later version may not have."""
    command = [programs / "abi3audit", "--strict", "--assume-minimum-abi3", OLDEST_PYTHON, "--report", wheel]
    done = subprocess.run(command, capture_output=True, text=True)
    found = json.loads(done.stdout)["specs"] if done.returncode == 0 else {}
    if not found:
        raise AuditError(f"{wheel.name}: abi3audit refuses it\n{done.stderr}")

"""The source archive, and a wheel from it for each target."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tools.wheels.compilers import compiler
from tools.wheels.targets import Target

ROOT = Path(__file__).parents[2]
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def tools(work: Path) -> Path:
    """The programs of an environment of its own in which wheels are built and audited; made once per requirements."""
    folder, wanted = work / "tools", REQUIREMENTS.read_text() + (ROOT / "constraints.txt").read_text()
    made_from = folder / "requirements.txt"
    if not made_from.exists() or made_from.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        install = [folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*install, "-r", REQUIREMENTS], check=True)
        made_from.write_text(wanted)
    return folder / "bin"


def source_archive(programs: Path, into: Path) -> Path:
    """The source as it would be published; wheels are built from it, so that it is known to be complete."""
    shutil.rmtree(into, ignore_errors=True)
    command = [programs / "python", "-m", "build", "-q", "--sdist", "--no-isolation", "-o", into, ROOT]
    subprocess.run(command, check=True, env=_environment(), stdout=sys.stderr)
    (archive,) = into.glob("*.tar.gz")
    return archive


def wheel(target: Target, programs: Path, archive: Path, work: Path) -> Path:
    """Not audited yet, so that its name says no more than `linux`."""
    into = work / "built" / target.platform
    shutil.rmtree(into, ignore_errors=True)
    cc = compiler(target, work)
    settings = {
        "CC": shlex.join(cc),
        "LDSHARED": shlex.join([*cc, "-shared", "-s"]),
        "_PYTHON_HOST_PLATFORM": f"linux-{target.machine}",  # what setuptools names the wheel after
    }
    command = [
        programs / "python",
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        into,
        archive,
    ]
    subprocess.run(command, check=True, env=_environment() | settings)
    (built,) = into.glob("*.whl")
    return built


def _environment() -> dict[str, str]:
    """Without settings that would change what is built; files are as old as the last commit, so that builds repeat."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "LDFLAGS", "PYTHONPATH")}
    committed = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return kept | ({"SOURCE_DATE_EPOCH": committed.stdout.strip()} if committed.returncode == 0 else {})

"""Write requirements.lock: every dependency with the SHA-256 of its files, from constraints.txt and pip's own report.

Listed are the files that pip chooses here and those for the same Python that the public index has of the same
versions, for Linux and macOS. So the lock also holds where the index at hand is another one. Of a local build, as
PyTorch's for the CPU is, the public files that would do here are another build; pip would prefer them, so they are left
out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import urllib.parse
import urllib.request
from collections.abc import Iterator

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from dualres.utils.files import write_whole
from generated import ROOT

PUBLIC = "https://pypi.org/simple"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
HERE = frozenset(sys_tags())  # what can be installed on this machine
PYTHONS = {(tag.interpreter, tag.abi) for tag in HERE}
PLATFORM = re.compile(r"any|(manylinux|macosx)\w*_(x86_64|aarch64|arm64|universal2)")
HEAD = f"""\
# What `make setup` installs: every dependency, with the SHA-256 of its files for CPython {PYTHON} on Linux and macOS.
# `make lock` writes this file from pyproject.toml and constraints.txt.
"""


def main() -> None:
    entries = [_entry(name, version, file, sha256) for name, version, file, sha256 in sorted(_chosen())]
    write_whole(ROOT / "requirements.lock", "\n".join([HEAD, *entries]).encode())
    print(f"requirements.lock: {len(entries)} packages")


def _chosen() -> Iterator[tuple[str, Version, str, str]]:
    """Name, version, file and hash of each dependency that pip would install here, to build the package, too."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    command = [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed", "--report", "-"]
    command += ["--only-binary", ":all:", "-c", "constraints.txt", *needed, "-e", ".[dev]"]
    report = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    for package in report["install"]:
        found = package["download_info"]
        if "archive_info" in found:  # else it is this package itself
            file = urllib.parse.unquote(found["url"].rpartition("/")[2])
            name, version, _, _ = parse_wheel_filename(file)
            yield name, version, file, found["archive_info"]["hashes"]["sha256"]


def _entry(name: str, version: Version, file: str, sha256: str) -> str:
    files = dict(sorted(({file: sha256} | _public(name, version)).items()))
    lines = [*(f"# {each}" for each in files), f"{name}=={version.public} \\"]
    return "\n".join(lines) + "\n" + " \\\n".join(f"    --hash=sha256:{each}" for each in files.values()) + "\n"


def _public(name: str, version: Version) -> dict[str, str]:
    """Hashes of the public index's files of this version that suit this Python, by name of file."""
    with urllib.request.urlopen(f"{PUBLIC}/{name}/", timeout=60) as page:
        listed = re.findall(r'/([^/"#]+\.whl)#sha256=([0-9a-f]{64})', page.read().decode())
    return {file: sha256 for file, sha256 in listed if f"-{version.public}-" in file and _suits(file, version)}


def _suits(file: str, version: Version) -> bool:
    tags = parse_wheel_filename(file)[3]
    if version.local and tags & HERE:
        return False
    return any((tag.interpreter, tag.abi) in PYTHONS and PLATFORM.fullmatch(tag.platform) for tag in tags)


if __name__ == "__main__":
    main()

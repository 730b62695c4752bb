"""Packages of Debian for any processor, unpacked into a folder: nothing is installed, and root is not needed.

apt checks signatures and hashes, by a configuration of its own that leaves the system's alone.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
OLD, NEW = "bookworm", "trixie"  # Debian 12 and 13


class Archive:
    """Debian's packages for one processor, of one release; what is fetched is kept in `folder`."""

    def __init__(self, machine: str, folder: Path, release: str = OLD) -> None:
        self._architecture, self._release, self._folder = ARCHITECTURES[machine], release, folder

    def unpack(self, packages: tuple[str, ...], into: Path) -> Path:
        """The packages' files below `into`, which is returned; fetched once."""
        done = into / ".unpacked"
        if not done.exists():
            fetched = self._fetch("download", packages, "*.deb")
            into.mkdir(parents=True, exist_ok=True)
            for package in fetched:
                subprocess.run(["dpkg", "-x", package, into], check=True)
            done.touch()
        return into

    def source(self, package: str, into: Path) -> Path:
        """The folder with a package's source as its authors released it; fetched once."""
        if not into.exists():
            (archive,) = self._fetch("source", ("--download-only", package), "*.orig.tar.*")
            into.mkdir(parents=True)
            subprocess.run(["tar", "-xf", archive, "-C", into, "--strip-components=1"], check=True)
        return into

    def _fetch(self, verb: str, arguments: tuple[str, ...], pattern: str) -> list[Path]:
        """What a command of apt-get fetches, of the files whose names are like `pattern`."""
        place = self._folder / self._release / self._architecture
        fetched = place / "fetched"
        shutil.rmtree(fetched, ignore_errors=True)
        for needed in (fetched, place / "state/lists/partial", place / "cache/archives/partial"):
            needed.mkdir(parents=True, exist_ok=True)
        (place / "status").touch()
        listed = f"[signed-by={KEYS}] http://deb.debian.org/debian {self._release} main"
        (place / "sources.list").write_text(f"deb {listed}\ndeb-src {listed}\n")
        settings = {
            "APT::Architecture": self._architecture,
            "APT::Architectures": self._architecture,
            "APT::Sandbox::User": "root",  # the only user who may read this folder is the one who asks
            "Dir::State": place / "state",
            "Dir::State::status": place / "status",
            "Dir::Cache": place / "cache",
            "Dir::Etc::sourcelist": place / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
        }
        command = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
        subprocess.run([*command, "update"], check=True)
        subprocess.run([*command, verb, *arguments], cwd=fetched, check=True)
        return sorted(fetched.glob(pattern))

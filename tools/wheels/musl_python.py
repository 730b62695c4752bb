"""A Python that stands on musl, to test wheels with: nobody has one for download here, so it is compiled from source.

It has what judging needs. Its sources are Debian's, and it runs without being installed: its loader is the one that was
unpacked beside it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tools.wheels.compilers import musl_gcc
from tools.wheels.debian import Archive
from tools.wheels.targets import Target

SOURCES = ("zlib", "libffi", "python3.11")
BUILD = "x86_64-pc-linux-musl"  # written unlike any target, so that configure takes every build for one across systems


def musl_python(target: Target, builder: Path, work: Path) -> Path:
    """The program, compiled once, in minutes; `builder` is a Python of the same version that runs here."""
    prefix = work / f"{target.triplet}-python"
    program = prefix / "bin/python3.11"
    if program.exists():
        return program
    archive = Archive(target.machine, work / "debian")
    zlib, libffi, python = (archive.source(name, work / f"{target.triplet}-source" / name) for name in SOURCES)
    binutils = {name: f"{target.machine}-linux-gnu-{name.lower()}" for name in ("AR", "RANLIB", "READELF", "STRIP")}
    settings = os.environ | binutils | {"CC": str(musl_gcc(target, work)), "CFLAGS": "-O1 -g0 -fPIC"}
    settings |= {"CPPFLAGS": f"-I{prefix}/include", "LDFLAGS": f"-L{prefix}/lib"}
    settings |= {"PKG_CONFIG_LIBDIR": f"{prefix}/lib/pkgconfig"}
    settings.pop("PYTHONPATH", None)

    def make(source: Path, configured: list[str], *targets: str) -> None:
        log = source / "wheels.log"
        with log.open("w") as told:
            for command in (["./configure", f"--prefix={prefix}", *configured], ["make", "-j2", *targets]):
                done = subprocess.run(command, cwd=source, env=settings, stdout=told, stderr=subprocess.STDOUT)
                if done.returncode:
                    raise RuntimeError(f"{source.name} for {target.triplet} does not compile; {log} says why")

    across = [f"--build={BUILD}", f"--host={target.triplet}"]
    make(zlib, ["--static"], "install")
    make(libffi, [*across, "--disable-shared", "--disable-docs", "--disable-multi-os-directory"], "install")
    unanswerable = ["ac_cv_file__dev_ptmx=no", "ac_cv_file__dev_ptc=no"]  # by a configure that cannot run its tests
    without = ["--disable-ipv6", "--disable-test-modules", "--with-ensurepip=no"]
    make(python, [*across, *without, f"--with-build-python={builder}", *unanswerable], "altinstall")
    return program

"""GCC for each target, and what it links against.

One compiler serves all of them, because the kernel is fastest by GCC. What decides how old a system may be is the C
library that is linked against. For glibc, a stub of the mathematical library offers the oldest versions of its
functions only. For musl, headers and library are unpacked from Debian's packages.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tools.wheels.debian import NEW, Archive
from tools.wheels.targets import MUSL, Target

# What the kernel calls of it. The audit finds any other, which would be bound to whatever version is there at run time.
OF_LIBM = ("exp", "log", "log1pf", "sqrt", "sqrtf")
OLDEST = {"x86_64": "GLIBC_2.2.5", "aarch64": "GLIBC_2.17"}  # the first version that there was for the processor
# GCC's own way to describe another C library: where its headers are, and what begins and ends a program.
SPECS = """\
%rename cpp_options old_cpp_options

*cpp_options:
-nostdinc -isystem {include} -isystem include%s %(old_cpp_options)

*cc1:
%(cc1_cpu) -nostdinc -isystem {include} -isystem include%s

*link_libgcc:
-L{library} -L{root} -L .%s

*lib:
-l:{shared}

*libgcc:
libgcc.a%s %:if-exists(libgcc_eh.a%s)

*startfile:
%{{!shared: {library}/Scrt1.o}} {library}/crti.o crtbeginS.o%s

*endfile:
crtendS.o%s {library}/crtn.o

*link:
-dynamic-linker {loader} -nostdlib %{{shared:-shared}} %{{static:-static}} %{{rdynamic:-export-dynamic}}
"""


def missing(target: Target) -> str:
    """What there is not, of the programs needed to compile for a target; empty if nothing."""
    wanted = [gcc(target), *(("apt-get", "dpkg") if target.libc == MUSL else ())]
    return ", ".join(name for name in wanted if shutil.which(name) is None)


def gcc(target: Target) -> str:
    return f"{target.machine}-linux-gnu-gcc"


def compiler(target: Target, work: Path) -> list[str]:
    """The command that compiles for a target; what it needs is fetched or made in `work`."""
    return [str(musl_gcc(target, work))] if target.libc == MUSL else [gcc(target), f"-L{_stub(target, work)}"]


def musl_gcc(target: Target, work: Path) -> Path:
    """A script that is GCC with musl, named as configure scripts expect it."""
    root = musl_root(target, work)
    script = root / f"{target.triplet}-gcc"
    if script.exists():
        return script
    include, library = root / "usr/include" / target.triplet, root / "usr/lib" / target.triplet
    specs, loader = root / "musl.specs", _musl_loader(target, work)
    shared = root / f"libc.musl-{target.machine}.so.1"  # as Alpine Linux calls it, and so wheels
    shared.symlink_to(root / f"lib/ld-musl-{target.machine}.so.1")
    specs.write_text(SPECS.format(include=include, library=library, root=root, shared=shared.name, loader=loader))
    kernel = f"-idirafter {root}/usr/include -idirafter {root}/usr/include/{target.machine}-linux-gnu"
    script.write_text(
        f'#!/bin/sh\n[ "${{1%-print-multiarch}}" != "$1" ] && echo {target.triplet} && exit\n'
        f'exec {gcc(target)} "$@" -specs {specs} {kernel}\n'
    )
    script.chmod(0o755)
    return script


def musl_root(target: Target, work: Path) -> Path:
    """Where musl lies as if it were installed, with the headers of Linux."""
    packages = ("musl", "musl-dev", "linux-libc-dev")
    return Archive(target.machine, work / "debian").unpack(packages, work / target.triplet)


def _musl_loader(target: Target, work: Path) -> Path:
    """What starts programs: of musl 1.2.5, because NumPy's wheels hold relocations that were new in 1.2.4 (DT_RELR)."""
    folder = Archive(target.machine, work / "debian", NEW).unpack(("musl",), work / f"{target.triplet}-loader")
    return folder / f"usr/lib/ld-musl-{target.machine}.so.1"


def _stub(target: Target, work: Path) -> Path:
    """A folder with a library that is linked against in place of libm.so.6, and never loaded."""
    folder = work / f"{target.triplet}-stub"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stub.c").write_text("".join(f"void {name}(void) {{}}\n" for name in OF_LIBM))
    (folder / "stub.map").write_text(f"{OLDEST[target.machine]} {{ global: {'; '.join(OF_LIBM)}; local: *; }};\n")
    flags = ["-shared", "-nostdlib", "-fno-builtin", "-w", "-Wl,-soname,libm.so.6", "-Wl,--version-script=stub.map"]
    subprocess.run([gcc(target), *flags, "stub.c", "-o", "libm.so"], cwd=folder, check=True)
    return folder

"""A model as a folder of C99: three functions, no allocation, for anything with a C compiler."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files as resources
from pathlib import Path
from string import Template

from dualres.errors import ExportError
from dualres.export import compiler as cc
from dualres.export.compiler import Check, Flash, printable
from dualres.export.destination import check_folder, place, resolved, write_files
from dualres.export.expected import refuse_other_sizes
from dualres.export.kinds import kind_of
from dualres.export.rates import ratio_for
from dualres.export.sources import FILES, MADE, README, copied, listing, made, no_longer
from dualres.file import Model
from dualres.machinery.progress import Progress, quiet
from dualres.machinery.rates import Rate, exact_rate

LONGEST_TEXT = 4095  # bytes of a string literal that every C99 compiler takes


@dataclass(frozen=True)
class Exported:
    """What was written, and what is known about it; both empty where nothing could be compiled."""

    folder: Path
    checks: tuple[Check, ...]  # the build as it was asked for first
    flash: tuple[Flash, ...]


def write_c99(
    model: Model,
    folder: Path | str,
    rate: Rate = 64_000,
    *,
    int16: bool = False,
    overwrite: bool = False,
    unchecked: bool = False,
    progress: Progress = quiet,
) -> Exported:
    """Write a model as C99 that takes samples at `rate` Hz, `int16` counts or floats.

    The result is compiled and run on check signals first, and is not handed over if it disagrees with the model.
    Without a C compiler that cannot be done, and is an error unless `unchecked`.
    """
    folder, rate = resolved(folder), exact_rate(rate)
    refuse_other_sizes(model)
    _refuse_names(model.classes)
    ratio, files = ratio_for(model, rate), copied(kind_of(model))
    names = (*files, *MADE)
    check_folder(folder, names, overwrite)
    compiler = cc.host_compiler()
    if compiler is None and not unchecked:
        raise ExportError(
            "there is no C compiler here ($CC, cc), so the code cannot be checked: install one, or export with "
            "--unchecked and run `make check` on a machine that has one"
        )
    progress("Export", 0, 3, "model")
    files |= made(model, rate, ratio, int16)
    checks, flash = _confirmed(files, model.classes, compiler, int16, progress) if compiler else ((), ())
    files[README] = _readme(model, rate, checks, flash, compiler).encode()
    files[FILES] = listing(names)
    place(files, folder, no_longer(folder, names))
    progress("Export", 3, 3, "")
    return Exported(folder, checks, flash)


def _refuse_names(classes: Sequence[str]) -> None:
    for name in classes:
        content = name.encode(errors="replace")
        if len(content) > LONGEST_TEXT or 0 in content:
            raise ExportError(
                f"class {printable(name[:20])}...: its name has {len(content)} bytes in UTF-8, and C takes at most "
                f"{LONGEST_TEXT}, none of them zero; fit with another name"
            )


def _confirmed(
    files: dict[str, bytes], classes: Sequence[str], compiler: Sequence[str], int16: bool, progress: Progress
) -> tuple[tuple[Check, ...], tuple[Flash, ...]]:
    """Compile in a temporary folder, check, and measure; also for a Cortex-M4 where its compiler is at hand."""
    builds = [cc.AS_MADE[int16]] + [cc.INT16] * (not int16)
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        beside, folder = Path(temporary), Path(temporary) / "folder"
        write_files(files, folder)
        progress("Export", 1, 3, "compile and check")
        checks, compiled = [], []
        for build in builds:
            compiled.append(cc.compile_objects(folder, compiler, beside / build.name, build))
            checks.append(cc.check(folder, compiler, compiled[-1], build, classes))
        flash = cc.flash_size("this machine", compiled[0])
        progress("Export", 2, 3, "measure")
        if cortex := cc.cortex_m4_compiler():
            objects = cc.compile_objects(folder, cortex, beside / "cortex-m4", builds[0])
            flash += cc.flash_size("a Cortex-M4", objects, "arm-none-eabi-size")
    return tuple(checks), tuple(flash)


def _readme(
    model: Model, rate: Fraction, checks: Sequence[Check], flash: Sequence[Flash], compiler: Sequence[str] | None
) -> str:
    template = (resources("dualres.export") / "device" / README).read_text()
    checked = "    not checked when exported"
    if checks and compiler:
        builds = " and ".join(each.build for each in checks)
        said = "\n\n".join("\n".join(f"    {line}" for line in (f"{each.build}:", *each.lines)) for each in checks)
        checked = (
            f"Checked when exported: builds with {builds}, one lane,\nby {cc.compiler_name(compiler)}.\n"
            f"Any other build, and any other machine, is checked by `make check` there.\n\n{said}"
        )
    cost = "\n".join(f"* {line}" for line in costs(checks, flash)) or "* not measured when exported"
    return Template(template).substitute(
        rate=rate, classes=len(model.classes), judges=_judges(model), checked=checked, cost=cost
    )


def _judges(model: Model) -> str:
    """What the README says of several networks."""
    if (networks := model.card.members) == 1:
        return ""
    return (
        f"\n{networks} networks judge every window, one after the other, and their probabilities are averaged.\n"
        f"This takes {networks} times as long as one of them, and flash for each, but no more RAM.\n"
    )


def costs(checks: Sequence[Check], flash: Sequence[Flash]) -> list[str]:
    """Memory needs, a line each."""
    lines = [f"flash on {one.machine}: {one.bytes} bytes, and what it takes of libm" for one in flash]
    return lines + [
        f"RAM with {one.build}: {one.window} bytes of window and {one.state - one.window} of working memory"
        for one in checks
    ]

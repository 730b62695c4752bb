"""A model as a folder of C99: three functions, no allocation, for anything with a C compiler."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from string import Template

from dualres import __version__
from dualres.errors import ExportError
from dualres.export import compiler as cc
from dualres.export.alarm import DeviceAlarm, table_bytes
from dualres.export.compiler import CompiledCheck, Flash
from dualres.export.destination import check_folder, place, resolved, write_files
from dualres.export.device_network import axes_in, device_of
from dualres.export.device_speed import device_search, refuse_search
from dualres.export.layouts.catalogue import FLAT, layout_called
from dualres.export.layouts.host import HostExample
from dualres.export.layouts.layout import Layout
from dualres.export.rates import ratio_for, search_memory
from dualres.export.sources import FILES, MADE, README, copied, listing, made, no_longer
from dualres.export.test_vectors import refuse_other_sizes
from dualres.judge.geometry import refuse_geometry
from dualres.judge.model import Model
from dualres.judge.turning import labelled_speeds
from dualres.utils.printable import printable
from dualres.utils.progress import Progress, quiet
from dualres.utils.rates import Rate, exact_rate

LONGEST_TEXT = 4095  # bytes of a string literal that every C99 compiler takes


@dataclass(frozen=True)
class ExportResult:
    """What was written, and what is known about it; both empty where nothing could be compiled."""

    folder: Path
    checks: tuple[CompiledCheck, ...]  # the build as it was asked for first
    flash: tuple[Flash, ...]
    searching: int = 0  # bytes of working memory that serve the search for the speed
    healthy: int = 0  # bytes of flash that healthy blocks take, for alarms


def write_c99(
    model: Model,
    folder: Path | str,
    rate: Rate = 64_000,
    *,
    int16: bool = False,
    search: int = 0,
    layout: str = FLAT.name,
    overwrite: bool = False,
    unchecked: bool = False,
    alarm: DeviceAlarm | None = None,
    progress: Progress = quiet,
) -> ExportResult:
    """Write a model as C99 that takes samples at `rate` Hz, `int16` counts or floats. It is compiled and run on check
    signals first, and not handed over if it disagrees; no C compiler is an error unless `unchecked`. A model that knows
    speeds judges at `search` speeds around the one that it is told, or at that one alone. `layout` is the form in which
    a build system takes the files."""
    folder, rate, device, form = resolved(folder), exact_rate(rate), device_of(model), layout_called(layout)
    refuse_geometry(model.card, "an export to C99", ExportError)
    refuse_other_sizes(model)
    refuse_search(model, search)
    _refuse_names("class", model.classes)
    _refuse_names("axis", model.card.channels)
    ratio, files = ratio_for(model, rate), copied(device)
    facts = {"version": __version__, "rate": str(rate), "classes": str(len(model.classes))}
    names = {*form.arranged(files | dict.fromkeys(MADE, b""), facts), README, FILES}
    check_folder(folder, names, overwrite)
    compiler = cc.host_compiler()
    if compiler is None and not unchecked:
        raise ExportError(
            "there is no C compiler here ($CC, cc), so the code cannot be checked: install one, or export with "
            f"--unchecked and {form.checking} on a machine that has one"
        )
    progress("Export", 0, 3, "model")
    files |= made(model, rate, ratio, int16, tries=search, alarm=alarm)
    searching = search_memory(search, len(model.classes), axes_in(model)) if search else 0
    files = form.arranged(files, facts)
    example = HostExample(model, rate, search > 0, form, compiler or ())
    checks, flash = _confirmed(files, example, int16=int16, progress=progress) if compiler else ((), ())
    result = ExportResult(folder, checks, flash, searching, table_bytes(alarm) if alarm else 0)
    files[README] = _readme(form, model, rate, search, result=result, compiler=compiler, alarm=alarm).encode()
    files[FILES] = listing(names)
    place(files, folder, no_longer(folder, names))
    progress("Export", 3, 3, "")
    return result


def _refuse_names(what: str, names: Sequence[str]) -> None:
    for name in names:
        content = name.encode(errors="replace")
        if len(content) > LONGEST_TEXT or 0 in content:
            raise ExportError(
                f"{what} {printable(name[:20])}...: its name has {len(content)} bytes in UTF-8, and C takes at most "
                f"{LONGEST_TEXT}, none of them zero; fit with another name"
            )


def _confirmed(
    files: dict[str, bytes], example: HostExample, *, int16: bool, progress: Progress
) -> tuple[tuple[CompiledCheck, ...], tuple[Flash, ...]]:
    """Compile in a temporary folder, check, and measure; also for a Cortex-M4 where its compiler is at hand."""
    builds = [cc.AS_MADE[int16]] + [cc.INT16] * (not int16)
    compiler, layout, classes = example.compiler, example.layout, example.model.classes
    with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
        beside, folder = Path(temporary), Path(temporary) / "folder"
        library = folder / layout.library
        write_files(files, folder)
        progress("Export", 1, 3, "compile and check")
        checks, compiled = [], []
        for build in builds:
            compiled.append(cc.compile_objects(library, compiler, beside / build.name, build))
            done = cc.check(folder / layout.extras, compiler, compiled[-1], build, classes=classes, library=library)
            said = cc.with_names(example.said(folder, compiled[-1], build), classes)
            checks.append(replace(done, lines=(*done.lines[:-1], *said, done.lines[-1])))
        flash = cc.flash_size("this machine", compiled[0])
        progress("Export", 2, 3, "measure")
        if cortex := cc.cortex_m4_compiler():
            objects = cc.compile_objects(library, cortex, beside / "cortex-m4", builds[0])
            flash += cc.flash_size("a Cortex-M4", objects, "arm-none-eabi-size")
    return tuple(checks), tuple(flash)


def _readme(
    form: Layout,
    model: Model,
    rate: Fraction,
    search: int,
    *,
    result: ExportResult,
    compiler: Sequence[str] | None,
    alarm: DeviceAlarm | None,
) -> str:
    checked = "    not checked when exported"
    if result.checks and compiler:
        builds = " and ".join(each.build for each in result.checks)
        said = "\n\n".join("\n".join(f"    {line}" for line in (f"{one.build}:", *one.lines)) for one in result.checks)
        checked = (
            f"Checked when exported: builds with {builds}, one lane,\nby {cc.compiler_name(compiler)}.\n"
            f"To check any other build, and any other machine, {form.checking} there.\n\n{said}"
        )
    cost = "\n".join(f"* {line}" for line in costs(result)) or "* not measured when exported"
    several = _several(model) + _speed(model, search) + _alarms(alarm)
    return Template(form.readme()).substitute(
        rate=rate, classes=len(model.classes), several=several, checked=checked, cost=cost
    )


def _several(model: Model) -> str:
    card, axes = model.card, axes_in(model)
    said = []
    if axes > 1:
        judges = "is judged by networks of its own" if card.apart > 1 else "is judged as the others are"
        said += [
            f"`dualres_push` takes frames, a sample of each of {axes} axes in the order of `dualres_axes`:",
            ", ".join(printable(name) for name in card.channels) + ".",
            f"`count` is the number of frames. Every axis has its own window and {judges}.",
        ]
    if card.passes > 1:
        said.append(f"A window takes {card.passes} times as long as one axis would by one network.")
    if card.networks > 1:
        said.append(f"Flash holds {card.networks} networks, which take turns in one working memory.")
    return "".join(f"{line}\n" for line in ("", *said)) if said else ""


def _speed(model: Model, search: int) -> str:
    """What to tell of the shaft's speed, and what becomes of it."""
    if (labelled := labelled_speeds(model)) is None:
        return ""
    low, high = labelled
    said = [
        "",
        f"Labelled shafts make {low:.4g} to {high:.4g} turns a second; `dualres_set_speed` says how many this one",
        "makes. Without it the network judges by frequencies alone, which tell less.",
    ]
    if search:
        factors = device_search(search).factors
        said += [
            f"Every window is judged at {search} speeds, {factors[0]:.3f} to {factors[-1]:.3f} times the told one.",
            "The verdict is that at the one that all windows since `dualres_init` fit best; its `speed` says which.",
            "Each takes 320 bytes of RAM for every axis and 8 for every class, and more time (docs/edge.md).",
        ]
    else:
        said.append("The speed is taken as it is told.")
    return "".join(f"{line}\n" for line in said)


def _alarms(alarm: DeviceAlarm | None) -> str:
    """What an alarm promises, and how it is asked."""
    if alarm is None:
        return ""
    said = [
        "",
        f"`dualres_alarm_push` raises alarms, false ones at most {printable(alarm.rate)}. Promised:",
        f"{alarm.learned.state.promise}.",
    ]
    return "".join(f"{line}\n" for line in said)


def costs(result: ExportResult) -> list[str]:
    """Memory needs, a line each."""
    lines = [f"flash on {one.machine}: {one.bytes} bytes, and what it takes of libm" for one in result.flash]
    lines += [
        f"RAM with {one.build}: {one.window} bytes of window and {one.state - one.window} of working memory"
        for one in result.checks
    ]
    if result.healthy:
        lines.append(f"what is healthy takes {result.healthy} bytes of flash, for alarms")
    if result.checks and result.searching:
        lines.append(f"the search for the speed takes {result.searching} bytes of these")
    return lines

"""A model as a folder of C99: three functions, no allocation, for anything with a C compiler."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.resources import files as resources
from pathlib import Path
from string import Template

from dualres.errors import ConfigError, ExportError
from dualres.export.compiler import (
    Check,
    Flash,
    check,
    compile_objects,
    cortex_m4_compiler,
    flash_size,
    host_compiler,
)
from dualres.export.expected import expected, refuse_other_sizes
from dualres.export.generated import check_values, constants, sizes
from dualres.export.place import check_folder, place, write_files
from dualres.model.artifact import Model
from dualres.recordings.recording import Rate, exact_rate
from dualres.recordings.resample import POLYPHASE

Progress = Callable[[int, int, str], None]  # done, in all, what comes

LARGEST_FACTOR = 10_000  # of the ratio of rates: its filter takes 40 bytes of flash for each
README = "README.md"
PLAIN = ("dualres.h", "dualres.c", "convert.h", "check.c", "example.c", "Makefile")
CORTEX_M = ("startup.c", "memory.ld", "count.c", "Makefile")


@dataclass(frozen=True)
class Exported:
    """What was written, and what is known about it; both empty where nothing could be compiled."""

    folder: Path
    check: Check | None
    flash: tuple[Flash, ...]


def write_c99(
    model: Model,
    folder: Path | str,
    rate: Rate = 64_000,
    *,
    int16: bool = False,
    overwrite: bool = False,
    unchecked: bool = False,
    progress: Progress = lambda done, total, what: None,
) -> Exported:
    """Write a model as C99 that takes samples at `rate` Hz, `int16` counts or floats.

    The result is compiled and run on check signals first, and is not handed over if it disagrees with the model.
    Without a C compiler that cannot be done, and is an error unless `unchecked`.
    """
    folder, rate = Path(folder), exact_rate(rate)
    refuse_other_sizes(model, "C99")
    ratio = _ratio(model, rate)
    check_folder(folder, overwrite)
    compiler = host_compiler()
    if compiler is None and not unchecked:
        raise ExportError(
            "there is no C compiler here ($CC, cc), so the code cannot be checked: install one, or export with "
            "--unchecked and run `make check` on a machine that has one"
        )
    progress(0, 3, "model")
    sources = _sources(model, rate, ratio, int16)
    checked: Check | None = None
    flash: tuple[Flash, ...] = ()
    if compiler:
        with tempfile.TemporaryDirectory(prefix="dualres-") as temporary:
            checked, flash = _confirmed(sources, Path(temporary), compiler, progress)
    sources[README] = _readme(model, rate, checked, flash).encode()
    place(sources, folder)
    progress(3, 3, "")
    return Exported(folder, checked, flash)


def _ratio(model: Model, rate: Fraction) -> Fraction:
    ratio = model.card.config.rate / rate
    if max(ratio.numerator, ratio.denominator) > LARGEST_FACTOR:
        raise ConfigError(
            f"a rate of {rate} Hz makes the ratio {ratio} to {model.card.config.rate} Hz, whose filter is too large "
            "for a device; round it"
        )
    if ratio != 1 and model.card.resampler != POLYPHASE:
        raise ConfigError(
            f"the model learned from recordings resampled by {model.card.resampler}, and a device resamples by "
            f"{POLYPHASE}: fit it with that one, or sample at {model.card.config.rate} Hz"
        )
    return ratio


def _sources(model: Model, rate: Fraction, ratio: Fraction, int16: bool) -> dict[str, bytes]:
    device, kernel = resources("dualres.export") / "device", resources("dualres.kernel")
    plain = {name: (device / name).read_bytes() for name in PLAIN}
    plain |= {f"cortex-m/{name}": (device / "cortex-m" / name).read_bytes() for name in CORTEX_M}
    for name in _included("windows.c"):
        plain[f"kernel/{name}"] = (kernel / name).read_bytes()
    made = {
        "dualres_model.h": sizes(model, rate, ratio, int16),
        "dualres_model.c": constants(model, ratio),
        "check_values.h": check_values(expected(model, rate, int16=False), expected(model, rate, int16=True)),
        "card.json": json.dumps(asdict(model.card), indent=1) + "\n",
    }
    return plain | {name: content.encode() for name, content in made.items()}


def _included(name: str) -> list[str]:
    """A source of the kernel and the headers that it includes, directly or not."""
    found = [name]
    for one in found:
        content = (resources("dualres.kernel") / one).read_text()
        found += [h for h in re.findall(r'^#include "(.+)"$', content, re.MULTILINE) if h not in found]
    return found


def _confirmed(
    sources: dict[str, bytes], temporary: Path, compiler: Sequence[str], progress: Progress
) -> tuple[Check, tuple[Flash, ...]]:
    """Compile below a temporary folder, check, and measure; also for a Cortex-M4 where its compiler is at hand."""
    folder = temporary / "folder"
    write_files(sources, folder)
    progress(1, 3, "compile and check")
    objects = compile_objects(folder, compiler, temporary / "here")
    checked, flash = check(folder, compiler, objects), flash_size("this machine", objects)
    progress(2, 3, "measure")
    cortex = cortex_m4_compiler()
    if cortex:
        objects = compile_objects(folder, cortex, temporary / "cortex-m4")
        flash += flash_size("a Cortex-M4", objects, "arm-none-eabi-size")
    return checked, tuple(flash)


def _readme(model: Model, rate: Fraction, checked: Check | None, flash: Sequence[Flash]) -> str:
    template = (resources("dualres.export") / "device" / README).read_text()
    return Template(template).substitute(
        rate=rate,
        classes=len(model.classes),
        checked="\n".join(f"    {line}" for line in checked.lines) if checked else "    not checked when exported",
        cost="\n".join(f"* {line}" for line in costs(checked, flash)) or "* not measured when exported",
    )


def costs(checked: Check | None, flash: Sequence[Flash]) -> list[str]:
    """Memory needs, a line each."""
    lines = [f"flash on {one.machine}: {one.bytes} bytes, and what it takes of libm" for one in flash]
    if checked:
        lines.append(f"RAM: {checked.window} bytes of window and {checked.state - checked.window} of working memory")
    return lines

"""The files of a C99 export: copied from this package, and written anew for every model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from fractions import Fraction
from importlib.resources import files as resources
from pathlib import Path, PurePosixPath

from dualres.export.expected import expected
from dualres.export.generated import check_values, constants, sizes
from dualres.file import Model

README, FILES = "README.md", "files.txt"
MADE = ("dualres_model.h", "dualres_model.c", "check_values.h", "card.json", README, FILES)
PLAIN = ("dualres.h", "dualres.c", "convert.h", "check.c", "example.c", "Makefile")
CORTEX_M = ("startup.c", "memory.ld", "count.c", "Makefile")


def copied() -> dict[str, bytes]:
    """What is the same for every model, by name below the folder."""
    device, kernel = resources("dualres.export") / "device", resources("dualres.kernel")
    found = {name: (device / name).read_bytes() for name in PLAIN}
    found |= {f"cortex-m/{name}": (device / "cortex-m" / name).read_bytes() for name in CORTEX_M}
    return found | {f"kernel/{name}": (kernel / name).read_bytes() for name in _included("windows.c")}


def made(model: Model, rate: Fraction, ratio: Fraction, int16: bool) -> dict[str, bytes]:
    """What is this model's, but for the README and the list of files."""
    texts = {
        "dualres_model.h": sizes(model, rate, ratio, int16),
        "dualres_model.c": constants(model, ratio),
        "check_values.h": check_values(expected(model, rate, int16=False), expected(model, rate, int16=True)),
        "card.json": json.dumps(model.card.as_data(), indent=1) + "\n",
    }
    return {name: content.encode() for name, content in texts.items()}


def listing(names: Iterable[str]) -> bytes:
    """FILES: all names, a line each, for the next export into the same folder."""
    return "".join(f"{name}\n" for name in sorted(names)).encode()


def no_longer(folder: Path, names: Iterable[str]) -> set[str]:
    """Files that an earlier export listed, and that are not among the names; never one outside the folder."""
    path = folder / FILES
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    within = {line for line in lines if line and not {"..", "/"} & set(PurePosixPath(line).parts)}
    return {name for name in within - set(names) if (folder / name).is_file()}


def _included(name: str) -> list[str]:
    """A source of the kernel and the headers that it includes, directly or not."""
    found = [name]
    for one in found:
        content = (resources("dualres.kernel") / one).read_text()
        found += [h for h in re.findall(r'^#include "(.+)"$', content, re.MULTILINE) if h not in found]
    return found

"""The compiled library, where it could be built, in the variant that suits this processor, and memory for it."""

import ctypes
import os
import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dualres.errors import ConfigError
from dualres.utils.arrays import Floats

VARIANTS = ("avx512", "avx2", "baseline")
OFF = "off"
SETTING = "DUALRES_KERNEL"  # the environment variable that names one of the variants, or switches all of them off
LINE = 16  # floats in a line of the cache
HEADER = Path(__file__).with_name("dualres_kernel.h")  # of the source that the library has to be built from


@cache
def able() -> tuple[str, ...]:
    """The variants that this processor can run, the fastest first; none without a library that fits."""
    library = _library()
    if library is None:
        return ()
    library.dualres_best_variant.restype = ctypes.c_char_p
    return VARIANTS[VARIANTS.index(library.dualres_best_variant().decode()) :]


def variant() -> str | None:
    """The variant in use; None where there is no compiled library, or where it is switched off."""
    usable = able()
    chosen = os.environ.get(SETTING, usable[0] if usable else OFF)
    if chosen == OFF or not usable:
        return None
    if chosen not in usable:
        raise ConfigError(f"{SETTING}={chosen}: there are {', '.join(usable)} on this processor, and {OFF}")
    return chosen


def function(name: str, arguments: Sequence[Any], result: Any = None) -> Callable[..., Any] | None:
    """A function of the library by its name without the variant, with types of ctypes; None where there is none. While
    it runs, other threads of Python do too."""
    return _function(variant(), name, tuple(arguments), result)


@cache
def _function(chosen: str | None, name: str, arguments: tuple[Any, ...], result: Any) -> Callable[..., Any] | None:
    library = _library()
    if chosen is None or library is None:
        return None
    try:
        found = library[f"{name}_{chosen}"]  # an item, not an attribute: each caller gets its own, with its own types
    except AttributeError:  # the library was built from an older state of the source
        return None
    found.argtypes, found.restype = arguments, result
    return found


@cache
def _library() -> ctypes.CDLL | None:
    found = find_spec("dualres.kernel._compiled")
    if found is None or found.origin is None:
        return None
    try:
        library = ctypes.CDLL(found.origin)
    except OSError:  # built for another system
        return None
    wanted = _interface_in(HEADER)
    if wanted is None or _interface_of(library) != wanted:
        warnings.warn(
            f"{found.origin} was built from another state of the source and is not used: NumPy computes the same, "
            "but slower. Run `make setup`, or install dualres again.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return library


def _interface_in(header: Path) -> int | None:
    try:
        found = re.search(r"^#define DUALRES_INTERFACE (\d+)$", header.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) if found else None


def _interface_of(library: ctypes.CDLL) -> int | None:
    try:
        return int(library.dualres_interface())
    except AttributeError:  # older than the number
        return None


def aligned(count: int) -> Floats:
    """Room for `count` floats with undefined values, from the start of a cache line: no vector lies across two."""
    room = np.empty(count + LINE, np.float32)
    skipped = -room.ctypes.data % (4 * LINE) // 4
    return room[skipped : skipped + count]


def address(array: Floats) -> int:
    """Where an array that may be written begins. Asking the array itself takes twice as long."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array.data))

"""Numbers and texts as C writes them."""

from collections.abc import Sequence
from math import isfinite

import numpy as np
import numpy.typing as npt

from dualres.errors import ExportError

PER_LINE = 8  # numbers


def declared(array: str, values: str) -> str:
    """A constant that other files see."""
    return f"extern {array};\n{array} = {values};\n"


def floats(values: npt.ArrayLike) -> str:
    """Float literals, hexadecimal and therefore exact, separated by commas and wrapped."""
    return wrapped([f"{_hexadecimal(x)}f" for x in np.asarray(values, dtype=np.float32).ravel().tolist()])


def doubles(values: npt.ArrayLike) -> str:
    """The same in double precision."""
    return wrapped([_hexadecimal(x) for x in np.asarray(values, dtype=np.float64).ravel().tolist()])


def text(value: str) -> str:
    """A string literal of plain ASCII, whatever the string holds."""
    # A question mark could be part of a trigraph; octal escapes end after three digits, hexadecimal ones do not.
    plain = set(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in value.encode(errors="replace")) + '"'


def wrapped(words: Sequence[str]) -> str:
    """Words in lines."""
    return ",\n    ".join(", ".join(words[i : i + PER_LINE]) for i in range(0, len(words), PER_LINE))


def _hexadecimal(x: float) -> str:
    if not isfinite(x):
        raise ExportError(f"the model needs a constant of {x}, which C has no number for; fit the model again")
    mantissa, exponent = x.hex().split("p")
    whole, _, places = mantissa.partition(".")
    places = places.rstrip("0")
    return f"{whole}{'.' if places else ''}{places}p{exponent}"

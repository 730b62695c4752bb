"""Numbers and names as C writes them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

PER_LINE = 8
LONGEST_TEXT = 4095  # bytes of a string literal that every C99 compiler takes


def floats(values: npt.ArrayLike) -> str:
    """Float literals, hexadecimal and therefore exact, separated by commas and wrapped."""
    return _wrapped([f"{_hexadecimal(x)}f" for x in np.asarray(values, dtype=np.float32).ravel().tolist()])


def doubles(values: npt.ArrayLike) -> str:
    """The same in double precision."""
    return _wrapped([_hexadecimal(x) for x in np.asarray(values, dtype=np.float64).ravel().tolist()])


def text(value: str) -> str:
    """A string literal of plain ASCII, whatever the string holds."""
    return '"' + "".join(map(_byte, value.encode(errors="replace"))) + '"'


def printable(value: str) -> str:
    """A name for a terminal: line ends and control characters as Python escapes them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)


def _wrapped(words: list[str]) -> str:
    return ",\n    ".join(", ".join(words[i : i + PER_LINE]) for i in range(0, len(words), PER_LINE))


def _hexadecimal(x: float) -> str:
    mantissa, exponent = x.hex().split("p")
    whole, _, places = mantissa.partition(".")
    places = places.rstrip("0")
    return f"{whole}{'.' if places else ''}{places}p{exponent}"


def _byte(byte: int) -> str:
    # A question mark could be part of a trigraph; octal escapes end after three digits, hexadecimal ones do not.
    plain = 32 <= byte < 127 and byte not in b'"\\?'
    return chr(byte) if plain else f"\\{byte:03o}"

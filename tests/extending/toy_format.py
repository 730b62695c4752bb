"""A format from outside: four bytes to know it by, the sampling rate, then samples."""

from fractions import Fraction
from pathlib import Path

import numpy as np

from dualres.recordings.formats.contents import Contents, Vector
from dualres.recordings.formats.registry import Format, register

MAGIC = b"TOY1"


def read_toy(path: Path) -> Contents:
    """One signal, called `signal`. What is wrong is a ValueError; the caller adds the name of the file."""
    content = path.read_bytes()
    if content[:4] != MAGIC:
        raise ValueError("it does not begin as one")
    rate = int.from_bytes(content[4:8], "little")
    samples = np.frombuffer(content[8:], "<f4")
    return {Vector("signal", len(samples), "f", Fraction(rate)): lambda: samples}


register(Format("toy", "Toy", read_toy, "numpy", (".toy",)))

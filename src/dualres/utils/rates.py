"""Sampling rates, exactly as they were written."""

import math
from fractions import Fraction

from dualres.errors import ConfigError

Rate = Fraction | int | float | str  # Hz


def exact_rate(rate: Rate) -> Fraction:
    """A rate as it was written: 66666.7 is 666667/10, "200000/3" is exact, too, and 12.8 kHz and 12.8k are 12800."""
    text = str(rate).strip().lower().removesuffix("hz").rstrip()
    thousands = text.endswith("k")
    text = text.removesuffix("k")
    try:
        reasonable = "e" not in text or 0 < float(text) < math.inf  # all digits of 1e999999999 would take forever
        exact = Fraction(text if reasonable else 0)
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if exact <= 0:
        raise ConfigError(f"rate {rate!r} is no number of Hz; write 12800, 12.8kHz or 200000/3")
    return exact * 1000 if thousands else exact

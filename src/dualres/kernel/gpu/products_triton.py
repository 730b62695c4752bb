# mypy: ignore-errors
"""Products of matrices in float32 on the units that multiply matrices, which take numbers of 11 bits.

Each factor is split into its first 11 bits and the rest; three of the four products of these parts add up to within
about 1e-6 of float32's. Triton's own "tf32x3" does the same, but clears the units after each of the three, to look for
infinities; here they are added up in them. Factors must be finite.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def split(x):
    """x rounded to 11 bits, and the rest."""
    bits = x.to(tl.int32, bitcast=True)
    high = ((bits + 0x1000) & -0x2000).to(tl.float32, bitcast=True)
    return high, x - high


@triton.jit
def product(a, b):
    """a @ b, from the smallest part to the largest."""
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    total = tl.dot(a_low, b_high, input_precision="tf32")
    total = tl.dot(a_high, b_low, total, input_precision="tf32")
    return tl.dot(a_high, b_high, total, input_precision="tf32")


@triton.jit
def add_product(a, b, total):
    """total + a @ b."""
    return total + product(a, b)  # not in the units: they do not round to nearest, which long sums show

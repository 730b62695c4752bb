"""Universal files (UFF, UNV): the time responses among their sets."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from dualres.recordings.listing import Contents, Listed, rate_of

_FUNCTION_AT_NODE, _TIME_RESPONSE, _TIME = 58, 1, 17  # numbers of the format


def read_uff(path: Path) -> Contents:
    """The sets as `set 1`, `set 2` ... by their place in the file."""
    from pyuff import UFF

    file = UFF(str(path))
    contents: Contents = {}
    for i, number in enumerate(file.get_set_types()):
        if number != _FUNCTION_AT_NODE:
            continue
        found = file.read_sets(i)
        if found["func_type"] != _TIME_RESPONSE and found["abscissa_spec_data_type"] != _TIME:
            continue
        if found["abscissa_spacing"] != 1:
            raise ValueError(f"set {i + 1} is not sampled at even steps of time")
        samples = np.asarray(found["data"])
        if len(samples) != found["num_pts"]:
            raise ValueError(f"set {i + 1} holds {len(samples)} samples instead of {found['num_pts']:.0f}")
        rate = rate_of(found["abscissa_inc"], digits=6)  # the format writes 13.5E
        contents[Listed(f"set {i + 1}", len(samples), samples.dtype.kind, rate)] = partial(np.asarray, samples)
    return contents

"""Kinds of arrays by the precision of their numbers."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Exact = npt.NDArray[np.float64]
Reals = npt.NDArray[np.floating]
Complex = npt.NDArray[np.complex128]
Integers = npt.NDArray[np.int64]

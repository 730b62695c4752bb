"""Both networks by NumPy, in float64: the equations as they stand, for a window as for many.

The compiled kernel is held to this, and this computes where the kernel is not built. `model/` says the same to PyTorch,
which can learn by it. Symbols of the paper (Eq. 1-5) are translated in `dualres.model`; here as there, windows are the
first axis and tokens the second. A product is taken window by window, so that what is said of a window does not depend
on those beside it.
"""

"""Showing a network more than its support: random gains over frequency, mixtures of windows, standardised spectra.

A fault's signature reaches the sensor through a path that differs from machine to machine. A network that meets every
window through another path at every update learns less of paths, and more of faults. Each augmentation is one file;
`register` makes a further one known.
"""

from dualres.learn.trained.augment.registry import Augmentation, register

__all__ = ["Augmentation", "register"]

"""Showing a network more than its support: random transfer paths, and mixtures of windows.

A fault's signature reaches the sensor through a path that differs from machine to machine. A network that meets every
window through another path at every update learns less of paths, and more of faults.
"""

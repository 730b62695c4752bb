"""Compiled CPU inference and what else is worth compiling: C99, also what is exported to devices."""

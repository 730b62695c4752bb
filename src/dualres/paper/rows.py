"""A printed table of numbers, read from its text."""

from __future__ import annotations


def rows(text: str) -> dict[str, tuple[float, ...]]:
    """The numbers of every line by the name that it begins with."""
    return {name: tuple(map(float, numbers)) for name, *numbers in map(str.split, text.strip().splitlines())}

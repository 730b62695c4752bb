"""How work tells how far it is: one type of callback for all rooms."""

from collections.abc import Callable

Progress = Callable[[str, int, int, str], None]  # stage, done, in all, a remark on what is at hand


def quiet(stage: str, done: int, total: int, remark: str) -> None:
    """Tells nobody."""


def renamed(progress: Progress, stage: str) -> Progress:
    """Tells of every stage under this name."""
    if progress is quiet:  # which those who would have to wait for news ask for
        return quiet
    return lambda _, done, total, remark: progress(stage, done, total, remark)


def part_of(progress: Progress, number: int, parts: int) -> Progress:
    """For one of `parts` equal pieces of work, `number` from 0: its steps count on from those before it."""
    if progress is quiet or parts == 1:
        return progress
    return lambda stage, done, total, remark: progress(stage, number * total + done, parts * total, remark)

"""What a file says of the speed of a shaft: numbers beside its signals that are called `rpm` or the like."""

import re
from collections.abc import Mapping
from contextlib import suppress

from dualres.errors import ConfigError
from dualres.recordings.speed import given_speed, unit_of

_STATED = re.compile(
    r"(?P<of>.*?)[ _]?rpm|(?:(?:shaft|motor|rotor|rotational)[ _]?)?speed(?:[ _]?hz)?|shaft[ _]?hz", re.IGNORECASE
)

StatedSpeeds = Mapping[str, float]  # revolutions per second, by how the names of the signals begin that they are of


def stated_speeds(numbers: Mapping[str, float | str]) -> StatedSpeeds:
    """The speeds among numbers by their names: `X097RPM` is of what begins with X097, and `rpm` of all signals. Where
    two such numbers differ, neither is taken."""
    found: dict[str, set[float]] = {}
    for name, number in numbers.items():
        if named := _STATED.fullmatch(name.strip()):
            with suppress(ConfigError):  # text, or a number that is no speed
                known = given_speed(number, unit_of(name))
                if known is not None:
                    found.setdefault((named["of"] or "").casefold(), set()).add(known.mean_hz)
    return {of: speeds.pop() for of, speeds in found.items() if len(speeds) == 1}


def speed_beside(name: str, stated: StatedSpeeds) -> float | None:
    """Revolutions per second, of the signal of that name: by what shares most of its beginning, else by the only one
    there is."""
    called = name.casefold()
    near = [of for of in stated if called.startswith(of)]
    if near:
        return stated[max(near, key=len)]
    return next(iter(stated.values())) if len(stated) == 1 else None

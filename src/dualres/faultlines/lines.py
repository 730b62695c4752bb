"""Fault lines of a machine: equally spaced frequencies at which bearings, gears and shafts show."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dualres.errors import ConfigError
from dualres.faultlines.bearing import Bearing
from dualres.utils.arrays import Exact

SpectrumKind = Literal["spectrum", "envelope"]

BEARING_SLIP = 0.02  # by which elements that slide instead of rolling may be off
SPEED_SLIP = 0.005  # by which a stated speed may be off; gears and shafts do not slip
HARMONICS = (1, 2, 3, 4)
SIDEBANDS = (-2, -1, 1, 2)


@dataclass(frozen=True)
class FaultLine:
    """A comb of frequencies: `carrier_hz` plus multiples of `hz`. Both follow the speed."""

    name: str  # BPFO ...
    meaning: str
    hz: float  # spacing
    where: SpectrumKind = "envelope"
    slip: float = BEARING_SLIP
    multiples: tuple[int, ...] = HARMONICS
    carrier_hz: float = 0.0

    def below(self, hz: float) -> "FaultLine":
        """The part of the comb that stays below `hz`."""
        return replace(self, multiples=tuple(m for m in self.multiples if self.carrier_hz + m * self.hz < hz))

    def frequencies(self, factor: float = 1.0) -> Exact:
        """In Hz, with a spacing of `factor` times the line's own; the carrier stays, (multiples,)."""
        return self.carrier_hz + factor * self.hz * np.array(self.multiples, dtype=np.float64)


def bearing_lines(bearing: Bearing, shaft_hz: float) -> tuple[FaultLine, ...]:
    """Of the envelope: impacts make a resonance ring, and come at these rates."""
    return (
        FaultLine("BPFO", "outer ring", shaft_hz * bearing.outer),
        FaultLine("BPFI", "inner ring", shaft_hz * bearing.inner),
        FaultLine("2xBSF", "rolling element", shaft_hz * bearing.strikes("ball")),
        FaultLine("FTF", "cage", shaft_hz * bearing.cage),
    )


def gear_lines(teeth: tuple[int, int], shaft_hz: float) -> tuple[FaultLine, ...]:
    """Of the spectrum: the mesh of a gear on the shaft with its mate, by their teeth, and both shafts' sidebands."""
    mesh, mate_hz = shaft_hz * teeth[0], shaft_hz * teeth[0] / teeth[1]
    where: SpectrumKind = "spectrum"
    return (
        FaultLine("mesh", "gear mesh", mesh, where, SPEED_SLIP),
        FaultLine("mesh ± shaft", "sidebands of the gear", shaft_hz, where, SPEED_SLIP, SIDEBANDS, mesh),
        FaultLine("mesh ± mate", "sidebands of its mate", mate_hz, where, SPEED_SLIP, SIDEBANDS, mesh),
    )


def machine_lines(
    shaft_hz: float, bearing: Bearing | None = None, teeth: tuple[int, int] | None = None
) -> tuple[FaultLine, ...]:
    """All lines that are known of a machine."""
    return (
        FaultLine("shaft", "shaft orders", shaft_hz, "spectrum", SPEED_SLIP),  # unbalance, misalignment, looseness
        *(bearing_lines(bearing, shaft_hz) if bearing else ()),
        *(gear_lines(teeth, shaft_hz) if teeth else ()),
    )


@dataclass(frozen=True)
class OrderLine:
    """One frequency of a fault line, at any speed."""

    order: float  # in multiples of the shaft's rate
    name: str  # BPFO of 6205, 2 x BPFO of 6205 ...
    lowest: bool = True  # and no harmonic of another one


def order_lines(bearing: Bearing | None = None, teeth: tuple[int, int] | None = None) -> tuple[OrderLine, ...]:
    """The multiples of a shaft's rate at which faults of its machine make sound come and go, its own turns aside."""
    rates: list[tuple[str, float, tuple[int, ...]]] = []
    if bearing:
        of = f" of {bearing.name}" if bearing.name else ""
        strikes = tuple(2 * m for m in HARMONICS)  # both rings, in each turn of an element
        rates += [(f"BPFO{of}", bearing.outer, HARMONICS), (f"BPFI{of}", bearing.inner, HARMONICS)]
        rates += [(f"BSF{of}", bearing.spin, strikes), (f"FTF{of}", bearing.cage, HARMONICS)]
    if teeth:
        rates.append(("mate's shaft", teeth[0] / teeth[1], HARMONICS))
    return tuple(
        OrderLine(m * rate, name if m == 1 else f"{m} x {name}", m == own[0]) for name, rate, own in rates for m in own
    )


def teeth_of(text: str) -> tuple[int, int]:
    """From "29/95": the teeth of the gear on the shaft whose speed is given, and of its mate."""
    own, slash, mate = text.partition("/")
    try:
        teeth = int(own), int(mate)
    except ValueError:
        teeth = 0, 0
    if not slash or min(teeth) < 2:
        raise ConfigError(f"gear {text!r}: give the teeth of the gear on the shaft and of its mate, such as 29/95")
    return teeth

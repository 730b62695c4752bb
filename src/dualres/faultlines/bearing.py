"""Rolling bearings: how often their parts pass, by their geometry, and a few whose dimensions are public."""

from dataclasses import dataclass, field, replace
from math import cos, radians

from dualres.errors import ConfigError


@dataclass(frozen=True)
class Bearing:
    """A rolling bearing whose outer ring stands still; rates are per revolution of the shaft."""

    elements: int
    diameter: float  # of a rolling element, as a share of the pitch circle's
    contact: float  # angle, degrees
    name: str = field(default="", compare=False)  # of the table; none for one that is given by its dimensions

    @property
    def _reach(self) -> float:
        return self.diameter * cos(radians(self.contact))

    @property
    def cage(self) -> float:
        """Revolutions of the cage (FTF)."""
        return (1 - self._reach) / 2

    @property
    def outer(self) -> float:
        """Elements that pass a place of the outer ring (BPFO)."""
        return self.elements * self.cage

    @property
    def inner(self) -> float:
        """Elements that pass a place of the inner ring (BPFI)."""
        return self.elements * (1 - self.cage)

    @property
    def spin(self) -> float:
        """Revolutions of an element about itself (BSF); a place on it strikes a ring twice as often."""
        return (1 - self._reach**2) / (2 * self.diameter)

    def strikes(self, fault: str) -> float:
        """How often a damage strikes."""
        return {"inner": self.inner, "outer": self.outer, "ball": 2 * self.spin}[fault]


# Elements, diameter of an element and of the pitch circle in the same unit, contact angle in degrees.
DIMENSIONS: dict[str, tuple[int, float, float, float]] = {
    "6203": (8, 0.2656, 1.122, 0.0),  # 6203-2RS JEM SKF, inches; CWRU Bearing Data Center, fan end
    "6205": (9, 0.3126, 1.537, 0.0),  # 6205-2RS JEM SKF, inches; CWRU Bearing Data Center, drive end
    "ER-10K": (8, 0.3125, 1.319, 0.0),  # Rexnord MB ER-10K, inches; the gearbox of PHM2009
    "ER-16K": (9, 7.9375, 38.50, 0.0),  # Rexnord MB ER-16K, mm; Curtin University
    "NICE": (8, 0.235, 1.245, 0.0),  # inches; MFPT
    "UER204": (8, 7.92, 34.55, 0.0),  # LDK UER204, mm; XJTU-SY
    "ZA-2115": (16, 0.331, 2.815, 15.17),  # Rexnord ZA-2115, inches; IMS, University of Cincinnati
}


def bearing_of(text: str) -> Bearing:
    """A bearing by its name, such as 6205, or by "elements,element diameter,pitch diameter[,contact angle]"."""
    known = {_plain(name): name for name in DIMENSIONS}
    if name := known.get(_plain(text)):
        return replace(_made(*DIMENSIONS[name]), name=name)
    parts = text.split(",")
    try:
        if not 3 <= len(parts) <= 4:
            raise ValueError
        elements, element, pitch, *angle = int(parts[0]), *map(float, parts[1:])
    except ValueError:
        raise ConfigError(
            f"bearing {text!r} is not known; there are {', '.join(DIMENSIONS)}. For another, give elements, diameter "
            "of an element, pitch diameter and, unless it is 0, the contact angle in degrees: 9,7.94,39.04"
        ) from None
    if not (elements > 1 and 0 < element < pitch and all(0 <= one < 90 for one in angle)):
        raise ConfigError(
            f"bearing {text!r}: at least two elements, a pitch diameter larger than an element's, and a contact angle "
            "from 0 to 90 degrees are needed"
        )
    return _made(elements, element, pitch, *angle)


def _made(elements: int, element: float, pitch: float, contact: float = 0.0) -> Bearing:
    return Bearing(elements, element / pitch, contact)


def _plain(name: str) -> str:
    return name.replace("-", "").replace(" ", "").casefold()

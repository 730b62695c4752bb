"""How often the parts of a bearing show in a turn of the shaft: by its geometry, or typed in."""

from dataclasses import dataclass
from typing import Literal

from dualres.errors import ConfigError
from dualres.faultlines.bearing import Bearing

Part = Literal["outer race", "inner race", "rolling element", "cage"]
PARTS: tuple[Part, ...] = ("outer race", "inner race", "rolling element", "cage")
NAMES: dict[str, Part] = {"outer": "outer race", "inner": "inner race", "ball": "rolling element", "cage": "cage"}


@dataclass(frozen=True)
class FaultOrders:
    """Multiples of the shaft's rate; None for a part that is not known."""

    outer: float | None = None
    inner: float | None = None
    ball: float | None = None  # strikes of a place on an element, twice in each turn of it
    cage: float | None = None

    @classmethod
    def of_bearing(cls, bearing: Bearing) -> "FaultOrders":
        return cls(bearing.outer, bearing.inner, bearing.strikes("ball"), bearing.cage)

    def of(self, part: Part) -> float | None:
        return {"outer race": self.outer, "inner race": self.inner, "rolling element": self.ball, "cage": self.cage}[
            part
        ]

    @property
    def highest(self) -> float:
        return max((order for order in map(self.of, PARTS) if order), default=0.0)


def orders_of(text: str) -> FaultOrders:
    """From "outer=3.585,inner=5.415,ball=4.713,cage=0.398", or some of these."""
    found: dict[str, float] = {}
    for one in text.split(","):
        name, _, value = (each.strip() for each in one.partition("="))
        try:
            order = float(value)
        except ValueError:
            order = 0.0
        if name not in NAMES or name in found or not 0 < order < 1000:
            raise ConfigError(
                f"orders {text!r}: give multiples of the shaft's rate, each once, of {', '.join(NAMES)}: "
                "outer=3.585,inner=5.415"
            )
        found[name] = order
    return FaultOrders(**found)

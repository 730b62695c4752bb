"""Rates of bearings as others print them, to hold `Bearing` against."""

from dataclasses import dataclass

from dualres.faultlines.bearing import bearing_of


@dataclass(frozen=True)
class PublishedRate:
    bearing: str
    rate: str  # BPFO, BPFI, BSF, 2xBSF or FTF
    text: str
    source: str
    shaft_hz: float = 1.0  # 1 where multiples of the shaft's rate are printed

    @property
    def computed(self) -> str:
        """The same from the geometry, with as many digits."""
        bearing, digits = bearing_of(self.bearing), len(self.text.partition(".")[2])
        rates = {"BPFO": bearing.outer, "BPFI": bearing.inner, "BSF": bearing.spin, "FTF": bearing.cage}
        rates["2xBSF"] = 2 * bearing.spin
        return f"{self.shaft_hz * rates[self.rate]:.{digits}f}"

    @property
    def off(self) -> int:
        """By how many units of the last digit."""
        return abs(int(self.computed.replace(".", "")) - int(self.text.replace(".", "")))


def _printed(bearing: str, source: str, shaft_hz: float = 1.0, **values: str) -> tuple[PublishedRate, ...]:
    return tuple(
        PublishedRate(bearing, name.replace("twice_", "2x"), text, source, shaft_hz) for name, text in values.items()
    )


_CWRU = "Case Western Reserve University Bearing Data Center, bearing information"
_CURTIN = "Curtin University, inner and outer race bearing fault vibration measurements, readme"
_IMS = "IMS, University of Cincinnati: rates commonly quoted for its bearing data, 2,000 rpm"

PRINTED = (
    *_printed("ER-16K", _CURTIN, FTF="0.3969", BPFO="3.572", BPFI="5.428", BSF="2.32"),
    *_printed("ZA-2115", _IMS, 2000 / 60, BPFO="236.4", BPFI="296.9", BSF="139.9", FTF="14.8"),
    *_printed("6205", _CWRU, BPFI="5.4152", BPFO="3.5848", twice_BSF="4.7135", FTF="0.39828"),
    *_printed("6203", _CWRU, BPFI="4.9469", BPFO="3.0530", twice_BSF="3.9874", FTF="0.3817"),
)

"""Everything that fault lines say of one signal."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.errors import RecordingError
from dualres.faultlines.comb import LineTest, look_for, upper_hz
from dualres.faultlines.envelope import TURNS, Band, PowerSpectrum, averaged_spectrum, envelope_spectrum, impulsive_band
from dualres.faultlines.lines import FaultLine

LEAST_TURNS = TURNS // 2  # revolutions of a recording: with fewer, lines of a shaft order are not apart


@dataclass(frozen=True)
class Assessment:
    """A signal's two spectra, and which lines are in them."""

    shaft_hz: float
    band: Band  # that the envelope is taken of
    spectrum: PowerSpectrum
    envelope: PowerSpectrum
    found: tuple[LineTest, ...]  # every line that was looked for, in its order

    @property
    def named(self) -> tuple[LineTest, ...]:
        return tuple(one for one in self.found if one.named)


def assess(signal: npt.ArrayLike, rate: float, shaft_hz: float, lines: Sequence[FaultLine]) -> Assessment:
    """Look for the lines of a machine whose shaft turns at `shaft_hz`, in samples at `rate` Hz."""
    samples = np.asarray(signal, dtype=np.float64)
    turns = len(samples) / rate * shaft_hz
    if turns < LEAST_TURNS:
        raise RecordingError(
            f"the recording holds {turns:.1f} revolutions of the shaft; fault lines need {LEAST_TURNS} or more"
        )
    of_envelope = [line for line in lines if line.where == "envelope"]
    band = impulsive_band(samples, rate, max([0.0, *(upper_hz(line) for line in of_envelope)]))
    spectrum = averaged_spectrum(samples, rate, TURNS / shaft_hz)
    envelope = envelope_spectrum(samples, rate, band, shaft_hz)
    found = look_for({"spectrum": spectrum, "envelope": envelope}, lines)
    return Assessment(shaft_hz, band, spectrum, envelope, tuple(found))

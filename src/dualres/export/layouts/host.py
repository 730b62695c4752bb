"""Does a layout's example, compiled for this machine, say what Python says?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from dualres.config import HELD
from dualres.errors import ExportError
from dualres.export import compiler as cc
from dualres.export.device_network import device_of
from dualres.export.layouts.layout import EXTRAS, Layout
from dualres.export.test_vectors import stream_of, stream_shares
from dualres.judge.model import CHECK_HZ, Model
from dualres.judge.turning import labelled_speeds
from dualres.utils.arrays import Exact

PRINTED = 1e-6  # of a probability


@dataclass(frozen=True)
class HostExample:
    """An exported model, for which the example is compiled."""

    model: Model
    rate: Fraction  # Hz
    searches: bool  # for the speed of the shaft
    layout: Layout
    compiler: Sequence[str]

    def said(self, folder: Path, objects: Sequence[Path], build: cc.Build) -> Iterator[str]:
        """Compile the example of the export in `folder` with the library's `objects`, let it hear the check's stream at
        each speed that the check tells, and say a line of every verdict; an error for one that Python would not give.
        """
        if not self.layout.title:
            return
        source, includes = folder / EXTRAS / "host.c", [folder / "src", folder / self.layout.example]
        program = cc.link_program(self.compiler, build, source, objects=objects, includes=includes)
        int16 = build.name == cc.INT16.name
        # As the check does: a device holds the first and the last sample.
        model = replace(self.model, card=replace(self.model.card, resampler=HELD))
        stream = stream_of(model, self.rate, int16)
        frames = "".join(f"{sample:.9g}\n" for sample in np.atleast_2d(stream).T.ravel().tolist())
        # Where it searches for the speed, the check knows several that may be found, and this one knows none.
        told = CHECK_HZ if labelled_speeds(model) is not None and not self.searches else 0.0
        for hz in dict.fromkeys((0.0, told)):
            answer = cc.program_output(program, ["--speed", repr(hz)] if hz else [], frames)
            windows, shares = stream_shares(model, stream, self.rate, int16, hz=hz)
            best, off = self._verdict(answer, windows, shares)
            at = f" at {hz:g} Hz" if hz else ""
            yield f"example{at}: class {best}, {windows} windows, probability off by {off:.2g}"

    def _verdict(self, answer: str, windows: int, shares: Exact) -> tuple[int, float]:
        """Class and difference in probability of the last verdict; names may hold anything, even such a line."""
        tolerance = device_of(self.model).share_tolerance + PRINTED
        found = re.findall(rf"^windows {windows}  class (\d+)  (\d\.\d{{6}})  ", answer, re.MULTILINE)
        for best, probability in ((int(best), float(probability)) for best, probability in found):
            off = abs(probability - shares[best]) if best < len(shares) else np.inf
            if off <= tolerance and shares[best] >= shares.max() - 2 * tolerance:
                return best, float(off)
        wanted = int(shares.argmax())
        raise ExportError(
            f"the example of the {self.layout.title} layout does not say what the model says of the check's stream, "
            f"class {wanted} with {shares[wanted]:.6f} after {windows} windows; it says:\n{answer.strip()[-2000:]}"
        )

"""All that can be said of one recording: its verdict, why, and what the machine's geometry lets one look for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dualres.explain.nearest import Neighbour, PortraitMaker, halfway, neighbours, portrait, portrait_at
from dualres.explain.reasons import Reasons, Share, explain_recording, favourites
from dualres.explain.sentence import Mark, marks_of, sentence_of
from dualres.faultlines.assess import Assessment, assess
from dualres.faultlines.bearing import Bearing, bearing_of
from dualres.faultlines.comb import LineTest
from dualres.faultlines.lines import OrderLine, machine_lines, order_lines, teeth_of
from dualres.faultlines.severity import velocity_rms
from dualres.judge.model import Model
from dualres.judge.trust.calibration import WITHOUT, Answer
from dualres.judge.verdict import Verdict, diagnose_recording, speed_data
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.speed import Speed

LONGEST_S = 120  # of a recording, that fault lines are looked for in


@dataclass(frozen=True)
class MachineFacts:
    """What is known of the machine that was recorded."""

    shaft_hz: float | None = None
    bearing: Bearing | None = None
    teeth: tuple[int, int] | None = None  # of the gear on the shaft and of its mate
    unit: str | None = None  # of the samples: m/s2, mm/s2 or g

    @classmethod
    def stated(
        cls, speed: Speed | None = None, *, bearing: str | None = None, gear: str | None = None, unit: str | None = None
    ) -> "MachineFacts":
        """As a person writes them, with the mean of the speed."""
        shaft_hz = speed.mean_hz if speed else None
        return cls(shaft_hz, bearing_of(bearing) if bearing else None, teeth_of(gear) if gear else None, unit)

    @property
    def known_orders(self) -> tuple[OrderLine, ...]:
        """Multiples of the shaft's rate at which faults show, whatever the speed."""
        return order_lines(self.bearing, self.teeth)

    def turning(self, judged: Speed | None) -> "MachineFacts":
        """With the speed at which a recording was judged, where geometry is known and no speed was stated."""
        if self.shaft_hz is not None or judged is None or not self.known_orders:
            return self
        return replace(self, shaft_hz=judged.mean_hz)


@dataclass(frozen=True)
class Case:
    """One recording, examined."""

    verdict: Verdict
    reasons: Reasons
    signal: Samples  # as it was recorded, of the first two minutes
    rate: float  # Hz, of the signal
    assessment: Assessment | None = None  # where the speed is known
    velocity_mm_s: float | None = None  # rms, where the unit is known
    neighbours: tuple[Neighbour, ...] = ()  # labelled recordings, the most similar first
    known_orders: tuple[OrderLine, ...] = ()  # at which faults of the machine show

    @property
    def answer(self) -> Answer | None:
        """What can be said at a stated error rate; None where no rate was measured."""
        answer = self.verdict.answer
        return answer if answer and answer.reason != WITHOUT else None

    @property
    def nearest(self) -> tuple[Neighbour, ...]:
        """The most similar of all, and where that is of one class, the most similar of the others."""
        first = self.neighbours[:1]
        others = [one for one in self.neighbours if one.recording.label != first[0].recording.label]
        return (*first, *others[:1])

    @property
    def marks(self) -> tuple[Mark, ...]:
        """What the sentence names, to be marked on its spectra."""
        return marks_of(self.reasons, self.rate / 2)

    @property
    def sentence(self) -> str:
        """Why, in words."""
        return sentence_of(self.reasons, self.marks)

    def as_data(self) -> dict[str, Any]:
        verdict, reasons, heard = self.verdict, self.reasons, self.assessment
        said: dict[str, Any] = {
            "file": verdict.recording,
            "verdict": verdict.label,
            "probability": verdict.probability,
            "runner_up": verdict.runner_up,
            "sentence": self.sentence,
            "marks": [vars(mark) for mark in self.marks],
            "windows": verdict.windows,
            **(self.answer.as_data() if self.answer else {}),
            "axis": reasons.axis,
            "speed": speed_data(reasons.speed, verdict.speed_margin) if reasons.speed else None,
            "logit": reasons.logit,
            "adds_up_to": reasons.total,
            "heads": reasons.heads,
            "memory": reasons.memory,
            "constant": reasons.constant,
            "bands": [_share(share) for share in reasons.shares],
            "moments": [vars(moment) for moment in reasons.moments],
        }
        if verdict.sources:
            said["geometry"] = verdict.sources.as_data(verdict.label)
            said["explained"] = [reasons.label, reasons.rival]
        if self.neighbours:
            said["nearest"] = [
                {"file": one.recording.id, "label": one.recording.label, "distance": one.distance}
                for one in self.nearest
            ]
        if heard:
            said |= {
                "speed_hz": heard.shaft_hz,
                "envelope": vars(heard.band),
                "lines": list(map(line_data, heard.found)),
            }
        if self.velocity_mm_s is not None:
            said["velocity_mm_s"] = self.velocity_mm_s
        return said


def examine(
    model: Model,
    recording: Recording,
    machine: MachineFacts,
    labelled: Sequence[Recording] = (),
    *,
    portrait_of: PortraitMaker = portrait,
) -> Case:
    """Judge a recording, and say why; `portrait_of` gives what a model hears of each of the `labelled` recordings."""
    verdict = diagnose_recording(model, recording)
    heard = portrait_at(model, recording, verdict.speed) if labelled else {}
    known = neighbours(model, heard, labelled, portrait_of=portrait_of)
    reasons = explain_recording(model, recording, verdict, neutral=halfway(known, *favourites(verdict)))
    reasons, machine = reasons.naming(machine.known_orders), machine.turning(verdict.speed)
    rate = float(recording.rate)
    signal = next(iter(recording.blocks(int(LONGEST_S * rate))))
    assessment = None
    if machine.shaft_hz is not None:
        lines = machine_lines(machine.shaft_hz, machine.bearing, machine.teeth)
        assessment = assess(signal, rate, machine.shaft_hz, lines)
    velocity = velocity_rms(signal, rate, machine.unit) if machine.unit else None
    said = (verdict, reasons, np.asarray(signal), rate, assessment, velocity)
    return Case(*said, tuple(known), machine.known_orders)


def _share(share: Share) -> dict[str, Any]:
    lines = [{"order": line.order, "name": line.name} for line in share.region.lines]
    return {
        **vars(share.region),
        "lines": lines,
        "words": str(share.region),
        "trait": share.trait,
        "nats": share.nats,
        "memory": share.memory,
    }


def line_data(found: LineTest) -> dict[str, Any]:
    line = found.line
    named: dict[str, Any] = {"name": line.name, "meaning": line.meaning, "where": line.where, "hz": line.hz}
    if line.carrier_hz:
        named["around_hz"] = line.carrier_hz
    return named | {
        "found_hz": found.hz,
        "slip": found.slip,
        "score": found.score,
        "p": found.p,
        "adjusted": found.adjusted,
        "named": found.named,
    }

"""A first verdict without any label: which part of a machine is damaged, by its geometry and its speed alone.

Bearings are tested against templates at other places (`bearing_templates`), shafts and gears against healthy simulated
machines (`shaft_patterns`). Each p-value is multiplied by the number of parts that were looked for (Bonferroni), so
that all together name a fault that is not there in at most `error` of recordings of healthy machines. Besides, a score
must pass a margin that healthy machines at hand do not reach: lines of another shaft are lines as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy.typing as npt

from dualres.errors import ConfigError, RecordingError
from dualres.faultlines.bearing_templates import RANGE, PartTest, known_lines, part_test
from dualres.faultlines.fault_orders import PARTS, FaultOrders
from dualres.faultlines.growth import HealthyMachine, HealthyRecording
from dualres.faultlines.machine_levels import shaft_levels
from dualres.faultlines.order_evidence import OrderEvidence, order_evidence
from dualres.faultlines.order_spectra import OrderSpectra, Turning, order_spectra
from dualres.faultlines.shaft_patterns import SHAFT_PATTERNS, PatternTest, patterns
from dualres.faultlines.unknown_bearing import Elements, highest_order, range_of, range_tests
from dualres.utils.arrays import Exact

Answer = Literal[
    "outer race", "inner race", "rolling element", "cage", "gear", "shaft", "nothing found", "cannot tell"
]  # fmt: skip
ERROR = 0.05  # of recordings of healthy machines in which something is named
LEAST_ERROR = 0.02  # the least p-value, of hundreds of templates, for all parts and patterns together
# Scores from which a part of a bearing is named. A cage makes many healthy machines sound.
MARGIN, CAGE_MARGIN = 5.0, 9.2
SEARCHED_MARGIN = 7.0  # where its order is looked for in a range: more lines of healthy machines lie there
HINT = 3.5  # from which a part of a bearing may be there
REACH = 4.4  # of the fastest rate: how many orders are looked at
LEAST_REACH, GEAR_REACH = 13.0, 25.0  # orders; the latter where a tooth is looked for


@dataclass(frozen=True)
class Machine:
    """What is known of a machine: how often its parts show in a turn of the shaft."""

    orders: FaultOrders | None = None
    teeth: tuple[int, int] | None = None  # of the gear on the shaft and of its mate
    elements: Elements | None = None  # of a bearing of which nothing else is known


@dataclass(frozen=True)
class Finding:
    """One part or pattern that was looked for."""

    answer: Answer
    name: str  # of the part or the pattern
    score: float
    p: float  # by itself
    adjusted: float  # for all that was looked for
    named: bool
    lines: tuple[tuple[float, float], ...]  # orders of the shaft, and how far each stands out
    order: float | None = None  # of a bearing's part: nominal
    factor: float | None = None  # at which it was found
    elements: int | None = None  # of its bearing, where that is what was looked for
    rises_db: Mapping[str, float] | None = (
        None  # of a shaft's lines, since the machine was healthy, where that is known
    )

    @property
    def said(self) -> str:
        """The answer in words."""
        if self.answer == "shaft":
            name = "a bent shaft" if self.name == "bent shaft" else self.name
            return f"shaft, consistent with {name}{' that has grown' if self.rises_db else ''}"
        if self.answer == "gear":
            return "gear, on the shaft" if self.name == "gear" else "gear, the mate"
        return f"{self.answer}, of {self.elements} elements" if self.elements else self.answer

    def as_data(self) -> dict[str, Any]:
        said = {name: value for name, value in vars(self).items() if name != "rises_db"}
        said |= {"rises_db": dict(self.rises_db)} if self.rises_db else {}
        return {**said, "lines": [{"order": order, "stands_out": height} for order, height in self.lines]}


@dataclass(frozen=True)
class Check:
    """What a recording says of its machine."""

    answer: Answer
    said: str  # the answer in words
    p: float | None  # holds over all that was looked for; None where nothing was
    reason: str  # why one cannot tell; else empty
    findings: tuple[Finding, ...] = ()  # the answer's first, then by p
    evidence: OrderEvidence | None = None
    spectra: OrderSpectra | None = None

    def healthy(self, file: str) -> HealthyRecording | None:
        """What it says of a machine that runs well, to be compared with; None where it could not tell."""
        if self.spectra is None or self.evidence is None:
            return None
        shaft_hz = self.spectra.shaft_hz * self.evidence.speed_factor
        return HealthyRecording(file, shaft_hz, shaft_levels(self.spectra, self.evidence))

    @property
    def sentence(self) -> str:
        """The answer in words, with its p-value where something is named."""
        return f"{self.said}  (p {self.p:.2g})" if self.findings and self.findings[0].named else self.said

    def as_data(self) -> dict[str, Any]:
        said: dict[str, Any] = {"answer": self.answer, "said": self.said, "p": self.p}
        if self.reason:
            said["reason"] = self.reason
        if self.spectra and self.evidence:
            said |= {
                "speed_hz": self.spectra.shaft_hz,
                "speed_factor": self.evidence.speed_factor,
                "revolutions": self.spectra.turns,
                "bands_hz": [list(band) for band in self.spectra.bands],
            }
        return said | {"findings": [one.as_data() for one in self.findings]}


def cannot_tell(reason: str) -> Check:
    return Check("cannot tell", f"cannot tell: {reason}", None, reason)


def check_signals(
    axes: Iterable[Iterable[npt.ArrayLike]],
    rate: float,
    turning: Turning,
    seconds: float,
    *,
    machine: Machine,
    error: float = ERROR,
    healthy: HealthyMachine | None = None,
) -> Check:
    """Of signals at `rate` Hz of one or several axes, each in blocks (`order_spectra`), `seconds` long in all.

    Where recordings of the `healthy` machine are known, a shaft is judged by what has grown since.
    """
    check_error(error)
    highest = LEAST_REACH
    if machine.orders:
        highest = max(highest, REACH * machine.orders.highest)
    if machine.elements:
        highest = max(highest, REACH * highest_order(machine.elements))
    if machine.teeth:
        highest = max(highest, GEAR_REACH)
    try:
        spectra = order_spectra(axes, rate, turning, seconds=seconds, highest=highest, turned=machine.teeth is not None)
    except RecordingError as problem:
        return cannot_tell(str(problem))
    orders = machine.orders or FaultOrders()
    evidence = order_evidence(spectra, known_lines(orders))
    parts = [one for part in PARTS if (one := part_test(part, orders, evidence))]
    if machine.elements:
        parts += range_tests(machine.elements, evidence)
    if (machine.orders or machine.elements) and not parts:
        shown = spectra.step * spectra.envelopes.shape[1]
        known = [order for part in PARTS if (order := orders.of(part))]
        if machine.elements:
            known.append(range_of("outer race", machine.elements[0])[1])
        least = 2 * RANGE[1] * min(known)
        return cannot_tell(
            f"the band is too narrow: a rate of {rate:g} Hz shows {shown:.3g} orders of the shaft, and {least:.3g} are "
            "needed"
        )
    of_shaft = patterns(spectra, evidence, machine.teeth)
    if healthy:
        turns_hz = spectra.shaft_hz * evidence.speed_factor
        growths = healthy.growths(shaft_levels(spectra, evidence), turns_hz)
        of_shaft = [one.compared(growths) for one in of_shaft]
    whole: list[PartTest | PatternTest] = [*parts, *of_shaft]
    findings = _judged(whole, error)
    named = next((one for one in findings if one.named), None)
    if named is None:
        lowest = min(one.adjusted for one in findings)
        weak = ", ".join(one.name for one in findings if one.adjusted <= error)
        said = f"nothing found (weak: {weak})" if weak else "nothing found"
        return Check("nothing found", said, lowest, "", findings, evidence, spectra)
    return Check(named.answer, named.said, named.adjusted, "", findings, evidence, spectra)


def check_error(error: float) -> None:
    if not LEAST_ERROR <= error < 1:
        raise ConfigError(
            f"an error of {error:g}: give a share from {LEAST_ERROR:g}, the least that can be told, to 1, such as 0.05"
        )


def check_array(
    signal: Exact,
    rate: float,
    shaft_hz: float,
    *,
    machine: Machine,
    error: float = ERROR,
    healthy: HealthyMachine | None = None,
) -> Check:
    """Of one signal whose shaft turns at `shaft_hz` throughout."""
    seconds = len(signal) / rate
    return check_signals(
        [[signal]], rate, lambda at, _: 0 * at + shaft_hz, seconds, machine=machine, error=error, healthy=healthy
    )


def _judged(whole: list[PartTest | PatternTest], error: float) -> tuple[Finding, ...]:
    """Every finding, what is named first: bearings before gears before shafts, then by the score.

    The pattern of a shaft or a gear is named only where no part of a bearing shows, however weakly: what strikes shakes
    the shaft, and an inner ring does so at the same place of many turns.
    """
    parts = [one for one in whole if isinstance(one, PartTest)]
    strikes = any(one.p * len(whole) <= error and one.score >= HINT for one in parts if one.part != "cage")
    strong = any(one.score >= _margin(one) for one in parts if one.part != "cage")
    findings = []
    for one in whole:
        adjusted = min(1.0, one.p * len(whole))
        if isinstance(one, PartTest):
            # The cage's lines are those of every part that goes round with it: alone they speak for the cage itself.
            enough = one.score >= CAGE_MARGIN and not strong if one.part == "cage" else one.score >= _margin(one)
            named = adjusted <= error and enough
            found = Finding(one.part, one.part, one.score, one.p, adjusted, named, one.lines, one.order, one.factor)
            found = replace(found, elements=one.elements)
        else:
            kind: Answer = "shaft" if one.pattern in SHAFT_PATTERNS else "gear"
            named = adjusted <= error and one.enough and not strikes
            found = Finding(kind, one.pattern, one.score, one.p, adjusted, named, one.lines)
            found = replace(found, rises_db=one.growth.rises_db if one.growth else None)
        findings.append(found)
    after = {"gear": 1, "shaft": 2}
    return tuple(sorted(findings, key=lambda one: (not one.named, after.get(one.answer, 0), -one.score)))


def _margin(test: PartTest) -> float:
    return MARGIN if test.elements is None else SEARCHED_MARGIN

"""An alarm at a stated rate as C: constants of what `dualres.stream.alarm` learned, and what it says of some blocks.

A healthy stretch is kept as the edges between cells of what was new in it, and some of its levels; what bets pay
follows from the number of its blocks (device/alarm.h). Stretches of as many blocks differ by their edges alone, and a
block counts as far as it is unusual for every one of them: the highest edges do for all.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, log
from typing import Self
from zlib import crc32

import numpy as np
import numpy.typing as npt

from dualres.errors import ExportError
from dualres.export.c_literals import declared, doubles, text, wrapped
from dualres.judge.model import Model
from dualres.stream.alarm import Alarm
from dualres.stream.alarm.alarm import AlarmState
from dualres.stream.alarm.e_values import LIFTS, SUDDEN, WEIGHTS, EValues, Stretch, shifts
from dualres.stream.alarm.innovations import LOG_ODDS, NEAREST
from dualres.stream.alarm.payoffs import cells
from dualres.stream.monitor.block import windows_in
from dualres.utils.arrays import Exact

FINEST = 2.0**32 - 2.0**8  # steps
CHECKED = (40, 60, 140)  # bets of the check: healthy, faulty, and healthy again
FAULT, JITTER = 2.0, 0.01  # in healthy spreads: above the highest healthy level, and of chance
LOWEST = 5  # levels of a machine that is healthy again
GAP = 20  # the bet of the check whose block follows nothing


@dataclass(frozen=True)
class DeviceAlarm:
    """An alarm as it was learned for a model, with what a device has to know besides."""

    learned: Alarm
    rate: str  # as asked for: "1 per year"
    healthy: str  # the class of machines running well
    block_s: float

    @property
    def e_values(self) -> EValues:
        """An error where no rate is promised."""
        if self.learned.e_values is None:
            raise ExportError(f"{self.rate}: {self.learned.state.reason}")
        return self.learned.e_values


@dataclass(frozen=True)
class Rising:
    """Rising values in equal steps of 32 bits, which lie closer than numbers of float32 do."""

    start: float
    step: float
    steps: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, values: Exact, *, up: bool) -> Self:
        """Each rounded `up` or down."""
        start, step = float(values[0]), float(values[-1] - values[0]) / FINEST
        wanted = (values - start) / (step or 1.0)
        return cls(start, step, (np.ceil(wanted) if up else np.floor(wanted)).astype(np.uint32))

    def as_c(self, name: str) -> str:
        return f"{{{doubles([self.start, self.step])}, {name}}}"


@dataclass(frozen=True)
class HealthyTable:
    """Stretches of as many blocks, as a device keeps them."""

    of: Stretch  # any of them
    edges: Rising  # something new is above the first of them, as many as its cell's number
    levels: Rising

    @property
    def rarer(self) -> float:
        """Log of the ratio between chances of neighbouring cells beyond all healthy values."""
        beyond = self.of.beyond
        return log(beyond[-1] * (self.of.count + 1)) / len(beyond) if beyond else 0.0


def tables_of(e_values: EValues) -> list[HealthyTable]:
    """One for all stretches that share what bets pay."""
    alike = defaultdict[tuple[object, ...], list[Stretch]](list)
    for one in e_values.stretches:
        alike[one.count, one.beyond, one.begins, one.goes_on].append(one)
    return [_table(some) for some in alike.values()]


def _table(alike: Sequence[Stretch]) -> HealthyTable:
    edges = np.max([np.array(one.edges) + one.rounding for one in alike], axis=0)
    levels = np.max([np.array(one.levels) - one.rounding for one in alike], axis=0)
    return HealthyTable(alike[0], Rising.of(edges, up=True), Rising.of(levels, up=False))


def sizes(alarm: DeviceAlarm, model: Model, rate: Fraction) -> str:
    """What dualres_model.h says of it, for a device that takes samples at `rate` Hz."""
    state, e_values = alarm.learned.state, alarm.e_values
    windows = windows_in(alarm.block_s, model.card.config)
    between = expm1(state.clears) * e_values.joined
    return (
        "\n/* Alarms: the rate of false ones as it was asked for, the same as healthy blocks between them, and for\n"
        " * which machines it is promised. */\n"
        f"#define DUALRES_ALARM {text(alarm.rate)}\n#define DUALRES_ALARM_BETWEEN {between:.1f}\n"
        f"#define DUALRES_ALARM_PROMISE {text(state.promise or '')}\n"
        f"#define DUALRES_ALARM_THRESHOLD {state.threshold:.6f} /* nats */\n"
        f"#define DUALRES_ALARM_ID {crc32(constants(alarm).encode())}u /* of these constants */\n"
        f"#define DUALRES_BLOCK_WINDOWS {windows} /* windows of a block */\n"
        f"#define DUALRES_BLOCK_FRAMES {ceil(Fraction(alarm.block_s) * rate)} /* missing ones that part two blocks */\n"
        f"#define DUALRES_HEALTHY {model.classes.index(alarm.healthy)} /* the class of machines running well */\n"
        f"#define DUALRES_STRETCHES {len(tables_of(e_values))}\n#define DUALRES_LIFTS {len(LIFTS)}\n"
    )


def constants(alarm: DeviceAlarm) -> str:
    """What dualres_model.c says of it."""
    return "\n".join(_constants(alarm))


def _constants(alarm: DeviceAlarm) -> Iterator[str]:
    e_values, state = alarm.e_values, alarm.learned.state
    rows = []
    for number, table in enumerate(tables_of(e_values)):
        of, named = table.of, (f"edges_{number}", f"levels_{number}")
        for name, values in zip(named, (table.edges, table.levels), strict=True):
            yield f"static const uint32_t {name}[] = {{\n    {wrapped([f'{at}u' for at in values.steps])}}};\n"
        counts = (of.count + 1, len(cells(of.count)), len(of.beyond), len(table.levels.steps))
        costs = ", ".join(f"{{{doubles(np.exp(np.negative(nats)))}}}" for nats in (of.begins, of.goes_on))
        rising = ", ".join(each.as_c(name) for name, each in zip(named, (table.edges, table.levels), strict=True))
        rows.append(f"{{{', '.join(map(str, counts))}, {doubles([table.rarer])}, {costs}, {rising}}}")
    yield declared("const dualres_healthy dualres_alarm_healthy[DUALRES_STRETCHES]", f"{{\n    {_lines(rows)}}}")
    first, later = shifts(e_values.carried)
    nearest = NEAREST if e_values.scale == LOG_ODDS else 0.0
    nested = [f"{{{doubles(values)}}}" for values in (WEIGHTS, first, later)]
    single = [SUDDEN, e_values.carried, e_values.repeats, e_values.copies, nearest, expm1(state.threshold)]
    said = [*nested, doubles([*single, exp(state.clears)]), str(e_values.joined)]
    yield declared("const dualres_bets dualres_alarm_bets", f"{{\n    {_lines(said)}}}")


def _lines(words: Sequence[str]) -> str:
    return ",\n    ".join(words)


def table_bytes(alarm: DeviceAlarm) -> int:
    """Of flash, that healthy blocks take."""
    return sum(table.edges.steps.nbytes + table.levels.steps.nbytes for table in tables_of(alarm.e_values))


def check_scores(alarm: DeviceAlarm) -> Exact:
    """One for each bet, of blocks that are healthy, faulty, and healthy again. None equals a healthy one, for Python
    and a device may find that it does, or does not, when a level was a score in between."""
    e_values, rng = alarm.e_values, np.random.default_rng(0)
    levels, highest = np.array(e_values.stretches[0].levels), max(one.levels[-1] for one in e_values.stretches)
    spread = float(levels.std())
    before, after = rng.choice(levels, CHECKED[0]), rng.choice(levels[:LOWEST], CHECKED[2])
    found = np.concatenate([before, np.full(CHECKED[1], highest + FAULT * spread), after])
    found += JITTER * spread * rng.standard_normal(len(found))
    return np.asarray(1 / (1 + np.exp(-found)) if e_values.scale == LOG_ODDS else found)


def check_states(alarm: DeviceAlarm, scores: Exact) -> list[AlarmState]:
    """After each bet, on as many blocks with that score as make one."""
    fresh, states = alarm.learned.another(), []
    for bet, score in enumerate(scores.tolist()):
        for block in range(alarm.e_values.joined):
            state = fresh.update(score, follows=bet != GAP or block > 0)
        states.append(state)
    return states


def check_values(alarm: DeviceAlarm) -> str:
    """What the check has to find."""
    scores = check_scores(alarm)
    states = check_states(alarm, scores)
    raised = ", ".join(str(int(state.raised)) for state in states)
    return (
        "\n/* Scores, each of as many blocks as make a bet, and what is known after them. One has no neighbour. */\n"
        f"enum {{ ALARM_BETS = {len(scores)}, ALARM_GAP = {GAP} }};\n"
        f"static const double alarm_scores[ALARM_BETS] = {{\n    {doubles(scores)}}};\n"
        f"static const double alarm_evidence[ALARM_BETS] = {{\n    {doubles([one.evidence for one in states])}}};\n"
        f"static const unsigned char alarm_raised[ALARM_BETS] = {{{raised}}};\n"
    )

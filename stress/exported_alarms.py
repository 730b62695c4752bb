"""Does an alarm in exported C come at the same blocks as in Python? Writes JSON; status 1 where one does not.

    python stress/exported_alarms.py [--streams 1000] [--on x86-64] [-o FILE]

Streams are of simulated machines of the kinds in `healthy_machines.py`, five of each. Each machine has an alarm of its
own, learned from a short reference or a day, of one load or several, for a rate from one in 200 blocks to one a year.
Scores are as they are drawn, or squeezed between 0 and 1 as a model's are, or rounded so that many are equal. Health,
faults that begin suddenly or creep, and repairs take turns; blocks are missing now and then, and the power fails. The
C code is told the same scores. A stream differs where an alarm is raised or cleared at another block, or the evidence
is off by more than 1e-3 nats in every 50th. `nearest` is how near evidence came to its threshold in all blocks, in
nats: what rounding would have to change for another alarm. Progress goes to standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from _devices import TARGETS, Target, built, run_on
from _tally import this_run
from dualres.config import HELD, ModelConfig
from dualres.export.alarm import DeviceAlarm, constants, sizes, table_bytes
from dualres.export.destination import write_files
from dualres.export.device_network import device_of
from dualres.export.rates import ratio_for
from dualres.export.sources import copied, made
from dualres.judge.model import Model
from dualres.learn.closed_form import fit_views
from dualres.model.kinds import VIEWS
from dualres.model_file.card import Card
from dualres.stream.alarm import Alarm
from dualres.stream.alarm.alarm import AlarmState
from dualres.utils.files import write_whole
from healthy_machines import KINDS

ROOT = Path(__file__).parents[1]
PROGRAM = Path(__file__).with_name("device_alarm.c")
SEED = 400_010
REFERENCES = (300, 720, 2160, 17_280)  # blocks, of each load
BETWEEN = (200.0, 20_000.0, 6_311_520.0)
SHAPES = ("as drawn", "squeezed", "rounded")
LOADS = (1, 1, 1, 3)
LIFTS = (0.7, 1.5, 3.0, 6.0)  # spreads, of a fault
STRETCH = (20, 200)  # blocks, of health or of a fault
EACH = 5  # streams of a machine
SPELLS = 8  # of health and faults in turn
MISSING, POWER_FAILS = 0.01, 0.005  # chances, of every block
FOLLOWS, PUT_BACK = 1, 2  # as device_alarm.c has them
EVERY, OFF = 50, 1e-3  # blocks between looks at evidence, and nats
RATE = Fraction(12_800)

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Watched:
    """A machine, and the alarm that it has learned; none where no rate can be promised."""

    title: str
    scores: Callable[[np.random.Generator, int], Values]
    shape: str
    loads: Values  # the mean scores at each
    alarm: DeviceAlarm | None


@dataclass(frozen=True)
class Stream:
    """An alarm, and what it is told."""

    kind: str
    alarm: DeviceAlarm
    scores: Values  # (blocks,)
    told: npt.NDArray[np.int32]  # (blocks,), FOLLOWS and PUT_BACK


@lru_cache(maxsize=1)
def watched(machine: int) -> Watched:
    rng, kind = np.random.Generator(np.random.SFC64([SEED, machine])), KINDS[machine % len(KINDS)]
    reference, between, shape = rng.choice(REFERENCES), float(rng.choice(BETWEEN)), SHAPES[rng.integers(len(SHAPES))]
    loads = rng.uniform(0.0, 1.0, int(rng.choice(LOADS)))
    lengths = [int(reference) + int(rng.choice([0, 0, 1, 57])) for _ in loads]
    healthy = [shaped(kind.scores(rng, blocks) + load, shape) for blocks, load in zip(lengths, loads, strict=True)]
    learned = Alarm.learned(healthy, blocks_between_false_alarms=between)
    alarm = DeviceAlarm(learned, f"1 per {between:.0f} blocks", "good", 5.0) if learned.e_values else None
    return Watched(kind.title, kind.scores, shape, loads, alarm)


def stream_of(number: int) -> Stream | None:
    """None where no rate can be promised, for then a model is not exported with an alarm."""
    machine = watched(number // EACH)
    if machine.alarm is None:
        return None
    rng = np.random.Generator(np.random.SFC64([SEED, number // EACH, number]))
    spells = rng.integers(*STRETCH, SPELLS)
    blocks = int(spells.sum())
    faults = np.concatenate([fault(rng, length, spell) for spell, length in enumerate(spells)])
    scores = machine.scores(rng, blocks) + rng.choice(machine.loads) + faults
    told = np.where(rng.random(blocks) < MISSING, 0, FOLLOWS) | np.where(rng.random(blocks) < POWER_FAILS, PUT_BACK, 0)
    return Stream(machine.title, machine.alarm, shaped(scores, machine.shape), told.astype(np.int32))


def fault(rng: np.random.Generator, blocks: int, number: int) -> Values:
    """Every other spell is healthy. A fault is there at once, or grows."""
    if number % 2 == 0:
        return np.zeros(blocks)
    return np.asarray(rng.choice(LIFTS) * (np.ones(blocks) if rng.random() < 0.5 else np.linspace(0, 2, blocks)))


def shaped(scores: Values, shape: str) -> Values:
    if shape == "squeezed":
        return np.asarray(1 / (1 + np.exp(3 - 1.5 * scores)))
    return np.round(scores, 1) if shape == "rounded" else scores


def in_python(stream: Stream) -> list[AlarmState]:
    alarm = stream.alarm.learned.another()
    return [
        alarm.update(score, follows=bool(told & FOLLOWS))
        for score, told in zip(stream.scores.tolist(), stream.told.tolist(), strict=True)
    ]


def a_model() -> Model:
    """Any; alarms do not ask which."""
    windows = np.random.default_rng(0).standard_normal((4, ModelConfig().window)).astype(np.float32)
    card = Card(("good", "worn"), ModelConfig(), None, 0, HELD, {}, method=VIEWS.method)
    return Model((fit_views(windows, np.arange(4) % 2, 2),), card)


class AlarmDevices:
    """Compiles alarms for a target, and tells them streams."""

    def __init__(self, target: Target, folder: Path) -> None:
        self._target, self._folder = target, folder
        self.model = a_model()
        files = copied(device_of(self.model)) | made(self.model, RATE, ratio_for(self.model, RATE), int16=False)
        write_files(files, folder)
        self._compiled: tuple[DeviceAlarm, Path] | None = None
        self._header = (folder / "dualres_model.h").read_text().rstrip().removesuffix("#endif")

    def said(self, stream: Stream) -> list[list[str]]:
        """Lines in words, of a program with the constants of this alarm alone: no network takes part."""
        if self._compiled is None or self._compiled[0] is not stream.alarm:
            self._compiled = stream.alarm, self._program_of(stream.alarm)
        blocks = np.empty(len(stream.scores), np.dtype([("score", "<f8"), ("told", "<i4")]))
        blocks["score"], blocks["told"] = stream.scores, stream.told
        (self._folder / "alarms.bin").write_bytes(blocks.tobytes())
        return [line.split() for line in run_on(self._target, self._compiled[1])]

    def _program_of(self, alarm: DeviceAlarm) -> Path:
        header = f"{self._header}{sizes(alarm, self.model, RATE)}\n#endif\n"
        (self._folder / "dualres_model.h").write_text(header)
        (self._folder / "alarm_constants.c").write_text(f'#include "dualres.h"\n\n{constants(alarm)}')
        return built(self._target, self._folder, PROGRAM, [self._folder / "alarm_constants.c"])


def compared(stream: Stream, states: list[AlarmState], said: list[list[str]]) -> tuple[list[str], float]:
    """What differs, and how far evidence is off in nats."""
    changes, before = list[tuple[str, int]](), False
    for block, state in enumerate(states):
        if state.raised != before:
            changes.append(("raised" if state.raised else "cleared", block))
        before = state.raised
    found = [(words[0], int(words[1])) for words in said if words[0] in ("raised", "cleared")]
    wrong = [f"{one} in place of {other}" for one, other in zip(found, changes, strict=False) if one != other]
    wrong += [f"{len(found)} changes in place of {len(changes)}"] * (len(found) != len(changes))
    evidence = {int(words[1]): float(words[2]) for words in said if words[0] == "evidence"}
    assert len(evidence) == -(-len(states) // EVERY)
    off = max(abs(value - states[block].evidence) for block, value in evidence.items())
    return wrong + [f"evidence is off by {off:.2g}"] * (off > OFF), off


def nearest(states: list[AlarmState]) -> float:
    """Nats from evidence to its threshold, or from health to its own, at the nearest while that decides."""
    gaps = [
        abs(now.evidence - now.threshold) if not before.raised else abs(now.healthy_again - now.clears)
        for before, now in pairwise(states)
        if now.raised or not before.raised
    ]
    return min(gaps)


def told(target: Target, streams: int) -> Mapping[str, Any]:
    """What so many streams show on a device."""
    kinds, differing, off, near = Counter[str](), list[dict[str, Any]](), 0.0, float("inf")
    raised = cleared = blocks = number = largest = 0
    with tempfile.TemporaryDirectory(prefix="dualres-") as folder:
        devices = AlarmDevices(target, Path(folder))
        while sum(kinds.values()) < streams:
            stream = stream_of(number)
            number += 1
            if stream is None:
                continue
            states = in_python(stream)
            wrong, away = compared(stream, states, devices.said(stream))
            differing += [{"stream": number - 1, "of": stream.kind, "wrong": wrong}] * bool(wrong)
            kinds[stream.kind] += 1
            pairs = list(pairwise(states))
            raised += sum(now.raised and not before.raised for before, now in pairs)
            cleared += sum(before.raised and not now.raised for before, now in pairs)
            off, near, blocks = max(off, away), min(near, nearest(states)), blocks + len(states)
            largest = max(largest, table_bytes(stream.alarm))
            if sum(kinds.values()) % 50 == 0:
                print(f"{sum(kinds.values())} streams, {len(differing)} differ", file=sys.stderr, flush=True)
    return {
        "device": target.title,
        "streams": streams,
        "blocks": blocks,
        "without_promise": number - streams,
        "raised": raised,
        "cleared": cleared,
        "differing": differing,
        "evidence_off": off,
        "nearest": near,
        "largest_table": largest,
        "kinds": dict(kinds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--on", choices=[one.name for one in TARGETS], default=TARGETS[0].name)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "results/measured/exported_alarms.json")
    given = parser.parse_args()
    target = next(one for one in TARGETS if one.name == given.on)
    run, found = this_run("stress/exported_alarms.py"), told(target, given.streams)
    kept = json.loads(given.out.read_text()) if given.out.exists() else {}
    kept[target.name] = {**found, "run": run}
    write_whole(given.out, (json.dumps(kept, indent=1) + "\n").encode())
    print(json.dumps(kept[target.name], indent=1))
    sys.exit(bool(kept[target.name]["differing"]))


if __name__ == "__main__":
    main()

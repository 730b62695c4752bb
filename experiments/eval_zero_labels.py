"""From no label at all to six a class: what is the geometry of a bearing worth beside few labels? Prints JSON.

    python -m experiments.eval_zero_labels STORES > results/measured/zero_labels.json

Names of sections after STORES choose among them. Macro-F1 in percent over recordings that are judged whole, by the
number of labelled recordings a class, the mean over draws: `labels` by labels alone, `geometry` with it; `least` is the
worst draw's difference, in points, and `recording` what one recording is worth. Without any label, `labels` is exact
guessing, and `geometry` the answer of `dualres check`. Labelled and judged recordings share no component.

* `cwru_12k`: three classes of faults; the damaged bearings of each class are split in halves, at random, and each half
  learns for the other. `cwru`: the same at 48 kHz, with healthy recordings, of which one is labelled and one judged.
  There are fewer than six of some classes then: as many as there are.
* `machines`: simulated machines; light specimens learn for heavy ones, or the other way round.
* `rig`: the embedded rig, its bearing's rates stated; one mode of motion learns for the other.
* `unlabelled`: the simulated machines with three labels a class, but for one fault of the bearing, which nobody
  labelled: how many of its recordings are named right, and the accuracy on all others with it and without.

How geometry speaks was chosen on ten machines of the seed 9003 and on the rig. The weight fell faster with
the number of labels until CWRU at 12 kHz was looked at once; what it is now was the better one of both on these, too.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dualres.explain.check import CheckedMachine, check_recording
from dualres.judge.verdict import window_scores
from dualres.learn.fit import fit_recordings
from dualres.learn.geometry import StatedGeometry
from dualres.learn.settings import FitSettings
from dualres.metrics import confusion, guessing, macro_f1
from dualres.recordings.recording import Recording
from dualres.recordings.store import open_store
from dualres.simulated import machines, rig
from experiments.eval_check import nominal

LABELLED = (1, 2, 3, 6)
PAIRS = 3  # of draws of CWRU, each half learning once
SEED = 5005  # of the machines that are judged
MACHINES = range(10)
JUDGED_OF_RIG = 6  # of each class
SAID = {
    **{"outer race": "outer", "inner race": "inner", "rolling element": "ball", "gear": "broken_tooth", "mate": "wear"},
    **{name: name for name in ("unbalance", "misalignment", "looseness")},
}  # classes by what a check finds


@dataclass(frozen=True)
class Draw:
    """What may be learned from, in the order in which it is, and what is judged."""

    learned: Mapping[str, Sequence[Recording]]  # by class
    judged: Sequence[Recording]
    geometry: StatedGeometry
    machine: CheckedMachine  # the same, for a check
    well: str | None = None  # the class of machines running well

    @property
    def classes(self) -> list[str]:
        return sorted(self.learned)


def main() -> None:
    stores = Path(sys.argv[1])
    sections: dict[str, Callable[[], Any]] = {
        "cwru_12k": lambda: curve(cwru(stores / "cwru_12k")),
        "cwru": lambda: curve(cwru(stores / "cwru")),
        "machines": lambda: curve(map(machine, MACHINES)),
        "rig": lambda: curve(gearbox()),
        "unlabelled": unlabelled,
    }
    found = {}
    for name in sys.argv[2:] or sections:
        found[name] = sections[name]()
        print(name, found[name], file=sys.stderr, flush=True)
    print(json.dumps({**found, "gain": gain(found)}, indent=1))


def curve(draws: Iterator[Draw]) -> dict[str, Any]:
    """By the number of labelled recordings a class."""
    labels, geometry = defaultdict[int, list[float]](list), defaultdict[int, list[float]](list)
    worth = []
    for draw in draws:
        truth = [draw.classes.index(str(one.label)) for one in draw.judged]
        counts = [truth.count(number) for number in range(len(draw.classes))]
        worth.append(100 / len(truth))
        labels[0].append(100 * guessing(counts)[1])
        geometry[0].append(f1(truth, [checked(draw, one) for one in draw.judged], len(counts)))
        for count, by_labels, joined in learned(draw):
            labels[count].append(f1(truth, by_labels.argmax(1), len(counts)))
            geometry[count].append(f1(truth, joined.argmax(1), len(counts)))
    return {
        str(count): {
            "labels": round(float(np.mean(labels[count])), 2),
            "geometry": round(float(np.mean(geometry[count])), 2),
            "least": round(min(np.subtract(geometry[count], labels[count]).tolist()), 2),
            "recording": round(max(worth), 2),
            "draws": len(labels[count]),
        }
        for count in (0, *LABELLED)
    }


def gain(found: Mapping[str, Any]) -> dict[str, float]:
    """Points that geometry is worth, the mean over rigs."""
    counts, curves = map(str, LABELLED), [one for one in found.values() if "1" in one]
    gains = {count: [one[count]["geometry"] - one[count]["labels"] for one in curves] for count in counts}
    return {count: round(float(np.mean(each)), 2) for count, each in gains.items() if each}


def f1(truth: Sequence[int], verdicts: Any, classes: int) -> float:
    """A verdict that is no class, numbered `classes`, is wrong and is nobody's."""
    return 100 * macro_f1(confusion(truth, verdicts, classes + 1)) * (classes + 1) / classes


def checked(draw: Draw, recording: Recording) -> int:
    """The number of the class that a check names; that after the last where it names none of them."""
    check = check_recording(recording, draw.machine).check
    found = draw.well if not (check.findings and check.findings[0].named) else SAID.get(check.findings[0].name)
    known = [name for name in draw.classes if name == found or (found and name.endswith(f"+{found}"))]
    return draw.classes.index(known[0]) if known else len(draw.classes)


def learned(draw: Draw) -> Iterator[tuple[int, Any, Any]]:
    """For each number of labels, scores by labels and with geometry, (recordings, classes) each."""
    settings, heard = FitSettings(estimate=False, geometry=draw.geometry), {}
    for count in LABELLED:
        chosen = [one for name in draw.classes for one in draw.learned[name][:count]]
        names = tuple(draw.classes)
        model, _ = fit_recordings(chosen, [str(one.label) for one in chosen], names, settings)
        geometry = model.geometry
        assert geometry
        by_labels, joined = [], []
        for one in draw.judged:
            if one.id not in heard:  # whatever was labelled
                heard[one.id] = geometry.heard(one, one.speed)
            by_labels.append(window_scores(model, one).mean(0))
            joined.append(geometry.joined(names, by_labels[-1], heard[one.id]))
        yield count, np.array(by_labels), np.array(joined)


def by_class(recordings: Sequence[Recording], rng: np.random.Generator) -> dict[str, list[Recording]]:
    """In a random order."""
    found = defaultdict[str, list[Recording]](list)
    for number in rng.permutation(len(recordings)):
        found[str(recordings[number].label)].append(recordings[number])
    return found


def cwru(store: Path) -> Iterator[Draw]:
    """Halves of the damaged bearings of each class, and of the healthy recordings."""
    recordings = [nominal(one) for one in open_store(store)]
    for number in range(PAIRS):
        rng = np.random.default_rng([SEED, number])
        first = set[str]()  # ids
        for own in by_class(recordings, rng).values():
            parts = sorted({part_of(one) for one in own})
            chosen = {parts[i] for i in rng.permutation(len(parts))[: len(parts) // 2]}
            first |= {one.id for one in own if part_of(one) in chosen}
        for learning in (True, False):
            pool = [one for one in recordings if (one.id in first) == learning]
            judged = [one for one in recordings if (one.id in first) != learning]
            well = "healthy" if any(one.label == "healthy" for one in recordings) else None
            stated = StatedGeometry("6205", labelled_only=True)
            yield Draw(by_class(pool, rng), judged, stated, CheckedMachine("6205"), well)


def part_of(recording: Recording) -> str:
    """What labelled and judged recordings do not share."""
    return recording.id if recording.label == "healthy" else str(recording.component)


def machine(number: int) -> Draw:
    sheet = machines.machine(number, SEED)
    pool, judged = machines.held_out(machines.recordings(sheet), "specimen", reverse=number % 2 == 1)
    bearing, gear = sheet.bearing, "{}/{}".format(*sheet.teeth) if sheet.teeth else None
    stated = f"{bearing.elements},{bearing.diameter},1,{bearing.contact}"
    learned = by_class(pool, np.random.default_rng([SEED, number]))
    return Draw(learned, judged, StatedGeometry(stated, labelled_only=True), CheckedMachine(stated, gear=gear), "good")


def gearbox() -> Iterator[Draw]:
    recordings, rng = rig.recordings(), np.random.default_rng(SEED)
    stated, gear = f"outer={rig.OUTER_ORDER},inner={rig.INNER_ORDER}", "{}/{}".format(*rig.SECOND_PAIR)
    for one, other in pairwise((*rig.MODES, rig.MODES[0])):
        learned = by_class([each for each in recordings if each.condition["mode"] == one], rng)
        rest = by_class([each for each in recordings if each.condition["mode"] == other], rng)
        judged = [each for own in rest.values() for each in own[:JUDGED_OF_RIG]]
        geometry = StatedGeometry(orders=stated, labelled_only=True)
        yield Draw(learned, judged, geometry, CheckedMachine(orders=stated, gear=gear), "healthy")


def unlabelled(labelled: int = 3) -> dict[str, Any]:
    """Of each part that nobody labelled: the share of its recordings named, and of all others, with it and without."""
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for draw, part in ((machine(number), part) for number in MACHINES for part in machines.BEARING_FAULTS):
        names = tuple(name for name in draw.classes if name != part)
        chosen = [one for name in names for one in draw.learned[name][:labelled]]
        geometry = StatedGeometry(draw.geometry.bearing, faults={part: part})
        settings = FitSettings(estimate=False, geometry=geometry)
        model, _ = fit_recordings(chosen, [str(one.label) for one in chosen], names, settings)
        known, right = model.geometry, defaultdict[str, list[bool]](list)
        assert known
        for one in draw.judged:
            by_labels = window_scores(model, one).mean(0)
            verdict = model.names[int(known.joined(names, by_labels, known.heard(one, one.speed)).argmax())]
            right["its own" if one.label == part else "others"].append(verdict == one.label)
            if one.label != part:
                right["by labels"].append(names[int(by_labels.argmax())] == one.label)
        found[part].append(tuple(100 * float(np.mean(right[which])) for which in ("its own", "others", "by labels")))  # type: ignore[arg-type]
    keys = ("named", "others", "others_by_labels")
    return {part: dict(zip(keys, np.mean(each, axis=0).round(1).tolist(), strict=True)) for part, each in found.items()}


if __name__ == "__main__":
    main()

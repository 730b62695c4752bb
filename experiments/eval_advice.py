"""What is advice on labels worth (`dualres advise`)? On every rig of the suite. Writes JSON.

    python -m experiments.eval_advice STORES results/measured/advice.json

With names of parts behind, only these are measured, and the others stay as the file has them.

`choice`: recordings are labelled as advised, `ASKED` at a time from none on, and at random. A network of orders then
learns from them and names what the fold judges, all at their stated speeds. Macro-F1 in percent over the classes
judged, mean at one, two and three recordings per class, over folds and over pools, about `CELLS` in all. A pool is four
fifths of the recordings that a fold leaves to learn from; UESTC's folds leave one of each class, so there their sides
are exchanged. Advice knows speeds and loads. It is told no component, no case and no severity, which on these rigs tell
the class. `choice_before` in the file is what it found of the strategy before, which knew no limit to how unlike
recordings are, and counted no labels per class.

`curves`: three or four recordings of each class, drawn at random, foresee the score at twice, and at four times as
many; the truth is that of networks which learn from so many, mean over `TRUTHS` draws, on all the rest.

`thousand`: seconds that advice on 1,000 recordings takes, from files on disk, by one thread: by the clock, and of a
processor, which are fewer where others use it, too.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from scipy.io import wavfile

from dualres.advise.advice import advise, choose, class_probabilities, distances_between
from dualres.advise.curve import learning_curve
from dualres.advise.features import Looks, Places, looks_of
from dualres.bench.campaign.rigs import RIGS, Rig
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold
from dualres.metrics import class_f1, confusion
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.recording import Recording
from dualres.recordings.store import open_store
from dualres.simulated import machines
from dualres.utils.files import write_whole

ASKED = 3  # recordings that are labelled before advice is asked for again
CELLS, POOL_SHARE = 6, 0.8
RANDOM = 5  # orders
PER_CLASS = (1, 2, 3)
TELLS_CLASS = {"case", "repeat", "severity", "fault_inch"}  # conditions that nobody knows without the label
CURVES = {"phm2009": 26, "cwru_12k": 26, "simulated": 12, "machines": 36}
TRUTHS = 3


@dataclass(frozen=True)
class Data:
    """Recordings of one dataset or machine, and what is seen of them."""

    recordings: tuple[Recording, ...]
    looks: Looks

    def some(self, places: Places) -> Data:
        return Data(tuple(self.recordings[i] for i in places), Looks(self.looks.of(places), self.looks.config))

    def score(self, learned: Places, judged: Places) -> float:
        """Macro-F1 in percent over the classes judged, after learning from some; classes not learned are missed."""
        classes = sorted({str(r.label) for r in self.recordings})
        labels = np.array([classes.index(str(r.label)) for r in self.recordings])
        there, own = np.unique(labels[learned], return_inverse=True)
        if len(there) == 1:
            named = np.repeat(there, len(judged))
        else:
            named = there[self.looks.probabilities(learned, own, len(there), judged).argmax(1)]
        matrix = confusion(labels[judged], named, len(classes))
        return 100 * float(class_f1(matrix)[matrix.sum(1) > 0].mean())


def main() -> None:
    torch.set_num_threads(1)
    stores, path, *wanted = sys.argv[1:]
    parts = {"choice": choice, "curves": curves, "thousand": thousand}
    for name in wanted or parts:
        found = parts[name](Path(stores))
        known = json.loads(Path(path).read_text()) if Path(path).exists() else {}
        write_whole(Path(path), (json.dumps({**known, name: found}, indent=1, sort_keys=True) + "\n").encode())


def choice(stores: Path) -> dict[str, Any]:
    rigs = {rig.title: judged_choice(rig, stores) for rig in RIGS}
    gains = [one["gain"] for one in rigs.values()]
    return {"rigs": rigs, "gain": mean_of(gains), "least": min(gains)}


def judged_choice(rig: Rig, stores: Path) -> dict[str, float]:
    random, advised = [], []
    for name in rig.folds:
        fold = load_fold(name)
        data = looked_at(fold.dataset, stores, name[1:3] if fold.dataset == machines.NAME else "")
        out = np.array([r.id in fold.evaluation for r in data.recordings])
        classes = len({r.label for r in data.recordings})
        if (~out).sum() < PER_CLASS[-1] * classes:
            out = ~out
        judged = np.flatnonzero(out)
        for draw in range(max(1, CELLS // len(rig.folds))):
            rng = np.random.default_rng([draw, len(out)])
            pool = rng.permutation(np.flatnonzero(~out))[: round(POOL_SHARE * (~out).sum())]
            sizes = [min(n * classes, len(pool)) for n in PER_CLASS]
            told = pool[advised_order(data.some(pool), sizes[-1])]
            orders = [rng.permutation(pool) for _ in range(RANDOM)]
            advised.append(statistics.fmean(data.score(told[:n], judged) for n in sizes))
            random.append(statistics.fmean(data.score(order[:n], judged) for order in orders for n in sizes))
        print(rig.title, name, [round(b - a, 1) for a, b in zip(random, advised, strict=True)], file=sys.stderr)
    means = {"random": statistics.fmean(random), "advised": statistics.fmean(advised)}
    return {key: round(value, 1) for key, value in {**means, "gain": means["advised"] - means["random"]}.items()}


def advised_order(pool: Data, count: int) -> list[int]:
    """The recordings in the order in which advice names them, their labels told when it has."""
    hidden = [
        replace(r, label=None, component=None, condition={k: v for k, v in r.condition.items() if k not in TELLS_CLASS})
        for r in pool.recordings
    ]
    distances = distances_between(pool.looks, [r.condition for r in hidden])
    order: list[int] = []
    while len(order) < count:
        likely = class_probabilities(pool.looks, hidden)
        for pick in choose(hidden, distances, min(ASKED, count - len(order)), likely):
            order.append(pick.place)
            hidden[pick.place] = replace(hidden[pick.place], label=pool.recordings[pick.place].label)
    return order


def curves(stores: Path) -> dict[str, dict[str, float]]:
    """How often intervals hold the truth at twice as many labels, and at four times, and how wide they are."""
    held: dict[int, list[bool]] = {2: [], 4: []}
    width: dict[int, list[float]] = {2: [], 4: []}
    for dataset, count in CURVES.items():
        for draw in range(count):
            machine = str(list(machines.NUMBERS)[draw % len(machines.NUMBERS)]) if dataset == machines.NAME else ""
            data, rng = looked_at(dataset, stores, machine), np.random.default_rng([draw, count])
            of_class = [rng.permutation(places) for places in by_class(data.recordings)]
            per_class = 3 + draw % 2
            known = np.concatenate([places[:per_class] for places in of_class])
            labelled = data.some(known)
            alone = [replace(r, component=None) for r in labelled.recordings]  # unseen recordings are foreseen
            curve = learning_curve(alone, labelled.looks)
            for times in held:
                wanted = times * per_class
                if wanted < min(map(len, of_class)):
                    draws = (more_labels(of_class, per_class, wanted, rng) for _ in range(TRUTHS))
                    truth = statistics.fmean(data.score(*places) for places in draws)
                    expected = curve.expected(wanted)
                    held[times].append(expected.low <= truth <= expected.high)
                    width[times].append(expected.high - expected.low)
        print(dataset, {k: (len(v), sum(v)) for k, v in held.items()}, file=sys.stderr)
    return {
        name: {"curves": len(held[k]), "held": mean_of([100 * one for one in held[k]]), "width": mean_of(width[k])}
        for name, k in (("doubled", 2), ("fourfold", 4))
    }


def more_labels(of_class: Sequence[Places], known: int, wanted: int, rng: np.random.Generator) -> tuple[Places, Places]:
    """Others beside the known ones as labelled, and all the rest."""
    mixed = [np.concatenate([places[:known], rng.permutation(places[known:])]) for places in of_class]
    return np.concatenate([p[:wanted] for p in mixed]), np.concatenate([p[wanted:] for p in mixed])


def by_class(recordings: Sequence[Recording]) -> Iterator[Places]:
    for label in sorted({str(r.label) for r in recordings}):
        yield np.array([i for i, r in enumerate(recordings) if r.label == label])


@cache
def looked_at(dataset: str, stores: Path, machine: str = "") -> Data:
    """With `machine`, the recordings of that one of the dataset `machines`."""
    release = catalog.release(dataset)
    found = release.generate() if release.generate else map(release.with_speed, open_store(stores / dataset))
    chosen = tuple(r for r in found if not machine or r.id.startswith(f"m{machine}_"))
    return Data(chosen, looks_of(chosen))


def thousand(stores: Path) -> dict[str, float]:
    """Recordings of simulated machines as files, a tenth of them labelled."""
    with TemporaryDirectory() as name:
        folder, rows = Path(name), ["file,label,speed,load"]
        several = [r for number in range(100, 112) for r in machines.recordings(machines.machine(number))][:1000]
        for place, one in enumerate(several):
            wavfile.write(folder / f"{place}.wav", int(one.rate), one.signal)
            label = one.label if place % 10 == 0 else ""
            rows.append(f"{place}.wav,{label},{one.condition['speed']},{one.condition['load']}")
        (folder / "labels.csv").write_text("\n".join(rows) + "\n")
        began, worked = time.perf_counter(), sum(os.times()[:4])  # those of child processes, too
        found = read_folder(folder, unlabelled=True)
        advise(found.recordings)
        took = {"seconds": time.perf_counter() - began, "processor_seconds": sum(os.times()[:4]) - worked}
    return {"recordings": len(found.recordings), **{key: round(value, 1) for key, value in took.items()}}


def mean_of(values: Sequence[float]) -> float:
    return round(statistics.fmean(values), 1)


if __name__ == "__main__":
    main()

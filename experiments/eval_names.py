"""Are names wrong as rarely as stated, on rigs and on simulated machines? Adds to trust.json.

    python -m experiments.eval_names STORES

Networks of orders as in `eval_trust.py`. Some recordings of every class, drawn at random, are labelled and calibrate,
and the others are judged. Of each rig that is a half, four times over. Of each of 50 simulated machines it is a half at
one load, and ten of twelve at all loads. Shares are in percent, and bounds as in `eval_sets.py`; a component is a
recording where nobody names one, and a world is a fit.

`ten` are the fits for which ten or more units of each class were held out, and `all` is everything.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from dualres.bench.campaign.rigs import RIGS
from dualres.judge.trust.calibration import NAMED, NONE_OF_THESE
from dualres.judge.trust.conditions import known_of
from dualres.judge.trust.conformal import surprise
from dualres.simulated.machines import machine, recordings
from dualres.utils.files import write_whole
from experiments.eval_sets import ERRORS, Said, named
from experiments.eval_trust import LEARNED, NUMBERS, OUT, Data, Fitted, Shown, shown

SEEDS = (41, 42, 43, 44)
ENOUGH = 10  # held-out units of each class
MACHINES = (("machines", False, 0.5), ("machines, more", True, 10 / 12))

World = tuple[bool, dict[float, list[Said]]]  # whether there were enough units, and what was said at each rate


def main() -> None:
    torch.set_num_threads(1)
    with TemporaryDirectory() as cache:
        rigs = {rig.title: Data(rig, Path(sys.argv[1]), Path(cache)) for rig in RIGS if rig.dataset != "machines"}
        by_dataset = {data.dataset: data for data in rigs.values()}
        worlds = {name: [world(of_rig(data), seed) for seed in SEEDS] for name, data in by_dataset.items()}
        worlds |= {name: [world(of_machine(n, all_), n, share) for n in NUMBERS] for name, all_, share in MACHINES}
    before = json.loads(OUT.read_text()) if OUT.exists() else {}
    write_whole(OUT, (json.dumps({**before, "names": summary(worlds)}, indent=1) + "\n").encode())


def summary(worlds: Mapping[str, Sequence[World]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for error in ERRORS:
        told = {name: [(enough, said[error]) for enough, said in each] for name, each in worlds.items()}
        every = [one for each in told.values() for one in each]
        found[str(error)] = {name: named([said for _, said in each]) for name, each in told.items()}
        found[str(error)]["all"] = named([said for _, said in every])
        found[str(error)]["ten"] = named([said for enough, said in every if enough])
    return found


def of_rig(data: Data) -> list[Shown]:
    return data.whole(sorted({name for fold in data.folds for name in (*fold.evaluation, *fold.supporting())}))


def of_machine(number: int, all_loads: bool) -> list[Shown]:
    load = str(machine(number).loads[-1])
    return [shown(one, LEARNED) for one in recordings(machine(number)) if all_loads or one.condition["load"] == load]


def world(every: Sequence[Shown], seed: int, share: float = 0.5) -> World:
    """Such a share of each class is labelled, in a random order, and the others are judged by what is learned of it."""
    order = np.random.default_rng(seed).permutation(len(every))
    labelled: list[Shown] = []
    judged: list[Shown] = []
    for label in sorted({one.label for one in every}):
        own = [every[i] for i in order if every[i].label == label]
        count = ceil(share * len(own))
        labelled += own[:count]
        judged += own[count:]
    fitted = Fitted(labelled, unit="recording")
    if fitted.calibration is None:
        return False, {error: [] for error in ERRORS}
    held = Counter({one.label: 0 for one in labelled})
    held.update(label for label, _ in {(one.label, one.unit) for one in fitted.calibration.held if one.new})
    return min(held.values()) >= ENOUGH, {error: said_of(fitted, judged, error) for error in ERRORS}


def said_of(fitted: Fitted, judged: Sequence[Shown], error: float) -> list[Said]:
    """What has a promise."""
    calibration, found = fitted.calibration, []
    assert calibration is not None
    for one in judged:
        probabilities, told = fitted.said(one)
        answer = calibration.answer(probabilities, fitted.look(one, told), known_of(one.recording), error=error)
        if answer.promise:
            familiar = answer.kind != NONE_OF_THESE
            sets = calibration.sets(surprise(probabilities), answer.promise, error) if familiar else None
            name = answer.classes[0] if answer.kind == NAMED else None
            component = one.recording.component or one.recording.id
            units = calibration.units_of(answer.promise)
            found.append(Said(answer.promise, units, one.label, component, frozenset(sets or ()), name))
    return found


if __name__ == "__main__":
    main()

"""What is the search worth that a device makes for the speed of a shaft, on the suite of rigs? Prints JSON.

    python -m experiments.eval_device_search STORES

Macro-F1 in percent, the mean over a rig's folds, as `experiments.eval_orders` has it. Told is a speed that is off by up
to 3 %, one factor for a recording, drawn evenly; `exact` is told the true one. `as_told` takes it as it is, `device_11`
and `device_21` try as many speeds around it, as a device does, by the misfit of all windows alone, and `diagnose`
searches as `dualres diagnose` does, by the shaft's own lines as well.
"""

import json
import statistics
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.rigs import RIGS, Rig
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE
from dualres.export.device_speed import factors_found
from dualres.judge.model import Model
from dualres.learn.fold import Fold
from dualres.learn.fold_support import learned_from
from dualres.recordings.recording import Recording
from experiments.eval_orders import OFF, SEED, Found, add, as_stated, fitted, recordings_of, scaled

TRIES = (11, 21)


def main() -> None:
    stores, rigs = Path(sys.argv[1]), {}
    with TemporaryDirectory() as cache:
        for rig in (one for one in RIGS if one.real):  # shafts of those that are simulated do not keep their speed
            found = Found()
            for name in rig.folds:
                judge_fold(rig, load_fold(name), stores, Path(cache), found)
            rigs[rig.title] = {known: round(statistics.fmean(each), 2) for known, each in found.scores.items()}
            print(rig.title, rigs[rig.title], file=sys.stderr)
    print(json.dumps(rigs, indent=1))


def judge_fold(rig: Rig, fold: Fold, stores: Path, cache: Path, found: Found) -> None:
    source = DatasetSignals(fold.dataset, stores, cache, POLYPHASE)
    labelled = [replace(one, speed=as_stated(one)) for one in recordings_of(source, learned_from(fold, rig.budget))]
    names, rng = list(fold.evaluation), np.random.default_rng(SEED)
    exact = dict(zip(names, source.at_rate(names), strict=True))
    off = {name: scaled(one, rng.uniform(1 - OFF, 1 + OFF), exact=True) for name, one in exact.items()}
    model = fitted(rig, fold, labelled)
    ways = {
        "exact": {name: scaled(one, 1.0, exact=True) for name, one in exact.items()},
        "as_told": off,
        **{f"device_{tries}": {name: by_device(model, one, tries) for name, one in off.items()} for tries in TRIES},
        "diagnose": {name: replace(one, speed=as_stated(one)) for name, one in off.items()},
    }
    for known, given in ways.items():
        add(found, known, (model, fold), given, exact)


def by_device(model: Model, told: Recording, tries: int) -> Recording:
    """At the speed that a device finds, of one that it is told."""
    assert told.speed
    factor = factors_found(model, replace(told, speed=None, speedless=True), told.speed.hz[0], tries)[0]
    return scaled(told, factor, exact=True)


if __name__ == "__main__":
    main()

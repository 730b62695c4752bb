"""What is a baseline worth (`dualres diagnose --healthy`)? On PHM2009, whose good gearboxes set it. Prints JSON.

    python -m experiments.eval_baseline STORES > results/measured/healthy.json

A network of orders learns from a fold's support. The good gearbox's judged recordings at one load set the baseline, and
the faulty gearboxes of its family at that load are judged, with it and without. Macro-F1 in percent over the faults of
a family, mean over folds, families and loads; `seconds` is how long a baseline is, on average.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE, ModelConfig
from dualres.judge.healthy_baseline import with_baseline
from dualres.judge.model import Model
from dualres.judge.verdict import recording_scores
from dualres.learn.fit import fit_support
from dualres.learn.fold import Budget
from dualres.learn.fold_support import gather_support, learned_from
from dualres.metrics import class_f1, confusion
from dualres.model.kinds import ORDERS
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording

BUDGET = Budget(3, 4)
FAMILIES = {"spur": "S", "helical": "H"}  # how recordings, and how classes are named; the first class is good


def main() -> None:
    before, after, seconds = [], [], []
    with TemporaryDirectory() as cache:
        for name in ("P1", "P2"):
            fold = load_fold(name)
            source = DatasetSignals(fold.dataset, Path(sys.argv[1]), Path(cache), POLYPHASE)
            support = gather_support(
                fold, source.at_rate([one for _, one in learned_from(fold, BUDGET)]), BUDGET, ModelConfig()
            )
            card = Card(fold.classes, ModelConfig(), None, 41, POLYPHASE, support.seconds, method=ORDERS.method)
            model, _ = fit_support(support, card)
            judged = list(source.at_rate(fold.evaluation))
            for family, letter in FAMILIES.items():
                for load in ("high", "low"):
                    here = [r for r in judged if re.match(rf"{family}\d_\d+hz_{load}", r.id)]
                    healthy = [r for r in here if r.label == f"{letter}1"]
                    faulty = [r for r in here if r.label != f"{letter}1"]
                    baseline = with_baseline(model, healthy, f"{letter}1")
                    before.append(score(model, faulty))
                    after.append(score(baseline.model, faulty))
                    seconds.append(baseline.seconds)
    found = {"without": before, "with": after, "seconds": seconds}
    means = {key: round(statistics.fmean(values), 1) for key, values in found.items()}
    gained = [b - a for a, b in zip(before, after, strict=True)]
    print(json.dumps(means | {"gain": round(statistics.fmean(gained), 1), "better": sum(g > 0 for g in gained)}))


def score(model: Model, recordings: list[Recording]) -> float:
    """Macro-F1 in percent over the classes of the recordings."""
    truth = [model.classes.index(str(r.label)) for r in recordings]
    named = [int(recording_scores(model, r)[0].argmax()) for r in recordings]
    each = class_f1(confusion(truth, named, len(model.classes)))
    return 100 * statistics.fmean(float(each[c]) for c in sorted(set(truth)))


if __name__ == "__main__":
    main()

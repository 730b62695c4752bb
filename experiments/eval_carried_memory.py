"""What is it worth to carry the memory of the paper's network from window to window of a stream? Prints JSON.

    python -m experiments.eval_carried_memory STORES 41 > results/measured/carried_memory.json

The paper's network is fitted by the paper's recipe, with budgets and folds of the study `rigs`, once for each seed that
is given. Every judged recording then passes through two monitors, whole: one begins each window with an empty memory,
as the paper does (`reset`), the other goes on from the window before (`carried`). STORES holds phm2009, cwru, cwru_12k
and uestc; the simulated rig needs none.

Of each rig, over its folds and seeds: macro-F1 in percent of windows, of blocks of 5 s and of recordings (the mean over
all windows); the share of windows that get another name (`changed`), and how far the probability of a name moves, on
average and at most. A recording's first window is the same either way and is left out of the three; `seconds` is how
long recordings are. `half_life_ms` is how long the memory lasts there: of the median channel, and of the one that
forgets least, whose share of a carried state that is left at the window's last token is `left`.
"""

import json
import statistics
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.rigs import RIGS, Rig
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE, RECIPES, ModelConfig
from dualres.judge.backends import Scores
from dualres.judge.model import Model
from dualres.learn.fit import fit_support
from dualres.learn.fold import Fold
from dualres.learn.fold_support import gather_support, learned_from
from dualres.metrics import confusion, macro_f1
from dualres.model.kinds import PAPER
from dualres.model.reference.memory import coefficients
from dualres.model.reference.network import features, normed
from dualres.model.reference.spectra import aligned_spectra
from dualres.model.weights import NetworkWeights, Weights
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording, Samples
from dualres.stream import Monitor
from dualres.utils.arrays import Exact

WAYS, KINDS = ("reset", "carried"), ("window", "block", "recording")
Named = dict[tuple[str, str], list[tuple[int, int]]]  # by kind and way: the class, and the verdict


@dataclass
class Found:
    """Of one rig, by the way in which it was judged and by what."""

    scores: dict[str, list[float]] = field(default_factory=dict)
    changed: list[float] = field(default_factory=list)  # of windows, whether they got another name
    moved: list[float] = field(default_factory=list)  # of windows, the largest change of a probability
    seconds: list[float] = field(default_factory=list)  # of recordings
    half_lives_ms: list[Exact] = field(default_factory=list)  # (width,) of each recording's first window
    left: list[float] = field(default_factory=list)  # likewise


def main() -> None:
    stores, seeds = Path(sys.argv[1]), [int(one) for one in sys.argv[2:]] or [41]
    rigs = {}
    with TemporaryDirectory() as cache:
        for rig in RIGS:
            if rig.title.startswith("Machines"):  # the paper's network is near chance on them
                continue
            found = Found()
            for name in rig.folds:
                for seed in seeds:
                    judge_fold(rig, load_fold(name), (stores, Path(cache)), seed, found)
            rigs[rig.title] = told(found)
            print(rig.title, rigs[rig.title], file=sys.stderr, flush=True)
    mean = {key: {way: mean_of(float(rig[key][way]) for rig in rigs.values()) for way in WAYS} for key in KINDS}
    print(json.dumps({"seeds": seeds, "rigs": rigs, "mean": mean}, indent=1))


def judge_fold(rig: Rig, fold: Fold, places: tuple[Path, Path], seed: int, found: Found) -> None:
    source, config = DatasetSignals(fold.dataset, *places, POLYPHASE), ModelConfig()
    labelled = [replace(source.at_rate([name])[0], label=label) for label, name in learned_from(fold, rig.budget)]
    support = gather_support(fold, labelled, rig.budget, config)
    recipe = replace(RECIPES["paper"], updates=rig.updates)
    card = Card(fold.classes, config, recipe, seed, POLYPHASE, support.seconds, method=PAPER.method)
    model, named = fit_support(support, card)[0].without_torch(), Named()
    for recording in source.at_rate(fold.evaluation):
        judge(model, recording, named, found)
    for (kind, way), pairs in named.items():
        score = 100 * macro_f1(confusion(*zip(*pairs, strict=True), len(fold.classes)))
        found.scores.setdefault(f"{kind} {way}", []).append(score)


def judge(model: Model, recording: Recording, named: Named, found: Found) -> None:
    """One recording both ways."""
    signal, truth, later = recording.signal, model.classes.index(str(recording.label)), list[Scores]()
    for way in WAYS:
        monitor = Monitor(model, recording.rate, carry_memory=way == "carried")
        events = [*monitor.push(signal), *monitor.finish()]
        shares = {
            kind: np.array([[*one.probabilities.values()] for one in events if one.kind == kind]) for kind in KINDS
        }
        shares["recording"] = shares["window"].mean(0, keepdims=True)
        for kind, rows in shares.items():
            named.setdefault((kind, way), []).extend((truth, int(row.argmax())) for row in rows)
        later.append(shares["window"][1:])
    found.changed += (later[0].argmax(1) != later[1].argmax(1)).tolist()
    found.moved += np.abs(later[1] - later[0]).max(1).tolist()
    found.seconds.append(len(signal) / float(recording.rate))
    damping = damping_of(model.weights, signal[: model.card.config.window])
    found.half_lives_ms.append(1000 * np.log(2) / damping.mean(0) / model.card.config.token_rate)
    found.left.append(float(np.exp(-damping.sum(0)).max()))


def damping_of(weights: NetworkWeights, window: Samples) -> Exact:
    """Of every token of a window, (tokens, width)."""
    assert isinstance(weights, Weights)
    spectra = aligned_spectra(window[None].astype(np.float64), weights.config)
    return coefficients(weights, normed(weights, features(weights, *spectra))).delta[0]


def told(found: Found) -> dict[str, Any]:
    lives, scores = np.array(found.half_lives_ms), found.scores
    return {
        "seconds": round(statistics.fmean(found.seconds), 1),
        "windows": len(found.changed),
        **{kind: {way: mean_of(scores[f"{kind} {way}"]) for way in WAYS} for kind in KINDS},
        "changed": round(float(np.mean(found.changed)), 4),
        "moved": {"mean": round(float(np.mean(found.moved)), 4), "most": round(max(found.moved), 4)},
        "half_life_ms": {"median": round(float(np.median(lives)), 1), "longest": round(float(lives.max()), 1)},
        "left": float(f"{max(found.left):.2g}"),
    }


def mean_of(values: Iterable[float]) -> float:
    return round(statistics.fmean(values), 2)


if __name__ == "__main__":
    main()

"""What is knowing the speed worth to the network of orders, on the suite of rigs? Prints JSON.

    python -m experiments.eval_orders STORES > results/measured/orders.json

Macro-F1 in percent, the mean over a rig's folds, with budgets and folds of the study `rigs`. STORES holds phm2009,
cwru, cwru_12k and uestc; the simulated rigs need none. What is known of the judged recordings' speeds:

* `stated`: as the release states it, taken for a speed that may be off by 2 % (a standard deviation);
* `exact`: the same, taken as it is; `off`: off by up to 3 %, one factor for a recording, drawn evenly;
* `off_as_is`: likewise, but taken as it is; `not_given`: nothing, so that it is searched for or not used;
* `estimated`: by `estimate_speed` where that is sure, elsewhere nothing; `refused`: nothing, and none is searched for.

`nowhere` is `not_given` with no speed of the labelled recordings either, which `lined_up` gives some; `without` is that
with none searched for at all. `sure` and `sure_right` are of `not_given`: the share of recordings that were judged at a
speed, and the share of these whose speed was within 2 % of the stated one. UESTC states speeds that its recordings miss
by up to 8 %. The simulated rig's speeds change while it is recorded; `off` scales them.
"""

import json
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.rigs import RIGS, Rig
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE, ModelConfig
from dualres.faultlines.speed_estimate import estimate_speed
from dualres.faultlines.speed_evidence import MOST_S
from dualres.judge.model import Model
from dualres.judge.turning import unsearched_speeds
from dualres.judge.verdict import window_scores
from dualres.learn.fit import fit_support
from dualres.learn.fold import Fold
from dualres.learn.fold_support import gather_support, learned_from
from dualres.learn.line_up import lined_up
from dualres.metrics import confusion, macro_f1
from dualres.model.kinds import ORDERS
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.speed import Speed

OFF = 0.03
WITHIN = 0.02
SEED = 41
Known = Callable[[Recording, Recording], Recording]  # a recording to be judged, and as it was recorded


@dataclass
class Found:
    """Of one rig."""

    scores: dict[str, list[float]] = field(default_factory=dict)  # by what is known, of each fold
    at_a_speed: list[bool] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)  # of those that were judged at a speed


def main() -> None:
    stores = Path(sys.argv[1])
    rigs = {}
    with TemporaryDirectory() as cache:
        for rig in RIGS:
            found = Found()
            for name in rig.folds:
                judge_fold(rig, load_fold(name), stores, Path(cache), found)
            means = {known: round(statistics.fmean(each), 2) for known, each in found.scores.items()}
            sure = {"sure": round(float(np.mean(found.at_a_speed)), 3), "sure_right": share(found.right)}
            rigs[rig.title] = means | sure
            print(rig.title, rigs[rig.title], file=sys.stderr)
    known = [name for name in next(iter(rigs.values())) if not name.startswith("sure")]
    mean = {name: round(statistics.fmean(float(rig[name] or 0) for rig in rigs.values()), 2) for name in known}
    print(json.dumps({"rigs": rigs, "mean": mean}, indent=1))


def judge_fold(rig: Rig, fold: Fold, stores: Path, cache: Path, found: Found) -> None:
    source = DatasetSignals(fold.dataset, stores, cache, POLYPHASE)
    labelled = [replace(one, speed=as_stated(one)) for one in recordings_of(source, learned_from(fold, rig.budget))]
    native = {name: source.native(name) for name in fold.evaluation}
    judged = {
        name: replace(one, speed=as_stated(one)) for name, one in zip(native, source.at_rate(native), strict=True)
    }
    rng = np.random.default_rng(SEED)
    ways: dict[str, Known] = {
        "stated": lambda one, _: one,
        "exact": lambda one, _: scaled(one, 1.0, exact=True),
        "off": lambda one, _: scaled(one, rng.uniform(1 - OFF, 1 + OFF)),
        "off_as_is": lambda one, _: scaled(one, rng.uniform(1 - OFF, 1 + OFF), exact=True),
        "not_given": lambda one, _: replace(one, speed=None),
        "estimated": estimated,
        "refused": lambda one, _: replace(one, speed=None, speedless=True),
    }
    model = fitted(rig, fold, labelled)
    for known, as_known in ways.items():
        given = {name: as_known(one, native[name]) for name, one in judged.items()}
        add(found, known, (model, fold), given, judged)
    originals = recordings_of(source, learned_from(fold, rig.budget), at_rate=False)
    unknown, _ = lined_up([replace(one, speed=None) for one in originals])
    nowhere = [replace(one, speed=heard.speed) for one, heard in zip(labelled, unknown, strict=True)]
    not_given = {name: replace(one, speed=None) for name, one in judged.items()}
    add(found, "nowhere", (fitted(rig, fold, nowhere), fold), not_given, judged)
    without = fitted(rig, fold, [replace(one, speed=None) for one in labelled])
    add(found, "without", (without, fold), not_given, judged)


def recordings_of(
    source: DatasetSignals, chosen: list[tuple[str, str]], *, at_rate: bool = True
) -> Iterator[Recording]:
    for label, name in chosen:
        one = source.at_rate([name])[0] if at_rate else source.native(name)
        yield replace(one, label=label)


def as_stated(recording: Recording) -> Speed | None:
    """Its speed, as somebody states it who did not measure."""
    return recording.speed and replace(recording.speed, source="stated", spread=None)


def scaled(recording: Recording, factor: float, *, exact: bool = False) -> Recording:
    assert recording.speed
    spread = 0.0 if exact else None
    return replace(recording, speed=replace(recording.speed.geared(factor), spread=spread))


def estimated(recording: Recording, native: Recording) -> Recording:
    rate = float(native.rate)
    heard = estimate_speed(axes_of(native)[0].signal[: int(MOST_S * rate)], rate)
    return replace(recording, speed=Speed((heard.hz,), source="estimated") if heard.sure else None)


def fitted(rig: Rig, fold: Fold, labelled: list[Recording]) -> Model:
    support = gather_support(fold, labelled, rig.budget, ModelConfig())
    card = Card(fold.classes, ModelConfig(), None, SEED, POLYPHASE, support.seconds, method=ORDERS.method)
    return fit_support(support, card)[0]


def add(
    found: Found, known: str, by: tuple[Model, Fold], given: dict[str, Recording], stated: dict[str, Recording]
) -> None:
    """Judge them, and keep the score, and of what is not given how it was found."""
    model, fold = by
    classes, truth, verdicts = model.classes, list[int](), list[int]()
    for name, recording in given.items():
        speeds = unsearched_speeds(model, recording)
        scores = window_scores(model, recording, fold.evaluation_windows, speeds=speeds)
        truth.append(classes.index(str(recording.label)))
        verdicts.append(int(scores.mean(0).argmax()))
        if known == "not_given":
            heard, true = speeds.found() if speeds else None, stated[name].speed
            found.at_a_speed.append(heard is not None)
            if heard and true:
                found.right.append(abs(heard.mean_hz / true.mean_hz - 1) < WITHIN)
    score = 100 * macro_f1(confusion(truth, verdicts, len(classes)))
    found.scores.setdefault(known, []).append(score)


def share(right: list[bool]) -> float | None:
    return round(float(np.mean(right)), 3) if right else None


if __name__ == "__main__":
    main()

"""Do stated error rates hold, what do they cost, and is the unknown noticed? Writes results/measured/trust.json.

    python -m experiments.eval_trust STORES [coverage] [rigs] [unknown]

Networks of orders learn from supports and are calibrated by what `dualres fit` would hold out of these. Of every
recording at most six windows are looked at, once, at its stated speed as it is. Shares are in percent.

* `coverage`: 50 simulated machines that nothing was chosen on, at one load, every specimen held out. Some units set the
  limit and the others are compared with it, 1,000 times at random: machine by machine, and out of all machines. `sure`
  is the share of splits that cover 90 % with `--sure 0.9`.
* `rigs`: a fold's support calibrates and its recordings are judged, apart where nothing is promised. `halves` labels a
  random half of each rig's recordings instead.
* `unknown`: every class is left out in turn. Then noise, silence, a wrong rate and other machines. `views` in the file
  is what it found of networks of views.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.rigs import RIGS, Rig
from dualres.bench.datasets.folds import Fold, load_fold
from dualres.config import POLYPHASE, ModelConfig
from dualres.judge.trust.calibration import (
    NAMED,
    NO_PROMISE,
    NONE_OF_THESE,
    WITHOUT,
    Answer,
    Calibration,
    held_out,
    known_of,
)
from dualres.judge.trust.conformal import fitted_temperature, limit, rank, tempered
from dualres.judge.trust.novelty import NoveltyFeatures, Told, compared, of_orders, recorded
from dualres.judge.trust.standing import HZ, ORDER, HeldOutLogs, Standing, fitted_standing
from dualres.kernel.orders import looks_of
from dualres.learn.calibrate import bound_to
from dualres.learn.closed_form import fit_looks
from dualres.learn.fold_support import learned_from
from dualres.learn.holdout import RECORDING, HoldOutError, Rounds, plan_rounds
from dualres.learn.support import hz_at
from dualres.model.reference.orders import Looks, of_looks
from dualres.model.views.order_network import OrdersNetwork
from dualres.model.views.order_weights import OrdersWeights
from dualres.recordings.recording import Recording
from dualres.recordings.windows import at_rate, cut, spread
from dualres.simulated.machines import machine, recordings
from dualres.utils.arrays import Exact
from dualres.utils.files import write_whole

OUT = Path(__file__).parents[1] / "results" / "measured" / "trust.json"
CONFIG = ModelConfig()
NUMBERS = range(100, 150)  # machines; how the unknown is scored was chosen on 20 to 27, 150 to 157 and 200 to 217
LEARNED, JUDGED = 4, 6  # windows of a recording at most
ERROR, SURE, SPLITS = 0.1, 0.9, 1000
WITHIN, ACROSS = {"component": 9, "recording": 29}, 99  # units that calibrate, of one machine and of all
REPEATED = "repeat"  # counts the recordings of PHM2009; nobody would call it an operating condition
ODD = 20  # of each kind


def main() -> None:
    torch.set_num_threads(1)
    stores, *parts = sys.argv[1:]
    with TemporaryDirectory() as cache:
        rigs = {rig.title: Data(rig, Path(stores), Path(cache)) for rig in RIGS if rig.dataset != "machines"}
        for part in parts or ("coverage", "rigs", "unknown"):
            measured = {"coverage": coverage, "rigs": rigs_kept, "unknown": unknown}[part](rigs)
            before = json.loads(OUT.read_text()) if OUT.exists() else {}
            write_whole(OUT, (json.dumps({**before, part: measured}, indent=1) + "\n").encode())


@dataclass(frozen=True)
class Shown:
    """A recording whose windows were looked at once."""

    recording: Recording
    seen: Looks
    hz: Exact  # of the shaft in each window, NaN where that is not known
    recorded: tuple[float, float, float]  # level, bandwidth and rate of a look

    @property
    def label(self) -> str:
        return str(self.recording.label)


def shown(recording: Recording, most: int = JUDGED) -> Shown:
    signal = at_rate(recording, CONFIG.rate, CONFIG.window)
    starts = spread(len(signal), CONFIG.window, most)
    windows = cut(signal, starts, CONFIG.window)
    level, bandwidth = recorded(windows, CONFIG.rate, CONFIG.rate).mean(0).tolist()
    kept = level, bandwidth, float(np.log2(float(recording.rate)))
    return Shown(recording, looks_of(CONFIG, windows), hz_at(recording, starts, CONFIG), kept)


Held = tuple[Shown, str, bool, list[float], Told]  # its unit, whether that is new, and what was said of it


class Fitted:
    """A network of orders, as `dualres fit` makes it, and what was held out for it."""

    def __init__(self, support: Sequence[Shown], calibrate: bool = True, unit: str | None = None) -> None:
        self.classes, self._support = tuple(sorted({one.label for one in support})), support
        self.held: list[Held] = []
        self.standings: dict[str, Standing] = {}
        self.calibration: Calibration | None = None
        if calibrate:
            self._calibrate(support, unit)

    @cached_property
    def weights(self) -> OrdersWeights:
        picked = [_some(one, LEARNED) for one in self._support]
        labels = np.repeat([self.classes.index(o.label) for o in self._support], [len(some) for some in picked])
        looks = [one.seen.of(some) for one, some in zip(self._support, picked, strict=True)]
        spectra, swings, lines = (torch.from_numpy(np.concatenate(each)) for each in zip(*looks, strict=True))
        hz = np.concatenate([one.hz[some] for one, some in zip(self._support, picked, strict=True)])
        network = fit_looks((spectra, swings, lines), labels, OrdersNetwork(len(self.classes), CONFIG), hz=hz)
        return OrdersWeights(CONFIG, {name: tensor.numpy() for name, tensor in network.state_dict().items()})

    def said(self, one: Shown) -> tuple[list[float], Told]:
        probabilities = np.exp(of_looks(self.weights, one.seen, one.hz)).mean(0).tolist()
        return probabilities, of_orders(self.weights, one.seen, one.hz)

    def look(self, one: Shown, told: Told) -> NoveltyFeatures:
        return NoveltyFeatures(*compared(told, self.standings).mean(0).tolist(), *one.recorded)

    def answer(self, one: Shown) -> tuple[str, Answer]:
        probabilities, told = self.said(one)
        label = self.classes[int(np.argmax(probabilities))]
        if self.calibration is None:
            return label, Answer(NO_PROMISE, (), ERROR, reason=WITHOUT)
        look = self.look(one, told)
        return label, self.calibration.answer(probabilities, look, known_of(one.recording), error=ERROR)

    def novelty(self, one: Shown) -> tuple[float, bool]:
        """How new a recording is, and whether it is said to be none of the classes; conditions are not known."""
        assert self.calibration
        probabilities, told = self.said(one)
        look = self.look(one, told)
        beyond = bool(self.calibration.beyond(look))
        said = self.calibration.answer(probabilities, look, error=ERROR).kind
        return look.distance + 1000 * beyond, said == NONE_OF_THESE

    def _calibrate(self, support: Sequence[Shown], unit: str | None) -> None:
        every = [one.recording for one in support]
        if (rounds := _rounds(every, unit)) is None:
            return
        self.held = self._held(support, rounds)
        for axis, by_order in ((HZ, False), (ORDER, True)):
            logs = [
                HeldOutLogs(self.classes.index(one.label), told.logs[told.by_order == by_order])
                for one, *_, told in self.held
                if (told.by_order == by_order).any()
            ]
            if standing := fitted_standing(logs, len(self.classes)):
                self.standings[axis] = standing
        narrower = _rounds(every, RECORDING) if rounds.unit != RECORDING else None
        others = [self._question(narrower, self._held(support, narrower), every)] if narrower else []
        self.calibration = self._question(rounds, self.held, every).asking(others)

    def _held(self, support: Sequence[Shown], rounds: Rounds) -> list[Held]:
        held = []
        for out in rounds.held_out:
            model = Fitted([one for one in support if one.recording.id not in out], calibrate=False)
            for one in support:
                if (name := one.recording.id) in out:
                    held.append((one, rounds.units[name], name not in rounds.easier, *model.said(one)))
        return held

    def _question(self, rounds: Rounds, held: Sequence[Held], every: Sequence[Recording]) -> Calibration:
        kept = [
            held_out(self.classes, one.label, unit, new, probabilities=said, look=self.look(one, told))
            for one, unit, new, said, told in held
        ]
        temperature = temperature_of(self.classes, held)
        return Calibration(self.classes, rounds.unit, tuple(kept), temperature, bound_to(rounds, every))


def temperature_of(classes: Sequence[str], held: Sequence[Held]) -> float:
    truth = [classes.index(one.label) for one, *_ in held]
    return fitted_temperature([said for *_, said, _ in held], truth, [unit for _, unit, *_ in held])


def _rounds(every: Sequence[Recording], unit: str | None) -> Rounds | None:
    try:
        return plan_rounds(every, unit)
    except HoldOutError:
        return None


def _some(one: Shown, most: int) -> Any:
    """Numbers of windows, evenly spread."""
    return np.linspace(0, len(one.hz) - 1, min(most, len(one.hz))).round().astype(int)


class Data:
    """A rig's folds, and its recordings at the model's rate."""

    def __init__(self, rig: Rig, stores: Path, cache: Path) -> None:
        self.folds, self.dataset, self._budget = [load_fold(name) for name in rig.folds], rig.dataset, rig.budget
        self._source = DatasetSignals(rig.dataset, stores, cache, POLYPHASE)
        self._shown: dict[str, Shown] = {}

    def whole(self, names: Iterable[str]) -> list[Shown]:
        return [self._shown.get(name) or self._shown.setdefault(name, shown(self._get(name))) for name in names]

    def support(self, fold: Fold) -> list[Shown]:
        """The labelled seconds alone, window beside window."""
        start = fold.support_start_s * CONFIG.rate
        end = start + int((self._budget.windows - 1) * fold.support_step * CONFIG.window) + CONFIG.window
        found = []
        for label, name in learned_from(fold, self._budget):
            one = self._get(name)
            found.append(shown(replace(one, load=partial(_part, one, start, end), label=label)))
        return found

    def _get(self, name: str) -> Recording:
        (one,) = self._source.at_rate([name])
        return replace(one, condition={key: value for key, value in one.condition.items() if key != REPEATED})


def _part(recording: Recording, start: int, end: int) -> Any:
    return np.array(recording.signal[start:end])


def coverage(_: object) -> dict[str, Any]:
    """Re-splits of held-out scores."""
    pools: list[list[list[float]]] = []
    gaps: dict[str, list[float]] = defaultdict(list)
    for number in NUMBERS:
        load = str(machine(number).loads[-1])
        every = [shown(one, LEARNED) for one in recordings(machine(number)) if one.condition["load"] == load]
        fitted = Fitted(every, unit="component")
        assert fitted.calibration
        units = defaultdict(list)
        for one in fitted.calibration.held:
            units[one.unit].append(one.surprise)
        pools.append(list(units.values()))
        for name, gap in reliability(fitted).items():
            gaps[name].append(gap)
    rng, found = np.random.default_rng(41), {}
    single = [[[score] for unit in pool for score in unit] for pool in pools]
    for unit, each in (("component", pools), ("recording", single)):
        every_unit = [one for pool in each for one in pool]
        within = [share for pool in each for share in resplit(pool, WITHIN[unit], SPLITS // len(pools), rng)]
        across = {sure: resplit(every_unit, ACROSS, SPLITS, rng, sure=sure) for sure in (None, SURE)}
        found[unit] = {
            "units": len(every_unit),
            "within": percent(within),
            "across": percent(across[None]),
            "across_kept": percent([share >= 1 - ERROR for share in across[None]]),
            "sure_kept": percent([share >= 1 - ERROR for share in across[SURE]]),
        }
    return {"machines": len(pools), **found, "gap": {name: percent(values) for name, values in gaps.items()}}


def resplit(
    pool: Sequence[Sequence[float]], count: int, splits: int, rng: np.random.Generator, *, sure: float | None = None
) -> list[float]:
    """The share of the other units, each one's recordings weighing as much, within the limit that `count` units set."""
    k, shares = rank(count, ERROR, sure), []
    assert k is not None
    for _ in range(splits):
        order = rng.permutation(len(pool))
        most = limit([pool[i] for i in order[:count]], k)
        shares.append(statistics.fmean(sum(s <= most for s in pool[i]) / len(pool[i]) for i in order[count:]))
    return shares


def reliability(fitted: Fitted) -> dict[str, float]:
    """How far probabilities are from how often they are right, before and after a temperature from other classes."""
    said: dict[str, list[float]] = defaultdict(list)
    right = []
    for label in fitted.classes:
        others = [held for held in fitted.held if held[0].label != label]
        temperature = temperature_of(fitted.classes, others)
        for one, *_, shares, _ in (held for held in fitted.held if held[0].label == label):
            said["before"].append(max(shares))
            said["after"].append(float(tempered(shares, temperature).max()))
            right.append(fitted.classes[int(np.argmax(shares))] == one.label)
    gaps = {}
    for name, claimed in said.items():
        bins = np.minimum(10 * np.array(claimed), 9).astype(int)
        sums = np.bincount(bins, np.array(claimed) - np.array(right))
        gaps[name] = float(np.abs(sums).sum() / len(bins))
    return gaps


Answered = list[tuple[Shown, str, Answer]]


def rigs_kept(rigs: Mapping[str, Data]) -> dict[str, Any]:
    """What answers are worth on every rig."""
    found: dict[str, Any] = {"folds": {}, "halves": {}}
    for title, data in rigs.items():
        answered: Answered = []
        for fold in data.folds:
            fitted = Fitted(data.support(fold))
            answered += [(one, *fitted.answer(one)) for one in data.whole(fold.evaluation)]
        promised = [each for each in answered if each[2].promise]
        others = [each for each in answered if not each[2].promise]
        found["folds"][title] = {"promised": worth(promised), "not_promised": worth(others)}
        if data.dataset not in found["halves"]:
            found["halves"][data.dataset] = worth(halves(data))
    return found


def halves(data: Data) -> Answered:
    """A random half of every class's recordings is labelled, and the others are judged; twice."""
    names = {name for fold in data.folds for name in (*fold.evaluation, *fold.supporting())}
    every, answered = data.whole(sorted(names)), []
    for seed in (41, 42):
        order = np.random.default_rng(seed).permutation(len(every))
        labelled: list[Shown] = []
        judged: list[Shown] = []
        for label in sorted({one.label for one in every}):
            own = [every[i] for i in order if every[i].label == label]
            labelled += own[: (len(own) + 1) // 2]
            judged += own[(len(own) + 1) // 2 :]
        fitted = Fitted(labelled, unit="recording")
        answered += [(one, *fitted.answer(one)) for one in judged]
    return answered


def worth(answered: Answered) -> dict[str, Any] | None:
    if not answered:
        return None
    named = [label == one.label for one, label, answer in answered if answer.kind == NAMED]
    sets = [(one.label, answer.classes) for one, _, answer in answered if answer.classes]
    kinds = [answer.kind for *_, answer in answered]
    return {
        "recordings": len(answered),
        "right": percent([label == one.label for one, label, _ in answered]),
        "covered": percent([label in classes for label, classes in sets]) if sets else None,
        "mean_set": round(statistics.fmean(len(classes) for _, classes in sets), 2) if sets else None,
        "named": percent([kind == NAMED for kind in kinds]),
        "named_right": percent(named) if named else None,
        "none_of_these": percent([kind == NONE_OF_THESE for kind in kinds]),
        "no_promise": percent([kind == NO_PROMISE for kind in kinds]),
        "promises": sorted({answer.promise or "none" for *_, answer in answered}),
    }


def unknown(rigs: Mapping[str, Data]) -> dict[str, Any]:
    """Classes that were left out, and what is of no class at all."""
    found: dict[str, Any] = {"left_out": {}, "odd": {}}
    for title, data in rigs.items():
        areas: dict[str, float] = {}
        flags: dict[bool, list[bool]] = {True: [], False: []}  # of new and of familiar recordings
        for fold in data.folds:
            support, judged = data.support(fold), data.whole(fold.evaluation)
            if len(support) == len(fold.classes):  # a single recording of a class cannot be held out
                support, judged = judged, data.whole(sorted(fold.supporting()))
            loads = {load_of(one) for one in support}
            judged = [one for one in judged if load_of(one) in loads]
            for label in fold.classes:
                fitted = Fitted([one for one in support if one.label != label])
                if fitted.calibration is None:
                    continue
                scored = {new: [fitted.novelty(o) for o in judged if (o.label == label) == new] for new in flags}
                if all(scored.values()):
                    areas[f"{fold.fold} {label}"] = auroc(*([value for value, _ in scored[new]] for new in flags))
                    for new, some in scored.items():
                        flags[new] += [flag for _, flag in some]
        if areas:
            found["left_out"][title] = {
                "mean": percent(list(areas.values())),
                "worst": percent([min(areas.values())]),
                "new_flagged": percent(flags[True]),
                "familiar_flagged": percent(flags[False]),
                "classes": {name: percent([area]) for name, area in areas.items()},
            }
        support = data.support(data.folds[0])
        fitted = Fitted(support)
        if fitted.calibration:
            others = [other for other in rigs.values() if other.dataset != data.dataset]
            found["odd"][title] = odd_flagged(fitted, support, others)
    return found


def load_of(one: Shown) -> str | None:
    return one.recording.condition.get("load")


def odd_flagged(fitted: Fitted, support: Sequence[Shown], others: Sequence[Data]) -> dict[str, float]:
    """The share of each kind that is said to be none of the classes."""
    rng, familiar = np.random.default_rng(41), [one.recording for one in support[:ODD]]
    level, samples = float(np.std(familiar[0].signal)), 4 * CONFIG.window
    rate = familiar[0].rate
    white = rng.standard_normal((ODD, samples))
    pink = np.fft.irfft(np.fft.rfft(white) / np.sqrt(1 + np.arange(samples // 2 + 1)), samples)
    kinds: dict[str, list[Recording]] = {
        "white noise": [made(level * row, rate) for row in white],
        "pink noise": [made(level * row / row.std(), rate) for row in pink],
        "silence": [made(1e-4 * level * row, rate) for row in white],
        "twice the rate": [made(np.tile(one.signal, 2), 2 * one.rate) for one in familiar],
        "half the rate": [made(one.signal, one.rate / 2) for one in familiar],
        "simulated machines": [one for number in (160, 161, 162) for one in recordings(machine(number))[::12]],
    }
    shown_ones = {kind: [shown(one, LEARNED) for one in members] for kind, members in kinds.items()}
    shown_ones["other rigs"] = [one for other in others for one in other.whole(other.folds[0].evaluation[::4])]
    return {kind: percent([fitted.novelty(one)[1] for one in members]) for kind, members in shown_ones.items()}


def made(signal: Any, rate: Fraction) -> Recording:
    return Recording.from_array(np.asarray(signal, np.float32), rate)


def auroc(new: Sequence[float], familiar: Sequence[float]) -> float:
    """How often something new scores higher than something familiar."""
    difference = np.asarray(new)[:, None] - np.asarray(familiar)
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


def percent(shares: Sequence[float]) -> float:
    return round(100 * statistics.fmean(map(float, shares)), 1)


if __name__ == "__main__":
    main()

"""Are reasons right (`dualres explain`)? Prints JSON.

    python -m experiments.eval_explain STORES > results/measured/explanation.json

Names of sections after STORES choose among them. Of each kind of network, `sums`: how far regions, and how far moments,
of a window are at most from adding up to the logit that the model says; `readable` is the same of regions and the
paper's network in double precision. `removal`: of right verdicts on the folds' recordings, the share in which taking
out the tenth of the regions that spoke most for the verdict moves the logit at least three times as much as taking out
as many random ones does on average. What is taken out is set to the point halfway between what the two classes looked
like on the labelled windows, and the network judges again; `to_mean`: it is set to the mean of all classes. `planted`:
classes that differ by one band of noise, and how often that band comes first by a network of views, and, in
`planted_orders`, of orders. `printed`: rates of bearings as others print them. `lines`: how often a damaged outer ring
ten decibels below the noise is named, how often another line beside it, and how often any line of noise alone. `cwru`:
the same test on real bearings. `window_ms`: processor time of reasons for a window.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.explain.contributions import log_spectra
from dualres.explain.heads import Head
from dualres.explain.orders import heads_at, heard_by, order_views
from dualres.explain.reasons import window_shares
from dualres.explain.regions import SPECTRA, WIDTH_HZ, groupings, order_groupings
from dualres.explain.views import VIEW_OF_HEAD
from dualres.faultlines.assess import assess
from dualres.faultlines.bearing import DIMENSIONS, bearing_of
from dualres.faultlines.lines import bearing_lines
from dualres.judge.backends import scorer, weights_of
from dualres.judge.model import Model
from dualres.judge.turning import WindowSpeeds, window_speeds
from dualres.judge.verdict import recording_scores
from dualres.kernel.views import views_of
from dualres.learn.closed_form import fit_orders, fit_views
from dualres.learn.fit import fit_support
from dualres.learn.fold import Budget
from dualres.learn.fold_support import gather_support, learned_from
from dualres.learn.support import Support
from dualres.model.kinds import ORDERS, PAPER, VIEWS
from dualres.model.reference.probabilities import log_mean
from dualres.model.reference.views import of_head
from dualres.model.views.order_weights import BY_ORDER, OrdersWeights
from dualres.model.views.weights import ViewsWeights
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording
from dualres.recordings.store import open_store
from dualres.recordings.windows import at_rate, cut, half_overlapping
from dualres.utils.arrays import Exact
from tests.faultlines.published_rates import PRINTED
from tests.faultlines.struck_bearing import RATE, struck_bearing

FOLDS = {"P1": Budget(3, 4), "C1": Budget(1, 4), "S1": Budget(1, 4)}
TENTH, RANDOM, TIMES = 0.1, 10, 3.0
WINDOWS = 3  # of a recording, spread evenly
TRIALS = {"planted": 100, "lines": 200}
RPM = {"0": 1797, "1": 1772, "2": 1750, "3": 1730}  # of CWRU's motor, by its load in horsepower
LINE_OF = {"outer": "BPFO", "inner": "BPFI", "ball": "2xBSF"}


def main() -> None:
    torch.set_num_threads(1)
    stores = Path(sys.argv[1])
    sections: dict[str, Callable[[], Any]] = {
        "orders": partial(reasons, ORDERS.method, stores),
        "views": partial(reasons, VIEWS.method, stores),
        "paper": partial(reasons, PAPER.method, stores),
        "planted": partial(planted, VIEWS.method, TRIALS["planted"]),
        "planted_orders": partial(planted, ORDERS.method, TRIALS["planted"]),
        "printed": printed,
        "lines": partial(named_lines, TRIALS["lines"]),
        "cwru": partial(cwru, stores / "cwru_12k"),
    }
    print(json.dumps({name: sections[name]() for name in sys.argv[2:] or sections}, indent=1))


def reasons(method: str, stores: Path) -> dict[str, Any]:
    """Of a network of orders or of views, or of the paper's by a hundred updates: sums, removal and time."""
    rows = []
    with TemporaryDirectory() as cache:
        for name, budget in FOLDS.items():
            source = DatasetSignals(load_fold(name).dataset, stores, Path(cache), POLYPHASE)
            rows += list(judged(method, name, budget, source))
            print(method, name, file=sys.stderr)
    errors = {key: max(row[key] for row in rows) for key in ("regions", "moments", "readable")}
    right = [row for row in rows if row["right"]]
    removed = {
        key: {"share": share_of(row[key] for row in right), "median": median_of(row[key] for row in right)}
        for key in ("halfway", "to_mean")
    }
    return {
        "folds": list(FOLDS),
        "recordings": len(rows),
        "sums": {key: float(f"{error:.1e}") for key, error in errors.items() if error},
        "right": len(right),
        "at_known_speed": sum(row["at_known_speed"] for row in rows),
        "removal": removed,
        "window_ms": median_of((row["ms"] for row in rows), 2),
    }


def share_of(ratios: Iterable[float]) -> float:
    return round(float(np.mean(np.array(list(ratios)) >= TIMES)), 3)


def median_of(values: Iterable[float], digits: int = 1) -> float:
    return round(float(np.median(list(values))), digits)


def judged(method: str, name: str, budget: Budget, source: DatasetSignals) -> Iterator[dict[str, Any]]:
    """Every recording that a fold judges: whether the verdict is right, and how its reasons hold."""
    fold = load_fold(name)
    names = [one for _, one in learned_from(fold, budget)]
    support = gather_support(fold, source.at_rate(names), budget, ModelConfig())
    model, labels = fitted(method, support, fold.classes), np.asarray(support.labels)
    means = [mean_logs(support.windows[labels == c], model.card.config) for c in range(len(fold.classes))]
    for recording in source.at_rate(fold.evaluation):
        speeds = window_speeds(model, recording, fold.evaluation_windows)
        windows, hz = few_windows(recording, model.card.config, speeds)
        mean = recording_scores(model, recording, fold.evaluation_windows)[0]
        rival, label = (int(i) for i in np.argsort(mean)[-2:])
        neutral = (means[label] + means[rival]) / 2
        began = time.process_time()
        shares = window_shares(model, windows, label, rival, neutral=neutral, hz=hz)
        ms = 1000 * (time.process_time() - began) / len(windows)
        said = scorer(model.members[0])(windows, hz).astype(np.float64)
        logit = said[:, label] - said[:, rival]
        row = {
            "regions": float(np.abs(shares.total - logit).max()),
            "moments": float(np.abs(shares.of_tokens.sum(1) - logit).max()),
            "readable": readable_error(model, windows, (label, rival), shares.total) if method == PAPER.method else 0.0,
            "at_known_speed": hz is not None,
            "right": fold.classes[label] == recording.label,
            "ms": ms,
        }
        if row["right"]:
            for key, point in {"halfway": neutral, "to_mean": np.mean(means, axis=0)}.items():
                given = point if method == PAPER.method else key
                without = Without(model, windows, (label, rival), given, hz)
                row[key] = removal(without, (shares.of_regions + shares.through_memory).mean(0))
        yield row


def readable_error(model: Model, windows: np.ndarray, classes: tuple[int, int], total: Exact) -> float:
    label, rival = classes
    network = model.networks[0].double()
    with torch.inference_mode():
        said = network(torch.from_numpy(np.array(windows)).double()).numpy()
    network.float()
    return float(np.abs(total - (said[:, label] - said[:, rival])).max())


def fitted(method: str, support: Support, classes: tuple[str, ...]) -> Model:
    recipe = Recipe(100) if method == PAPER.method else None
    card = Card(classes, ModelConfig(), recipe, 41, POLYPHASE, support.seconds, method=method)
    return fit_support(support, card)[0]


def few_windows(
    recording: Recording, config: ModelConfig, speeds: WindowSpeeds | None
) -> tuple[np.ndarray, Exact | None]:
    """Some windows, and how fast the shaft turns in each, in Hz; None where that is not known."""
    signal = at_rate(recording, config.rate, config.window)
    starts = half_overlapping(len(signal), config.window)
    picked = np.unique(np.linspace(0, len(starts) - 1, WINDOWS).round().astype(int))
    known = speeds is not None and speeds.found() is not None
    hz = np.concatenate([speeds.hz(number, 1) for number in picked.tolist()]) if known else None
    return cut(signal, [starts[i] for i in picked], config.window), hz


def mean_logs(windows: np.ndarray, config: ModelConfig) -> Exact:
    """Mean log-magnitudes over windows and tokens, (short_bins + long_bins,)."""
    return np.mean([log_spectra(window, config).mean(0, dtype=np.float64) for window in windows], axis=0)


def removal(without: Without, shares: Exact) -> float:
    """How many times as far the logit moves without the regions that spoke for it as without random ones."""
    rng, count = np.random.default_rng(0), len(shares)
    taken = max(1, round(TENTH * count))
    full = without(np.array([], dtype=int))
    by_chance = [abs(full - without(rng.choice(count, taken, replace=False))) for _ in range(RANDOM)]
    return float(abs(full - without(np.argsort(-shares)[:taken])) / max(np.mean(by_chance), 1e-12))


class Without:
    """The mean logit difference of windows without some regions, judged again by the network's own way."""

    def __init__(
        self, model: Model, windows: np.ndarray, classes: tuple[int, int], point: Exact | str, hz: Exact | None
    ) -> None:
        (self.label, self.rival), self.point = classes, point
        weights, config = weights_of(model.members[0]), model.card.config
        self.weights, self.groups, self.network = weights, groupings(config), None
        if isinstance(weights, OrdersWeights):
            names = heads_at(weights, len(windows), hz)
            self.groups = order_groupings(config, names == BY_ORDER)
            seen = order_views(weights, windows, hz)
            self.views = {name: seen[name.removesuffix("_moved")] for name in names}
            self.heard = {name: heard_by(name) for name in names}
        elif isinstance(weights, ViewsWeights):
            self.views, self.heard = views_of(weights, windows), VIEW_OF_HEAD
        else:
            self.network, self.short_bins = model.networks[0], config.short_bins
            self.logs = np.stack([log_spectra(window, config) for window in windows])
        sizes = [len(group.regions) for group in self.groups.values()]
        self.starts = dict(zip(self.groups, np.cumsum([0, *sizes[:-1]]), strict=True))

    def __call__(self, regions: np.ndarray) -> float:
        if self.network:
            return self._papers(np.isin(self.groups[SPECTRA].of_feature, regions))
        said = np.stack([self._of_head(name, view, regions) for name, view in self.heard.items()])
        together = log_mean(said) if isinstance(self.weights, OrdersWeights) else said.sum(0)
        return float((together[:, self.label] - together[:, self.rival]).mean())

    def _of_head(self, name: str, view: str, regions: np.ndarray) -> Exact:
        head = Head.of(self.weights, name, self.label, self.rival)
        gone = np.isin(self.groups[view].of_feature + self.starts[view], regions)
        instead = head.neutral if self.point == "halfway" else head.centre
        return of_head(self.weights, name, np.where(gone, instead, self.views[name].astype(np.float64)))

    def _papers(self, gone: np.ndarray) -> float:
        logs = np.where(gone, self.point, self.logs).astype(np.float32)
        with torch.inference_mode():
            parts = np.split(logs, [self.short_bins], axis=2)
            said = self.network.classify(*map(torch.from_numpy, parts)).double().numpy()
        return float((said[:, self.label] - said[:, self.rival]).mean())


def planted(method: str, trials: int) -> dict[str, float]:
    """Two classes of noise that differ by one band: how often it is the region that speaks most for its class."""
    config, first, fit = ModelConfig(), 0, fit_views if method == VIEWS.method else fit_orders
    groups = groupings(config)[SPECTRA].regions
    for trial in range(trials):
        rng = np.random.default_rng([7, trial])
        region = groups[rng.integers(1, len(groups) - 1)]
        windows = np.stack([noise_with(rng, config, region.low_hz if i >= 6 else None) for i in range(12)])
        labels = np.repeat([0, 1], 6)
        network = fit(windows, labels, 2, config=config)
        card = Card(("plain", "planted"), config, None, 41, POLYPHASE, {}, method=method)
        shown = noise_with(rng, config, region.low_hz)[None]
        shares = window_shares(Model((network,), card), shown, 1, 0)
        first += shares.regions[int(shares.of_regions[0].argmax())] == region
    return {"trials": trials, "first": round(first / trials, 3)}


def noise_with(rng: np.random.Generator, config: ModelConfig, low_hz: float | None) -> np.ndarray:
    """A window of pinkish noise, four times as strong from `low_hz` on for the width of a region."""
    spectrum = np.fft.rfft(rng.standard_normal(config.window))
    hz = np.fft.rfftfreq(config.window, 1 / config.rate)
    spectrum /= np.maximum(hz, 50) ** rng.uniform(0.2, 0.3)
    if low_hz is not None:
        spectrum[(hz >= low_hz) & (hz < low_hz + WIDTH_HZ)] *= 4
    return np.fft.irfft(spectrum).astype(np.float32)


def printed() -> dict[str, Any]:
    off = {f"{one.bearing} {one.rate}": [one.text, one.computed] for one in PRINTED if one.off}
    bearings = [bearing_of(name) for name in DIMENSIONS]
    return {
        "values": len(PRINTED),
        "equal": sum(not one.off for one in PRINTED),
        "off": off,
        "sum_error": max(abs(b.outer + b.inner - b.elements) for b in bearings),
    }


def named_lines(trials: int) -> dict[str, Any]:
    right = other = from_noise = 0
    for trial in range(trials):
        for fault in ("outer", None):
            signal, bearing, shaft_hz = struck_bearing(trial, fault)
            found = assess(signal, RATE, shaft_hz, bearing_lines(bearing, shaft_hz))
            names = {one.line.name for one in found.named}
            right += fault is not None and "BPFO" in names
            other += fault is not None and bool(names - {"BPFO"})
            from_noise += fault is None and bool(names)
    rates = {"named": right / trials, "another": other / trials, "from_noise": from_noise / trials}
    return {"trials": trials} | {name: round(rate, 3) for name, rate in rates.items()}


def cwru(store: Path) -> dict[str, dict[str, int]]:
    """Drive-end recordings at 12 kHz: how many have their own line, another ring's or element's, and the cage's."""
    bearing, found = bearing_of("6205"), {}
    for recording in open_store(store):
        fault = str(recording.label)
        shaft_hz = RPM[recording.condition["load_hp"]] / 60
        names = {
            one.line.name
            for one in assess(recording.signal, float(recording.rate), shaft_hz, bearing_lines(bearing, shaft_hz)).named
        }
        row = found.setdefault(fault, {"recordings": 0, "named": 0, "another": 0, "cage": 0})
        row["recordings"] += 1
        row["named"] += LINE_OF.get(fault) in names
        row["another"] += bool(names - {LINE_OF.get(fault), "FTF"})
        row["cage"] += "FTF" in names
    return found


if __name__ == "__main__":
    main()

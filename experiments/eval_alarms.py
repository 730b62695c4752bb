"""How soon do alarms come, and are healthy recordings spared? Prints JSON.

    python -m experiments.eval_alarms STORES > results/measured/alarms.json
    python -m experiments.eval_alarms [--workers 1] --recordings-of results/measured/alarms.json > alarms.json

* `soonest`: blocks until an alarm, by the size of the reference, where every block is beyond all of it.
* `delay`: a fault that the model gives 0.4 begins, at one false alarm per machine-year. Log-odds of blocks are normal
  around those of 0.4, and around those of the machine's usual score before and after. `late` is the slowest tenth.
  `by_bets` is when the evidence reaches the threshold of fair bets, where the reference may have set a higher one.
* `at_best`: the same for a test that knows how healthy and faulty scores are distributed, and what the fault is.
* `mean_learned`: the same where only the mean of healthy scores is not known, by the number of independent blocks.
* `recordings`: held-out healthy recordings, a window of 0.5 s being a block, at one false alarm in 100 blocks. They are
  short, so blocks are put in random orders; then comes a faulty recording as it is. And in their own order: either
  half is learned from, the other watched.

`stress/alarm_years.py` simulates years.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from scipy.signal import lfilter
from scipy.special import expit, logit

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.rigs import RIGS
from dualres.bench.datasets.folds import Fold, load_fold
from dualres.config import POLYPHASE, ModelConfig
from dualres.judge.verdict import verdict_of, window_scores
from dualres.learn.fit import fit_support
from dualres.learn.fold import Budget
from dualres.learn.fold_support import gather_support, learned_from
from dualres.model.kinds import VIEWS
from dualres.model_file.card import Card
from dualres.stream.alarm.alarm import Alarm, fault_score
from dualres.stream.alarm.alarm_rate import rate_of
from dualres.utils.arrays import Exact

CONFIG = ModelConfig()
BLOCK_S, HOUR, DAY = 5.0, 720, 17_280  # seconds; blocks
YEAR = rate_of("1 per year", BLOCK_S)
HEALTHY = {0.0: (60, HOUR // 6, HOUR, DAY), 0.5: (3 * HOUR, DAY), 0.9: (12 * HOUR, DAY)}  # blocks, by correlation
USUAL, GIVEN = (0.02, 0.05, 0.1, 0.2), 0.4  # scores of a healthy machine and of the fault
LONGEST, TRIALS = 2000, 100
SEED = 2_141
GOOD = {"phm2009": ("H1", "S1"), "cwru": ("healthy",), "uestc": ("healthy",), "simulated": ("healthy",)}
REFERENCES = (50, 100, 200, 500, 1000, 2000)  # blocks
BETWEEN, REFERENCE, ORDERS = 100, 50, 100  # blocks; random orders of a machine's blocks


def scores(rng: np.random.Generator, correlation: float, blocks: int, at: Exact | float) -> list[float]:
    """Of blocks whose log-odds are a first-order autoregression around `at`."""
    noise = rng.standard_normal(blocks) * np.sqrt(1 - correlation**2)
    noise[0] = rng.standard_normal()
    return list(expit(lfilter([1], [1, -correlation], noise) + at).tolist())


def soonest(count: int) -> int:
    """Blocks until an alarm at the best, all of them beyond every block of a reference of so many; the median."""
    rng, waited = np.random.default_rng(SEED), []
    while len(waited) < TRIALS:
        alarm = Alarm.learned(scores(rng, 0.0, count, 0.0), blocks_between_false_alarms=YEAR)
        if alarm.state.promise:
            waited.append(_until(alarm, [1.0] * LONGEST, raised=True))
    return int(np.median(waited))


def delay(correlation: float, blocks: int, usual: float, trials: int) -> dict[str, Any]:
    """Seconds from the first faulty block to the alarm, and from the first healthy one after it until it is cleared."""
    rng, waited, by_bets, cleared, joined = np.random.default_rng(SEED), [], [], [], []
    for _ in range(trials):
        alarm = Alarm.learned(scores(rng, correlation, blocks, logit(usual)), blocks_between_false_alarms=YEAR)
        if alarm.state.promise is None:
            continue
        joined.append(alarm.joined)
        before = 10 * alarm.joined + int(rng.integers(alarm.joined))
        at = np.repeat([logit(usual), logit(GIVEN)], [before, LONGEST])
        raised, fair = _until_raised(alarm, scores(rng, correlation, len(at), at))
        waited.append(raised - before)
        by_bets.append(fair - before)
        cleared.append(_until(alarm, scores(rng, correlation, LONGEST, logit(usual)), raised=False))
    return {
        "correlation": correlation,
        "reference": blocks,
        "usual": usual,
        "trials": trials,
        "no_promise": trials - len(waited),
        "joined_s": BLOCK_S * float(np.median(joined)),
        "delay_s": BLOCK_S * float(np.median(waited)),
        "late_s": BLOCK_S * float(np.quantile(waited, 0.9)),
        "by_bets_s": BLOCK_S * float(np.median(by_bets)),
        "by_bets_late_s": BLOCK_S * float(np.quantile(by_bets, 0.9)),
        "cleared_s": BLOCK_S * float(np.median(cleared)),
    }


def at_best(correlation: float, usual: float) -> float:
    """Seconds, the median: the sum of likelihood ratios over all beginnings, alarmed once per machine-year."""
    rng, trials, healthy = np.random.default_rng(SEED), 10 * TRIALS, 50
    lift, spread = float(logit(GIVEN) - logit(usual)), float(np.sqrt(1 - correlation**2))
    noise = rng.standard_normal((healthy + LONGEST, trials))
    noise[healthy] += lift / spread
    noise[healthy + 1 :] += lift * (1 - correlation) / spread
    first, later = (shift * noise - shift**2 / 2 for shift in (lift / spread, lift * (1 - correlation) / spread))
    evidence = np.full(noise.shape, -np.inf)
    for block in range(1, len(noise)):
        evidence[block] = np.logaddexp(evidence[block - 1] + later[block], first[block])
    evidence[-1] = np.inf  # the end
    threshold = np.log(YEAR)
    for _ in range(10):  # it reaches further than the threshold, which may be lower by as much
        over = np.argmax(evidence[healthy:] >= threshold, axis=0)
        threshold = np.log(YEAR * np.exp(threshold - evidence[healthy + over, np.arange(trials)]).mean())
    return BLOCK_S * (1 + float(np.median(over)))


def mean_learned(best_s: float, blocks: int) -> float | None:
    """Seconds, if only the healthy mean is not known but learned from so many independent blocks; None for never.

    The difference of two means has the variance of both: 1 / faulty + 1 / healthy blocks instead of 1 / faulty.
    """
    left = BLOCK_S / best_s - 1 / blocks
    return BLOCK_S / left if left > 0 else None


def _until(alarm: Alarm, scores: Sequence[float], raised: bool) -> int:
    """Blocks until the alarm is raised, or is not."""
    return next((i for i, score in enumerate(scores, 1) if alarm.update(score).raised == raised), len(scores))


def _until_raised(alarm: Alarm, scores: Sequence[float]) -> tuple[int, int]:
    """Blocks until the alarm is raised, and until fair bets alone would raise it."""
    fair = None
    for blocks, score in enumerate(scores, 1):
        state = alarm.update(score)
        if fair is None and state.evidence >= state.clears:  # the threshold of fair bets
            fair = blocks
        if state.raised:
            return blocks, fair or blocks
    return len(scores), fair or len(scores)


@dataclass(frozen=True)
class Watched:
    """A healthy class of a fold: scores of its held-out windows side by side, and those of each faulty recording."""

    healthy: Exact
    faulty: tuple[Exact, ...]


def recorded(stores: Path) -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    with TemporaryDirectory() as cache:
        sources = {
            rig.title: (rig, DatasetSignals(rig.dataset, stores, Path(cache), POLYPHASE))
            for rig in RIGS
            if rig.dataset in GOOD
        }
        return {
            title: _among([one for name in rig.folds for one in _held_out(load_fold(name), source, rig.budget)], rng)
            for title, (rig, source) in sources.items()
        }


def _held_out(fold: Fold, source: DatasetSignals, budget: Budget) -> Iterator[Watched]:
    support = gather_support(fold, source.at_rate([one for _, one in learned_from(fold, budget)]), budget, CONFIG)
    card = Card(fold.classes, CONFIG, None, 41, POLYPHASE, support.seconds, method=VIEWS.method)
    model, _ = fit_support(support, card)
    found: dict[str, list[Exact]] = defaultdict(list)
    for one in source.at_rate(fold.evaluation):
        verdicts = [verdict_of(model, one.id, row[None]) for row in window_scores(model, one)[::2]]
        found[str(one.label)].append(np.array([fault_score(verdict, GOOD[fold.dataset]) for verdict in verdicts]))
    faulty = tuple(one for label, some in found.items() if label not in GOOD[fold.dataset] for one in some)
    for label in GOOD[fold.dataset]:
        yield Watched(np.concatenate(found[label]), faulty)


def _among(machines: Sequence[Watched], rng: np.random.Generator) -> dict[str, Any]:
    """False alarms in random orders of each machine's blocks, the first of which are the reference."""
    alarms, watched, promised, noticed = 0, 0, 0, 0
    for machine, _ in product(machines, range(ORDERS)):
        shuffled = rng.permutation(machine.healthy).tolist()
        alarm = Alarm.learned(shuffled[:REFERENCE], blocks_between_false_alarms=BETWEEN)
        if alarm.state.promise is None:
            continue
        promised += 1
        for score in shuffled[REFERENCE:]:
            before = alarm.state.raised
            alarms += alarm.update(score).raised and not before
            watched += 1
        fault = machine.faulty[int(rng.integers(len(machine.faulty)))]
        noticed += [alarm.update(score) for score in fault.tolist()][-1].raised
    return {
        "blocks": sum(len(machine.healthy) for machine in machines),
        "orders": len(machines) * ORDERS,
        "promised": promised,
        "watched": watched,
        "false_alarms": alarms,
        "noticed": round(100 * noticed / promised) if promised else None,
        "in_order": _in_order(machines),
    }


def _in_order(machines: Sequence[Watched]) -> dict[str, int]:
    """False alarms in one half of each machine's blocks, learned from the other half."""
    alarms, watched, promised = 0, 0, 0
    for machine in machines:
        halves = np.array_split(machine.healthy, 2)
        for learned, other in (halves, halves[::-1]):
            alarm = Alarm.learned(learned.tolist(), blocks_between_false_alarms=BETWEEN)
            if alarm.state.promise is not None:
                raised = [alarm.update(score).raised for score in other.tolist()]
                alarms += sum(now and not before for before, now in zip([False, *raised], raised, strict=False))
                promised, watched = promised + 1, watched + len(raised)
    return {"halves": 2 * len(machines), "promised": promised, "watched": watched, "false_alarms": alarms}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="?", help="of the recordings; none with --recordings-of")
    parser.add_argument("--recordings-of", type=Path, help="an earlier output: its recordings are not judged again")
    parser.add_argument("--trials", type=int, default=TRIALS, help="faults of each case")
    parser.add_argument("--workers", type=int, default=1, help="processes; results are the same for any number")
    given = parser.parse_args()
    if bool(given.stores) == bool(given.recordings_of):
        parser.error("either STORES or --recordings-of is needed")
    kept = json.loads(given.recordings_of.read_text())["recordings"] if given.recordings_of else None
    torch.set_num_threads(1)
    cases = [(rho, *one, given.trials) for rho in HEALTHY for one in product(HEALTHY[rho], USUAL)]
    with get_context("spawn").Pool(given.workers) as pool:
        found = pool.starmap(delay, cases, chunksize=1)
    best = {str(rho): {str(usual): at_best(rho, usual) for usual in USUAL} for rho in HEALTHY}
    learned = {
        str(blocks): {usual: mean_learned(seconds, blocks) for usual, seconds in best["0.0"].items()}
        for blocks in HEALTHY[0.0]
    }
    soon = {count: soonest(count) for count in REFERENCES}
    told = {"soonest": soon, "delay": found, "at_best": best, "mean_learned": learned}
    told["recordings"] = kept or recorded(given.stores)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()

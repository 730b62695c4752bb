"""How the unknown is scored by orders, and what not knowing the speed does to error rates. Adds to trust.json.

    python -m experiments.eval_trust_orders [standing] [without_speed]

Simulated machines alone; shares are in percent.

* `standing`: what tells an unseen fault best? Half of each machine's specimens are learned from, every class is left
  out in turn, and the others are judged; AUROC by how much a class stands out, mean over classes and machines.
* `without_speed`: machines at one load, every specimen held out by `dualres fit`. Which share of the truths lies within
  the limits where speeds are known, where they are not and the limits are those of recordings whose speed is known, and
  where the limits are of recordings judged without, too; machine by machine, 9 specimens that set the limit.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from dualres.judge.trust.conformal import limit, rank
from dualres.judge.trust.novelty import ORDER_WEIGHTS, compared
from dualres.judge.trust.standing import Standing
from dualres.learn.calibrate import calibrated
from dualres.learn.workflow import fit_model
from dualres.simulated.machines import held_out, machine, recordings
from dualres.utils.files import write_whole
from experiments.eval_trust import ERROR, LEARNED, OUT, WITHIN, Fitted, auroc, percent, shown

CHOOSE = range(20, 28)  # machines by which it is chosen how windows are compared with classes
FITTED = range(100, 108)  # machines that are fitted with their speeds and judged without
SPLITS = 50  # of each machine's specimens
WAYS = ("heads alike for all machines", "heads by what they tell apart", "classes by how they scatter", "both")
Specimens = Mapping[str, list[tuple[float, float]]]  # surprise of each recording with its speed, and without


def main() -> None:
    torch.set_num_threads(1)
    for part in sys.argv[1:] or ("standing", "without_speed"):
        measured = {"standing": standing, "without_speed": without_speed}[part]()
        before = json.loads(OUT.read_text()) if OUT.exists() else {}
        write_whole(OUT, (json.dumps({**before, part: measured}, indent=1) + "\n").encode())


def standing() -> dict[str, Any]:
    areas: dict[str, list[float]] = defaultdict(list)
    for number in CHOOSE:
        support, evaluation = held_out(recordings(machine(number)), "specimen")
        learned, judged = ([shown(one, LEARNED) for one in each] for each in (support, evaluation))
        for label in sorted({one.label for one in learned}):
            fitted = Fitted([one for one in learned if one.label != label])
            new = np.array([one.label == label for one in judged])
            told = [fitted.said(one)[1] for one in judged]
            for name, known in zip(WAYS, _ways(fitted.standings), strict=True):
                distance = np.array([float(compared(one, known)[:, 0].mean()) for one in told])
                areas[name].append(auroc(distance[new], distance[~new]))
    return {name: {"mean": percent(found), "worst": percent([min(found)])} for name, found in areas.items()}


def _ways(known: Mapping[str, Standing]) -> list[dict[str, Standing]]:
    usual = tuple(ORDER_WEIGHTS.values())
    heads = {axis: Standing(one.weights) for axis, one in known.items()}
    return [{}, heads, {axis: Standing(usual, one.usual) for axis, one in known.items()}, dict(known)]


def without_speed() -> dict[str, Any]:
    found: dict[str, list[float]] = defaultdict(list)
    worth: dict[str, list[float]] = defaultdict(list)
    rng = np.random.default_rng(41)
    for number in FITTED:
        one = machine(number)
        every = [r for r in recordings(one) if r.condition["load"] == str(one.loads[-1])]
        estimate = fit_model(every, windows_each=LEARNED, held_out="component").estimate
        assert estimate
        assert estimate.without_speed
        worth["with"].append(100 * estimate.macro_f1)
        worth["without"].append(100 * estimate.without_speed.macro_f1)
        for name, share in _resplit(_specimens(estimate, every), rng):
            found[name].append(share)
    means = {name: round(statistics.fmean(values), 1) for name, values in worth.items()}
    return {"machines": len(FITTED), "macro_f1": means, **{name: percent(shares) for name, shares in found.items()}}


def _specimens(estimate: Any, every: Any) -> Specimens:
    known = calibrated(estimate, every)
    assert known.without_speed
    units: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one, other in zip(known.held, known.without_speed.held, strict=True):
        units[one.unit].append((one.surprise, other.surprise))
    return units


def _resplit(units: Specimens, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Of the other specimens the share within the limit that some set: known by known, unknown by either."""
    each, count = list(units.values()), WITHIN["component"]
    k = rank(count, ERROR)
    assert k is not None
    for _ in range(SPLITS):
        order = rng.permutation(len(each))
        limits = [limit([[pair[way] for pair in each[i]] for i in order[:count]], k) for way in (0, 1)]
        for name, way, most in (("known", 0, limits[0]), ("mixed", 1, limits[0]), ("unknown", 1, limits[1])):
            yield name, statistics.fmean(statistics.fmean(pair[way] <= most for pair in each[i]) for i in order[count:])


if __name__ == "__main__":
    main()

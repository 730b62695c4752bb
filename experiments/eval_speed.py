"""How often is the speed of a shaft told from vibration (`dualres.faultlines.speed_estimate`)? Prints JSON.

    python -m experiments.eval_speed STORES > results/measured/speed_estimate.json

STORES holds phm2009, cwru, cwru_12k and uestc; the simulated machines and the simulated rig need none. Of every rig:
`right`, the share of recordings whose speed is within 2 % of the truth; `sure`, the share that is called sure; and
`sure_right`, the share of these that is within 2 %. `shaft` is the same where any shaft of the machine counts, as a
gearbox has several; `stated`: against the speed that the release gives. `left_out`: every constant is chosen without
the rig (both sets of CWRU are one bench). `shipped`: by the constants of the package, which are those chosen on all
rigs. `narrow`: those, asked for speeds from two thirds of the rig's slowest to one and a half times its fastest.
`stretched`: as `left_out`, of recordings whose frequencies were stretched to a speed from 7 to 100 Hz. `silence` is
noise and hum of the mains, where none may be sure.

Truth is the stated speed where that holds. PHM2009 states the drive's set speed, and its shaft turns up to 2 % slower;
truth is the strongest line from 3 % below to 1.5 % above, which agrees within 0.1 % with the tachometer of the six
recordings that were compared. UESTC states speeds that its recordings miss by up to 8 %; truth is the best comb of five
harmonics within 9 %. It is of the same vibration, so it says whether the right line was taken for the shaft's, and is
no independent measurement. Of the simulated rig it is the
intermediate shaft, where its faults are. Of the simulated machines one in three recordings of the frozen suite is
judged, and other machines are learned from.

Constants are chosen by `chosen_on`. Weights: each recording as it is and with all its frequencies stretched to another
speed between 7 and 100 Hz, so that no range of speeds is learned; maximum likelihood of the true speed among all,
weakly shrunk, every rig with the root of its count. The least lead of what is sure: the smallest at which no rig has
less than `LEAST_RIGHT` right among those that are sure. What was done by hand, with all rigs in view: which curves
there are, their widths, how usual a speed is, and the two kinds of lead.

`--constants` prints those chosen on all rigs, to be copied into the package.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dualres.faultlines import speed_estimate as estimator
from dualres.faultlines.speed_estimate import RANGE_HZ, WEIGHTS, SpeedEstimate, decide, usual
from dualres.faultlines.speed_evidence import GRID, SpeedEvidence, speed_evidence
from dualres.recordings.store import open_store
from dualres.simulated import machines, rig
from dualres.simulated.vibration import pink

LEARNED_MACHINES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17)
THINNED = 7  # one in so many recordings of these; of the frozen machines one in `JUDGED_THINNED`
JUDGED_THINNED = 3
CWRU_RPM = {"0": 1797, "1": 1772, "2": 1750, "3": 1730}
BENCHES = {
    "phm2009": "phm2009",
    "cwru": "cwru",
    "cwru_12k": "cwru",
    "uestc": "uestc",
    "machines": "machines",
    "rig": "rig",
}
OTHER_SHAFTS = {"phm2009": (1 / 3, 1 / 5), "rig": (95 / 29, 36 / 90)}  # in the true speed
WITHIN = 0.02
LEAST_RIGHT = 0.95
SHRINK, UPDATES, PACE = 0.02, 150, 0.05
SEARCHED = (RANGE_HZ[0] <= GRID) & (RANGE_HZ[1] >= GRID)
STRETCHED_HZ = (7.0, 100.0)


@dataclass
class Example:
    """A recording, perhaps stretched."""

    rig: str
    id: str
    hz: float  # true
    stated_hz: float
    judged: bool  # or only learned from
    stretch: float
    evidence: SpeedEvidence


@dataclass(frozen=True)
class Constants:
    weights: Any  # as `WEIGHTS`
    sure_lead: float
    confidence: tuple[float, float]


def recordings(stores: Path) -> Iterator[tuple[str, str, Any, float, float, float, bool]]:
    """Rig, id, samples, rate in Hz, true and stated speed in Hz, and whether it is judged."""
    for name in ("phm2009", "cwru", "cwru_12k", "uestc"):
        for one in open_store(stores / name):
            samples, rate, known = np.asarray(one.signal, dtype=np.float64), float(one.rate), one.condition
            if name == "phm2009":
                stated = float(known["shaft_hz"])
                yield name, one.id, samples, rate, comb_near(samples, rate, stated, (0.97, 1.015), 1), stated, True
            elif name == "uestc":
                stated = float(known["speed_rpm"]) / 60
                yield name, one.id, samples, rate, comb_near(samples, rate, stated, (0.91, 1.09), 5), stated, True
            else:
                stated = CWRU_RPM[known["load_hp"]] / 60
                yield name, one.id, samples, rate, stated, stated, True
    for number in (*LEARNED_MACHINES, *machines.NUMBERS):
        machine, judged = machines.machine(number), number in machines.NUMBERS
        step = JUDGED_THINNED if judged else THINNED
        for setting in machines.settings(machine)[number % step :: step]:
            hz = setting.speed / 60 * (1 - 0.012 * setting.load / 100)  # what `machines` has for slip
            samples = machines.simulate(machine, setting).astype(np.float64)
            yield "machines", f"{machine.name}_{setting.id}", samples, machine.rate, hz, setting.speed / 60, judged
    for one in rig.settings():
        if (
            one.mode == "torque"
        ):  # its speed is constant but for slip, which the varying torque has for 85 % in the mean
            hz = (
                one.rpm
                / 60
                * (1 - 0.012 * 0.85 * one.torque / max(rig.TORQUES))
                * rig.FIRST_PAIR[0]
                / rig.FIRST_PAIR[1]
            )
            stated = one.rpm / 60 * rig.FIRST_PAIR[0] / rig.FIRST_PAIR[1]
            yield "rig", one.id, rig.simulate(one).astype(np.float64), rig.RATE, hz, stated, True


def comb_near(samples: Any, rate: float, stated_hz: float, within: tuple[float, float], harmonics: int) -> float:
    """The rate in Hz, within shares of the stated one, at which the spectrum's first harmonics stand out most."""
    padded = 4 * len(samples)
    step = rate / padded
    power = np.abs(np.fft.rfft((samples - samples.mean()) * np.hanning(len(samples)), padded)[: int(1500 / step)]) ** 2
    level = np.log(power + np.finfo(float).tiny)
    wide = round(20 / step) | 1
    sums = np.cumsum(np.pad(level, (wide // 2 + 1, wide // 2), mode="edge"))
    stands = np.clip(level - (sums[wide:] - sums[:-wide]) / wide, 0, 8 if harmonics > 1 else np.inf)
    tried = stated_hz * np.arange(*within, 0.0003)
    score = np.zeros(len(tried))
    for k in range(1, harmonics + 1):
        at = np.round(k * tried / step).astype(int)
        score += np.max([stands[at + near] for near in (-1, 0, 1)], axis=0)
    return float(tried[score == score.max()].mean())


def examples(stores: Path) -> list[Example]:
    rng, found = np.random.default_rng(0), []
    for name, id, samples, rate, hz, stated, judged in recordings(stores):
        other = float(np.exp(rng.uniform(*np.log(STRETCHED_HZ)))) / hz
        for stretch in (1.0, other):
            evidence = speed_evidence(samples, rate * stretch)
            found.append(Example(name, id, hz * stretch, stated * stretch, judged, stretch, evidence))
    return found


def chosen_on(learned: Sequence[Example]) -> Constants:
    """Weights, the least lead of what is sure, and the curve of confidence."""
    weights = fitted_weights(learned)
    natural = [one for one in learned if one.stretch == 1]
    leads, right = _leads(natural, weights)
    rigs = np.array([one.rig for one in natural])
    tried = np.arange(1.0, 6.0, 0.25).tolist()
    share = [min(right[(rigs == name) & (leads >= least)].mean() if ((rigs == name) & (leads >= least)).any() else 1.0
                 for name in set(rigs)) for least in tried]  # fmt: skip
    enough = [least for least, lowest in zip(tried, share, strict=True) if lowest >= LEAST_RIGHT]
    return Constants(weights, enough[0] if enough else tried[int(np.argmax(share))], _logistic(leads, right, rigs))


def fitted_weights(learned: Sequence[Example]) -> Any:
    """Of the highest likelihood of the true speed among all that are searched."""
    features = np.array([one.evidence.features[:, SEARCHED] for one in learned], dtype=np.float32)
    true = np.array([np.abs(np.log(GRID[SEARCHED] / one.hz)) < 0.015 for one in learned])
    features, true = features[true.any(1)], true[true.any(1)]
    rigs = np.array([one.rig for one in learned if np.any(np.abs(np.log(GRID[SEARCHED] / one.hz)) < 0.015)])
    scale = features.std((0, 2))
    features /= scale[:, None]
    share = np.array([1 / np.sqrt((rigs == name).sum()) for name in rigs], dtype=np.float32)
    share /= share.sum()
    weights, mean, square = (np.zeros(len(scale)) for _ in range(3))
    for update in range(1, UPDATES + 1):  # Adam
        scores = np.einsum("f,rfg->rg", weights.astype(np.float32), features)
        likely = np.exp(scores - scores.max(1, keepdims=True))
        likely /= likely.sum(1, keepdims=True)
        hit = likely * true
        hit /= hit.sum(1, keepdims=True) + 1e-12
        slope = np.einsum("rg,rfg->f", share[:, None] * (hit - likely), features) - SHRINK * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights = weights + PACE * mean / (1 - 0.9**update) / (np.sqrt(square / (1 - 0.99**update)) + 1e-8)
    return weights / scale


def _leads(natural: Sequence[Example], weights: Any) -> tuple[Any, Any]:
    found = [_estimated(one, weights) for one in natural]
    right = [abs(each.hz / one.hz - 1) < WITHIN for each, one in zip(found, natural, strict=True)]
    return np.array([each.lead for each in found]), np.array(right)


def _estimated(one: Example, weights: Any, asked: tuple[float, float] = RANGE_HZ) -> SpeedEstimate:
    return decide(one.evidence, weights @ one.evidence.features + usual(GRID), asked)


def _logistic(leads: Any, right: Any, rigs: Any) -> tuple[float, float]:
    """Offset and slope of the probability of being right over the lead, every rig with the same weight."""
    share = np.array([1 / (rigs == name).sum() for name in rigs])
    x, b = np.stack([np.ones(len(leads)), leads]), np.zeros(2)
    for _ in range(30):
        p = 1 / (1 + np.exp(-b @ x))
        hessian = (x * (share * p * (1 - p))) @ x.T + 1e-3 * np.eye(2)
        b = b + np.linalg.solve(hessian, x @ (share * (right - p)) - 1e-3 * b)
    return round(float(b[0]), 2), round(float(b[1]), 2)


def judged_by(constants: Constants, natural: Sequence[Example], narrow: bool = False) -> dict[str, Any]:
    """Shares of what is right, sure, and right of what is sure."""
    right, sure, shaft, stated = [], [], [], []
    hz = [one.hz for one in natural]
    asked = (max(RANGE_HZ[0], min(hz) / 1.5), min(RANGE_HZ[1], max(hz) * 1.5)) if narrow else RANGE_HZ
    for one in natural:
        found = _estimated(one, constants.weights, asked)
        sure.append(found.lead >= constants.sure_lead)
        right.append(abs(found.hz / one.hz - 1) < WITHIN)
        turning = [one.hz, *(one.hz * ratio for ratio in OTHER_SHAFTS.get(one.rig, ()))]
        shaft.append(any(abs(found.hz / hz - 1) < WITHIN for hz in turning))
        stated.append(abs(found.hz / one.stated_hz - 1) < WITHIN)
    called = np.array(sure)
    row: dict[str, Any] = {"recordings": len(natural), "sure": _share(called)}
    for name, held in (("right", right), ("shaft", shaft), ("stated", stated)):
        row |= {name: _share(held), f"sure_{name}": _share(np.array(held)[called]) if called.any() else None}
    return row


def _together(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Shares over the recordings of all rigs."""
    count = np.array([row["recordings"] for row in rows.values()])
    sure = count * [row["sure"] for row in rows.values()]
    right = count * [row["right"] for row in rows.values()]
    sure_right = sure * [row["sure_right"] or 0 for row in rows.values()]
    shares = {
        "right": right.sum() / count.sum(),
        "sure": sure.sum() / count.sum(),
        "sure_right": sure_right.sum() / sure.sum(),
    }
    return {"recordings": int(count.sum())} | {name: round(float(share), 3) for name, share in shares.items()}


def _share(held: Any) -> float:
    return round(float(np.mean(held)), 3)


def silence() -> Iterator[tuple[Any, float]]:
    """White and pink noise with and without hum of the mains, and its rate."""
    for seed in range(120):
        rng = np.random.default_rng(seed)
        rate, count = float(rng.choice([8_000, 12_800, 25_600])), 5
        t = np.arange(int(rate * count)) / rate
        noise = rng.standard_normal(len(t)) if seed % 2 else pink(len(t), rng)
        mains = [50, 60][seed // 2 % 2] * (1 + 5e-4 * rng.standard_normal())
        hum = sum(rng.lognormal(0, 1) / k * np.cos(2 * np.pi * k * mains * t + k) for k in range(1, 9))
        yield noise + hum * [0, 0.1, 1.0][seed // 4 % 3], rate


def main() -> None:
    stores, only_constants = Path(sys.argv[1]), "--constants" in sys.argv[2:]
    known = examples(stores)
    learned = [one for one in known if one.rig != "machines" or not one.judged]
    on_all = chosen_on(learned)
    if only_constants:
        print(
            json.dumps(
                {
                    "weights": np.round(on_all.weights, 3).tolist(),
                    "sure_lead": on_all.sure_lead,
                    "confidence": on_all.confidence,
                }
            )
        )
        return
    shipped = Constants(WEIGHTS, estimator.SURE_LEAD, estimator.CONFIDENCE)
    without = {
        bench: chosen_on([one for one in learned if BENCHES[one.rig] != bench]) for bench in set(BENCHES.values())
    }
    result: dict[str, Any] = {
        "chosen_on_all_is_shipped": bool(np.allclose(np.round(on_all.weights, 3), WEIGHTS, atol=2e-3))
    }
    result["sure_lead"] = {bench: constants.sure_lead for bench, constants in without.items()} | {
        "all": on_all.sure_lead,
        "shipped": shipped.sure_lead,
    }
    for section in ("left_out", "shipped", "narrow", "stretched"):
        rows = {}
        for name, bench in BENCHES.items():
            judged = [one for one in known if one.rig == name and one.judged]
            judged = [one for one in judged if (one.stretch != 1) == (section == "stretched")]
            constants = without[bench] if section in {"left_out", "stretched"} else shipped
            rows[name] = judged_by(constants, judged, section == "narrow")
        rows["all"] = _together(rows)
        result[section] = rows
    called = [estimator.estimate_speed(samples, rate).sure for samples, rate in silence()]
    result["silence"] = {"recordings": len(called), "sure": _share(called)}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()

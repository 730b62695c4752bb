"""What the paper prints, to stand beside what was measured here. Scores in percent.

Every value is found by what it is a value of: dataset, method, budget, seeds, metric and, if it is of one, fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from dualres.datasets.budget import Budget
from dualres.paper.protocol import (
    ALLOCATIONS,
    BEARING_BUDGET,
    BY_FOLD_BUDGETS,
    CONTROLLED,
    FINALISTS,
    FOLDS,
    GEARBOX_BUDGETS,
    PAIR,
    PRIMARY_BUDGET,
    SEEDS,
)
from dualres.paper.rows import rows
from dualres.paper.weights import WEIGHTS

F1, ACCURACY = "macro_f1", "accuracy"


@dataclass(frozen=True)
class Printed:
    """A number of the paper; the sample SD where it prints one."""

    mean: float
    sd: float | None = None


class Key(NamedTuple):
    dataset: str
    method: str
    budget: Budget
    seeds: tuple[int, ...]
    metric: str
    fold: str | None = None  # None: the mean over both folds


_FIRST = SEEDS[:1]
_Pair = tuple[float, float]

# Mean and sample SD over seeds 41 to 43 of DualRes, MambaSL, MiniRocket.
_BEARING: Mapping[str, Mapping[str, Sequence[_Pair]]] = {
    F1: {
        "paderborn": ((48.92, 1.87), (45.69, 2.44), (33.50, 0.13)),
        "cwru": ((68.04, 4.06), (70.04, 3.03), (66.37, 0.00)),
        "kaist": ((45.00, 2.61), (37.29, 3.05), (43.37, 1.59)),
        "uored": ((64.51, 15.73), (58.27, 3.71), (36.33, 0.00)),
        "hust": ((14.16, 2.49), (20.63, 5.71), (22.76, 0.77), (17.25, 4.21)),  # and iTransformer
        "ottawa": ((99.44, 0.97), (99.44, 0.97), (98.32, 0.00)),
    },
    ACCURACY: {
        "paderborn": ((49.96, 1.13), (47.21, 2.91), (42.08, 0.26)),
        "cwru": ((64.29, 3.57), (61.90, 7.43), (60.71, 0.00)),
        "kaist": ((51.11, 1.92), (40.00, 3.33), (54.44, 1.92)),
        "uored": ((64.58, 15.73), (58.33, 3.61), (43.75, 0.00)),
        "hust": ((20.63, 1.37), (28.17, 3.64), (29.37, 1.37), (21.03, 3.83)),
        "ottawa": ((99.44, 0.96), (99.44, 0.96), (98.33, 0.00)),
    },
}

# Macro-F1 at seed 41: first fold, second fold, mean; methods as above.
_BEARING_FOLDS: Mapping[str, Sequence[tuple[float, float, float]]] = {
    "paderborn": ((33.24, 68.90, 51.07), (33.56, 54.29, 43.92), (26.70, 40.21, 33.46)),
    "cwru": ((69.17, 73.40, 71.28), (76.19, 70.00, 73.10), (68.45, 64.29, 66.37)),
    "kaist": ((49.00, 45.23, 47.12), (32.43, 38.00, 35.21), (57.67, 27.23, 42.45)),
    "uored": ((88.57, 73.89, 81.23), (75.00, 50.00, 62.50), (26.19, 46.46, 36.33)),
    "hust": ((12.18, 21.12, 16.65), (22.30, 29.91, 26.10), (23.25, 24.02, 23.63), (22.17, 17.07, 19.62)),
    "ottawa": ((100.00, 100.00, 100.00), (96.64, 100.00, 98.32), (96.64, 100.00, 98.32)),
}

# iTransformer on HUST by seed: macro-F1, accuracy.
_HUST_SEEDS: Mapping[int, _Pair] = {41: (19.62, 23.81), 42: (12.39, 16.67), 43: (19.75, 22.62)}

# MCC5, seed 41: the seven budgets of each method.
_GEARBOX = {
    F1: rows("""
    dualres       19.61  35.46  48.55  45.96  55.22  48.04  55.63
    mambasl       11.88  24.14  24.00  25.31  27.15  26.54  27.92
    minirocket    22.48  28.24  28.35  33.25  37.97  38.57  42.61
    tscmamba      14.50  16.76   7.52  14.15  16.13  10.47  13.16
    medformer      4.42   6.54  12.83  14.94  18.31  25.83  24.25
    moderntcn      3.92   6.50   6.25   8.04  10.62  17.43  20.55
    patchtst       5.28   8.54  10.45  12.88  16.76  16.60  26.02
    itransformer  14.79  18.13  13.23  15.11  10.76  12.73  10.50
    crossformer   10.34  10.15  11.75  12.27  13.15  20.83  17.94
    """),
    ACCURACY: rows("""
    dualres       24.17  42.92  50.00  48.33  59.17  53.33  58.33
    mambasl       19.17  27.50  29.17  31.25  32.92  32.50  33.33
    minirocket    22.92  30.42  30.42  35.42  39.17  39.17  44.17
    tscmamba      17.50  19.17  13.75  16.67  17.50  12.50  15.83
    medformer     11.67  12.50  17.50  21.67  24.17  29.58  28.75
    moderntcn     10.83  17.50  14.58  19.17  18.75  19.17  21.67
    patchtst      10.42  18.75  19.17  21.25  25.42  25.83  30.00
    itransformer  15.83  18.75  14.58  17.08  11.25  15.83  12.92
    crossformer   20.83  19.58  17.08  18.33  19.17  25.83  22.50
    """),
}

# MCC5 macro-F1 at seed 41: M1 and M2 with 3 recordings of 4 windows, then with 6.
_GEARBOX_FOLDS = rows("""
    dualres       42.94  54.16  46.19  64.26
    mambasl       22.87  25.13  20.12  34.19
    minirocket    17.71  38.99  23.95  52.00
    tscmamba       8.20   6.83  13.41  18.85
    medformer      9.44  16.21  17.58  19.04
    moderntcn      3.31   9.19   9.38  11.87
    patchtst       8.11  12.79  16.71  16.81
    itransformer   9.36  17.10   8.55  12.97
    crossformer    6.37  17.13  14.27  12.04
""")

# MCC5 macro-F1 over seeds 41 to 43, one row per budget: DualRes, MambaSL, MiniRocket.
_REPLICATION: Sequence[Sequence[_Pair]] = (
    ((22.29, 2.35), (12.78, 0.79), (22.76, 0.24)),
    ((33.49, 1.72), (25.10, 1.20), (28.30, 0.07)),
    ((44.26, 7.38), (26.30, 2.48), (28.19, 0.15)),
    ((45.63, 7.99), (26.69, 1.24), (33.40, 0.66)),
    ((51.12, 4.51), (25.36, 1.55), (38.36, 0.41)),
    ((50.86, 2.48), (28.22, 2.70), (37.97, 0.80)),
    ((54.74, 0.87), (29.54, 1.99), (42.85, 0.72)),
)

_ALLOCATION: Sequence[_Pair] = ((27.59, 11.44), (48.55, 24.00), (44.82, 21.79))

# PHM2009: macro-F1 on P1, on P2, their mean, mean accuracy.
_PILOT = rows("""
    dualres  69.34  52.94  61.14  60.36
    mambasl  37.68  34.78  36.23  39.64
""")

# Macro-F1 at seed 41: full, short only, long only, no rotation, no jitter.
_ABLATION = rows("""
    paderborn   51.07   47.46   51.85   52.42   50.69
    cwru        71.28   60.65   64.14   68.04   71.28
    kaist       47.12   34.22   55.67   43.84   47.12
    uored       81.23   54.05   53.61   54.05   81.23
    hust        16.65    5.51   14.33   11.30   16.16
    ottawa     100.00  100.00  100.00  100.00  100.00
    mcc5        48.55   42.84   51.72   39.82   50.08
""")

# MCC5 at 6.144 s per class on a shared host: fit time in s, peak allocated GPU memory in MiB (none on a CPU).
_FIT = rows("""
    dualres        49.8   41.8
    mambasl        68.9  251.0
    minirocket      5.2
    tscmamba      100.0   82.2
    medformer     444.2  298.6
    moderntcn      65.9   81.2
    patchtst       54.7   38.2
    itransformer   53.1   51.6
    crossformer    56.0   37.2
""")


def printed(
    dataset: str, method: str, budget: Budget, metric: str, seeds: Sequence[int] = _FIRST, fold: str | None = None
) -> Printed | None:
    """The paper's own value, None where it prints none."""
    return VALUES.get(Key(dataset, method, budget, tuple(seeds), metric, fold))


def as_text(value: Printed, digits: int = 2) -> str:
    return f"{value.mean:,.{digits}f}" + ("" if value.sd is None else f" ± {value.sd:.{digits}f}")


def _all() -> Iterator[tuple[Key, Printed]]:
    yield from _bearing()
    yield from _gearbox()
    for budget, scores in zip(ALLOCATIONS, _ALLOCATION, strict=True):
        for method, score in zip(PAIR, scores, strict=True):
            yield Key("mcc5", method, budget, _FIRST, F1), Printed(score)
    for method, (*by_fold, mean, accuracy) in _PILOT.items():
        for fold, score in zip(FOLDS["phm2009"], by_fold, strict=True):
            yield Key("phm2009", method, PRIMARY_BUDGET, _FIRST, F1, fold), Printed(score)
        yield Key("phm2009", method, PRIMARY_BUDGET, _FIRST, F1), Printed(mean)
        yield Key("phm2009", method, PRIMARY_BUDGET, _FIRST, ACCURACY), Printed(accuracy)
    for dataset, row in _ABLATION.items():
        budget = PRIMARY_BUDGET if dataset == "mcc5" else BEARING_BUDGET
        for method, score in zip(CONTROLLED, row, strict=True):
            yield Key(dataset, method, budget, _FIRST, F1), Printed(score)


def _bearing() -> Iterator[tuple[Key, Printed]]:
    methods = (*FINALISTS, "itransformer")
    for metric, table in _BEARING.items():
        for dataset, pairs in table.items():
            for method, pair in zip(methods, pairs, strict=False):  # iTransformer has HUST only
                yield Key(dataset, method, BEARING_BUDGET, SEEDS, metric), Printed(*pair)
    for dataset, by_method in _BEARING_FOLDS.items():
        for method, (*by_fold, mean) in zip(methods, by_method, strict=False):
            yield Key(dataset, method, BEARING_BUDGET, _FIRST, F1), Printed(mean)
            for fold, score in zip(FOLDS[dataset], by_fold, strict=True):
                yield Key(dataset, method, BEARING_BUDGET, _FIRST, F1, fold), Printed(score)
    for seed, scores in _HUST_SEEDS.items():
        for metric, score in zip((F1, ACCURACY), scores, strict=True):
            yield Key("hust", "itransformer", BEARING_BUDGET, (seed,), metric), Printed(score)


def _gearbox() -> Iterator[tuple[Key, Printed]]:
    for metric, table in _GEARBOX.items():
        for method, row in table.items():
            for budget, score in zip(GEARBOX_BUDGETS, row, strict=True):
                yield Key("mcc5", method, budget, _FIRST, metric), Printed(score)
    for method, by_fold in _GEARBOX_FOLDS.items():
        places = [(budget, fold) for budget in BY_FOLD_BUDGETS for fold in FOLDS["mcc5"]]
        for (budget, fold), score in zip(places, by_fold, strict=True):
            yield Key("mcc5", method, budget, _FIRST, F1, fold), Printed(score)
    for budget, pairs in zip(GEARBOX_BUDGETS, _REPLICATION, strict=True):
        for method, pair in zip(FINALISTS, pairs, strict=True):
            yield Key("mcc5", method, budget, SEEDS, F1), Printed(*pair)
    for method, fit in _FIT.items():
        costs = asdict(WEIGHTS[method]) | dict(zip(("fit_s", "peak_mib"), fit, strict=False))
        for metric, cost in costs.items():
            yield Key("mcc5", method, PRIMARY_BUDGET, _FIRST, metric), Printed(cost)


VALUES: Mapping[Key, Printed] = dict(_all())

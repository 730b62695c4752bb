"""What the paper prints, to stand beside what was measured here. Scores in percent.

Every value is found by what it is a value of: dataset, method, budget, seeds, metric and, if it is of one, fold.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from dualres.bench.paper.printed import WEIGHTS, printed_table
from dualres.bench.paper.protocol import BEARING_BUDGET, FOLDS, PRIMARY_BUDGET, SEEDS
from dualres.learn.fold import Budget

F1, ACCURACY = "macro_f1", "accuracy"


@dataclass(frozen=True)
class PrintedScore:
    mean: float
    sd: float | None = None  # the sample SD where the paper prints one


class Key(NamedTuple):
    dataset: str
    method: str
    budget: Budget
    seeds: tuple[int, ...]
    metric: str
    fold: str | None = None  # None: the mean over both folds


_FIRST = SEEDS[:1]


def printed(
    dataset: str, method: str, budget: Budget, metric: str, *, seeds: Sequence[int] = _FIRST, fold: str | None = None
) -> PrintedScore | None:
    """The paper's own value, None where it prints none."""
    return VALUES.get(Key(dataset, method, budget, tuple(seeds), metric, fold))


def printed_text(key: Key, digits: int = 2) -> str | None:
    """What stands in the paper's table, a number or words; None where it has no such cell."""
    return as_text(VALUES[key], digits) if key in VALUES else WORDS.get(key)


def as_text(value: PrintedScore, digits: int = 2) -> str:
    return f"{value.mean:,.{digits}f}" + ("" if value.sd is None else f" ± {value.sd:.{digits}f}")


def _all() -> Iterator[tuple[Key, PrintedScore]]:
    yield from _bearing()
    yield from _gearbox()
    for name, row in printed_table("allocation").items():
        for method, score in row.items():
            yield Key("mcc5", method, Budget.parse(name), _FIRST, F1), PrintedScore(score)
    for method, row in printed_table("pilot").items():
        for column, score in row.items():
            metric, fold = (F1, column) if column in FOLDS["phm2009"] else (column, None)
            yield Key("phm2009", method, PRIMARY_BUDGET, _FIRST, metric, fold), PrintedScore(score)
    for dataset, row in printed_table("ablation").items():
        budget = PRIMARY_BUDGET if dataset == "mcc5" else BEARING_BUDGET
        for method, score in row.items():
            yield Key(dataset, method, budget, _FIRST, F1), PrintedScore(score)


def _bearing() -> Iterator[tuple[Key, PrintedScore]]:
    for name, row in printed_table("bearing").items():
        dataset, method = name.split("/")
        key = Key(dataset, method, BEARING_BUDGET, SEEDS, F1)
        yield key, PrintedScore(row["macro_f1"], row["sd"])
        yield key._replace(metric=ACCURACY), PrintedScore(row["accuracy"], row["accuracy_sd"])
        key = key._replace(seeds=_FIRST)
        yield key, PrintedScore(row["mean"])
        for fold, column in zip(FOLDS[dataset], ("first", "second"), strict=True):
            yield key._replace(fold=fold), PrintedScore(row[column])
    for seed, row in printed_table("hust_itransformer").items():
        for metric, score in row.items():
            yield Key("hust", "itransformer", BEARING_BUDGET, (int(seed),), metric), PrintedScore(score)


def _gearbox() -> Iterator[tuple[Key, PrintedScore]]:
    for metric in (F1, ACCURACY):
        for method, row in printed_table(f"gearbox_{metric}").items():
            for budget, score in row.items():
                yield Key("mcc5", method, Budget.parse(budget), _FIRST, metric), PrintedScore(score)
    for method, row in printed_table("gearbox_by_fold").items():
        for column, score in row.items():
            budget, fold = column.split("/")
            yield Key("mcc5", method, Budget.parse(budget), _FIRST, F1, fold), PrintedScore(score)
    for name, row in printed_table("replication").items():
        budget, method = name.split("/")
        yield Key("mcc5", method, Budget.parse(budget), SEEDS, F1), PrintedScore(row["mean"], row["sd"])
    for method, row in printed_table("fit_costs").items():
        for metric, cost in {**asdict(WEIGHTS[method]), **row}.items():
            if cost is not None:
                yield Key("mcc5", method, PRIMARY_BUDGET, _FIRST, metric), PrintedScore(cost)


VALUES: Mapping[Key, PrintedScore] = dict(_all())

# Where the paper prints words: it counts no parameters of MiniRocket, which is fitted on a CPU.
WORDS: Mapping[Key, str] = {
    Key("mcc5", "minirocket", PRIMARY_BUDGET, _FIRST, metric): words
    for metric, words in {"registered": "n/a", "active": "n/a", "peak_mib": "n/a (CPU)"}.items()
}

"""Numbers of a report that are made of pairs of jobs, computed again from the scores of each job."""

import statistics
from collections.abc import Callable, Mapping

from dualres.bench.verify.ledger import StoredJob

JobGroups = dict[int, list[str]]  # seed -> beginnings of job keys
Pairs = dict[int, list[tuple[str, str]]]  # seed -> a job, and the one it is compared with

# Of the differences of each seed.
_SUMMARIES: Mapping[str, Callable[[list[list[float]]], float]] = {
    "": lambda seeds: statistics.fmean(each for seed in seeds for each in seed),
    "mean_gap": lambda seeds: statistics.fmean(abs(each) for seed in seeds for each in seed),
    "largest_gap": lambda seeds: max(abs(each) for seed in seeds for each in seed),
    "seeds_below": lambda seeds: sum(round(statistics.fmean(seed), 9) < 0 for seed in seeds),
}


def paired(jobs: Mapping[str, StoredJob], groups: JobGroups, against: JobGroups) -> Pairs:
    """Pairs of equal budget, fold and seed; a key that has no partner does not count."""

    def place(key: str) -> tuple[str, str]:
        return str(jobs[key].plan["budget"]), jobs[key].plan["fold"]

    found: Pairs = {}
    for seed, keys in groups.items():
        others = {place(key): key for key in against.get(seed, []) if key in jobs}
        pairs = [(key, others[place(key)]) for key in keys if key in jobs and place(key) in others]
        if pairs:
            found[seed] = pairs
    return found


def moments_of_pairs(
    metric: str, pairs: Pairs, score: Callable[[str, str], float]
) -> tuple[float | None, float | None, int]:
    """What "METRIC" or "METRIC:SUMMARY" says of the differences, their SD over seeds (of means), and how many."""
    name, _, summary = metric.partition(":")
    seeds = [[score(name, one) - score(name, other) for one, other in group] for group in pairs.values()]
    if not seeds:
        return None, None, 0
    spread = not summary and len(seeds) > 1
    sd = statistics.stdev(map(statistics.fmean, seeds)) if spread else None
    return _SUMMARIES[summary](seeds), sd, sum(map(len, seeds))

import math

import numpy as np
import pytest

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import jobs, study
from dualres.bench.paper.protocol import BEARINGS
from dualres.bench.report.compare import Ranks, critical_difference, interval, paired_differences
from dualres.bench.report.results import Results
from dualres.metrics import confusion, macro_f1
from tests.bench.campaign.handmade import answered, right

UORED = jobs(study("bearing"), ["uored"])


def results_of(path, outcomes, name="bearing"):
    with Ledger(path / "ledger.sqlite") as ledger:
        for job, outcome in outcomes:
            ledger.record(job, outcome)
        return Results(ledger, study(name))


def outcome(said):
    return answered(UORED[0], [0] * 8 + [1] * 8 + [2] * 8, said)


def test_a_difference_is_taken_within_pairs_of_equal_fold_and_seed(tmp_path):
    # DualRes names all right; MambaSL half of them on U1 at seeds 41 and 42, and was not run elsewhere.
    mine = [(job, right(job, 1.0)) for job in UORED if job.method == "dualres"]
    theirs = [j for j in UORED if j.method == "mambasl" and j.fold == "U1" and j.seed in (41, 42)]
    (found,) = paired_differences(results_of(tmp_path, mine + [(job, right(job, 0.5)) for job in theirs]))
    half = macro_f1(right(theirs[0], 0.5).confusion)
    assert len(found.pairs) == 2
    assert all(one.job.fold == two.job.fold and one.job.seed == two.job.seed for one, two in found.pairs)
    assert found.mean == pytest.approx(100 * (1 - half))
    assert found.low <= found.mean <= found.high
    assert found.decided


def random_pair(rng):
    return outcome(rng.integers(3, size=24)), outcome(rng.integers(3, size=24))


def test_the_interval_is_that_of_a_plain_bootstrap_of_folds_recordings_and_seeds():
    rng = np.random.default_rng(5)
    folds = [[random_pair(rng) for _ in range(seeds)] for seeds in (3, 2)]
    plain = []
    for _ in range(1500):
        drawn = []
        for number in rng.integers(2, size=2):
            picks = np.concatenate([rng.integers(8 * label, 8 * label + 8, size=8) for label in range(3)])
            for seed in rng.integers(len(folds[number]), size=len(folds[number])):
                scores = []
                for one in folds[number][seed]:
                    said = np.asarray(one.scores).argmax(1)
                    scores.append(macro_f1(confusion(np.asarray(one.truth)[picks], said[picks], 3)))
                drawn.append(100 * (scores[0] - scores[1]))
        plain.append(np.mean(drawn))
    assert interval(folds, "a") == pytest.approx(tuple(np.quantile(plain, (0.025, 0.975))), abs=2.0)


def test_more_seeds_that_answer_alike_do_not_narrow_the_interval():
    """They judge the same recordings, and so tell nothing new of other recordings."""
    pair = random_pair(np.random.default_rng(7))
    few, many = (np.diff(interval([[pair] * seeds], "a"))[0] for seeds in (1, 8))
    assert many == pytest.approx(few, rel=0.05)
    assert np.diff(interval([[pair]] * 8, "a"))[0] < 0.6 * few  # as many folds would


def test_the_seeds_of_a_fold_stay_together(tmp_path):
    """On U1 DualRes names all right at every seed, on U2 nothing is better: two folds leave it open how much is due."""
    mine = [(j, right(j, 1.0 if j.fold == "U1" else 0.5)) for j in UORED if j.method == "dualres"]
    theirs = [(j, right(j, 0.5)) for j in UORED if j.method == "mambasl"]
    (found,) = paired_differences(results_of(tmp_path, mine + theirs))
    assert len(found.pairs) == 6
    assert found.low <= 0 < found.mean < found.high
    assert not found.decided


def test_the_draws_are_fixed_by_the_name_of_the_comparison():
    rng = np.random.default_rng(6)
    folds = [[random_pair(rng)] for _ in range(2)]
    assert interval(folds, "a") == interval(folds, "a") != interval(folds, "b")


def test_a_class_without_recordings_counts_as_zero_for_both():
    one = answered(UORED[0], [0] * 4 + [1] * 4, [0] * 4 + [1] * 4)
    other = answered(UORED[0], [0] * 4 + [1] * 4, [2] * 8)
    low, high = interval([[(one, other)]], "a")
    assert low == high == pytest.approx(100 * 2 / 3)  # F1 of 1, 1 and 0 against 0, 0 and 0


def test_ranks_are_compared_on_five_real_datasets_and_not_before(tmp_path):
    shares = {"dualres": 1.0, "mambasl": 0.75, "minirocket": 0.5}
    planned = [j for j in jobs(study("bearing"), BEARINGS[:5]) if j.method in shares]
    made = [(job, named(job, shares[job.method])) for job in planned]
    found = critical_difference(results_of(tmp_path, made))
    assert isinstance(found, Ranks)
    assert dict(zip(found.methods, found.average_ranks, strict=True)) == {"dualres": 1, "mambasl": 2, "minirocket": 3}
    assert found.datasets == BEARINGS[:5]
    # Friedman by hand: 12 / (N k (k + 1)) * sum of squared rank sums - 3 N (k + 1), with N = 5 and k = 3
    assert found.statistic == pytest.approx(12 / 60 * (5**2 + 10**2 + 15**2) - 60)
    # Nemenyi's q for 3 methods at 5 % is 2.343 in the usual tables
    assert found.critical_difference == pytest.approx(2.343 * math.sqrt(3 * 4 / (6 * 5)), abs=1e-3)

    fewer = [(job, outcome) for job, outcome in made if job.dataset != "cwru"]
    (tmp_path / "fewer").mkdir()
    sentence = critical_difference(results_of(tmp_path / "fewer", fewer))
    assert "at least 5" in sentence
    assert "there are 4 (Paderborn, KAIST, UORED, HUST)" in sentence


def test_there_are_no_ranks_where_a_dataset_has_several_budgets(tmp_path):
    assert "varies the budget" in critical_difference(results_of(tmp_path, [], "gearbox"))


def named(job, share):
    """Every recording of the fold, so many of each class named right."""
    fold = job.used_fold()
    classes = len(fold.classes)
    truth = [i % classes for i in range(len(fold.evaluation))]
    wrong = round(len(truth) * (1 - share))
    return answered(job, truth, [(t + 1) % classes if i < wrong else t for i, t in enumerate(truth)])

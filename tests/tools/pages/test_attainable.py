from itertools import product

import pytest

from dualres.bench.paper.protocol import FOLDS
from dualres.bench.paper.scores import F1, VALUES
from tools.pages.attainable import accuracies, as_printed, checks, fold_sizes, macro_f1_values


def by_all_predictions(counts):
    """Every macro-F1 there is, from every way to name every recording."""
    truth = [label for label, count in enumerate(counts) for _ in range(count)]
    found = set()
    for named in product(range(len(counts)), repeat=len(truth)):
        f1 = 0.0
        for label in range(len(counts)):
            tp = sum(t == n == label for t, n in zip(truth, named, strict=True))
            fp = sum(t != n == label for t, n in zip(truth, named, strict=True))
            fn = sum(t == label != n for t, n in zip(truth, named, strict=True))
            f1 += 2 * tp / (2 * tp + fp + fn)
        found.add(round(100 * f1 / len(counts), 9))
    return sorted(found)


@pytest.mark.parametrize("counts", [(1, 1), (3, 2), (4, 2, 2), (1, 3, 2), (1, 1, 1, 2)])
def test_the_margins_give_what_all_predictions_give(counts):
    assert macro_f1_values(counts) == pytest.approx(by_all_predictions(counts), abs=1e-8)


@pytest.mark.parametrize("dataset", FOLDS)
def test_every_printed_score_is_possible(dataset):
    found = checks(dataset)
    assert found
    assert [c for c in found if not c.possible] == []


def test_what_is_checked():
    """All scores of folds with up to 16 recordings, and all accuracies; of these, those that could have failed."""
    found = {dataset: checks(dataset) for dataset in FOLDS}
    by_fold = [c for one in found.values() for c in one if c.key.fold]
    assert len(by_fold) == 2 * 3 * 3  # folds, methods, datasets: CWRU, KAIST, UORED
    assert {c.key.dataset for c in by_fold} == {"cwru", "kaist", "uored"}
    assert all(c.share < 0.3 for c in by_fold)
    telling = {dataset: sum(c.tells for c in one) for dataset, one in found.items()}
    few = {"paderborn": 0, "cwru": 9, "kaist": 9, "uored": 9, "hust": 7, "ottawa": 3, "phm2009": 2}
    assert telling == few | {"mcc5": 63}
    means_of_two = [c for one in found.values() for c in one if c.key.metric == F1 and c.key.fold is None]
    assert means_of_two
    assert not any(c.tells for c in means_of_two)


def uored(counts):
    """The printed scores of UORED's folds that a fold with these classes cannot give."""
    possible = as_printed(macro_f1_values(counts))
    printed = [score.mean for key, score in VALUES.items() if key.dataset == "uored" and key.fold]
    assert len(printed) == 6
    return [score for score in printed if round(100 * score) not in possible]


def test_uored_s_developing_stage_is_excluded_by_the_printed_scores():
    assert uored((8, 8, 8)) == [88.57]
    assert uored((8, 4, 4)) == []
    assert uored((4, 2, 2)) == []  # so that the scores do not determine the fold


@pytest.mark.parametrize(
    ("dataset", "fewest"), [("cwru", 14), ("kaist", 15), ("uored", 8), ("hust", 42), ("ottawa", 30), ("mcc5", 120)]
)
def test_the_accuracies_allow_multiples_of_one_size_only(dataset, fewest):
    assert fold_sizes(dataset, 150) == list(range(fewest, 151, fewest))


def test_the_pilot_s_accuracies_allow_the_size_that_the_text_gives():
    assert 140 in fold_sizes("phm2009", 150)
    assert 139 not in fold_sizes("phm2009", 150)


def test_accuracies_are_multiples_of_one_judgement():
    assert accuracies((2, 2), 1) == {0, 2500, 5000, 7500, 10_000}
    assert accuracies((3, 3), 1) == {0, 1667, 3333, 5000, 6667, 8333, 10_000}
    assert 6250 in accuracies((2,), 4)
    assert accuracies((2, 3), 1) >= {1667, 2500, 4167}


def test_a_score_halfway_may_be_printed_either_way():
    assert accuracies((16,), 1) >= {1250, 1875, 625}
    assert accuracies((32,), 1) >= {312, 313}

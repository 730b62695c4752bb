import pytest

from dualres.bench.campaign.studies import folds_of
from dualres.bench.methods import NAMES
from dualres.bench.paper import scores as paper
from dualres.bench.paper.protocol import BEARINGS, FINALISTS, GEARBOX_BUDGETS, SEEDS
from dualres.bench.paper.scores import VALUES, Key, PrintedScore, printed
from dualres.learn.fold import Budget

HALF_A_DIGIT = 0.0051  # what rounding to two digits may hide, twice


def test_no_value_is_stated_twice_differently():
    found = {}
    for key, value in paper._all():
        assert found.setdefault(key, value) == value


def test_a_mean_of_folds_is_the_mean_of_its_folds():
    checked = 0
    for key, value in VALUES.items():
        folds = [VALUES.get(key._replace(fold=fold)) for fold in folds_of(key.dataset)]
        if key.fold is None and all(folds):
            assert value.mean == pytest.approx(sum(f.mean for f in folds) / 2, abs=2 * HALF_A_DIGIT)
            checked += 1
    assert checked == 19 + 18 + 2  # bearings, gearbox at two budgets, pilot


def test_the_seeds_of_itransformer_give_its_mean_and_sd():
    for metric in ("macro_f1", "accuracy"):
        values = [VALUES[Key("hust", "itransformer", Budget(1, 3), (seed,), metric)].mean for seed in SEEDS]
        mean = sum(values) / 3
        sd = (sum((v - mean) ** 2 for v in values) / 2) ** 0.5
        whole = VALUES[Key("hust", "itransformer", Budget(1, 3), SEEDS, metric)]
        assert (whole.mean, whole.sd) == (pytest.approx(mean, abs=HALF_A_DIGIT), pytest.approx(sd, abs=0.01))


def test_all_tables_are_whole():
    f1 = [k for k in VALUES if k.metric == "macro_f1"]
    assert {(k.dataset, k.method) for k in f1 if k.budget == Budget(1, 3) and k.seeds == SEEDS} >= {
        (dataset, method) for dataset in BEARINGS for method in FINALISTS
    }
    for metric in ("macro_f1", "accuracy"):
        assert all(printed("mcc5", m, b, metric) for m in NAMES for b in GEARBOX_BUDGETS)
    assert all(printed("mcc5", m, b, "macro_f1", seeds=SEEDS) for m in FINALISTS for b in GEARBOX_BUDGETS)


def test_the_claims_of_the_text_hold_in_its_tables():
    at = {b: {m: printed("mcc5", m, b, "macro_f1").mean for m in NAMES} for b in GEARBOX_BUDGETS}
    best = [max(scores, key=scores.get) for scores in at.values()]
    assert best == ["minirocket", *["dualres"] * 6]
    primary = [printed("mcc5", m, Budget(3, 4), "macro_f1", seeds=SEEDS).mean for m in FINALISTS]
    assert primary[0] - max(primary[1:]) == pytest.approx(16.1, abs=0.05)
    pilot = [printed("phm2009", m, Budget(3, 4), "macro_f1").mean for m in ("dualres", "mambasl")]
    assert pilot[0] - pilot[1] == pytest.approx(24.91)
    rotation = [printed("uored", m, Budget(1, 3), "macro_f1").mean for m in ("dualres", "dualres/no-rotation")]
    assert rotation[0] - rotation[1] == pytest.approx(27.18)


def test_a_value_is_found_by_what_it_is_of_and_otherwise_there_is_none():
    assert printed("mcc5", "dualres", Budget(3, 4), "macro_f1") == PrintedScore(48.55)
    assert printed("mcc5", "dualres", Budget(3, 4), "macro_f1", seeds=SEEDS) == PrintedScore(44.26, 7.38)
    assert printed("mcc5", "dualres", Budget(3, 4), "macro_f1", fold="M1") == PrintedScore(42.94)
    assert printed("simulated", "dualres", Budget(3, 4), "macro_f1") is None
    assert printed("mcc5", "dualres", Budget(3, 4), "macro_f1", seeds=(42,)) is None

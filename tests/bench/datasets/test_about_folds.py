import pytest

from dualres.bench.datasets import about_folds, catalog
from dualres.bench.datasets.folds import load_fold, names
from dualres.recordings.store import open_store
from dualres.simulated import rig as simulated

FROM = {  # reconstructed elsewhere
    **dict.fromkeys(("mcc5", "phm2009"), "text"),
    **dict.fromkeys(("simulated", "cwru_12k", "uestc", "machines"), "ours"),
}


@pytest.mark.parametrize("dataset", catalog.names())
def test_every_dataset_says_whose_its_folds_are_and_why(dataset):
    release = catalog.release(dataset)
    assert release.folds_from == FROM.get(dataset, "reconstructed")
    assert release.folds_evidence.startswith("The paper ")
    assert len(release.fold_rules) == len(release.folds)
    first, *rules = about_folds.in_words(dataset)
    assert release.folds_evidence in first
    assert [line for line in rules if line.startswith(release.folds)]


@pytest.mark.parametrize("name", names())
def test_classes_are_known_and_judged_in_their_order(name):
    fold = load_fold(name)
    release = catalog.release(fold.dataset)
    assert set(about_folds.labels(fold).values()) == set(fold.classes)
    counts = about_folds.judged_per_class(fold)
    # A simulated machine has its own classes, among those of all.
    own = fold.classes if fold.dataset == "machines" else release.classes
    assert tuple(counts) == fold.classes == tuple(label for label in release.classes if label in own)
    assert sum(counts.values()) == len(fold.evaluation)


def test_the_rig_s_and_phm2009_s_labels_are_those_of_their_recordings(phm2009):
    stored = {r.id: r.label for r in open_store(phm2009)}
    made = {r.id: r.label for r in simulated.recordings()}
    for name, known in (("S1", made), ("S2", made), ("P1", stored), ("P2", stored)):
        labels = about_folds.labels(load_fold(name))
        assert labels == {recording: known[recording] for recording in labels}


def test_windows_are_placed_in_resampled_samples():
    data = about_folds.as_data(load_fold("M2"))
    assert data["support_rule"].items() >= {"first_start": 15 * 64_000, "step": 32_768, "window": 32_768}.items()
    assert data["support_rule"]["order"]["wear"][:2] == [
        "gear_wear_H_speed_circulation_20Nm-3000rpm",
        "gear_wear_H_speed_circulation_10Nm-1000rpm",
    ]
    assert data["window_rule"].items() >= {"first_start": 0, "step": 16_384, "at_most": None}.items()
    assert about_folds.as_data(load_fold("H1"))["window_rule"]["at_most"] == 7
    assert about_folds.as_data(load_fold("H1"))["support_rule"]["step"] == 16_384


def test_what_is_said_of_both_folds_is_said_once():
    said = about_folds.in_words("uored")
    judged = "Judged in U1 and U2: 16 recordings (8 healthy, 4 inner, 4 outer), of each the first 35 windows"
    assert [line for line in said if line.startswith("Judged")] == [f"{judged}, one every 16,384 samples."]
    assert len([line for line in about_folds.in_words("paderborn") if line.startswith("Judged")]) == 2
    speeds = "Judged in E1, E2, E3 and E4: 12 recordings (3 of each class), of each all windows"
    assert about_folds.in_words("uestc")[-1] == f"{speeds}, one every 16,384 samples."
    assert "140 recordings (10 of each class)" in about_folds.in_words("phm2009")[-1]


def test_a_store_of_phm2009_holds_what_the_release_says(phm2009):
    release, recordings = catalog.release("phm2009"), open_store(phm2009)
    assert len(recordings) == release.recordings
    seconds = sum(len(r.signal) for r in recordings) / release.rate
    assert float(seconds) == pytest.approx(release.recorded_s, rel=0.001)

"""No frozen fold leaks: by what is known of the recordings, for the releases whose signals are not at hand."""

import pytest

from dualres.audit import Split, audit
from dualres.bench.datasets import about_folds, catalog
from dualres.bench.datasets.folds import load_fold, names
from dualres.recordings.recording import Recording

SUFFIX = {"mcc5": ".csv", "cwru_12k": ".npy", "uestc": ".npy"}  # MATLAB elsewhere


def from_names(fold, folder):
    """The fold's recordings as its adapter understands their file names; the files are empty."""

    def refuse():
        raise AssertionError("a signal was opened")

    for name in (*fold.supporting(), *fold.evaluation):
        (folder / f"{name}{SUFFIX.get(fold.dataset, '.mat')}").touch()
    release = catalog.release(fold.dataset)
    return [
        Recording(e.id, refuse, release.rate, e.label, e.component, e.condition) for e in release.index(folder).entries
    ]


def _unit(recording, held_out):
    """What a fold's two sides do not share."""
    if held_out == "bearing":
        return recording.component
    names = {"motion mode": "mode", "speed profile": "profile", "speed": "speed_rpm"}
    return recording.condition.get(names.get(held_out, held_out)) or recording.condition["load_hp"]


ELSEWHERE = ("simulated", "machines", "phm2009")  # audited in other files


@pytest.mark.parametrize("name", [n for n in names() if load_fold(n).dataset not in ELSEWHERE])
def test_by_metadata(name, tmp_path):
    fold = load_fold(name)
    recordings = from_names(fold, tmp_path)
    assert {r.id for r in recordings} == fold.supporting() | set(fold.evaluation)
    assert about_folds.labels(fold) == {r.id: r.label for r in recordings}
    for label, members in fold.support.items():
        assert {r.label for r in recordings if r.id in members} == {label}
    told = [
        {_unit(r, fold.held_out) for r in recordings if r.id in side} for side in (fold.supporting(), fold.evaluation)
    ]
    assert not told[0] & told[1]
    split = Split(tuple(sorted(fold.supporting())), fold.evaluation, fold.held_out)
    limitations = catalog.release(fold.dataset).limitations
    findings = audit(recordings, split, limitations=limitations, signals=False)
    assert not [f for f in findings if f.severity == "leak"]
    if fold.dataset in ("cwru_12k", "uestc"):
        assert not [f for f in findings if f.kind == "unknown-unit"], "the held-out unit is none that recordings tell"
    stated = [f.message for f in findings if f.kind == "stated-limitation"]
    assert stated == list(limitations)
    assert stated

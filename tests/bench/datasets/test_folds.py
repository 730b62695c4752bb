import dataclasses
import itertools
import json
from collections import Counter

import pytest

from dualres.bench.datasets import folds
from dualres.bench.datasets.folds import load_fold, names
from dualres.errors import ConfigError
from dualres.recordings.store import open_store
from dualres.simulated import rig
from dualres.simulated import rig as simulated
from dualres.utils.registry import Registry

# The order in which conditions enter a support, (rpm, Nm).
ORDER = {
    "S1": [(1000, 10), (3000, 20), (2000, 10), (1000, 20), (3000, 10), (2000, 20)],
    "S2": [(3000, 20), (1000, 10), (2000, 10), (1000, 20), (3000, 10), (2000, 20)],
}


def test_the_folds_at_hand():
    more = ["D1", "D2", "D3", "E1", "E2", "E3", "E4"]  # of rigs that are not in the paper
    more += [f"M{number}{unit}" for number in range(10, 16) for unit in "LVS"]
    assert names() == sorted([*more, *(f"{letter}{number}" for letter in "BCHKMOPSU" for number in (1, 2))])


@pytest.mark.parametrize("name", names())
def test_support_and_evaluation_share_nothing(name):
    fold = load_fold(name)
    assert fold.fold == name
    assert not fold.supporting() & set(fold.evaluation)
    assert len(set(fold.evaluation)) == len(fold.evaluation)
    assert len(fold.supporting()) == sum(map(len, fold.support.values()))


@pytest.mark.parametrize(("name", "mode", "severity"), [("S1", "torque", "L"), ("S2", "speed", "H")])
def test_the_rig_s_folds_follow_their_rule(name, mode, severity):
    fold = load_fold(name)
    for label, members in fold.support.items():
        grade = None if label in rig.WITHOUT_SEVERITY else severity
        assert list(members) == [simulated.RigSetting(label, grade, mode, *c).id for c in ORDER[name]]
    labels = {r.id: r.label for r in simulated.recordings() if r.condition["mode"] != mode}
    assert set(fold.evaluation) == set(labels)
    expected = {c: 6 if c in rig.WITHOUT_SEVERITY else 18 for c in simulated.CLASSES}
    assert Counter(labels.values()) == expected


@pytest.mark.parametrize(
    ("name", "repeat", "load", "speeds"), [("P1", "1", "High", (30, 35, 40)), ("P2", "2", "Low", (50, 45, 40))]
)
def test_the_phm2009_folds_follow_their_rule(phm2009, name, repeat, load, speeds):
    fold = load_fold(name)
    known = {r.id: r for r in open_store(phm2009)}
    for label, members in fold.support.items():
        found = [(known[m].label, known[m].condition) for m in members]
        assert [(lb, c["repeat"], c["load"], int(c["shaft_hz"])) for lb, c in found] == [
            (label, repeat, load, hz) for hz in speeds
        ]
    assert set(fold.evaluation) == {r.id for r in known.values() if r.condition["repeat"] != repeat}


def test_a_changed_fold_is_refused(monkeypatch, tmp_path):
    content = json.loads(rig.FOLDS.joinpath("S1.json").read_text())
    content["support"]["wear"].reverse()
    (tmp_path / "S1.json").write_text(json.dumps(content))
    monkeypatch.setattr(rig, "FOLDS", tmp_path)
    monkeypatch.setattr(folds, "_FOLDS", Registry("fold", folds._own))
    with pytest.raises(ConfigError, match="S1: its file was changed"):
        load_fold("S1")


def test_an_unknown_fold_is_named_with_those_there_are():
    with pytest.raises(ConfigError, match="no fold 'S3'; there are B1, B2, C1"):
        load_fold("S3")


def test_a_fold_that_leaks_cannot_be_made():
    fold = load_fold("S1")
    leaking = next(itertools.chain.from_iterable(fold.support.values()))
    with pytest.raises(ConfigError, match=f"{leaking} is in the support and in the evaluation"):
        dataclasses.replace(fold, evaluation=(*fold.evaluation, leaking))

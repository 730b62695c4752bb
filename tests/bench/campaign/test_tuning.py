"""What a recipe is chosen by."""

from pathlib import Path

import pytest

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.tuning import of_fold
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE
from dualres.errors import ConfigError
from dualres.learn.fold import Budget


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def divided(cache):
    return of_fold("S1", Budget(2, 1), Path("stores"), cache)


def test_a_fold_s_conditions_are_held_out_together(divided):
    fold = load_fold("S1")
    assert divided.classes == fold.classes
    assert divided.held_out == "operating condition of the source"
    for (name, _), group, label in zip(divided.support.origins, divided.groups, divided.support.labels, strict=True):
        assert fold.support[fold.classes[label]][group] == name
    assert divided.groups.tolist() == [0, 1] * 8


def test_no_evaluation_recording_is_opened(cache, monkeypatch):
    opened, original = [], DatasetSignals._one
    monkeypatch.setattr(DatasetSignals, "_one", lambda self, name: opened.append(name) or original(self, name))
    seen = []
    of_fold("S1", Budget(1, 1), Path("stores"), cache, progress=lambda *x: seen.append(x))
    assert set(opened) == {members[0] for members in load_fold("S1").support.values()}
    assert not set(opened) & set(load_fold("S1").evaluation)
    assert [news[:3] for news in seen] == [("Read", i, 8) for i in range(1, 9)]


def test_its_source_could_not_open_one(cache):
    fold = load_fold("S1")
    source = DatasetSignals("simulated", Path("stores"), cache, POLYPHASE, only=fold.supporting())
    with pytest.raises(ConfigError, match=f"{fold.evaluation[0]} of simulated may not be opened here"):
        source.at_rate(fold.evaluation[:1])

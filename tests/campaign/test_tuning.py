"""What a recipe is chosen by."""

from pathlib import Path

import numpy as np
import pytest

from dualres.campaign.sources import Source
from dualres.campaign.tuning import Kept, fingerprint, of_fold, of_recordings
from dualres.config import POLYPHASE, Recipe
from dualres.datasets.budget import Budget
from dualres.datasets.folds import load_fold
from dualres.errors import ConfigError
from dualres.learn.estimate import Rounds
from dualres.learn.tune import NEVER, Fit
from dualres.recordings.recording import Recording

FIRST, SECOND = Fit("paper", 0, 41), Fit("robust, no paths", 1, 42)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def divided(cache):
    return of_fold("S1", Budget(2, 1), Path("stores"), cache)


def recordings():
    noise = np.random.default_rng(0).standard_normal((4, 40_000))
    return [
        Recording.from_array(x, 64_000, name, "good" if name < "c" else "worn")
        for x, name in zip(noise, "abcd", strict=True)
    ]


def test_a_fold_s_conditions_are_held_out_together(divided):
    fold = load_fold("S1")
    assert divided.classes == fold.classes
    assert divided.held_out == "operating condition of the source"
    for (name, _), group, label in zip(divided.support.origins, divided.groups, divided.support.labels, strict=True):
        assert fold.support[fold.classes[label]][group] == name
    assert divided.groups.tolist() == [0, 1] * 8


def test_no_evaluation_recording_is_opened(cache, monkeypatch):
    opened, original = [], Source._one
    monkeypatch.setattr(Source, "_one", lambda self, name: opened.append(name) or original(self, name))
    seen = []
    of_fold("S1", Budget(1, 1), Path("stores"), cache, progress=lambda *x: seen.append(x))
    assert set(opened) == {members[0] for members in load_fold("S1").support.values()}
    assert not set(opened) & set(load_fold("S1").evaluation)
    assert seen == [(i, 8) for i in range(1, 9)]


def test_its_source_could_not_open_one(cache):
    fold = load_fold("S1")
    source = Source("simulated", Path("stores"), cache, POLYPHASE, only=fold.supporting())
    with pytest.raises(ConfigError, match=f"{fold.evaluation[0]} of simulated may not be opened here"):
        source.at_rate(fold.evaluation[:1])


def test_recordings_are_held_out_as_their_estimate_would():
    rounds = Rounds((frozenset("ac"), frozenset("b")), "component", ("few",))
    found = of_recordings(recordings(), rounds, ("good", "worn"), 1, POLYPHASE)
    assert found.groups.tolist() == [0, 1, 0, NEVER]
    assert found.support.labels.tolist() == [0, 0, 1, 1]
    assert (found.held_out, found.remarks) == ("component", ("few",))


def test_without_rounds_nothing_is_held_out():
    found = of_recordings(recordings(), None, ("good", "worn"), 1, POLYPHASE)
    assert found.groups.tolist() == [NEVER] * 4
    assert found.held_out is None


def test_finished_fits_are_kept_until_the_choice_is_made(tmp_path):
    out = tmp_path / "recipe.json"
    kept = Kept(out, "this")
    assert not kept.scores
    kept.add(FIRST, 0.1)
    kept.add(SECOND, 2 / 3)
    assert kept.path.name == "recipe.json.part"
    assert Kept(out, "this").scores == {FIRST: 0.1, SECOND: 2 / 3}
    assert not Kept(out, "that").scores
    kept.drop()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"about": "this", "scores": [[1]]}', '{"about": "this"}'])
def test_damaged_scores_are_none(tmp_path, content):
    (tmp_path / "r.json.part").write_text(content)
    assert not Kept(tmp_path / "r.json", "this").scores


def test_scores_of_another_support_or_grid_are_not_mistaken(divided):
    other = of_recordings(recordings(), None, ("good", "worn"), 1, POLYPHASE)
    grid = {"paper": Recipe()}
    prints = [fingerprint(divided, grid, "cpu"), fingerprint(other, grid, "cpu")]
    prints += [fingerprint(other, {"paper": Recipe(100)}, "cpu"), fingerprint(other, grid, "cuda")]
    assert len(set(prints)) == 4
    assert fingerprint(divided, grid, "cpu") == prints[0]

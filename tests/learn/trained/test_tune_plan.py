"""What a recipe is chosen by, where the recordings are a user's."""

import numpy as np
import pytest

from dualres.audit import LeakError
from dualres.config import POLYPHASE, Recipe
from dualres.learn.holdout import Rounds
from dualres.learn.trained import tune, tune_plan
from dualres.learn.trained.tune import NEVER, Fit
from dualres.learn.trained.tune_plan import FitCache, Forecast, choose_recipe, divide, fingerprint
from dualres.model.kinds import network_recipe
from dualres.recordings.recording import Recording

FIRST, SECOND = Fit("paper", 0, 41), Fit("robust, no paths", 1, 42)
CODE = {"torch": "1"}


def recordings():
    noise = np.random.default_rng(0).standard_normal((4, 40_000))
    return [
        Recording.from_array(x, 64_000, name, "good" if name < "c" else "worn")
        for x, name in zip(noise, "abcd", strict=True)
    ]


def divided_by(*held_out):
    """As if these were held out in turn."""
    rounds = Rounds(tuple(map(frozenset, held_out)), "component", ("few",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tune_plan, "plan_rounds", lambda recordings: rounds)
        return divide(recordings(), ("good", "worn"), windows_each=1, resampler=POLYPHASE)


def test_recordings_are_held_out_as_their_estimate_would():
    found = divided_by("ac", "b")
    assert found.groups.tolist() == [0, 1, 0, NEVER]
    assert found.support.labels.tolist() == [0, 0, 1, 1]
    assert (found.held_out, found.remarks) == ("component", ("few",))


def test_finished_fits_are_kept_until_the_choice_is_made(tmp_path):
    out = tmp_path / "recipe.json"
    kept = FitCache(out, "this")
    assert not kept.scores
    kept.add(FIRST, 0.1)
    kept.add(SECOND, 2 / 3)
    assert kept.path.name == "recipe.json.part"
    assert FitCache(out, "this").scores == {FIRST: 0.1, SECOND: 2 / 3}
    assert not FitCache(out, "that").scores
    kept.drop()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"about": "this", "scores": [[1]]}', '{"about": "this"}'])
def test_damaged_scores_are_none(tmp_path, content):
    (tmp_path / "r.json.part").write_text(content)
    assert not FitCache(tmp_path / "r.json", "this").scores


def test_scores_of_another_support_grid_or_version_are_not_mistaken():
    divided, other = divided_by("ac", "bd"), divided_by()
    grid = {"paper": network_recipe(Recipe())}
    prints = [fingerprint(divided, grid, "cpu", CODE), fingerprint(other, grid, "cpu", CODE)]
    prints += [
        fingerprint(other, {"paper": network_recipe(Recipe(100))}, "cpu", CODE),
        fingerprint(other, grid, "cuda", CODE),
    ]
    prints += [fingerprint(other, grid, "cpu", {"torch": "2"})]
    assert len(set(prints)) == 5
    assert fingerprint(divided, grid, "cpu", CODE) == prints[0]


def test_recordings_are_divided_where_any_can_be_held_out():
    settings = {"windows_each": 1, "resampler": POLYPHASE}
    found = divide(recordings(), ("good", "worn"), **settings)
    assert found.groups.tolist() == [0, 1, 0, 1]
    assert found.held_out == "recording"
    alone = divide([recordings()[0], recordings()[2]], ("good", "worn"), **settings)
    assert (alone.groups.tolist(), alone.held_out) == ([NEVER] * 2, None)
    copied = [recordings()[0], Recording.from_array(recordings()[0].signal, 64_000, "b", "good"), *recordings()[2:]]
    with pytest.raises(LeakError):
        divide(copied, ("good", "worn"), **settings, strict=True)


def test_a_choice_is_announced_and_goes_on_from_what_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(tune, "GRID", {"paper": network_recipe(Recipe(2)), "longer": network_recipe(Recipe(3))})
    divided = divide(recordings(), ("good", "worn"), windows_each=1, resampler=POLYPHASE)
    kept, announced, told = FitCache(tmp_path / "r.json", "this"), [], []
    kept.add(Fit("paper", 0, 41), 0.5)
    choice = choose_recipe(
        divided, seeds=[41], kept=kept, announce=announced.append, progress=lambda *x: told.append(x)
    )
    (forecast,) = announced
    assert forecast == Forecast(3, 1, forecast.seconds)
    assert forecast.seconds > 0
    assert [one.name for one in choice.candidates] == ["paper", "longer"]
    assert len(kept.scores) == 4
    assert told[-1] == ("Fits", 4, 4, "")

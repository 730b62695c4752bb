"""What a recipe is chosen by, where the recordings are a user's."""

import json

import numpy as np
import pytest

from dualres.audit import LeakError
from dualres.config import POLYPHASE, RECIPES, Recipe, recipe_named
from dualres.errors import ConfigError
from dualres.learn.holdout import Rounds
from dualres.learn.trained import tune, tune_plan
from dualres.learn.trained.tune import NEVER, Candidate, Choice, Fit
from dualres.learn.trained.tune_plan import (
    FORMAT,
    FitCache,
    Forecast,
    choose_recipe,
    divide,
    fingerprint,
    read_recipe,
    recipe_from,
    write_choice,
)
from dualres.model.kinds import ORDERS, PAPER, VIEWS, NetworkRecipe, chosen_recipe, network_recipe
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
    longer = {"paper": network_recipe(Recipe(100))}
    prints = [fingerprint(divided, grid, "cpu", CODE), fingerprint(other, grid, "cpu", CODE)]
    prints += [fingerprint(other, longer, "cpu", CODE), fingerprint(other, grid, "cuda", CODE)]
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


MILD = network_recipe(Recipe(7, 1e-2, 1.0, path_sigma=0.3, mixup=True))


def test_the_file_has_the_whole_table_and_complete_recipes_and_is_read_back(tmp_path):
    candidates = (Candidate("paper", chosen_recipe("paper"), (0.5, 0.75)), Candidate("mild", MILD, (0.75, 1.0)))
    file = tmp_path / "recipe.json"
    write_choice(Choice("mild", MILD, candidates), file, held_out="component", remarks=["few"], seeds=[41])
    assert read_recipe(file) == MILD
    assert recipe_from(str(file)) == MILD
    assert recipe_from(str(file), 9).recipe.updates == 9
    content = json.loads(file.read_text())
    assert (content["chosen"], content["held_out"], content["remarks"]) == ("mild", "component", ["few"])
    paper, mild = content["candidates"]
    scores = {name: paper[name] for name in ("name", "mean", "standard_error", "rounds")}
    assert scores == {"name": "paper", "mean": 0.625, "standard_error": 0.125, "rounds": [0.5, 0.75]}
    assert Recipe(**paper["recipe"]) == Recipe()
    assert paper["recipe"].keys() == mild["recipe"].keys() == vars(Recipe()).keys() - {"more"}


def test_further_augmentations_are_written_where_there_are_any(tmp_path):
    recipe = network_recipe(Recipe(7, more=(("tilt", 0.5), ("hum", 2.0))))
    write_choice(Choice("more", recipe), tmp_path / "r.json", held_out=None, remarks=[], seeds=[41])
    assert json.loads((tmp_path / "r.json").read_text())["recipe"]["more"] == [["tilt", 0.5], ["hum", 2.0]]
    assert read_recipe(tmp_path / "r.json") == recipe


def test_names_are_recipes_too_and_a_missing_file_is_named(tmp_path, monkeypatch):
    assert recipe_from("robust") == NetworkRecipe(PAPER, RECIPES["robust"])
    assert recipe_from("paper", 5).recipe == Recipe(5)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper").write_text("a file of that name does not matter")
    assert recipe_from("paper").recipe == Recipe()
    with pytest.raises(ConfigError, match="'sturdy' is not known; there are orders, views, paper, robust"):
        recipe_from("sturdy")
    with pytest.raises(ConfigError, match="No such file"):
        recipe_from(str(tmp_path / "nowhere.json"))


def test_orders_are_no_recipe_and_the_default(tmp_path):
    assert recipe_from(None) == recipe_from("orders") == NetworkRecipe(ORDERS)
    assert recipe_from(None, 5).recipe == recipe_named("robust", updates=5), "who asks for updates asks for a network"
    write_choice(Choice("views", chosen_recipe("views")), tmp_path / "r.json", held_out=None, remarks=[], seeds=[41])
    assert recipe_from(str(tmp_path / "r.json")) == NetworkRecipe(VIEWS)
    for text in ("views", str(tmp_path / "r.json")):
        with pytest.raises(ConfigError, match="recipe views makes no updates; choose paper or robust"):
            recipe_from(text, 5)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "Expecting value"),
        ("[]", "its format"),
        ('{"format": "dualres-job/1"}', "its format"),
        (json.dumps({"format": FORMAT}), "'recipe'"),
        (json.dumps({"format": FORMAT, "recipe": {"updates": 0}}), "at least one update"),
        (json.dumps({"format": FORMAT, "recipe": {"speed": 1}}), "speed"),
        (json.dumps({"format": FORMAT, "recipe": {"path_sigma": "1"}}), "not supported"),
        ("[" * 100_000, "levels deep"),
        (" " * 2_000_000, "larger"),
    ],
)
def test_what_is_no_recipe_is_named_with_the_remedy(tmp_path, content, reason):
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=rf"r\.json: is not a recipe .*{reason}.*`dualres tune`"):
        read_recipe(path)

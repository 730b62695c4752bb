import dataclasses
import json

import pytest

from dualres.config import RECIPES, ModelConfig, Recipe, recipe_named
from dualres.errors import ConfigError, DualResError


def test_the_paper_s_numbers():
    paper = ModelConfig()
    assert (paper.crop, paper.tokens, paper.token_rate) == (3, 249, 500)
    assert (paper.short_bins, paper.long_bins) == (129, 513)
    assert paper.window_s == 0.512
    with pytest.raises(dataclasses.FrozenInstanceError):
        paper.width = 32


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"hop": 100}, r"frame offset .* = 3.84 is not a whole number"),
        ({"width": 63}, "width=63 is odd"),
        ({"short": 255}, "must be even"),
        ({"short": 2048}, "longer than long"),
        ({"window": 1000}, "shorter than one long frame"),
        ({"window": 2**25}, "at most"),
        ({"window": 2**20 + 1}, "at most"),
        ({"rate": 2**70}, "rate: at most"),
        ({"states": 0}, "positive whole number"),
        ({"hop": 1.5}, "positive whole number"),
        ({"rate": True}, "positive whole number"),
        ({"half_life_s": (0.0, 1.0)}, "half_life_s"),
        ({"frequency_hz": (10.0, 250.0)}, "between 0 and 250 Hz"),
        ({"dropout": 1.0}, "dropout"),
        ({"jitter": -0.1}, "jitter"),
        ({"jitter": float("nan")}, "jitter"),
        ({"memory": 0}, "memory=0: True or False"),
        ({"rotation": "yes"}, "rotation='yes': True or False"),
        ({"branches": "middle"}, "'both', 'short', 'long'"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(settings, reason):
    with pytest.raises(ConfigError, match=reason):
        ModelConfig(**settings)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("updates", [0]),
        ("learning_rate", [0.0]),
        ("decay", [1.5]),
        ("path_sigma", [-0.1, float("nan"), 50.0]),
        ("path_waves", [0, 2.5]),
        ("mixup", [1]),
        ("standardise", [None]),
        ("more", [None, ["tilt"], ["t1"], (("tilt",),), (("tilt", "1"),), (("tilt", 0.0),), (("tilt", float("nan")),)]),
        ("more", [(("tilt", 10**400),), (("tilt", 1.0), ("tilt", 2.0)), (("Tilt, updates=1", 1.0),)]),
        ("more", [(("updates", 1.0),), ((1, 1.0),)]),
    ],
)
def test_recipes_too(name, values):
    for value in values:
        with pytest.raises(DualResError, match=name):
            Recipe(**{name: value})


def test_the_learning_rate_falls_from_the_second_update_on():
    recipe = Recipe()
    assert recipe.rate_at(1) == 5e-4
    assert recipe.rate_at(3) == pytest.approx(5e-4 * 0.99**2)


def test_what_the_paper_does_not_have_is_off_and_left_out_of_the_data():
    assert Recipe(100).as_data() == {"updates": 100, "learning_rate": 5e-4, "decay": 0.99}
    assert "more" not in Recipe().as_data(complete=True)
    assert Recipe(**Recipe().as_data(complete=True)) == Recipe()
    assert not Recipe().augments


def test_further_augmentations_have_names_and_strengths():
    recipe = Recipe(7, more=(("tilt", 0.5), ("hum", 2)))
    assert recipe.augments
    assert not recipe.plain
    assert str(recipe) == "paper, updates=7, tilt=0.5, hum=2.0"
    assert recipe.kind == "paper, tilt=0.5, hum=2.0"
    from_json = Recipe(**json.loads(json.dumps(recipe.as_data())))
    assert (from_json, hash(from_json)) == (recipe, hash(recipe))
    assert str(recipe_named("robust", more=[["tilt", 0.5]])) == "robust, tilt=0.5"


def test_recipes_have_names():
    assert recipe_named("paper") == Recipe()
    robust = Recipe(800, 1e-3, 0.996, path_sigma=1.0, path_waves=4, mixup=True, standardise=True)
    assert recipe_named("robust") == robust
    assert recipe_named("robust", updates=5, decay=None) == dataclasses.replace(robust, updates=5)
    with pytest.raises(ConfigError, match="'sturdy' is not known; there are paper, robust"):
        recipe_named("sturdy")


def test_a_recipe_tells_which_it_is_and_what_differs():
    assert [str(recipe) for recipe in RECIPES.values()] == list(RECIPES)
    assert str(Recipe(100)) == "paper, updates=100"
    assert str(recipe_named("robust", updates=5, path_sigma=0.5)) == "robust, updates=5, path_sigma=0.5"
    kinds = [recipe.kind for recipe in (Recipe(100), recipe_named("robust", updates=5, path_sigma=0.5))]
    assert kinds == ["paper", "robust, path_sigma=0.5"]


def test_a_setting_of_ours_is_in_the_data_only_where_it_is_used():
    assert "memory" not in ModelConfig().as_data()
    assert set(ModelConfig().as_data()) | {"memory"} == {field.name for field in dataclasses.fields(ModelConfig)}
    silenced = ModelConfig(memory=False)
    assert ModelConfig(**silenced.as_data()) == silenced

import json

import pytest

from dualres.config import RECIPES, Recipe, recipe_named
from dualres.errors import ConfigError
from dualres.learn.trained.recipe_file import FORMAT, read_recipe, recipe_from, write_choice
from dualres.learn.trained.tune import Candidate, Choice
from dualres.model.kinds import PAPER, VIEWS, NetworkRecipe, chosen_recipe, network_recipe

MILD = network_recipe(Recipe(7, 1e-2, 1.0, path_sigma=0.3, mixup=True))


@pytest.fixture
def file(tmp_path):
    candidates = (Candidate("paper", chosen_recipe("paper"), (0.5, 0.75)), Candidate("mild", MILD, (0.75, 1.0)))
    path = tmp_path / "recipe.json"
    write_choice(Choice("mild", MILD, candidates), path, held_out="component", remarks=["few"], seeds=[41])
    return path


def test_the_recipe_is_read_back(file):
    assert read_recipe(file) == MILD
    assert recipe_from(str(file)) == MILD
    assert recipe_from(str(file), 9).recipe.updates == 9


def test_the_file_has_the_whole_table_and_complete_recipes(file):
    content = json.loads(file.read_text())
    assert (content["chosen"], content["held_out"], content["remarks"]) == ("mild", "component", ["few"])
    paper, mild = content["candidates"]
    assert (paper["name"], paper["mean"], paper["standard_error"], paper["rounds"]) == (
        "paper",
        0.625,
        0.125,
        [0.5, 0.75],
    )
    assert Recipe(**paper["recipe"]) == Recipe()
    assert paper["recipe"].keys() == mild["recipe"].keys() == vars(Recipe()).keys() - {"more"}


def test_further_augmentations_are_written_where_there_are_any(tmp_path):
    recipe = network_recipe(Recipe(7, more=(("tilt", 0.5), ("hum", 2.0))))
    write_choice(Choice("more", recipe), tmp_path / "r.json", held_out=None, remarks=[], seeds=[41])
    assert json.loads((tmp_path / "r.json").read_text())["recipe"]["more"] == [["tilt", 0.5], ["hum", 2.0]]
    assert read_recipe(tmp_path / "r.json") == recipe


def test_names_are_recipes_too(tmp_path, monkeypatch):
    assert recipe_from("robust") == NetworkRecipe(PAPER, RECIPES["robust"])
    assert recipe_from("paper", 5).recipe == Recipe(5)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper").write_text("a file of that name does not matter")
    assert recipe_from("paper").recipe == Recipe()
    with pytest.raises(ConfigError, match="'sturdy' is not known; there are views, paper, robust"):
        recipe_from("sturdy")


def test_views_are_no_recipe_and_the_default(tmp_path):
    assert recipe_from(None) == recipe_from("views") == NetworkRecipe(VIEWS)
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
        ("[" * 100_000, "recursion"),
        (" " * 2_000_000, "larger"),
    ],
)
def test_what_is_no_recipe_is_named_with_the_remedy(tmp_path, content, reason):
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=rf"r\.json: is not a recipe .*{reason}.*`dualres tune`"):
        read_recipe(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        recipe_from(str(tmp_path / "nowhere.json"))

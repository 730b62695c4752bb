"""A recipe chosen by the support alone."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.config import RECIPES, Recipe
from dualres.errors import ConfigError
from dualres.learn.support import Support
from dualres.learn.trained import tune as tuning
from dualres.learn.trained.tune import (
    GRID,
    NEVER,
    Candidate,
    Fit,
    expected_tuning_s,
    first_unless_clearly_behind,
    plan,
    tune,
    window_f1,
)
from dualres.model.kinds import ORDERS, VIEWS, NetworkRecipe, network_recipe

FEW = {name: network_recipe(Recipe(updates)) for name, updates in (("short", 1), ("long", 2))}


def tones(config, groups=(0, 0, 1, 1, 2, 2), classes=3):
    """One recording of two windows for each class and group; the classes differ in frequency."""
    rng, t = np.random.default_rng(0), np.arange(config.window) / config.rate
    labels, origins, windows = [], [], []
    for label in range(classes):
        for i, group in enumerate(groups):
            labels.append(label)
            origins.append((f"{label} in {group}", i))
            tone = np.sin(2 * np.pi * (100 + 200 * label) * t + rng.uniform(0, 6))
            windows.append(tone + 0.3 * rng.standard_normal(len(t)))
    support = Support(np.array(windows, dtype=np.float32), np.array(labels), tuple(origins), {})
    return support, np.array(groups * classes)


@pytest.mark.parametrize(
    ("rounds", "chosen"),
    [
        ([(0.5, 0.7), (0.9, 0.7), (0.9, 0.8)], "a"),  # c is ahead by 0.25, give or take 0.15
        ([(0.5, 0.7), (0.9, 0.69), (0.7, 0.9)], "c"),  # by 0.2 in every round
        ([(0.5, 0.5), (0.6, 0.6), (0.7, 0.7)], "c"),  # the better of two that are ahead
        ([(0.9, 0.9), (0.9, 0.9), (0.9, 0.9)], "a"),
        ([(0.4, 0.4), (0.1, 0.3), (0.0, 1.0)], "a"),  # a wide error tells nothing
    ],
)
def test_the_first_is_chosen_unless_another_is_clearly_ahead(rounds, chosen):
    candidates = [Candidate(name, network_recipe(Recipe()), scores) for name, scores in zip("abc", rounds, strict=True)]
    assert first_unless_clearly_behind(candidates).name == chosen


def test_the_standard_error_is_over_the_rounds():
    one = Candidate("a", network_recipe(Recipe()), (0.2, 0.4, 0.9))
    assert one.mean == pytest.approx(0.5)
    assert one.standard_error == pytest.approx(np.sqrt((0.09 + 0.01 + 0.16) / 2 / 3))


def test_the_grid_has_the_default_first_and_then_goes_from_the_simple_to_the_strong():
    assert list(GRID) == [
        *("orders", "views", "paper", "robust, no paths", "robust, paths 0.5", "robust", "robust, paths 1.5")
    ]
    assert (GRID["orders"], GRID["views"]) == (NetworkRecipe(ORDERS), NetworkRecipe(VIEWS))
    assert [GRID[name] for name in RECIPES] == list(map(network_recipe, RECIPES.values()))
    recipes = [by.recipe for by in GRID.values() if by.recipe]
    assert [recipe.path_sigma for recipe in recipes] == [0, 0, 0.5, 1.0, 1.5]
    assert all(replace(recipe, path_sigma=1.0) == RECIPES["robust"] for recipe in recipes[1:])


def test_every_candidate_and_seed_in_every_round_that_leaves_all_classes():
    labels = np.array([0, 1, 0, 1, 0, 1, 1])
    groups = np.array([0, 0, 1, 1, 2, NEVER, 2])
    first = [Fit(name, 0, seed) for seed in (41, 42) for name in ("short", "long")]
    assert plan(labels, groups, FEW, (41, 42))[:4] == first
    assert {fit.group for fit in plan(labels, groups, FEW, (41,))} == {0, 1, 2}


def test_a_round_that_takes_a_class_away_is_none():
    labels, groups = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 0])
    assert {fit.group for fit in plan(labels, groups, FEW, (41,))} == {1, 2}


def test_what_cannot_be_compared_is_refused():
    labels = np.array([0, 1])
    with pytest.raises(ConfigError, match="2 labels came with groups of shape"):
        plan(labels, np.array([0]), FEW, (41,))
    with pytest.raises(ConfigError, match="at least one recipe"):
        plan(labels, labels, {}, (41,))


def test_what_is_held_out_is_never_trained_on_and_alone_judged(small, monkeypatch):
    support, groups = tones(small)
    support.windows[:, 0] = np.arange(len(groups))  # each window can be told by its first sample
    trained, judged = [], []
    fit, score = tuning.fit_one, tuning.scorer

    def spy_fit(task, *rest):
        trained.append(task.windows[:, 0].astype(int))
        np.testing.assert_array_equal(task.labels, support.labels[trained[-1]])
        return fit(task, *rest)

    def spy_scorer(network):
        return lambda windows, hz: judged.append(windows[:, 0].astype(int)) or score(network)(windows, hz)

    monkeypatch.setattr(tuning, "fit_one", spy_fit)
    monkeypatch.setattr(tuning, "scorer", spy_scorer)
    tune(support, groups, 3, FEW, config=small)
    assert len(trained) == len(judged) == 6
    for number, (learned, held) in enumerate(zip(trained, judged, strict=True)):
        assert set(groups[held]) == {number // 2}
        assert sorted([*learned, *held]) == list(range(len(groups)))


GROWING = {"nothing": network_recipe(Recipe(1, 1e-6)), "enough": network_recipe(Recipe(150, 1e-2))}


def test_what_learns_is_chosen(small):
    support, groups = tones(small)
    choice = tune(support, groups, 3, GROWING, config=small)
    assert (choice.name, choice.recipe, choice.reason) == ("enough", GROWING["enough"], None)
    nothing, enough = choice.candidates
    assert len(enough.rounds) == 3
    assert enough.mean > 0.9 > nothing.mean


def test_a_round_s_score_is_the_mean_over_its_seeds_and_what_is_known_is_not_fitted(small, monkeypatch):
    support, groups = tones(small)
    monkeypatch.setattr(tuning, "fit_one", None)  # calling it would be an error
    fits = plan(support.labels, groups, FEW, (41, 42))
    known = {fit: fit.group / 4 + (fit.seed == 42) / 8 + (fit.candidate == "long") / 8 for fit in fits}
    choice = tune(support, groups, 3, FEW, seeds=(41, 42), config=small, known=known)
    assert choice.candidates[0].rounds == (0.0625, 0.3125, 0.5625)
    assert choice.candidates[1].rounds == (0.1875, 0.4375, 0.6875)


def test_finished_fits_and_steps_are_told(small):
    support, groups = tones(small)
    told, steps = {}, []
    known = dict.fromkeys(plan(support.labels, groups, FEW, (41,))[:4], 0.5)

    def progress(stage, done, total, remark):
        steps.append((stage, done, total, remark.split()[:1]))

    choice = tune(support, groups, 3, FEW, config=small, known=known, progress=progress, finished=told.__setitem__)
    short, long = Fit("short", 2, 41), Fit("long", 2, 41)
    assert steps == [
        ("Fits", 4, 6, ["short"]),
        ("Updates", 1, 1, ["loss"]),
        ("Fits", 5, 6, ["long"]),
        ("Updates", 1, 2, ["loss"]),
        ("Updates", 2, 2, ["loss"]),
        ("Fits", 6, 6, []),
    ]
    assert set(told) == {short, long}
    assert [c.rounds[2] for c in choice.candidates] == [told[short], told[long]]


@pytest.mark.parametrize(
    "groups",
    [(0, 0, 0, 0), (NEVER,) * 4, (0, 0, NEVER, NEVER)],
    ids=["one group", "none", "one round, which has no standard error"],
)
def test_too_little_support_is_said_and_gives_the_default(small, monkeypatch, groups):
    monkeypatch.setattr(tuning, "fit_one", None)
    support, groups = tones(small, groups)
    choice = tune(support, groups, 3, FEW, config=small)
    assert (choice.name, choice.recipe, choice.candidates) == ("short", FEW["short"], ())
    assert "fewer than 2 parts of the support can be held out" in choice.reason


def test_every_window_is_judged_and_a_class_without_windows_does_not_count():
    logits = np.array([[0, 8, 0], [0, 1, 0], [5, 0, 0], [0, 0, 9]], dtype=np.float32)
    # Class 1: two of three windows found, none too many. Class 0: its one window is taken for class 2, and class 0 is
    # seen where it is not.
    assert window_f1(logits, np.array([1, 1, 1, 0])) == pytest.approx((0.8 + 0) / 2)


def test_the_time_expected_counts_what_every_round_learns_from(monkeypatch):
    monkeypatch.setattr(tuning, "expected_s", lambda windows, by, device: windows * by.recipe.updates)
    groups, seen = np.array([0, 0, 0, 1, 1, NEVER]), []
    fits = [Fit("short", 0, 41), Fit("long", 0, 41), Fit("long", 1, 41)]
    expected = expected_tuning_s(fits, groups, FEW, progress=lambda *x: seen.append(x))
    assert expected == pytest.approx(3 * 1 + 3 * 2 + 4 * 2)
    assert seen == [("Time an update of each recipe", i, 2, name) for i, name in enumerate(FEW, start=1)]


def test_several_axes_are_judged_by_a_network_each(small, monkeypatch):
    """An axis that tells nothing beside one that tells all; and another order of them is another choice to be kept."""
    support, groups = tones(small)
    noise = np.random.default_rng(0).standard_normal(support.windows.shape).astype(np.float32)
    both = replace(support, more_axes=(noise,), channels=("x", "y"))
    fits, fit = [], tuning.fit_one
    monkeypatch.setattr(tuning, "fit_one", lambda *given: fits.append(given) or fit(*given))
    alone = tune(support, groups, 3, FEW, config=small)
    count = len(fits)
    together = tune(both, groups, 3, FEW, config=small)
    assert len(fits) == 3 * count
    assert alone.candidates != together.candidates

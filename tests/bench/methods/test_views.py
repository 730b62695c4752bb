"""The network of views among the methods: what it weighs, what it keeps, and that its file is a DualRes model's."""

from dataclasses import replace

import numpy as np
import pytest

from dualres.bench.methods import load, method
from dualres.bench.methods.model_file import as_model
from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge import model as file
from dualres.judge.model import save
from dualres.model.views.weights import views_shapes
from tests.model.made_views import machine_windows, made_views

CLASSES = ("good", "worn", "broken")
LABELS = np.repeat(np.arange(3), 4)
FEATURES = {"spectra": 129 + 513, "repetition": 5 * 72, "rhythm": 5 * 72, "lines": 50}  # of the heads


@pytest.fixture(scope="module")
def fitted():
    return method("dualres/views").fit(machine_windows(4, 3), LABELS, 3, seed=43)


@pytest.fixture(scope="module")
def unseen():
    return machine_windows(2, 3, seed=9)


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_it_has_no_recipe_makes_no_updates_and_gives_probabilities(fitted, unseen):
    assert (fitted.method.recipe, fitted.history, fitted.constants) == (None, [], {})
    scores = fitted.scores(unseen)
    assert (scores.shape, scores.dtype) == ((6, 3), np.float64)
    np.testing.assert_allclose(scores.sum(1), 1, atol=1e-6)
    assert scores.argmax(1).tolist() == [0, 0, 1, 1, 2, 2]
    assert fitted.scores(unseen[:0]).shape == (0, 3)


@pytest.mark.parametrize("classes", [2, 3, 8])
def test_what_it_weighs_is_counted(classes):
    """For each feature a centre, a scale, 32 directions and a slope per class; for each head offsets and sharpness."""
    blank = method("dualres/views").blank(classes)
    count = sum(FEATURES.values()) * (2 + 32 + classes) + len(FEATURES) * (classes + 1)
    assert (blank.cost.registered, blank.cost.active, blank.cost.state_bytes) == (count, count, 4 * count)
    assert blank.trained == blank.state().keys(), "everything is found from the support"


def test_a_blank_one_weighs_what_a_fitted_one_does(fitted):
    views, blank = method("dualres/views"), method("dualres/views").blank(3)
    assert replace(fitted.cost, fit_s=0.0) == replace(blank.cost, fit_s=0.0)
    shapes = [{name: array.shape for name, array in one.state().items()} for one in (fitted, blank)]
    assert shapes[0] == shapes[1] == views.shapes(3) == views_shapes(ModelConfig(), 3)


def test_a_fit_depends_on_nothing_but_its_support(fitted):
    again = method("dualres/views").fit(machine_windows(4, 3), LABELS, 3, seed=7)
    assert_same(again.state(), fitted.state())
    other = method("dualres/views").fit(machine_windows(4, 3, seed=1), LABELS, 3, seed=43)
    assert not np.array_equal(other.state()["heads.lines.centre"], fitted.state()["heads.lines.centre"])


def test_a_restored_one_gives_the_same_to_the_last_bit(fitted, unseen):
    restored = method("dualres/views").restore(fitted.state(), fitted.constants, 3, seed=fitted.seed, cost=fitted.cost)
    assert_same(restored.state(), fitted.state())
    np.testing.assert_array_equal(restored.scores(unseen), fitted.scores(unseen))
    assert (restored.classes, restored.seed, restored.cost, restored.history) == (3, 43, fitted.cost, [])


def test_a_state_of_another_shape_or_name_is_refused(fitted):
    state = fitted.state()
    others = [
        state | {"heads.lines.centre": state["heads.lines.centre"][1:]},
        state | {"more": state["heads.lines.centre"]},
        {name: array for name, array in state.items() if name != "heads.rhythm.slopes"},
    ]
    for classes, other in [(2, state), *((3, other) for other in others)]:
        with pytest.raises(RuntimeError, match="state_dict"):
            method("dualres/views").restore(other, {}, classes, seed=41, cost=fitted.cost)


def test_its_file_is_one_of_dualres_and_scores_identically(fitted, unseen, tmp_path):
    model = as_model(fitted, CLASSES, dict.fromkeys(CLASSES, 2.0), held_out="load")
    save(model, tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.card == file.load(tmp_path / "m").card == model.card
    assert (loaded.card.method, loaded.card.recipe, loaded.card.probabilistic) == ("dualres/views", None, True)
    np.testing.assert_array_equal(loaded.scores(unseen), fitted.scores(unseen))
    assert_same(loaded.weights.arrays, fitted.state())
    assert 0 < (tmp_path / "m").stat().st_size - fitted.cost.state_bytes < 10_000


def test_views_among_the_methods_are_views():
    fitted = method("dualres/views").fit(machine_windows(6), np.repeat(np.arange(4), 6), 4)
    assert_same(fitted.state(), {name: tensor.numpy() for name, tensor in made_views().state_dict().items()})


def test_a_support_that_cannot_be_used_is_refused():
    with pytest.raises(ConfigError, match="no support window carries class 1"):
        method("dualres/views").fit(machine_windows(1, 3), np.zeros(3, np.int64), 2)
    with pytest.raises(ConfigError, match="32768"):
        method("dualres/views").fit(machine_windows(1, 3)[:, :1000], np.arange(3), 3)

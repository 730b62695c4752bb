import numpy as np
import pytest

from dualres.explain.heads import Head, portrait_distance
from dualres.judge.backends import scorer, weights_of
from dualres.kernel.views import views_of
from tests.model.made_views import machine_windows, made_views


@pytest.fixture(scope="module")
def weights():
    return weights_of(made_views(4))


@pytest.fixture(scope="module")
def windows():
    return machine_windows(2, 4, seed=5)


def test_a_window_halfway_between_two_classes_says_nothing(weights, windows):
    for name in views_of(weights, windows):
        head = Head.of(weights, name, 1, 2)
        assert head.logit(head.neutral[None])[0] == pytest.approx(0, abs=1e-4)


def test_a_head_says_what_the_network_says(weights, windows):
    views = views_of(weights, windows)
    total = sum(Head.of(weights, name, 1, 2).logit(view.astype(np.float64)) for name, view in views.items())
    logits = scorer(weights)(windows).astype(np.float64)
    np.testing.assert_allclose(total, logits[:, 1] - logits[:, 2], atol=1e-5)


def test_the_factor_is_the_derivative_where_both_distances_are_the_same(weights, windows):
    head = Head.of(weights, "lines", 1, 1)
    view = views_of(weights, windows)["lines"].astype(np.float64)
    assert (head.factor(view) < 0).all()
    assert head.logit(view) == pytest.approx(0)


def test_two_classes_are_as_far_apart_as_their_heads_say(weights):
    means = [{name: weights.class_view(name, number) for name in ("spectra", "lines")} for number in (0, 1, 3)]
    assert portrait_distance(weights, means[0], means[0]) == pytest.approx(0, abs=1e-5)
    assert portrait_distance(weights, means[0], means[2]) > portrait_distance(weights, means[0], means[1]) > 1

"""A network of views from windows: what it tells apart, and what does not mislead it."""

import numpy as np
import pytest
import torch
from scipy.special import softmax

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.backends import by_torch, scorer
from dualres.learn.closed_form import fit_looks, fit_seen, fit_views, seen_in, smooth_gains
from dualres.learn.support import views_of
from dualres.model.views.order_network import OrdersNetwork
from dualres.model.views.order_weights import BY_ORDER

CONFIG = ModelConfig()


def struck(rate_hz, ring_hz, seed, noise=0.3):
    rng, t = np.random.default_rng(seed), np.arange(CONFIG.window) / CONFIG.rate
    since = (t + rng.uniform(0, 1)) % (1 / rate_hz)
    signal = np.exp(-since / 0.002) * np.sin(2 * np.pi * ring_hz * since) + noise * rng.standard_normal(len(t))
    return signal.astype(np.float32)


def support(rates=(37.0, 91.0), ring_hz=3000.0, each=6, seed=0):
    labels = np.repeat(np.arange(len(rates)), each)
    return np.stack([struck(rates[c], ring_hz, seed + i) for i, c in enumerate(labels)]), labels


def verdicts(network, windows):
    return scorer(network)(windows).argmax(1)


def test_impacts_are_told_by_how_often_they_come():
    windows, labels = support()
    network = fit_views(windows, labels, 2)
    others, truth = support(seed=100)
    np.testing.assert_array_equal(verdicts(network, others), truth)


def test_it_tells_of_every_batch_and_every_head():
    windows, labels = support(each=25)
    told = []
    fit_views(windows, labels, 2, progress=lambda *steps: told.append(steps))
    assert told == [("Views", i, 6, "") for i in range(1, 7)], "48 windows, 2 windows, four heads"


def test_the_same_windows_give_the_same_network():
    one, other = (fit_views(*support(), 2).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_rhythm_knows_speeds_that_nobody_labelled():
    windows, labels = support(rates=(37.0, 91.0))
    network = fit_views(windows, labels, 2)
    views = network.views(torch.from_numpy(np.stack([struck(37.0 * 1.25, 3000.0, 5), struck(91.0 * 1.25, 3000.0, 6)])))
    assert network.heads["rhythm"](views[2]).argmax(1).tolist() == [0, 1]


def test_a_smooth_gain_costs_the_spectra_little():
    """What the paths' directions are for: a head that knows of them is moved less by another path."""
    windows, labels = support(each=8)
    network = fit_views(windows, labels, 2)
    head, (view, *_) = network.heads["spectra"], network.views(torch.from_numpy(windows))
    gain = torch.from_numpy(smooth_gains(CONFIG)[1]).float()
    rough = gain[torch.randperm(len(gain), generator=torch.Generator().manual_seed(0))]
    moved = [(head.distances(view + other) - head.distances(view)).mean() for other in (gain, rough)]
    assert moved[0] < 0.2 * moved[1]


@pytest.mark.parametrize("each", [1, 2])
def test_as_few_windows_as_there_can_be(each):
    windows, labels = support(each=each)
    network = fit_views(windows, labels, 2)
    assert all(torch.isfinite(tensor).all() for tensor in network.state_dict().values())
    np.testing.assert_array_equal(verdicts(network, windows), labels)


def test_silence_and_equal_windows_are_no_error():
    windows = np.zeros((4, CONFIG.window), np.float32)
    network = fit_views(windows, np.array([0, 0, 1, 1]), 2)
    assert np.isfinite(scorer(network)(windows)).all()


def test_what_cannot_be_learned_from_is_refused():
    windows, labels = support(each=2)
    with pytest.raises(ConfigError, match="every class needs one"):
        fit_views(windows, labels, 3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_learns_and_says_the_same():
    windows, labels = support()
    network, other = (fit_views(windows, labels, 2, device=device) for device in ("cpu", "cuda"))
    assert next(other.parameters()).is_cuda
    between = np.stack([struck(hz, 3000.0, seed=7, noise=1.0) for hz in (45.0, 55.0, 70.0)])  # in doubt
    expected = softmax(by_torch(network, between), axis=1)
    assert 0.1 < expected.min() < expected.max() < 0.9
    np.testing.assert_allclose(softmax(by_torch(other, between), axis=1), expected, rtol=0, atol=1e-4)
    ours, theirs = network.state_dict(), other.cpu().state_dict()
    for name in (name for name in ours if not name.endswith("directions")):  # their signs are arbitrary
        np.testing.assert_allclose(theirs[name], ours[name], rtol=0, atol=1e-4 * ours[name].abs().max(), err_msg=name)


def test_few_windows_are_fitted_faster_to_the_same_network():
    windows, labels = support(each=8)
    slow, fast = (fit_seen(seen_in(windows, CONFIG), labels, 2, CONFIG, fast=fast) for fast in (False, True))
    one, other = (network(torch.from_numpy(support(seed=50)[0])) for network in (slow, fast))
    torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
    assert not torch.equal(slow.heads["spectra"].directions, fast.heads["spectra"].directions), "another way"


def test_some_heads_alone_are_fitted_faster_to_the_same():
    windows, labels = support(each=8)
    looks = views_of(OrdersNetwork(2, CONFIG).looks, windows, "cpu")
    hz = np.linspace(20.0, 30.0, len(windows))
    slow = fit_looks(looks, labels, OrdersNetwork(2, CONFIG), hz=hz)
    fast = fit_looks(looks, labels, OrdersNetwork(2, CONFIG), hz=hz, only=BY_ORDER, fast=True)
    unseen = torch.from_numpy(support(seed=50)[0])
    one, other = (network(unseen, torch.full((len(unseen),), 25.0)) for network in (slow, fast))
    torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
    assert slow.heads["modulation_moved"].slopes.any()
    assert not fast.heads["modulation_moved"].slopes.any()

"""How a recording looks beside what was labelled."""

from dataclasses import astuple, replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from dualres.config import SMALLEST_DISTANCE, ModelConfig
from dualres.judge.backends import weights_of
from dualres.judge.trust.novelty import MOST_WINDOWS, ORDER_WEIGHTS, WEIGHTS, between, compared, look_at, of_orders
from dualres.model.network import DualRes
from dualres.model.reference.orders import views_of_looks
from dualres.model.reference.views import distances
from dualres.model.views.weights import ViewsWeights
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from tests.model.made_orders import made_orders
from tests.model.made_views import RATE, WINDOW, machine_windows, made_views
from tests.models import model_of

MEASURED = Speed((24.0,), source="measured")  # it is not searched for


@pytest.fixture(scope="module")
def views():
    return model_of(made_views())


@pytest.fixture(scope="module")
def orders():
    return model_of(made_orders())


@pytest.fixture(scope="module", params=["views", "orders"])
def model(request):
    return request.getfixturevalue(request.param)


def recording(windows, rate=RATE, speed=None):
    return Recording.from_array(np.concatenate(windows).astype(np.float32), rate, speed=speed)


def test_distances_are_those_of_the_heads(views):
    model = views
    windows = machine_windows(1, seed=3)[:1]
    found = look_at(model, recording(windows))
    network = model.network
    with torch.no_grad():
        views = network.views(torch.from_numpy(windows))
        logs = torch.stack(
            [head.distances(view).log() for head, view in zip(network.heads.values(), views, strict=True)]
        )
    assert found.spectrum == pytest.approx(float(logs[0].min()), abs=1e-3)
    told = np.zeros(network.classes)
    for (name, head), d in zip(network.heads.items(), logs.exp().double().numpy(), strict=True):
        told += WEIGHTS[name] * np.log(between(weights_of(model.members[0]), name).told(d))[0]
        assert told.shape == tuple(head.offsets.shape)
    assert found.distance == pytest.approx(told.min() - told.mean(), abs=1e-3)


@pytest.mark.parametrize("hz", [24.0, None])
def test_of_orders_heads_on_the_axis_that_a_window_is_judged_on_are_asked(orders, hz):
    windows, weights = machine_windows(1, seed=3)[:2], weights_of(orders.members[0])
    speed = np.array([hz or 25.0] * 2)
    looks = orders.seen(windows)
    found = compared(of_orders(weights, looks, speed if hz else np.full(2, np.nan)))
    names, views = ("", "order_")[hz is not None], views_of_looks(weights.config, looks, speed)
    told, spectra = 0, None
    for name, view in views.items():
        head = name if name == "spectra" else names + name
        squared = distances(weights, head, view)
        spectra = squared if spectra is None else spectra
        told = told + ORDER_WEIGHTS[name] * np.log(between(weights, head).told(squared))
    np.testing.assert_allclose(found[:, 0], told.min(1) - told.mean(1), atol=1e-9)
    np.testing.assert_allclose(found[:, 1], np.log(spectra.min(1)), atol=1e-9)


def test_a_look_is_taken_at_the_speed_that_a_recording_is_judged_at(orders):
    stated, refused = (
        recording(machine_windows(1, seed=3)[1:2], speed="24Hz"),
        recording(machine_windows(1, seed=3)[1:2]),
    )
    refused = replace(refused, speedless=True)
    looks = [look_at(orders, one) for one in (stated, refused)]
    assert looks[0].distance != looks[1].distance
    assert astuple(looks[0])[1:] == astuple(looks[1])[1:], "and all else whatever the speed"


def test_level_bandwidth_and_rate_are_those_of_the_signal(model):
    t = np.arange(2 * WINDOW) / RATE
    found = look_at(model, Recording.from_array((3 * np.sin(2 * np.pi * 1000 * t)).astype(np.float32), Fraction(RATE)))
    assert np.exp(found.level) == pytest.approx(3 / np.sqrt(2), rel=1e-3)
    assert 2**found.bandwidth == pytest.approx(1000, rel=0.01)
    assert 2**found.rate == pytest.approx(RATE)


def test_noise_silence_and_another_speed_are_further_away_than_what_was_labelled(model):
    like = max(look_at(model, recording(machine_windows(1, seed=s)[2:3])).spectrum for s in range(5, 9))
    rng = np.random.default_rng(0)
    tone = np.sin(2 * np.pi * 3000 * np.arange(WINDOW) / RATE)
    for odd in (np.zeros(WINDOW), tone, np.cumsum(rng.standard_normal(WINDOW))):
        assert look_at(model, recording([odd])).spectrum > like


def test_a_look_takes_the_first_windows_of_a_long_recording(model):
    start = machine_windows(4, seed=4)[: MOST_WINDOWS // 2 + 1]
    long = recording([*start, *np.zeros((4, WINDOW))], speed=MEASURED)
    assert look_at(model, long) == look_at(model, recording(start, speed=MEASURED))


def test_a_class_stands_out_of_its_own_windows_more_than_of_a_blend(model):
    own, other = (machine_windows(1, seed=11)[i] for i in (0, 2))
    *plain, blend = (look_at(model, recording([one], speed=MEASURED)).distance for one in (own, other, own + other))
    assert max(plain) < blend <= 0


def test_the_papers_network_knows_what_a_logit_stands_out_for():
    torch.manual_seed(0)
    network = DualRes(3).eval()
    windows = machine_windows(1, seed=3)[:1]
    found = look_at(model_of(network), recording(windows))
    with torch.no_grad():
        logits = network(torch.from_numpy(windows))
    assert found.distance == pytest.approx(float(logits.mean() - logits.max()), abs=1e-4)
    assert found.spectrum == 0


FEATURES = 40


def weights_around(means):
    """A head of spectra whose distances are those of the plain space around these means (classes, features)."""
    means = means.astype(np.float32)
    arrays = {"centre": np.zeros(FEATURES), "scale": np.ones(FEATURES), "directions": np.zeros((32, FEATURES))}
    arrays |= {"slopes": means, "offsets": (means**2).sum(1), "sharpness": np.array(3.0)}
    named = {f"heads.spectra.{name}": np.asarray(array, np.float32) for name, array in arrays.items()}
    return ViewsWeights(ModelConfig(), named)


def squared(points, means):
    return ((points[:, None] - means) ** 2).sum(2)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_what_lies_across_the_classes_counts_for_less(classes):
    rng = np.random.default_rng(classes)
    means, points = rng.standard_normal((classes, FEATURES)), rng.standard_normal((5, FEATURES))
    basis = np.linalg.qr((means - means.mean(0))[:-1].T)[0]  # of the space that they span
    inside, centred = (points - means.mean(0)) @ basis @ basis.T, points - means.mean(0)
    across = ((centred - inside) ** 2).sum(1, keepdims=True)
    wanted = squared(means.mean(0) + inside, means) + across / (classes - 1)
    found = between(weights_around(means), "spectra").told(squared(points, means))
    assert found == pytest.approx(wanted, rel=1e-4)


def test_a_move_away_from_all_classes_is_hardly_seen():
    rng = np.random.default_rng(0)
    means = np.pad(rng.standard_normal((6, FEATURES - 1)), ((0, 0), (0, 1)))
    point = means[2:3] + 0.1
    away = point + 20 * np.eye(FEATURES)[-1]
    told = between(weights_around(means), "spectra").told
    near, far = np.log(told(squared(point, means))), np.log(told(squared(away, means)))
    assert near.argmin() == far.argmin() == 2
    plain = np.log(squared(away, means))
    assert far.mean() - far.min() > 2 * (plain.mean() - plain.min())


def test_classes_in_one_place_leave_distances_finite():
    means = np.ones((3, FEATURES))
    found = between(weights_around(means), "spectra").told(squared(np.ones((1, FEATURES)), means))
    assert found == pytest.approx(np.full((1, 3), SMALLEST_DISTANCE))

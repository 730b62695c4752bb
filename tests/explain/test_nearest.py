from dataclasses import replace

import numpy as np
import pytest

from dualres.explain.nearest import halfway, neighbours, portrait, portrait_at
from dualres.explain.orders import order_distance
from dualres.judge.backends import weights_of
from dualres.judge.verdict import diagnose_recording
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from tests.model.made_orders import made_orders
from tests.model.made_views import RATE, machine_windows, made_views
from tests.models import model_of


def recordings(seed):
    windows = machine_windows(2, 4, seed)
    return [
        Recording.from_array(windows[2 * c : 2 * c + 2].ravel(), RATE, id=f"{seed}/{c}", label=f"class {c}")
        for c in range(4)
    ]


@pytest.fixture(scope="module", params=["orders", "views", "paper"])
def model(request):
    made = {"orders": made_orders, "views": made_views, "paper": lambda classes: DualRes(classes, seed=3).eval()}
    return model_of(made[request.param](4))


def test_the_nearest_is_of_the_same_class(model):
    for heard in recordings(21)[1:]:
        first, *others = neighbours(model, portrait(model, heard), recordings(22))
        assert first.recording.label == heard.label
        assert first.distance < others[0].distance


def test_a_recording_is_no_distance_from_itself(model):
    heard = recordings(21)[2]
    assert neighbours(model, portrait(model, heard), [heard])[0].distance == pytest.approx(0, abs=1e-5)


def test_halfway_is_between_the_classes(model):
    known = neighbours(model, portrait(model, recordings(21)[0]), recordings(22))
    of = {one.recording.label: one.portrait["spectra"] for one in known}
    np.testing.assert_allclose(halfway(known, "class 1", "class 3"), (of["class 1"] + of["class 3"]) / 2)
    assert halfway(known, "class 1", "class 9") is None


def test_of_two_known_speeds_orders_are_compared_and_otherwise_hz():
    model = model_of(made_orders(4))
    slow, fast, unknown = (replace(recordings(21)[3], speed=speed) for speed in (Speed((21,)), Speed((29,)), None))
    heard = portrait_at(model, slow, slow.speed)
    assert set(heard) == {"spectra", "modulation", "envelope", "order_modulation", "order_envelope"}
    without = portrait_at(model, unknown, None)
    assert set(without) == {"spectra", "modulation", "envelope"}
    weights = weights_of(model.members[0])
    assert order_distance(weights, heard, without) == pytest.approx(0, abs=1e-5)
    # Of the same spectra: those are no distance, and the mean over heads is geometric.
    assert order_distance(weights, heard, portrait_at(model, fast, fast.speed)) > 0.1


def test_a_portrait_is_of_the_speed_at_which_a_recording_is_judged():
    model = model_of(made_orders(4))
    heard = replace(recordings(21)[3], speed=Speed((25,)))
    assert list(portrait(model, heard)) == list(portrait_at(model, heard, diagnose_recording(model, heard).speed))
    for name, view in portrait_at(model, heard, diagnose_recording(model, heard).speed).items():
        np.testing.assert_array_equal(portrait(model, heard)[name], view)

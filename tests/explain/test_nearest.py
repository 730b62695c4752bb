import numpy as np
import pytest

from dualres.explain.nearest import halfway, neighbours, portrait
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from tests.model.made_views import RATE, machine_windows, made_views
from tests.models import model_of


def recordings(seed):
    windows = machine_windows(2, 4, seed)
    return [
        Recording.from_array(windows[2 * c : 2 * c + 2].ravel(), RATE, id=f"{seed}/{c}", label=f"class {c}")
        for c in range(4)
    ]


@pytest.fixture(scope="module", params=["views", "paper"])
def model(request):
    return model_of(made_views(4) if request.param == "views" else DualRes(4, seed=3).eval())


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

import pytest
import torch

from dualres import methods
from dualres.methods.files import as_model
from dualres.methods.method import Cost
from dualres.methods.minirocket import FEATURES, MiniRocket
from dualres.methods.neural import FittedNeural
from dualres.profile.storage import Storage, storage

NEURAL = [name for name in methods.NAMES if name != "minirocket"]


def stored(fitted):
    return storage(as_model(fitted, [f"class {i}" for i in range(fitted.classes)], {}))


def untrained(name, classes):
    method = methods.method(name)
    with torch.random.fork_rng():
        network = method.build(classes, 41)
    return FittedNeural(method, network, classes, 41, Cost(0, 0, 0, 0.0), [])


@pytest.mark.parametrize("name", NEURAL)
def test_the_parts_are_the_whole(name):
    fitted = untrained(name, 8)
    parts = stored(fitted)
    parameters = sum(p.nbytes for p in fitted.network.parameters())
    assert parts.encoder + parts.head == parameters
    assert parts.buffers == sum(b.nbytes for b in fitted.network.buffers())
    assert 0 < parts.head < parameters


def test_the_papers_encoder_and_head():
    parts = stored(untrained("dualres", 8))
    assert parts == Storage(4 * 39_528, 4 * 65 * 8, 0)


def test_of_minirocket_only_the_ridge_classifier_is_trained():
    assert stored(MiniRocket().blank(8)) == Storage(0, 8 * 8 * (FEATURES + 1), FEATURES * (4 + 8 + 8))
    assert stored(MiniRocket().blank(2)).head == 8 * (FEATURES + 1)

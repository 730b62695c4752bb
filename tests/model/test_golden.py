"""Values worked out independently, stage by stage, so that a wrong equation shows where it is."""

import numpy as np
import pytest
import torch

from dualres.model.check import check_window, hash_uniform
from dualres.model.scan import scan_ref
from tests.model.golden import GOLDEN_LOGITS, golden_network, golden_window

NETWORK, WINDOW = golden_network(), golden_window()


def near(values, expected):
    np.testing.assert_allclose(values.detach().numpy().ravel(), expected, rtol=0, atol=1e-5)


def test_the_hash_and_the_second_window_which_is_the_first_backwards():
    expected = [-0.99998114, 0.23608688, -0.52784501, 0.70822319, -0.05570852]
    np.testing.assert_allclose(hash_uniform(5, 0), expected, atol=5e-9)
    np.testing.assert_array_equal(check_window(1, 1000), check_window(0, 1000)[::-1])


def test_spectra():
    short, long = NETWORK.spectra(WINDOW)
    assert short.shape == (1, 249, 129)
    assert long.shape == (1, 249, 513)
    near(short[0, 0, :3], [0.426482, 1.467798, 2.963068])
    near(long[0, 248, 510:], [0.740777, 0.599916, 0.670076])


def test_damping_and_readout():
    encoder = NETWORK.encoder
    v = encoder.norm(encoder.features(*NETWORK.spectra(WINDOW)))
    near(encoder.memory.coefficients(v).delta[0, 100, :3], [0.0313898, 0.1640403, 0.1471061])
    near(encoder.memory(v)[0][0, 248, :3], [0.0271923, -0.1368057, 0.0587704])


@pytest.mark.parametrize("loop", [False, True], ids=["scan", "scan_ref"])
def test_logits(loop):
    network = golden_network()
    if loop:
        network.encoder.memory.scan = scan_ref
    with torch.no_grad():
        near(network(WINDOW), GOLDEN_LOGITS)

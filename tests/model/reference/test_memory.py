import numpy as np
import pytest
import torch

from dualres.model.reference.memory import ReferenceCoefficients, readout, walk
from dualres.model.scan import Coefficients, scan_ref


@pytest.mark.parametrize("damping", [1e-3, 1.0, 60.0])
def test_the_recurrence_is_that_of_the_readable_scan(damping):
    rng = np.random.default_rng(0)
    delta, u = damping * rng.uniform(0.5, 1.5, (2, 30, 8)), rng.standard_normal((2, 30, 8))
    b, c = (rng.standard_normal((2, 30, 4)) + 1j * rng.standard_normal((2, 30, 4)) for _ in range(2))
    given, theta = ReferenceCoefficients(delta, u, b, c), rng.uniform(0, np.pi, 4)
    y, state = scan_ref(Coefficients(*map(torch.from_numpy, given)), torch.from_numpy(theta))
    np.testing.assert_allclose(readout(given, theta), y.numpy(), atol=1e-12)
    *_, last = walk(given, theta)
    np.testing.assert_allclose(last, state.numpy(), atol=1e-12)

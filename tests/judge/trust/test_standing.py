"""How windows are compared with classes, by what was held out."""

import numpy as np
import pytest

from dualres.judge.trust.standing import HeldOutLogs, Standing, fitted_standing


def held(rng, label, *, scatter=0.0, deaf=False):
    """Logs of four windows, two heads and three classes: near to its own class, the second head by chance if deaf."""
    told = 3 + 0.1 * rng.normal(size=(4, 2, 3))
    told[:, :, label] -= 2 - scatter
    if deaf:
        told[:, 1] = 3 + rng.normal(size=3)
    return HeldOutLogs(label, told)


def test_a_head_that_tells_classes_apart_counts_for_more():
    rng = np.random.default_rng(0)
    alike = fitted_standing([held(rng, i % 3) for i in range(30)], 3)
    deaf = fitted_standing([held(rng, i % 3, deaf=True) for i in range(30)], 3)
    assert alike.weights == pytest.approx((0.5, 0.5))
    assert sum(deaf.weights) == pytest.approx(1)
    assert deaf.weights[0] > 0.9


def test_a_class_that_scatters_may_lie_further_away():
    rng = np.random.default_rng(0)
    known = fitted_standing([held(rng, i % 3, scatter=1.0 * (i % 3 == 2)) for i in range(30)], 3)
    assert min(known.usual) == 0
    assert known.usual[2] == pytest.approx(0.65, abs=0.1), "nearly the third of a nat that its own mean takes off"
    plain = Standing(known.weights)
    for label, scatter in ((0, 0.0), (2, 1.0)):
        found = [one.stands_out(held(rng, label, scatter=scatter).told).mean() for one in (plain, known)]
        assert found[1] <= found[0] <= 0
    steady, scattered = (known.stands_out(held(rng, i, scatter=s).told).mean() for i, s in ((0, 0.0), (2, 1.0)))
    assert steady == pytest.approx(scattered, abs=0.1)
    assert known.stands_out(held(rng, 0, scatter=1.0).told).mean() > steady + 0.5, "unusual for a steady class"


def test_a_class_without_a_recording_is_as_all_are():
    rng = np.random.default_rng(0)
    found = fitted_standing([held(rng, i % 2) for i in range(20)], 3)
    assert max(found.usual) < 0.2
    assert fitted_standing([], 3) is None


def test_a_standing_comes_back_from_a_card_and_broken_ones_are_told():
    known = Standing((0.25, 0.75), (0.0, 1.5, 0.2))
    assert Standing.parsed(known.as_data(), 3) == known
    for broken in (
        {"weights": [float("nan"), 1.0]},
        {"weights": [-1.0, 2.0]},
        {"usual": [0.0, 1.0]},
        {"usual": [0.0, float("inf"), 1.0]},
    ):
        with pytest.raises(ValueError, match="its "):
            Standing.parsed({**known.as_data(), **broken}, 3)

import numpy as np
import pytest

from dualres.bench.report.plots.paths import DRAWN, FOLLOWED, paths_picture


@pytest.fixture(scope="module")
def panels():
    return paths_picture().figure.axes


def lines(axes, least):
    """What is drawn with so many points at least, as (x, y), the first ones first."""
    return [line.get_xydata().T for line in axes.get_lines() if len(line.get_xdata()) >= least]


def test_the_curves_are_smooth_and_differ(panels):
    drawn = lines(panels[0], 100)
    assert len(drawn) == DRAWN
    assert all(x[0] == 0 and x[-1] == 32 for x, _ in drawn)
    assert all(abs(np.diff(y)).max() < 1 for _, y in drawn), "dB from one frequency to the next"
    assert np.std([y for _, y in drawn], axis=0).min() > 1


def test_a_spectrum_at_the_end_of_a_path_is_the_plain_one_plus_its_gain(panels):
    *followed, (khz, plain) = lines(panels[1], 50)
    assert len(followed) == FOLLOWED
    for (_, heard), (x, gain) in zip(followed, reversed(lines(panels[0], 100)[-FOLLOWED:]), strict=True):
        inner = slice(2, -2)  # the ends have neighbours on one side only
        off = (heard - plain - np.interp(khz, x, gain))[inner]
        assert abs(off).max() < 1
        assert abs(heard - plain).max() > 2

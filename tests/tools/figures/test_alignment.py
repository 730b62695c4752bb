import numpy as np
import pytest
from matplotlib.patches import Polygon

from dualres.bench.report.plots.boxes import CROSS
from tools.figures.alignment import SHOWN, alignment


@pytest.fixture(scope="module")
def picture():
    return alignment()


@pytest.fixture(scope="module")
def bumps(picture):
    """The outlines of the short frames and of the long ones, in the order of their numbers."""
    found = [p.get_xy() for p in picture.figure.axes[0].patches if isinstance(p, Polygon)]
    return found[:-SHOWN], found[-SHOWN:]


def test_paired_frames_share_their_centres_after_the_crop(bumps):
    short, long = ([(xy[:, 0].min() + xy[:, 0].max()) / 2 for xy in frames] for frames in bumps)
    assert len(short) == 3 + SHOWN
    assert short[3:] == pytest.approx(long, abs=1e-9)


def test_a_long_frame_is_four_short_ones_long_and_a_hann_window(bumps):
    short, long = bumps
    assert np.ptp(long[0][:, 0]) == pytest.approx(4 * np.ptp(short[0][:, 0]))
    for xy in (*short, *long):
        quarter, half = xy[(len(xy) - 1) // 4], xy[(len(xy) - 1) // 2]
        base, top = xy[:, 1].min(), xy[:, 1].max()
        assert half[1] == pytest.approx(top)
        assert quarter[1] - base == pytest.approx((top - base) / 2, rel=0.02)


def test_the_way_to_a_token_states_every_shape(picture):
    words = [text.get_text() for text in picture.figure.axes[0].texts]
    for fact in ("255 129", "249 129", "249 513", "249 32", "249 64"):
        assert any(CROSS.join(["B", *fact.split()]) in text for text in words), fact
    assert any(text.endswith("129 → 32") for text in words)
    assert any(text.endswith("513 → 32") for text in words)
    for fact in ("kappa", "= 3 frames", "F_s = 129", "F_l = 513", "D/2 = 32", "D = 64", "batch size"):
        assert fact in picture.caption

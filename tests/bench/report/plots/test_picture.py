"""One look per method, and figures that are the same file every time."""

import numpy as np
import pytest

from dualres.bench.methods import NAMES
from dualres.bench.report.plots.picture import LOOKS
from dualres.utils.figures import canvas, printed, save, spread


def test_every_method_has_a_look_of_its_own():
    assert set(LOOKS) == set(NAMES)
    for part in ("colour", "marker", "hatch"):
        assert len({getattr(look, part) for look in LOOKS.values()}) == len(LOOKS)


def test_labels_that_would_touch_are_moved_apart_and_keep_their_order():
    placed = spread([10.0, 10.5, 30.0, 9.8], 2.0)
    assert placed[2] == 30.0
    assert placed[3] < placed[0] < placed[1]
    assert placed[0] - placed[3] == pytest.approx(2.0)
    assert placed[1] - placed[0] == pytest.approx(2.0)
    meeting = sorted(spread([0.0, 0.0, 1.4], 1.0))  # a moved run that meets another is moved with it
    assert np.diff(meeting).min() >= 1 - 1e-9


def test_the_same_figure_is_the_same_file(tmp_path):
    files = []
    for name in ("one", "two"):
        with printed():
            figure, axes = canvas(3.3, 2)
            axes[0, 0].plot([1, 2], [3, 4])
            axes[0, 0].set_xlabel("seconds")
            files.append([path.read_bytes() for path in save(figure, tmp_path / name / "figure.v1")])
    assert files[0] == files[1]
    assert files[0][0].startswith(b"%PDF")
    assert files[0][1].startswith(b"\x89PNG")
    assert b"CreationDate" not in files[0][0]

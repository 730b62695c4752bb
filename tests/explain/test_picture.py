from itertools import pairwise

import pytest
from matplotlib.text import Text

from dualres.explain.picture import explanation_figure
from dualres.explain.report import MachineFacts, examine
from dualres.faultlines.bearing import bearing_of
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from tests.model.made_views import RATE, machine_windows, made_views
from tests.models import model_of

HEARD = Recording.from_array(machine_windows(4, 4, seed=8)[12:].ravel(), RATE, id="today.wav")


def titles(figure):
    return [axes.get_title("left") for axes in figure.axes if axes.get_title("left")]


@pytest.fixture(scope="module")
def figure():
    machine = MachineFacts(20.0, bearing_of("6205"), (29, 95))
    return explanation_figure(examine(model_of(made_views(4)), HEARD, machine))


def test_every_panel_is_there_and_every_line_has_its_name(figure):
    assert titles(figure)[0] == "Spectrum"
    assert {"Low lines", "What repeats", "Moments", "Spectrum: shaft and gears"} < set(titles(figure))
    assert any(title.startswith("Envelope of") for title in titles(figure))
    names = [text.get_text() for axes in figure.axes[-2:] for text in axes.texts]
    assert [name for name in names if name] == ["shaft", "mesh", "± shaft", "± mate", "BPFO", "BPFI", "2xBSF", "FTF"]


def test_names_do_not_touch(figure):
    figure.draw_without_rendering()
    for axes in figure.axes[-3:]:
        boxes = sorted((Text.get_window_extent(text) for text in axes.texts), key=lambda box: box.x0)
        assert all(a.x1 <= b.x0 for a, b in pairwise(boxes))


def test_without_a_speed_and_without_views_there_is_less():
    figure = explanation_figure(examine(model_of(DualRes(4, seed=3).eval()), HEARD, MachineFacts()))
    assert [title.split()[0] for title in titles(figure)] == ["Spectrum", "Which", "Moments"]

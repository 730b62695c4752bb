from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from matplotlib.text import Text

from dualres.explain.picture import draw_explanation, explanation_figure
from dualres.explain.report import MachineFacts, examine
from dualres.faultlines.bearing import bearing_of
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from tests.model.made_orders import made_orders
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


@pytest.fixture(scope="module")
def of_orders():
    heard = replace(HEARD, speed=Speed((25.0,), source="measured"))
    return explanation_figure(examine(model_of(made_orders(4)), heard, MachineFacts(25.0, bearing_of("6205"))))


def test_orders_stand_on_one_axis_with_the_lines_of_the_bearing(of_orders):
    panels = {axes.get_title("left"): axes for axes in of_orders.axes}
    envelope, modulation = panels["Envelope"], panels["Modulation of each band"]
    assert envelope.get_xlim() == modulation.get_xlim() == pytest.approx((0.3, 14.0))
    assert modulation.get_xlabel() == "times in a turn of the shaft, 25.00 Hz (measured)"
    assert [text.get_text() for text in envelope.texts] == ["BPFO", "BPFI", "2xBSF", "FTF"]
    drawn = {round(float(line.get_xdata()[0]), 3) for line in modulation.lines}
    assert {0.398, 3.585, 7.17, 5.415, 4.713, 9.427} < drawn
    assert 6.0 in modulation.get_xticks()


def test_without_a_speed_the_axis_is_of_hz():
    panels = {axes.get_title("left"): axes for axes in explanation_figure(
        examine(model_of(made_orders(4, labelled=False)), HEARD, MachineFacts())).axes}  # fmt: skip
    assert panels["Envelope"].get_xlim() == pytest.approx((7.5, 350))
    assert panels["Modulation of each band"].get_xlabel() == "times a second"
    assert not panels["Envelope"].texts


def test_nothing_is_cut_off(figure, of_orders):
    for one in (figure, of_orders):
        one.draw_without_rendering()
        width, height = one.get_size_inches() * one.dpi
        for box in [axes.get_tightbbox() for axes in one.axes]:
            assert box.x0 >= 0, box
            assert box.x1 <= width, box
            assert box.y0 >= 0, box
            assert box.y1 <= height, box


@pytest.mark.parametrize("which", ["figure", "of_orders"])
def test_names_do_not_touch(which, request):
    figure = request.getfixturevalue(which)
    figure.draw_without_rendering()
    for axes in [axes for axes in figure.axes if axes.texts]:
        boxes = sorted((Text.get_window_extent(text) for text in axes.texts), key=lambda box: box.x0)
        assert all(a.x1 <= b.x0 for a, b in pairwise(boxes))


def test_without_a_speed_and_without_views_there_is_less():
    figure = explanation_figure(examine(model_of(DualRes(4, seed=3).eval()), HEARD, MachineFacts()))
    assert [title.split()[0] for title in titles(figure)] == ["Spectrum", "Which", "Moments"]


def test_names_that_would_steer_something_are_shown(tmp_path):
    """A $ is no formula, and what XML cannot hold would make a file that nothing opens."""
    names = (r"$\foo$", "<b>\x1b[31m", "\u202egood", "a & b")
    heard = replace(HEARD, id="x\x07$_$.wav")
    draw_explanation(examine(model_of(made_views(4), names), heard, MachineFacts(20.0)), tmp_path / "why.svg")
    ElementTree.parse(tmp_path / "why.svg")
    picture = explanation_figure(examine(model_of(made_views(4), names), heard, MachineFacts(20.0)))
    said = [text.get_text() for text in picture.texts]
    assert any(r"x\x07$_$.wav" in text for text in said)
    assert not any(set(text) & set("\x07\x1b\u202e") for text in said)

import pytest
from matplotlib.image import imread

from dualres.errors import ConfigError
from dualres.explain.check import CheckedMachine, check_recording
from dualres.explain.check_picture import check_figure, draw_check
from dualres.recordings.recording import Recording
from tests.explain.made_knocks import ORDERS, RATE, knocking


@pytest.fixture(scope="module")
def found():
    return check_recording(
        Recording.from_array(knocking(25.0, 0), RATE, id="a/today.npy", speed="25Hz"), CheckedMachine(orders=ORDERS)
    )


def test_lines_that_are_named_are_broad(found):
    figure = check_figure(found)
    envelope, signal = figure.axes
    broad = [line.get_xdata()[0] for line in envelope.lines if line.get_linewidth() > 2]
    assert broad == pytest.approx([3.58 * k for k in range(1, 5)], rel=0.01)
    assert "today.npy: outer race" in figure.texts[0].get_text()
    assert {text.get_text() for text in envelope.texts} == {"outer", "inner"}
    assert "1500 rpm" in signal.get_xlabel()


def test_it_is_written_as_png(found, tmp_path):
    draw_check(found, tmp_path / "p.png")
    assert imread(tmp_path / "p.png").shape[1] == 1380


def test_where_one_cannot_tell_there_is_nothing_to_draw(tmp_path):
    short = Recording.from_array(knocking(25.0, 0)[:5000], RATE, speed="25Hz")
    with pytest.raises(ConfigError, match="nothing to draw"):
        draw_check(check_recording(short), tmp_path / "p.png")
    assert not (tmp_path / "p.png").exists()

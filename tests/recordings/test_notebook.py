import numpy as np
import pytest
import soundfile

from dualres import Recording, read
from dualres.recordings import notebook
from tests.markup import shown

NASTY = '<script>alert("x")</script>\u202e'
RATE = 8000


def test_a_recording_shows_what_is_known_of_it_and_its_wave():
    signal = np.sin(np.arange(RATE) / 9)
    html = Recording.from_array(signal, RATE, "pump", "worn", speed=1500)._repr_html_()
    text = shown(html)
    for said in ("Recording pump, worn", "1 s, 8000 samples", "8000 Hz", "1500 rpm", "1 s, from -1 to 1"):
        assert said in text
    assert html.count("<polygon") == 1
    assert "component" not in text


def test_every_axis_has_a_wave_and_names_are_text():
    whole = Recording.from_axes({NASTY: np.arange(9.0), "y": np.arange(9.0)}, RATE, NASTY, NASTY)
    html = whole._repr_html_()
    assert html.count("<polygon") == 2
    assert "<script" not in html
    assert "\u202e" not in html
    assert '<script>alert("x")</script>' in shown(html)


def test_a_long_file_is_read_no_further_than_its_first_block(tmp_path, monkeypatch):
    soundfile.write(tmp_path / "long.wav", np.sin(np.arange(6 * notebook.BLOCK) / 9), RATE)
    recording = read(tmp_path / "long.wav")
    taken = []
    blocks = type(recording.load).blocks

    def watched(self):
        for block in blocks(self):
            taken.append(len(block))
            yield block

    monkeypatch.setattr(type(recording.load), "blocks", watched)
    assert f"the first {notebook.BLOCK / RATE:.4g} s" in shown(recording._repr_html_())
    assert taken == [notebook.BLOCK]


@pytest.mark.parametrize("signal", [np.full(9, np.nan), np.empty(0), np.zeros((2, 3))])
def test_one_that_cannot_be_read_says_why(signal):
    assert "cannot be read" in shown(Recording.from_array(signal, RATE, "bad")._repr_html_())


def test_one_that_is_constant_is_a_line():
    assert "from 3 to 3" in shown(Recording.from_array(np.full(2, 3.0), RATE)._repr_html_())

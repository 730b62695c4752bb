"""What is drawn shows what is there."""

import io

import numpy as np
import pytest
import soundfile

from dualres.errors import RecordingError
from dualres.explain.report import MachineFacts
from dualres.faultlines.bearing import bearing_of
from dualres.web import pictures

RATE = 12_000.0


@pytest.fixture
def tone() -> np.ndarray:
    time_s = np.arange(48_000) / RATE
    noise = np.random.default_rng(0).standard_normal(len(time_s))
    return (np.sin(2 * np.pi * 1500 * time_s) + 0.01 * noise + 5).astype(np.float32)


def test_a_tone_is_the_highest_point_of_its_spectrum(tone: np.ndarray) -> None:
    found = pictures.spectrum(tone, RATE)
    assert len(found["hz"]) == len(found["db"]) <= pictures.POINTS
    assert found["hz"][int(np.argmax(found["db"]))] == pytest.approx(1500, abs=8)


def test_a_tone_is_the_brightest_row_of_both_spectrograms(tone: np.ndarray) -> None:
    told, grids = pictures.spectrogram(tone, RATE)
    both = np.frombuffer(grids, np.uint8).reshape(2, told["rows"], told["columns"])
    for grid in both:
        row = int(grid.mean(1).argmax())
        assert (row + 0.5) / told["rows"] * told["highest_hz"] == pytest.approx(1500, abs=200)


def test_the_lines_of_a_damaged_bearing_are_found() -> None:
    bearing, shaft_hz = bearing_of("6205"), 29.0
    rng = np.random.default_rng(3)
    time_s = np.arange(int(8 * RATE)) / RATE
    signal = 0.2 * rng.standard_normal(len(time_s))
    for hit in np.arange(0, 8, 1 / (bearing.outer * shaft_hz)):
        after = time_s - hit
        ringing = np.where(after >= 0, np.exp(-800 * np.clip(after, 0, None)) * np.sin(2 * np.pi * 3000 * after), 0)
        signal += ringing
    found = pictures.envelope(signal.astype(np.float32), RATE, MachineFacts(shaft_hz, bearing))
    named = [line["name"] for line in found["lines"] if line["named"]]
    assert "BPFO" in named
    assert pictures.envelope(signal.astype(np.float32), RATE, MachineFacts())["lines"] == []


def test_the_sound_is_the_signal_as_loud_as_it_goes(tone: np.ndarray) -> None:
    samples, rate = soundfile.read(io.BytesIO(pictures.sound(tone, RATE)))
    assert rate == RATE
    centred = tone - tone.mean()
    np.testing.assert_allclose(samples, centred / np.abs(centred).max() * 32000 / 32768, atol=1e-4)


def test_what_cannot_be_drawn_is_said(tone: np.ndarray) -> None:
    with pytest.raises(RecordingError, match="too short"):
        pictures.spectrum(tone[:10], RATE)
    tone[100] = np.nan
    with pytest.raises(RecordingError, match="not finite"):
        pictures.spectrum(tone, RATE)


def test_a_long_stretch_is_shown_by_its_middle() -> None:
    assert pictures.shorter(10, 20) == (10, 20)
    first, last = pictures.shorter(0, 10 * pictures.MOST)
    assert last - first == pictures.MOST
    assert first + last == 10 * pictures.MOST


def test_too_few_revolutions_draw_no_lines_and_are_no_error(tone: np.ndarray) -> None:
    found = pictures.envelope(tone[:6000], RATE, MachineFacts(20.0, bearing_of("6205")))
    assert found["lines"] == []
    assert len(found["hz"]) > 10

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dualres.config import HELD
from dualres.errors import ModelFileError
from dualres.judge.training_profile import (
    FAR,
    MOST_NAMES,
    Difference,
    LevelMeter,
    TrainingProfile,
    bandwidth,
    bandwidths,
    crest,
    level,
)
from dualres.kernel.resample import moments
from dualres.recordings.formats.contents import TIME, Vector
from dualres.recordings.recording import Origin, Recording
from dualres.recordings.resample import resample
from dualres.recordings.speed import Speed


def recording(channel=None, file="a.mat", rate=48_000, **origin):
    return Recording(file, lambda: np.ones(4), Fraction(rate), origin=Origin(Path(file), channel=channel, **origin))


def remembered(*channels, **changes):
    found = TrainingProfile.of([recording(name, f"{i}.mat") for i, name in enumerate(channels)], {"level": (0.5, 2.0)})
    return replace(found, **changes)


def said(found, one, level=None):
    return [str(each) for each in found.differences(one, level)]


def test_what_is_alike_is_no_difference():
    found = remembered("DE", units=("g",))
    assert not found.differences(recording("DE", unit="g"), 1.0)
    assert not found.differences(recording("de", unit="g"), 1.0), "as --channel takes it"
    assert not found.differences(recording("DE [g]"), 1.0), "a unit in a title is no name"
    assert not found.differences(recording("DE", rate="47999.8"), 1.0), "a clock is a little off"


def test_every_difference_is_said():
    one = recording("FE", rate=12_800, unit="m/s^2")
    assert said(remembered("DE", units=("g",)), one, 300.0) == [
        "12800 Hz, learned at 48000 Hz",
        "unit m/s^2, learned from g",
        "channel FE, learned from DE",
        "level 300, learned at 0.5 to 2",
    ]


def test_a_place_in_a_matrix_is_remembered():
    found = remembered("x[0]")
    listing = [Vector(f"x[{i}]", 9, "f") for i in range(2)]
    assert found.channel_in(listing) == "x[0]"
    assert said(found, recording("x[1]")) == ["channel x[1], learned from x[0]"]


def test_how_an_odd_file_was_read_is_told():
    assert said(remembered("DE"), recording("DE", remark="the first row is passed over")) == [
        "the first row is passed over"
    ]


def test_a_level_is_far_off_beyond_a_factor_and_what_is_not_known_no_difference():
    assert not TrainingProfile().differences(recording("DE", unit="g"), 1e9)
    assert not remembered("DE", units=("g",)).differences(recording(None))
    found = remembered("DE")
    for loud, far in [(0.5 / FAR, False), (0.4 / FAR, True), (2 * FAR, False), (2.1 * FAR, True)]:
        assert bool(found.differences(recording("DE"), loud)) == far


def test_a_stated_speed_far_from_the_labelled_ones_is_pointed_out_and_its_unit_asked_for():
    found = remembered("DE", looks={"speed_rpm": (1728.0, 1797.0)})

    def at(speed):
        return said(found, replace(recording("DE"), speed=speed))

    assert not at(None)
    assert not at(Speed.of_rpm(1200))
    assert not at(Speed.of_rpm(28.8, "measured")), "what is measured is not a matter of units"
    assert at(Speed.of_rpm(600)) == ["600 rpm, learned at 1728 to 1797 rpm"]
    assert at(Speed.of_rpm(28.8)) == ["28.8 rpm, learned at 1728 to 1797 rpm; was 28.8Hz meant?"]


def test_one_rate_is_the_rate_and_one_taken_from_the_model_is_told():
    (one,) = remembered("DE").differences(recording("DE", rate_assumed=True))
    assert one == Difference("rate", None, [48_000.0])
    assert str(one) == "no rate in the file, taken as 48000 Hz"
    assert remembered("a").rate == 48_000
    assert remembered("a", rates=(Fraction(1000), Fraction(2000))).rate is None


@pytest.mark.parametrize(("one", "other"), [("m/s^2", "m/s²"), ("m/s2", "m/s^2")])
def test_spellings_of_a_unit_are_one(one, other):
    assert not remembered(units=(one,)).differences(recording(unit=other))


@pytest.mark.parametrize(("one", "other"), [("mPa", "MPa"), ("g", "m/s2"), ("16-bit counts", "24-bit counts")])
def test_other_units_are_others(one, other):
    assert said(remembered(units=(one,)), recording(unit=other)) == [f"unit {other}, learned from {one}"]


def test_names_of_channels_are_few_and_without_numbers_of_recordings():
    found = remembered("X097_DE_time", "X122_DE_time", "X122_DE_time")
    assert found.channels == ("X#_DE_time",)
    assert not found.differences(recording("X234_DE_time"))
    assert said(found, recording("X234_FE_time")) == ["channel X234_FE_time, learned from X#_DE_time"]
    assert len(remembered(*"abcdefgh").channels) == MOST_NAMES
    assert remembered(*"abcdefghi").channels == ()


def test_numbers_of_sensors_are_channels_unless_a_signal_is_alone_in_its_file():
    assert remembered("ch1", "ch2").channels == ("ch1", "ch2")
    both = [recording("acc10", "a.mat"), recording("acc11", "a.mat")]
    assert TrainingProfile.of(both, {}).channels == ("acc10", "acc11"), "they are two in one file"
    assert remembered("X097").channels == ("X097",)
    assert said(remembered("channel 1"), recording("channel 2")) == ["channel channel 2, learned from channel 1"]
    alone = recording("channel 1", alone=True)
    assert TrainingProfile.of([alone], {}).channels == ()
    assert not remembered("DE").differences(alone)
    assert remembered("DE").differences(recording("FE", alone=True)), "this one has a name"


def test_the_channel_of_a_file_with_several():
    found = remembered("X097_DE_time", "X122_DE_time")
    listing = [Vector(name, 9, "f") for name in ("X234_DE_time", "X234_FE_time")]
    assert found.channel_in(listing) == "X234_DE_time"
    assert found.channel_in(listing[1:]) is None
    assert found.channel_in([*listing, Vector("X235_DE_time", 9, "f")]) is None, "two could be meant"
    assert remembered("time").channel_in([Vector("time", 9, TIME), *listing]) is None


def test_a_card_holds_it():
    found = remembered("DE", units=("g",), rates=(Fraction(200_000, 3),))
    data = found.as_data()
    assert data == {"channels": ["DE"], "rates": ["200000/3"], "units": ["g"], "looks": {"level": [0.5, 2.0]}}
    assert TrainingProfile.parsed(data) == found
    assert TrainingProfile().as_data() == {}
    assert TrainingProfile.parsed({"later": 1}) == TrainingProfile(), "a newer card may hold more"


@pytest.mark.parametrize(
    "data", [{"rates": ["fast"]}, {"rates": 3}, {"looks": [1]}, {"looks": {"level": [1]}}, {"looks": {"level": "xy"}}]
)
def test_a_card_that_says_something_else_is_refused(data):
    with pytest.raises(ModelFileError, match="learned_from"):
        TrainingProfile.parsed(data)


@pytest.fixture(scope="module")
def windows():
    t = np.arange(12 * 8000).reshape(12, 8000) / 8000
    return (1000 + 3 * np.sin(2 * np.pi * 500 * t)).astype(np.float32)


def test_a_tone_on_an_offset_and_silence_have_looks(windows):
    assert level(windows) == pytest.approx(3 / np.sqrt(2), rel=1e-5)
    assert crest(windows) == pytest.approx(np.sqrt(2), rel=1e-4)
    assert bandwidth(windows[0], 8000) == pytest.approx(500, abs=3)
    silence = np.zeros((2, 8000), np.float32)
    assert (level(silence), crest(silence)) == (0.0, 0.0)
    assert bandwidth(silence[0], 8000) >= 0
    assert np.isfinite(level(np.float32(3e34) * windows[:2])), "float32 would overflow"


def test_the_level_of_what_passes_by(windows):
    heard = LevelMeter()
    assert heard.level is None
    for some in (windows[:8], 3 * windows[8:]):
        heard(some)
    assert heard.level == pytest.approx(np.sqrt((1 + 1 + 9) / 3) * level(windows), rel=1e-5)


def test_fewer_samples_tell_the_bandwidth_of_what_was_resampled():
    rng = np.random.default_rng(0)
    for native in (12_800, 8_000, 64_000):
        coloured = np.convolve(rng.standard_normal(3 * native), [1.0, 0.6, 0.2])
        signal = resample(coloured.astype(np.float32), Fraction(native), 64_000, HELD)
        windows = np.lib.stride_tricks.sliding_window_view(signal, 32_768)[::16_384]
        whole = [bandwidth(window, 64_000) for window in windows]
        assert bandwidths(windows, 64_000, native) == pytest.approx(whole, abs=2 * 64_000 / 32_768)


def test_means_and_variances_are_numpys():
    signal = (1e3 + np.random.default_rng(0).standard_normal(5000)).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(signal, 1001)[::500]
    means, variances = moments(windows)
    exact = windows.astype(np.float64)
    assert means == pytest.approx(exact.mean(1), rel=1e-12)
    assert variances == pytest.approx(exact.var(1), rel=1e-9)

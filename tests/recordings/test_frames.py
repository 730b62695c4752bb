"""Tables in memory as recordings, those of pandas and xarray themselves."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dualres import read
from dualres.errors import RecordingError
from dualres.recordings.speed_sources import SpeedSources

RATE = 12_800
COUNT = 64
X, Y = np.sin(np.arange(COUNT)), np.cos(np.arange(COUNT))


def table(index=None, **attrs):
    frame = pd.DataFrame({"x": X, "y": Y}, index=index)
    frame.attrs.update(attrs)
    return frame


SECONDS = np.arange(COUNT) / RATE
INDEXES = {
    "seconds": pd.Index(SECONDS),
    "seconds, later": pd.Index(SECONDS + 1000.0),
    "named ms": pd.Index(1000 * SECONDS, name="time [ms]"),
    "whole us": pd.Index(np.arange(COUNT) * 125 // 4 * 2, name="t (us)"),
    "differences": pd.to_timedelta(SECONDS, unit="s"),
    "moments": pd.Timestamp("2026-03-04 05:06:07.25") + pd.to_timedelta(SECONDS, unit="s"),
    "moments of a zone": pd.Timestamp("2026-03-04", tz="Europe/Berlin") + pd.to_timedelta(SECONDS, unit="s"),
}


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_of_time_says_the_rate(name):
    expected = 16_000 if name == "whole us" else RATE
    recording = read(table(INDEXES[name]))
    assert recording.rate == expected, float(recording.rate)
    assert recording.channels == ("x", "y")
    np.testing.assert_array_equal(recording.axes[1].signal, Y.astype(np.float32))


@pytest.mark.parametrize("attrs", [{"rate": RATE}, {"hz": "12.8kHz"}, {"rate": RATE, "hz": float(RATE)}])
@pytest.mark.parametrize("name", [None, "seconds", "moments"])
def test_so_do_its_attributes_and_they_may_agree(attrs, name):
    assert read(table(INDEXES.get(name), **attrs)).rate == RATE


def test_an_exact_rate_is_taken_as_it_is_stated():
    assert read(table(rate="200000/3")).rate == Fraction(200_000, 3)
    assert read(table(), rate="200000/3").rate == Fraction(200_000, 3)


def test_a_column_of_time_is_no_axis_and_says_the_rate():
    frame = table()
    frame["time_s"] = SECONDS
    frame["note"] = "idle"
    recording = read(frame)
    assert (recording.channels, recording.rate) == (("x", "y"), RATE)


WRONG = {
    "no rate": (table(), {}, "DataFrame: nothing says its sampling rate; give it in Hz"),
    "a number for each row": (table(pd.Index(range(5, 5 + COUNT))), {}, "nothing says its sampling rate"),
    "two rates": (table(rate=100, hz=200), {}, r"100 Hz \(attrs\['rate'\]\) and 200 Hz \(attrs\['hz'\]\)"),
    "argument": (table(rate=100), {"rate": 200}, r"200 Hz \(rate\) and 100 Hz \(attrs\['rate'\]\)"),
    "index": (table(INDEXES["seconds"], rate=100), {}, r"100 Hz \(attrs\['rate'\]\), but 12800 Hz by its index"),
    "no rate at all": (table(rate="fast"), {}, r"attrs\['rate'\]: rate 'fast' is no number of Hz"),
    "a gap": (table(pd.Index(np.delete(np.arange(COUNT + 1), 9) / RATE)), {}, "its index, is not even"),
    "NaT": (table(pd.Index([pd.NaT, *INDEXES["moments"][1:]])), {}, "its index, does not rise"),
    "slow": (table(pd.Index(np.arange(COUNT) / 10)), {}, "its index, is without a unit and would give 10 Hz"),
    "channel": (table(rate=100), {"channel": "z"}, "there is no signal called z in it"),
    "twice": (pd.DataFrame(np.ones((9, 2)), columns=["a", "a"]), {"rate": 9}, "two columns are called a"),
    "text": (pd.DataFrame({"a": ["x", "y"]}), {"rate": 9}, "a holds something other than numbers"),
    "empty": (pd.DataFrame(), {"rate": 9}, "there is no signal in it"),
    "NaN": (table(rate=9).replace(X[3], np.nan), {}, "DataFrame: x: 1 of 64 samples are NaN, the first is number 3"),
    "constant": (pd.DataFrame({"a": np.ones(9)}), {"rate": 9}, "the signal is constant"),
    "tachometer": (table(rate=9), {"speed": SpeedSources(tacho="y")}, "state it"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_told_is_an_error_that_says_so(what):
    frame, how, said = WRONG[what]
    with pytest.raises(RecordingError, match=said):
        read(frame, **how)


def test_a_channel_can_be_chosen_and_a_series_is_one():
    assert read(table(rate=RATE), "y").origin.channel == "y"
    assert read(table(rate=RATE), ["y", "x"]).channels == ("y", "x")
    series = pd.Series(X, index=INDEXES["differences"], name="drive end")
    recording = read(series, speed=1500)
    assert (recording.id, recording.axes, recording.rate, recording.speed.rpm) == ("drive end", (), RATE, 1500)
    np.testing.assert_array_equal(recording.signal, X.astype(np.float32))


def test_columns_may_have_several_levels_and_any_numbers():
    frame = pd.DataFrame({("motor", "x"): np.arange(9, dtype=np.int16), ("motor", "y"): np.arange(9.0, 18.0)})
    frame.attrs = {"rate": 100, "id": "motor 3"}
    recording = read(frame)
    assert (recording.id, recording.channels) == ("motor 3", ("motor, x", "motor, y"))
    assert recording.axes[0].signal.dtype == np.float32


def test_a_recording_of_a_table_goes_to_other_processes_and_keeps_its_samples():
    frame = table(rate=RATE)
    recording = pickle.loads(pickle.dumps(read(frame)))
    np.testing.assert_array_equal(recording.axes[0].signal, X.astype(np.float32))


@pytest.mark.parametrize("what", [X, [1.0, 2.0], {"x": X}, 3, None])
def test_what_is_no_table_is_told_where_arrays_go(what):
    with pytest.raises(RecordingError, match=r"neither the path of a file nor a table.*Recording\.from_array"):
        read(what)


@pytest.fixture
def xr():
    return pytest.importorskip("xarray")


def test_a_data_array_of_axes_and_time_in_any_order(xr):
    array = xr.DataArray(
        [X, Y], dims=("axis", "time"), coords={"axis": ["x", "y"], "time": SECONDS}, name="pump", attrs={"units": "g"}
    )
    for one in (array, array.T):
        recording = read(one)
        assert (recording.id, recording.rate, recording.channels) == ("pump", RATE, ("x", "y"))
        assert recording.axes[0].origin.unit == "g"
        np.testing.assert_array_equal(recording.axes[1].signal, Y.astype(np.float32))


def test_a_data_array_without_coordinates(xr):
    bare = xr.DataArray(np.stack([X, Y], axis=1), attrs={"rate": RATE})
    assert (read(bare).channels, read(bare).length) == (("1", "2"), COUNT)
    one = xr.DataArray(X, dims="sample", attrs={"hz": RATE})
    assert (read(one).axes, read(one).rate) == ((), RATE)
    with pytest.raises(RecordingError, match="nothing says its sampling rate"):
        read(xr.DataArray(X))
    with pytest.raises(RecordingError, match=r"its dimensions are dim_0 \(2\), dim_1 \(3\), dim_2 \(4\)"):
        read(xr.DataArray(np.ones((2, 3, 4))))


def test_a_data_array_s_time_may_say_its_unit_or_be_moments(xr):
    ms = xr.DataArray(X, dims="t", coords={"t": ("t", 1000 * SECONDS, {"units": "ms"})})
    assert read(ms).rate == RATE
    moments = xr.DataArray(X, dims="t", coords={"t": INDEXES["moments"].values})
    assert read(moments).rate == RATE


def test_a_dataset_has_an_axis_for_each_variable(xr):
    data = xr.Dataset(
        {"x": ("time", X, {"units": "g"}), "y": ("time", Y)}, coords={"time": SECONDS}, attrs={"id": "fan"}
    )
    recording = read(data)
    assert (recording.id, recording.rate, recording.channels) == ("fan", RATE, ("x", "y"))
    assert [axis.origin.unit for axis in recording.axes] == ["g", None]
    with pytest.raises(RecordingError, match="do not lie along one dimension"):
        read(xr.Dataset({"x": ("time", X), "y": ("other", Y[:9])}))

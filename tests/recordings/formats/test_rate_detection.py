from fractions import Fraction

import numpy as np
import pytest
from scipy.io import savemat

from dualres.errors import RecordingError
from dualres.recordings.formats.contents import TIME, Vector
from dualres.recordings.formats.rate_detection import is_counter, with_time
from dualres.recordings.readers import read, signals

NOISE = np.random.default_rng(0).standard_normal(1000)


def table(path, times, title="time", digits=9, before="", signal=NOISE):
    rows = "".join(f"{time:.{digits}f},{value:.4f}\n" for time, value in zip(times, signal, strict=True))
    path.write_text(f"{title},DE\n{before}{rows}")
    return path


@pytest.fixture
def csv(tmp_path):
    return tmp_path / "a.csv"


@pytest.mark.parametrize("rate", [512, 1000, 12_800, 44_100, 48_000, 51_200, Fraction(200_000, 3), "12799.5"])
@pytest.mark.parametrize("digits", [6, 9, 12])
@pytest.mark.parametrize("start", [0.0, 17.25])
def test_the_rate_is_the_roundest_that_the_times_allow(csv, rate, digits, start):
    rate = Fraction(rate)
    found = read(table(csv, start + np.arange(1000) / float(rate), digits=digits)).rate
    if digits > 6 or rate.denominator == 1:
        assert found == rate
    assert abs(found - rate) < rate / 1000


def test_a_step_that_was_rounded_and_then_counted_stands_for_a_round_rate(csv):
    assert read(table(csv, np.arange(1000) * 2.26757e-5, digits=10)).rate == 44_100


@pytest.mark.parametrize(
    ("title", "before", "scale"),
    [
        ("time", "", 1),
        ("Time (s)", "", 1),
        ("Zeit [s]", "", 1),
        ("t", "", 1),
        ("seconds", "", 1),
        ("time_ms", "", 1e3),
        ("Time [ms]", "", 1e3),
        ("timestamp (us)", "", 1e6),
        ("Time", "ms,g\n", 1e3),
        ("Time", "[µs],[m/s²]\n", 1e6),
    ],
)
def test_the_unit_stands_in_the_title_or_below_it(csv, title, before, scale):
    recording = read(table(csv, np.arange(1000) / 12_800 * scale, title, before=before))
    assert (recording.rate, recording.origin.channel) == (12_800, "DE")
    assert recording.length == 1000


def test_time_is_never_offered(csv):
    table(csv, np.arange(1000) / 12_800)
    assert signals(csv) == {"DE": 1000}
    with pytest.raises(RecordingError, match=r"a\.csv: time is time, and no signal"):
        read(csv, "time")
    csv.write_text("".join(f"{i / 1000} {value}\n" for i, value in enumerate(NOISE)))
    assert signals(csv) == {"column 2": 1000}
    with pytest.raises(RecordingError, match="does not say its sampling rate"):  # nor does it say that this is time
        read(csv)


def test_what_the_time_says_and_what_is_given_must_agree(csv):
    table(csv, np.arange(1000) / 12_800)
    assert read(csv, rate=12_800).rate == 12_800
    assert read(csv, rate="12801").rate == 12_801  # times are not better than that
    message = r"a\.csv: the file says 12800 Hz by its time, time, but rate=25600 was given; leave it out or correct it"
    with pytest.raises(RecordingError, match=message):
        read(csv, rate=25_600)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda t: np.delete(np.append(t, t[-1] + 1e-3), 500),
            r"is not even: 0.002 s before sample 500, elsewhere 0.001",
        ),
        (lambda t: np.append(t[:500], t[:500]), r"does not rise: 0.499 is followed by 0 \(sample 500\)"),
        (lambda t: np.round(t * 2, 2) / 2, "is written too coarsely"),
        (lambda t: t * 1000, "is without a unit and would give 1 Hz in seconds"),
    ],
)
def test_times_that_are_not_even_say_no_rate(csv, change, reason):
    table(csv, change(np.arange(1000) / 1000))
    with pytest.raises(
        RecordingError, match=rf"a\.csv: its time, time, {reason}.*; give it in Hz \(rate=..., --rate\)"
    ):
        read(csv)
    assert read(csv, rate=1000).rate == 1000


def test_columns_may_end_before_the_time_does(csv):
    csv.write_text("time,DE,slow\n" + "".join(f"{i / 1000},{i % 7},{'' if i > 50 else i % 5}\n" for i in range(100)))
    assert signals(csv) == {"DE": 100, "slow": 51}
    assert read(csv, "slow").rate == 1000


def test_time_in_a_matlab_file_serves_its_own_struct(tmp_path):
    runs = {name: {"t": np.arange(1000) / rate, "y": NOISE} for name, rate in (("a", 5000), ("b", 8000))}
    savemat(tmp_path / "a.mat", runs | {"other": NOISE, "X097_DE_time": NOISE})
    assert set(signals(tmp_path / "a.mat")) == {"a.y", "b.y", "other", "X097_DE_time"}
    assert (read(tmp_path / "a.mat", "a.y").rate, read(tmp_path / "a.mat", "b.y").rate) == (5000, 8000)
    with pytest.raises(RecordingError, match=r"a\.mat: the file says 5000 Hz by its time, a\.t, but rate=8000"):
        read(tmp_path / "a.mat", "a.y", 8000)
    with pytest.raises(RecordingError, match=r"does not say its sampling rate"):
        read(tmp_path / "a.mat", "other")


def test_time_in_parquet_and_tdms(tmp_path):
    pyarrow, nptdms = pytest.importorskip("pyarrow"), pytest.importorskip("nptdms")
    from pyarrow.parquet import write_table

    stamps = (np.arange(1000) * 78_125).astype("M8[ns]")
    write_table(pyarrow.table({"timestamp": stamps, "DE": NOISE}), tmp_path / "a.parquet")
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        times = nptdms.ChannelObject("run", "Time", np.arange(1000) / 12_800)
        writer.write_segment([times, nptdms.ChannelObject("run", "DE", NOISE)])
    for name in ("a.parquet", "a.tdms"):
        assert list(signals(tmp_path / name).values()) == [1000]
        assert read(tmp_path / name).rate == 12_800
        with pytest.raises(RecordingError, match=rf"{name}: the file says 12800 Hz by its time, "):
            read(tmp_path / name, rate=6400)


def test_a_rate_that_a_file_states_is_not_measured_again():
    stated, time = Vector("run.DE", 3, "f", Fraction(7)), Vector("run.time", 3, "f")
    found = list(with_time({stated: lambda: NOISE[:3], time: lambda: np.arange(3) / 1000}))
    assert found == [stated, Vector("run.time", 3, TIME)]


@pytest.mark.parametrize("values", [NOISE, np.arange(15.0), np.zeros(100), np.cumsum(np.abs(NOISE))])
def test_a_signal_is_no_counter(values):
    assert not is_counter(values)

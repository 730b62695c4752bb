from fractions import Fraction

import numpy as np
import pytest
import soundfile
from scipy.io import savemat

from dualres.recordings.formats import FORMATS, SUFFIXES, extract, format_of, rate_of

X = np.arange(-3, 5)


def parse(path, channel=None):
    listing, vector = extract(path, format_of(path), channel)
    return [(one.name, one.length, one.rate) for one in listing], vector


@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_integer_sound_gives_counts(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    others = {"PCM_32": 32} if suffix == "wav" else {"PCM_S8": 8}
    for subtype, bits in ({"PCM_16": 16, "PCM_24": 24} | others).items():
        counts = np.array([0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))])
        soundfile.write(path, (counts << (32 - bits)).astype(np.int32), 44_100, subtype)
        listing, vector = parse(path)
        assert listing == [("channel 1", 5, 44_100)]
        assert vector.tolist() == counts.tolist(), subtype


def test_eight_bit_wav_gives_counts_around_zero(tmp_path):
    soundfile.write(tmp_path / "a.wav", (np.array([0, 1, -1, 127, -128]) << 8).astype(np.int16), 8000, "PCM_U8")
    assert parse(tmp_path / "a.wav")[1].tolist() == [0, 1, -1, 127, -128]


@pytest.mark.parametrize(("subtype", "dtype"), [("FLOAT", np.float32), ("DOUBLE", np.float64)])
def test_float_wav_stays_as_it_is(tmp_path, subtype, dtype):
    signal = np.array([0.1, -7.25, 1e-9], dtype=dtype)
    soundfile.write(tmp_path / "a.wav", signal, 8000, subtype)
    vector = parse(tmp_path / "a.wav")[1]
    assert vector.dtype == dtype
    assert vector.tolist() == signal.tolist()


def test_channels_of_a_wav_are_counted(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.stack([X, 10 * X], axis=1).astype(np.int16), 8000)
    listing, vector = parse(tmp_path / "a.wav")
    assert ([name for name, _, _ in listing], vector) == (["channel 1", "channel 2"], None)
    assert parse(tmp_path / "a.wav", "channel 2")[1].tolist() == (10 * X).tolist()


@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_other_sound_under_the_name_is_refused(tmp_path, suffix):
    soundfile.write(tmp_path / "a.aiff", X.astype(np.int16), 8000)
    with pytest.raises(ValueError, match="does not begin as one"):
        parse((tmp_path / "a.aiff").rename(tmp_path / f"a.{suffix}"))


@pytest.mark.parametrize("array", [X, X[None], X[:, None], X.astype(">i4"), X.astype(np.float16)])
def test_npy(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    listing, vector = parse(tmp_path / "a.npy")
    assert listing == [("array", len(X), None)]
    assert vector.tolist() == X.tolist()


def test_a_matrix_in_npy_is_its_columns(tmp_path):
    np.save(tmp_path / "a.npy", np.stack([X, 2 * X], axis=1))
    assert parse(tmp_path / "a.npy", "array[1]")[1].tolist() == (2 * X).tolist()
    np.save(tmp_path / "a.npy", np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="3 dimensions"):
        parse(tmp_path / "a.npy")


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"DE": X, "x.y": X / 2, "note": ["a"] * len(X)}), tmp_path / "a.parquet")
    listing, vector = parse(tmp_path / "a.parquet")
    assert ([name for name, _, _ in listing], vector) == (["DE", "x.y", "note"], None)
    assert parse(tmp_path / "a.parquet", "x.y")[1].tolist() == (X / 2).tolist()
    write_table(pyarrow.table({"DE": [1, None, 3]}), tmp_path / "a.parquet")
    assert np.isnan(parse(tmp_path / "a.parquet")[1]).tolist() == [False, True, False]


def test_tdms(tmp_path):
    nptdms = pytest.importorskip("nptdms")
    channels = [
        nptdms.ChannelObject("run", "DE", X / 2, {"wf_increment": 1 / 48_000}),
        nptdms.ChannelObject("run", "speed", X),
    ]
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        writer.write_segment(channels)
    listing, vector = parse(tmp_path / "a.tdms", "DE")
    assert listing == [("run.DE", len(X), 48_000), ("run.speed", len(X), None)]
    assert vector.tolist() == (X / 2).tolist()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # pyuff leaves a file it wrote open
@pytest.mark.parametrize("suffix", ["uff", "unv"])
@pytest.mark.parametrize("binary", [0, 1])
def test_uff(tmp_path, suffix, binary):
    write_uff(tmp_path / f"a.{suffix}", binary=binary)
    listing, vector = parse(tmp_path / f"a.{suffix}")
    assert listing == [("set 1", len(X), 48_000)]
    assert vector.tolist() == X.tolist()


def test_uff_lists_only_what_is_sampled_in_time(tmp_path):
    write_uff(tmp_path / "a.uff", func_type=2, abscissa_spec_data_type=18)  # a spectrum
    write_uff(tmp_path / "a.uff")
    assert parse(tmp_path / "a.uff")[0] == [("set 2", len(X), 48_000)]
    write_uff(tmp_path / "a.uff", abscissa_spacing=0)
    with pytest.raises(ValueError, match="set 3 is not sampled at even steps"):
        parse(tmp_path / "a.uff")


def write_uff(path, **changes):
    pyuff = pytest.importorskip("pyuff")
    node = {"rsp_node": 1, "rsp_dir": 1, "ref_node": 1, "ref_dir": 1, "rsp_ent_name": "NONE", "ref_ent_name": "NONE"}
    kinds = {"abscissa_spec_data_type": 17, "ordinate_spec_data_type": 12, "orddenom_spec_data_type": 0}
    axis = {"x": np.arange(len(X)) / 48_000, "abscissa_spacing": 1, "abscissa_inc": 1 / 48_000}
    content = {"type": 58, "func_type": 1, "binary": 0, "id1": "run", "data": X.astype(float)} | node | kinds | axis
    pyuff.UFF(str(path)).write_sets(content | changes)


@pytest.mark.parametrize("rate", [1, 25_600, 44_100, 48_000, 51_200, 1_000_000, Fraction(200_000, 3), "66666.7", "0.5"])
def test_a_step_stands_for_the_simplest_rate_that_is_written_so(rate):
    rate = Fraction(rate)
    assert rate_of(float(1 / rate), digits=15) == rate
    if rate != Fraction("66666.7"):  # six digits cannot tell it from 66666 2/3
        assert rate_of(float(f"{float(1 / rate):.5e}"), digits=6) == rate


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan"), float("inf"), 1e-300])
def test_a_step_that_no_sensor_takes_is_no_rate(step):
    assert rate_of(step, digits=15) is None


def test_matlab_is_told_apart_by_content(tmp_path):
    import h5py

    savemat(tmp_path / "five.mat", {"x": X})
    for name, block in {"seven.mat": 512, "plain.mat": 0}.items():
        with h5py.File(tmp_path / name, "w", userblock_size=block) as file:
            file["x"] = X[None]
        assert format_of(tmp_path / name) is FORMATS["mat73"]
    assert format_of(tmp_path / "five.mat") is FORMATS["mat"]


def test_unknown_suffixes_are_answered_with_the_known_ones(tmp_path):
    with pytest.raises(ValueError, match=r"ending in \.mp3 are not read; these are: \.csv, .*\.wav"):
        format_of(tmp_path / "a.mp3")
    assert set(SUFFIXES) >= {".wav", ".flac", ".csv", ".tsv", ".txt", ".npy", ".mat", ".parquet", ".tdms", ".uff"}
    assert format_of(tmp_path / "A.WAV") is FORMATS["wav"]

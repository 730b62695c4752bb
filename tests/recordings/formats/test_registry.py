from fractions import Fraction

import numpy as np
import pytest
from scipy.io import savemat

from dualres.recordings.formats.contents import rate_of
from dualres.recordings.formats.registry import FORMATS, format_of, pick, suffixes
from tests.recordings.few import parse

X = np.arange(-3, 5)


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


@pytest.mark.parametrize(("said", "unit"), [("g", "g"), ("", None), ("unknown", None)])
def test_units_of_tdms(tmp_path, said, unit):
    nptdms = pytest.importorskip("nptdms")
    with nptdms.TdmsWriter(tmp_path / "a.tdms") as writer:
        writer.write_segment([nptdms.ChannelObject("run", "DE", X / 2, {"unit_string": said})])
    listing, _ = pick(FORMATS["tdms"].parse(tmp_path / "a.tdms"), None)
    assert [one.unit for one in listing] == [unit]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # as above
@pytest.mark.parametrize(("said", "unit"), [("m/s^2", "m/s^2"), ("NONE", None)])
def test_units_of_uff(tmp_path, said, unit):
    write_uff(tmp_path / "a.uff", ordinate_axis_units_lab=said)
    listing, _ = pick(FORMATS["uff"].parse(tmp_path / "a.uff"), None)
    assert [one.unit for one in listing] == [unit]


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
    with pytest.raises(ValueError, match=r"ending in \.mp3 are not read; these are: \.aif, .*\.wav"):
        format_of(tmp_path / "a.mp3")
    assert set(suffixes()) >= {".wav", ".flac", ".csv", ".tsv", ".txt", ".npy", ".mat", ".parquet", ".tdms", ".uff"}
    assert format_of(tmp_path / "A.WAV") is FORMATS["wav"]

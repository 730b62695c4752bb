"""`dualres export`, as it is typed."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from dualres import save
from dualres.errors import ConfigError, ExportError, OutputError
from tests.cli.runner import done, run
from tests.export.conftest import made_model, made_orders_model


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "pump.safetensors"
    save(made_model(classes=("good", "worn")), path)
    return path


@pytest.mark.subprocess
@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler here")
def test_c99(path, tmp_path):
    result = done("export", path, "--to", "c99", tmp_path / "board", "--rate", 12800)
    sizes = ("flash on this machine", "RAM with float samples: 131072 bytes of window")
    for said in ("as exported", *sizes, f"Folder  {tmp_path / 'board'}"):
        assert said in result.output
    assert "#define DUALRES_UP 5" in (tmp_path / "board" / "dualres_model.h").read_text()
    assert subprocess.run(["make", "-C", tmp_path / "board", "check"], capture_output=True).returncode == 0
    again = run("export", path, tmp_path / "board", "--to", "c99")
    assert isinstance(again.exception, OutputError)


def test_without_a_compiler_it_says_so(path, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    result = done("export", path, "--to", "c99", tmp_path / "board", "--int16", "--unchecked")
    assert "not checked" in result.output
    assert "#define DUALRES_INT16" in (tmp_path / "board" / "dualres_model.h").read_text()


def test_a_library_in_a_form_that_a_build_system_takes(path, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    result = done("export", path, "--to", "zephyr", tmp_path / "board", "--rate", "12.8kHz", "--unchecked")
    assert "compile and run `extras/check.c` as README.md says where there is one" in " ".join(result.output.split())
    assert "12800 Hz" in (tmp_path / "board" / "zephyr" / "Kconfig").read_text()
    again = run("export", path, "--to", "arduino", tmp_path / "board", "--unchecked")
    assert isinstance(again.exception, OutputError)
    done("export", path, "--to", "arduino", tmp_path / "board", "--unchecked", "--overwrite")
    assert (tmp_path / "board" / "library.properties").is_file()
    assert not (tmp_path / "board" / "zephyr").exists()


def test_onnx(path, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    result = done("export", path, tmp_path / "pump.onnx", "--to", "onnx")
    assert "same verdicts" in result.output
    session = onnxruntime.InferenceSession(str(tmp_path / "pump.onnx"), providers=["CPUExecutionProvider"])
    assert session.run(None, {"windows": np.zeros((3, 32_768), np.float32)})[0].shape == (3, 2)


def test_onnx_of_a_network_of_orders_takes_the_speed_as_well(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    save(made_orders_model(classes=("good", "worn")), tmp_path / "pump.safetensors")
    result = done("export", tmp_path / "pump.safetensors", tmp_path / "pump.onnx", "--to", "onnx")
    assert "same verdicts" in result.output
    session = onnxruntime.InferenceSession(str(tmp_path / "pump.onnx"), providers=["CPUExecutionProvider"])
    given = {"windows": np.zeros((3, 32_768), np.float32), "speed": np.array([25, 0, np.nan], np.float32)}
    assert session.run(None, given)[0].shape == (3, 2)


@pytest.mark.parametrize(
    "option", [("--rate", "12800"), ("--int16",), ("--search", "11"), ("--unchecked",)], ids=lambda o: o[0]
)
def test_what_a_device_needs_does_not_go_with_onnx(path, tmp_path, option):
    result = run("export", path, tmp_path / "m.onnx", "--to", "onnx", *option)
    assert isinstance(result.exception, ConfigError)
    assert option[0] in str(result.exception)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("to", ["c99", "onnx"])
def test_an_empty_rate_is_no_rate(path, tmp_path, to):
    result = run("export", path, tmp_path / "board", "--to", to, "--rate", "")
    assert isinstance(result.exception, ConfigError)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    """Two minutes of a machine that runs well."""
    folder = tmp_path_factory.mktemp("healthy")
    np.save(folder / "monday.npy", np.random.default_rng(0).standard_normal(60 * 12_800).astype(np.float32))
    return folder


def test_alarms_as_watch_learns_them(path, tmp_path, healthy, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    asked = ("--alarm", "1 per 100 blocks", "--healthy", healthy, "--healthy-class", "good", "--block", 0.5)
    to = ("--to", "c99", "--rate", "12.8kHz", "--unchecked")
    result = done("export", path, tmp_path / "board", *to, *asked)
    assert "at most one false alarm in 100 healthy blocks" in " ".join(result.output.split())
    assert "bytes of flash, for alarms" in result.output
    header = (tmp_path / "board" / "dualres_model.h").read_text()
    assert '#define DUALRES_ALARM "1 per 100 blocks"\n#define DUALRES_ALARM_BETWEEN 100.0\n' in header
    readme = (tmp_path / "board" / "README.md").read_text()
    assert "`dualres_alarm_push` raises alarms, false ones at most 1 per 100 blocks" in readme
    same = done("export", path, tmp_path / "again", *to, "--false-alarms", *asked[1:])
    assert same.exit_code == 0
    assert (tmp_path / "again" / "dualres_model.h").read_text() == header


def test_recordings_of_different_lengths_take_flash_and_it_says_so(path, tmp_path, healthy, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    whole = np.load(healthy / "monday.npy")
    for name, seconds in (("a", 30), ("b", 40), ("c", 50), ("d", 59)):
        np.save(tmp_path / f"{name}.npy", whole[: seconds * 12_800])
    asked = ("--alarm", "1 per 100 blocks", "--healthy", tmp_path, "--healthy-class", "good", "--block", 0.5)
    result = done("export", path, tmp_path / "board", "--to", "c99", "--rate", 12_800, "--unchecked", *asked)
    assert "record every load for the same time" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--alarm", "1 per year"), "give --healthy"),
        (("--healthy", "x.npy"), "--healthy only applies with --alarm"),
        (("--machines", "2"), "--machines only applies with --alarm"),
        (("--block", "2"), "--block only applies with --alarm"),
        (("--speed", "none"), "--speed only applies with --alarm"),
        (("--healthy-class", "good"), "--healthy-class only applies with --alarm"),
        (("--alarm", "often", "--healthy", "HEALTHY"), "often"),
        (("--alarm", "1 per year", "--healthy", "HEALTHY", "--block", "30"), "are too few|has [0-9]+ blocks, too few"),
    ],
)
def test_alarms_that_cannot_be_learned(path, tmp_path, healthy, options, said):
    given = [healthy if word == "HEALTHY" else word for word in options]
    result = run("export", path, tmp_path / "board", "--to", "c99", "--rate", "12800", "--unchecked", *given)
    assert isinstance(result.exception, ConfigError | ExportError)
    assert re.search(said, str(result.exception))
    assert not list(tmp_path.iterdir())


def test_alarms_do_not_go_with_onnx(path, tmp_path):
    result = run("export", path, tmp_path / "m.onnx", "--to", "onnx", "--alarm", "1 per year")
    assert "--alarm does not apply with --to onnx" in str(result.exception)

"""A format that was added from outside, from its file to the command line."""

import struct
from copy import copy

import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.formats import registry as formats
from dualres.recordings.formats.registry import register
from dualres.recordings.formats.sandbox import Guard
from dualres.recordings.labels.read import files_below
from dualres.recordings.readers import read
from tests.extending.outside import dualres, environment


@pytest.fixture
def file(tmp_path):
    samples = np.sin(np.arange(64_000, dtype=np.float32))
    (tmp_path / "pump.toy").write_bytes(b"TOY1" + struct.pack("<I", 16_000) + samples.tobytes())
    return tmp_path / "pump.toy"


@pytest.fixture
def toy(monkeypatch):
    """The toy format in this process and in those it starts, for one test."""
    monkeypatch.setattr(formats, "FORMATS", copy(formats.FORMATS))
    for name, value in environment(["toy_format"]).items():
        monkeypatch.setenv(name, value)
    from tests.extending import toy_format

    if "toy" not in formats.FORMATS:  # imported before
        register(formats.Format("toy", "Toy", toy_format.read_toy, "numpy", (".toy",)))


def test_the_command_line_reads_it(file):
    shown = dualres("show", file, plugins=["toy_format"])
    assert shown.returncode == 0, shown.stderr
    assert "16000" in shown.stdout
    assert "4.0" in shown.stdout  # s


@pytest.mark.subprocess
def test_without_the_plugin_it_is_not_read(file):
    shown = dualres("show", file)
    assert shown.returncode == 2
    assert "files ending in .toy are not read" in shown.stderr


def test_a_file_is_read_in_a_process_of_its_own(toy, file):
    guard = Guard()
    recording = read(file, guard=guard)
    assert (recording.rate, len(recording.signal)) == (16_000, 64_000)
    assert files_below(file.parent) == [file]
    file.write_bytes(b"TOY2")
    with pytest.raises(RecordingError, match=r"pump\.toy: cannot be read as Toy: it does not begin as one"):
        read(file, guard=guard)
    guard.close()


def test_that_process_says_so_where_it_does_not_know_the_format(toy, file, monkeypatch):
    monkeypatch.delenv("DUALRES_PLUGINS")
    with pytest.raises(RecordingError, match="cannot be read as Toy: format 'toy' is registered by no plugin"):
        read(file, guard=Guard())


def test_names_and_suffixes_are_given_once(toy):
    for name, suffix in (("toy", ".new"), ("new", ".toy"), ("wav", ".new"), ("new", ".csv")):
        with pytest.raises(ConfigError, match="there is a format for"):
            register(formats.Format(name, "New", lambda path: {}, None, (suffix,)))

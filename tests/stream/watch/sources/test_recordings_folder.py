import os
import time

import numpy as np
import pytest

from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.sources import recordings_folder
from dualres.stream.watch.sources.recordings_folder import RecordingsFolder
from dualres.stream.watch.sources.source import StreamPosition
from tests.stream.watch.agents import run
from tests.stream.watch.sources.collected import Collected, options, wav

SIGNAL = np.arange(5000, dtype=np.int16)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(recordings_folder, "SETTLED_S", 0.3)
    monkeypatch.setattr(recordings_folder, "POLL_S", 0.05)


def test_each_complete_file_is_a_stream(views, tmp_path):
    (tmp_path / "a.wav").write_bytes(wav(SIGNAL))
    with Collected(RecordingsFolder(str(tmp_path), options(views))) as found:
        found.until(lambda f: [c for c in f.chunks if c.last])
        (tmp_path / "b.wav").write_bytes(wav(SIGNAL[::-1].copy())[:20])
        found.until(lambda f: f.said)
        (tmp_path / "b.wav").write_bytes(wav(SIGNAL[::-1].copy()))
        found.until(lambda f: len([c for c in f.chunks if c.last]) == 2)
    names = [str(tmp_path / name) for name in ("a.wav", "b.wav")]
    assert list(dict.fromkeys(c.stream for c in found.chunks)) == names
    assert found.samples(names[0]).tolist() == SIGNAL.tolist()
    assert found.samples(names[1]).tolist() == SIGNAL[::-1].tolist()
    assert "b.wav" in found.said[0], "half a file was told of, and tried again when it was whole"


def test_what_was_read_before_is_not_read_again(views, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.wav").write_bytes(wav(SIGNAL))
    form = Form.of(8000)
    known = {
        str(tmp_path / "a.wav"): StreamPosition(form, "now", 5000, True, 0.0),
        str(tmp_path / "b.wav"): StreamPosition(form, "now", 5000, False, 0.0),
    }
    with Collected(RecordingsFolder(str(tmp_path), options(views, follow=False)), known) as found:
        found.thread.join(20)
    assert [(c.stream, c.count, c.last) for c in found.chunks] == [(str(tmp_path / "b.wav"), 0, True)]


NOT_TEXT = b"a\xff.wav"


def test_a_name_that_is_no_text_is_shown_and_told_from_one_that_says_the_same(views, tmp_path):
    for name in (NOT_TEXT, b"a\\xff.wav", b"b\nc.wav"):
        (tmp_path / os.fsdecode(name)).write_bytes(wav(SIGNAL))
    source = RecordingsFolder(str(tmp_path), options(views, follow=False))
    with Collected(source) as found:
        found.thread.join(20)
    names = {one.stream for one in found.chunks}
    assert {name.encode() for name in names} > {bytes(tmp_path / r"a\xff.wav"), bytes(tmp_path / "b\nc.wav")}
    assert len(names) == 3
    assert {source.machine_of(name) for name in names} == {str(tmp_path)}
    (tmp_path / "spool").mkdir()
    run(views, found.chunks, tmp_path / "spool" / "s.sqlite")
    known = {name: StreamPosition(Form.of(8000), "now", 5000, True, 0.0) for name in names}
    with Collected(RecordingsFolder(str(tmp_path), options(views, follow=False)), known) as again:
        again.thread.join(20)
    assert not again.chunks, "it is known by that name"


def test_a_file_that_was_replaced_before_it_was_judged_to_its_end_is_another_one(views, tmp_path):
    path, runs = tmp_path / "a.wav", []
    for samples, stop in ((SIGNAL, 0), (SIGNAL, 2000), (SIGNAL[::-1].copy(), 2000)):
        path.write_bytes(wav(samples))
        known = {str(path): StreamPosition(Form.of(8000), runs[0], stop, False, 0.0)} if runs else {}
        with Collected(RecordingsFolder(str(tmp_path), options(views, follow=False)), known) as found:
            found.thread.join(20)
        runs.append(found.chunks[0].start)
        assert bool(found.said) == (samples is not SIGNAL)
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("into", ["pipe", "folder", "nothing", "loop", "device"])
def test_a_file_swapped_between_listing_and_opening_costs_no_other(views, tmp_path, monkeypatch, into):
    for name in "ab":
        (tmp_path / f"{name}.wav").write_bytes(wav(SIGNAL))
    complete, path = RecordingsFolder._complete, tmp_path / "a.wav"

    def swapped(self, done):
        found = complete(self, done)
        if path.is_file():
            path.unlink()
            {
                "pipe": lambda: os.mkfifo(path),
                "folder": path.mkdir,
                "nothing": lambda: None,
                "loop": lambda: path.symlink_to(path),
                "device": lambda: path.symlink_to("/dev/zero"),
            }[into]()
        return found

    monkeypatch.setattr(RecordingsFolder, "_complete", swapped)
    with Collected(RecordingsFolder(str(tmp_path), options(views, follow=False))) as found:
        found.thread.join(20)
    assert {one.stream for one in found.chunks} == {str(tmp_path / "b.wav")}
    assert "a.wav" in found.said[0]


@pytest.mark.parametrize("days", [-30_000, 30_000])
def test_a_file_from_another_time_is_judged(views, tmp_path, days):
    """A clock that was wrong, or is now."""
    (tmp_path / "a.wav").write_bytes(wav(SIGNAL))
    os.utime(tmp_path / "a.wav", (time.time() + 86_400 * days,) * 2)
    with Collected(RecordingsFolder(str(tmp_path), options(views))) as found:
        found.until(lambda f: [c for c in f.chunks if c.last])
    assert found.samples().tolist() == SIGNAL.tolist()


def test_axes_come_in_the_models_order(two_axes, tmp_path):
    np.savetxt(tmp_path / "a.csv", np.stack([SIGNAL, -SIGNAL], axis=1), header="y,x", comments="", delimiter=",")
    from fractions import Fraction

    with Collected(RecordingsFolder(str(tmp_path), options(two_axes, follow=False, rate=Fraction(8000)))) as found:
        found.thread.join(20)
    assert found.chunks[0].form.channels == 2
    assert found.samples()[:4].tolist() == [0, 0, -1, 1]


def test_recordings_in_a_folder_are_of_one_machine(views, tmp_path):
    folder = RecordingsFolder(str(tmp_path), options(views))
    assert folder.machine_of(str(tmp_path / "a.wav")) == folder.machine_of(str(tmp_path / "b.wav")) == str(tmp_path)
    assert folder.machine_of(str(tmp_path / "pump 2" / "a.wav")) == str(tmp_path / "pump 2")
    assert folder.machine_of(f"{tmp_path / 'a.wav'}[2]") == f"{tmp_path}[2]", "another place on the machine"
    assert folder.machine_of("plant/p3/vibration") is None

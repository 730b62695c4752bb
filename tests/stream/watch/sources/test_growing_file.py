import os
import threading

import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.stream.monitor.chunk import Form
from dualres.stream.watch.sources import file_identity, growing_file
from dualres.stream.watch.sources.growing_file import GrowingFile
from dualres.stream.watch.sources.source import StreamPosition
from tests.stream.watch.sources.collected import Collected, options, wav

SIGNAL = np.arange(1000, dtype="<i2")
FORM = Form.of(8000, "i16")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(file_identity, "LONGEST_S", 0.1)
    monkeypatch.setattr(growing_file, "POLL_S", 0.02)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.raw").write_bytes(SIGNAL.tobytes())
    return tmp_path / "a.raw"


def read_whole(source, known=None):
    with Collected(source, known) as found:
        found.thread.join(10)
    return found


def source(path, **given):
    return GrowingFile(str(path), options(rate=FORM.rate, dtype="i16", **given))


def test_what_is_added_is_read(path):
    path.write_bytes(SIGNAL.tobytes()[:601])
    with Collected(source(path)) as found:
        found.until(lambda f: len(f.samples()) == 300)
        with path.open("ab") as file:
            file.write(SIGNAL.tobytes()[601:])
        found.until(lambda f: len(f.samples()) == 1000)
    assert found.samples().tolist() == SIGNAL.tolist()
    assert [c.first for c in found.chunks] == [0, 300]


def test_it_goes_on_where_it_was(path):
    known = {str(path): StreamPosition(FORM, "now", 400, False, 0.0)}
    found = read_whole(source(path, follow=False), known)
    assert found.samples().tolist() == SIGNAL[400:].tolist()
    assert (found.chunks[0].first, found.chunks[-1].last) == (400, True)


def test_a_file_that_was_replaced_is_read_from_its_beginning(path):
    other = path.with_name("b.raw")
    other.write_bytes(SIGNAL[::-1].tobytes())
    with Collected(source(path)) as found:
        found.until(lambda f: len(f.samples()) == 1000)
        other.replace(path)
        found.until(lambda f: len(f.samples()) == 2000)
    assert [(c.first, c.last) for c in found.chunks] == [(0, False), (None, True), (0, False)]
    assert found.chunks[-1].data == SIGNAL[::-1].tobytes()
    assert "another file" in found.said[0]


def test_a_file_that_was_cut_off_meanwhile_is_another_one(path):
    path.write_bytes(SIGNAL[:100].tobytes())
    with Collected(source(path), {str(path): StreamPosition(FORM, "now", 400, False, 0.0)}) as found:
        found.until(lambda f: len(f.samples()) == 100)
    assert [c.last for c in found.chunks] == [True, False]


def read_first(path, count=1000):
    """What is known of a stream after so many samples of the file as it is."""
    with Collected(source(path)) as found:
        found.until(lambda f: len(f.samples()) == count)
    return {str(path): StreamPosition(FORM, found.chunks[0].start, count, False, 0.0)}


def renamed(path, content):
    path.with_name("b.raw").write_bytes(content)
    path.with_name("b.raw").replace(path)


def in_its_place(path, content):
    path.write_bytes(content)


@pytest.mark.parametrize("replace", [renamed, in_its_place])
def test_a_file_that_was_replaced_by_a_longer_one_meanwhile_is_another_one(path, replace):
    known, longer = read_first(path), np.tile(SIGNAL[::-1], 3)
    replace(path, longer.tobytes())
    with Collected(source(path), known) as found:
        found.until(lambda f: len(f.samples()) == 3000)
    assert found.samples().tolist() == longer.tolist()
    assert [(c.first, c.last) for c in found.chunks[:2]] == [(None, True), (0, False)]
    assert found.chunks[1].start != known[str(path)].start
    assert "another file" in found.said[0]


@pytest.mark.parametrize("written", [1000, 5000])
def test_a_file_that_only_grew_meanwhile_is_the_same(path, written):
    """Also one that was shorter than the head by which it is known."""
    long = np.tile(SIGNAL, 9)
    path.write_bytes(long[:written].tobytes())
    known = read_first(path, written)
    path.write_bytes(long.tobytes())
    with Collected(source(path), known) as found:
        found.until(lambda f: len(f.samples()) == 9000 - written)
    assert (found.chunks[0].first, found.chunks[0].start) == (written, known[str(path)].start)
    assert not found.said


def test_a_file_that_is_written_anew_and_longer_between_two_looks_is_another_one(path):
    with Collected(source(path)) as found:
        found.until(lambda f: len(f.samples()) == 1000)
        path.write_bytes(np.tile(SIGNAL[::-1], 3).tobytes())
        found.until(lambda f: len(f.samples()) == 4000)
    assert [c.last for c in found.chunks if c.last or c.first == 0] == [False, True, False]
    assert len({c.start for c in found.chunks if not c.last}) == 2


def test_a_pipe_in_its_place_is_told_and_not_waited_for(path):
    following = source(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(RecordingError, match="not a regular file"):
        following.run(print, print, threading.Event(), {})


def test_a_wav_says_its_rate_and_what_follows_its_samples_is_none(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(wav(SIGNAL, 9000, more=b"LIST\x04\0\0\0more"))
    found = read_whole(GrowingFile(str(path), options(follow=False)))
    assert found.samples().tolist() == SIGNAL.tolist()
    assert found.chunks[0].form == Form.of(9000, "i16")


def test_raw_samples_need_a_rate(path):
    with pytest.raises(ConfigError, match="--rate"):
        GrowingFile(str(path), options()).run(lambda c: None, print, Collected(source(path)).stopped, {})


@pytest.mark.parametrize("written", [0, 5, 30, 60], ids="{} bytes".format)
def test_a_wav_whose_header_is_still_being_written_is_waited_for(tmp_path, written):
    path, content = tmp_path / "a.wav", wav(SIGNAL, 9000)
    path.write_bytes(content[:written])
    with Collected(source(path)) as found:
        found.thread.join(0.3)
        with path.open("ab") as file:
            file.write(content[written:])
        found.until(lambda f: len(f.samples()) == 1000)
    assert found.samples().tolist() == SIGNAL.tolist()
    assert found.chunks[0].form == Form.of(9000, "i16")


def test_a_file_that_is_replaced_before_it_says_anything_is_another_one(tmp_path):
    path, other = tmp_path / "a.wav", tmp_path / "b.wav"
    path.write_bytes(wav(SIGNAL)[:30])
    other.write_bytes(wav(SIGNAL, 9000))
    with Collected(source(path)) as found:
        found.thread.join(0.3)
        other.replace(path)
        found.until(lambda f: len(f.samples()) == 1000)
    assert found.chunks[0].form == Form.of(9000, "i16")


def test_a_stop_does_not_wait_for_a_header(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(wav(SIGNAL)[:30])
    with Collected(source(path)) as found:
        found.thread.join(0.3)
    assert not found.chunks


def test_channels_that_are_a_stream_each_go_on_where_they_were(path):
    two = source(path, channels=2, follow=False)
    found = read_whole(two, {f"{path}[1]": StreamPosition(FORM, "now", 400, False, 0.0)})
    assert found.samples().tolist() == SIGNAL[800:].tolist()
    found = read_whole(two, {f"{path}[1]": StreamPosition(FORM, "now", 500, True, 0.0)})
    assert not found.chunks
    assert "fresh --state" in found.said[0]


def test_samples_that_were_taken_for_another_kind_are_read_again(path):
    known = {str(path): StreamPosition(Form.of(8000), "now", 400, False, 0.0)}
    found = read_whole(source(path, follow=False), known)
    assert found.samples().tolist() == SIGNAL.tolist()


def test_bytes_that_are_no_whole_sample_are_told(path):
    path.write_bytes(SIGNAL.tobytes() + b"!")
    found = read_whole(source(path, follow=False))
    assert "the last 1 bytes" in found.said[0]

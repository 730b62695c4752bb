import json
import subprocess
import sys

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.speed import Speed
from dualres.recordings.store import open_store, verify_store, write_index, write_signal


@pytest.fixture
def store(tmp_path):
    entry = {"id": "a", "samples": 4, "label": "good", "load": "High", "repeat": 1, "source": "a.zip"}
    index = {"dataset": "d", "channel": "x", "rate": "200000/3", "recordings": [entry | {"source_sha256": "00"}]}
    (tmp_path / "recordings.json").write_text(json.dumps(index))
    (tmp_path / "signals").mkdir()
    np.save(tmp_path / "signals" / "a.npy", np.arange(4, dtype=np.float32))
    return tmp_path


def test_a_store_is_its_recordings(store):
    (recording,) = open_store(store)
    assert (recording.id, recording.label, str(recording.rate)) == ("a", "good", "200000/3")
    assert recording.condition == {"load": "High", "repeat": "1"}
    assert (recording.origin.channel, recording.origin.sha256) == ("x", "00")
    assert recording.signal.tolist() == [0, 1, 2, 3]


def test_what_is_wrong_is_said_by_name(store):
    (recording,) = open_store(store)
    path = store / "signals" / "a.npy"
    for content, reason in [(np.zeros(3, np.float32), "4 float32"), (np.zeros(4), "float64"), (None, "cannot be read")]:
        path.unlink() if content is None else np.save(path, content)
        with pytest.raises(RecordingError, match=rf"a.npy: .*{reason}.*"):
            recording.signal  # noqa: B018
    (store / "recordings.json").write_text('{"rate": "1"}')
    with pytest.raises(RecordingError, match=r"recordings.json: damaged index"):
        open_store(store)
    with pytest.raises(RecordingError, match="not a prepared dataset"):
        open_store(store / "nowhere")


def test_a_signal_with_pickled_content_is_not_executed(store):
    np.save(store / "signals" / "a.npy", np.array([object()]), allow_pickle=True)
    (recording,) = open_store(store)
    with pytest.raises(RecordingError, match="cannot be read"):
        recording.signal  # noqa: B018


CUT_EVERYTHING = """
import re, sys
from pathlib import Path
from dualres.recordings.store import open_store
from dualres.recordings.windows import at_rate, cut, half_overlapping

total = 0
for recording in open_store(Path(sys.argv[1])):
    signal = at_rate(recording, 64_000, 32_768)
    total += len(cut(signal, half_overlapping(len(signal), 32_768), 32_768))
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(total, peak[1])
"""


@pytest.mark.subprocess
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_all_windows_of_a_dataset_pass_through_little_memory(phm2009):
    result = subprocess.run([sys.executable, "-c", CUT_EVERYTHING, phm2009], capture_output=True, text=True, check=True)
    windows, kilobytes = map(int, result.stdout.split())
    assert windows == 279 * 14 + 13, "one recording is shorter than the others"
    assert kilobytes < 500_000


def test_a_store_holds_recordings_of_several_axes(store):
    index = json.loads((store / "recordings.json").read_text())
    index["recordings"].append({"id": "b", "samples": 4, "channels": ["x", "y"], "label": "worn", "component": "7"})
    digest = write_signal(store, "b", np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32))
    index["recordings"][1]["sha256"] = digest
    (store / "recordings.json").write_text(json.dumps(index))
    _, several = open_store(store)
    assert (several.id, several.channels, several.condition, several.component) == ("b", ("x", "y"), {}, "7")
    assert [axis.signal.tolist() for axis in several.axes] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert verify_store(store) == []
    write_signal(store, "b", np.array([[1, 2, 3, 4], [5, 5, 5, 5]], np.float32))
    constant, other = verify_store(store)
    assert constant == "b: the signal is constant"
    assert other.startswith("b: the samples are not those that were prepared")
    write_signal(store, "b", np.zeros(4, np.float32))
    with pytest.raises(RecordingError, match="the index says 4 float32 samples of 2 axes"):
        several.axes[0].signal  # noqa: B018


def test_a_speed_is_kept_and_a_damaged_one_is_refused(tmp_path):
    speeds = {"a": Speed((25.0,), spread=0.03), "b": Speed((20.0, 24.0), (0.5, 1.5), "measured"), "c": None}
    entries = []
    for name, speed in speeds.items():
        write_signal(tmp_path, name, np.arange(10, dtype=np.float32))
        known = {"id": name, "samples": 10, "label": "good", "component": None, "speed": "fast"}
        entries.append(known | ({"shaft": speed.as_data()} if speed else {}))
    head = {"dataset": "made", "channel": "x", "rate": "1000"}
    write_index(tmp_path, head, entries)
    assert {one.id: one.speed for one in open_store(tmp_path)} == speeds
    assert [one.condition for one in open_store(tmp_path)] == [{"speed": "fast"}] * 3
    for damaged in ({"hz": [0.0], "source": "stated"}, {"hz": [1.0], "source": "guessed"}, {"hz": 3}, [1.0]):
        write_index(tmp_path, head, [entries[0] | {"shaft": damaged}])
        with pytest.raises(RecordingError, match="damaged index"):
            open_store(tmp_path)

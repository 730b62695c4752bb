import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dualres import cli
from dualres.errors import RecordingError
from dualres.recordings.store import write_index, write_signal

RATE = 12_800


def run(*arguments):
    return CliRunner(env={"COLUMNS": "140"}).invoke(cli.app, ["audit", *map(str, arguments)])


def noise(seed):
    return np.random.default_rng(seed).standard_normal(RATE).astype(np.float32)


@pytest.fixture
def folder(tmp_path):
    """Two classes, two recordings each, and a file that cannot be used."""
    for i, label in enumerate(("good", "good", "worn", "worn")):
        (tmp_path / label).mkdir(exist_ok=True)
        np.save(tmp_path / label / f"{i}.npy", noise(i))
    (tmp_path / "worn" / "broken.npy").write_bytes(b"x")
    return tmp_path


def split(folder, **sides):
    path = folder / "split.csv"
    path.write_text("file,side\n" + "".join(f"{file},{side}\n" for side, files in sides.items() for file in files))
    return path


def test_a_clean_folder_has_no_leak_and_says_what_was_left_out(folder):
    result = run(folder, "--rate", RATE)
    assert result.exit_code == 0, result.output
    assert "No leak found." in result.output
    assert "left out" in result.output
    assert "worn/broken.npy" in result.output


def test_a_copy_across_a_split_is_a_leak(folder):
    np.save(folder / "good" / "copy.npy", -3 * noise(0)[2000:])
    path = split(folder, support=["good/0.npy", "worn/2.npy"], evaluation=["good/copy.npy", "worn/3.npy"])
    result = run(folder, "--rate", RATE, "--split", path, "--json")
    assert result.exit_code == 1
    leaks = [f for f in json.loads(result.stdout) if f["severity"] == "leak"]
    assert [(f["kind"], sorted(f["recordings"])) for f in leaks] == [("copied-signal", ["good/0.npy", "good/copy.npy"])]
    assert abs(leaks[0]["evidence"]["correlation"]) > 0.9


def test_a_fold_is_audited_on_its_store_with_the_release_s_limitations(tmp_path):
    head = {"dataset": "cwru", "rate": "48000", "channel": "DE", "variant": "excerpts"}
    faults = ("Normal", "IR007", "OR007@6", "B007", "IR014", "IR021", "B014", "B021")
    faults += ("OR007@3", "OR007@12", "OR014@6", "OR021@6", "OR021@3", "OR021@12")
    labels = {"N": "healthy", "I": "inner", "O": "outer", "B": "ball"}
    entries = []
    for i, name in enumerate(f"{fault}_{load}" for fault in faults for load in (0, 2)):
        write_signal(tmp_path, name, noise(i))
        entry = {"id": name, "samples": RATE, "label": labels[name[0]], "component": name[:-2], "source": name}
        entries.append(entry | {"load_hp": name[-1]})
    write_index(tmp_path, head, entries)
    result = run(tmp_path, "--fold", "C1", "--json")
    findings = json.loads(result.stdout)
    assert result.exit_code == 0, findings
    assert "stated-limitation" in {f["kind"] for f in findings}


def test_a_split_that_cannot_be_understood_is_refused(folder):
    path = split(folder, training=["good/0.npy"])
    assert "side is 'training'" in str(run(folder, "--rate", RATE, "--split", path).exception)
    missing = run(folder, "--rate", RATE, "--split", folder / "nowhere.csv")
    assert isinstance(missing.exception, RecordingError)
    assert "nowhere.csv: cannot be read (No such file" in str(missing.exception)

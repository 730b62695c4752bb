import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dualres import cli
from dualres.errors import ConfigError, RecordingError
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


@pytest.fixture
def listed(folder):
    """The same folder with a list, which labels parts of two files, and a load."""
    rows = ["good/0.npy,good,A,0,,0.55", "good/1.npy,good,B,1,,", "worn/2.npy,worn,C,0,,", "worn/3.npy,worn,D,1,,0.52"]
    (folder / "labels.csv").write_text("\n".join(["file,label,component,load,start_s,end_s", *rows]) + "\n")
    return folder


@pytest.mark.parametrize("extra", [[], ["--split"]])
@pytest.mark.parametrize("claim", ["laod", "colour", ""])
def test_a_claim_about_what_is_not_known_is_an_error(listed, claim, extra):
    path = split(listed, support=["good/0.npy", "worn/2.npy"], evaluation=["good/1.npy", "worn/3.npy"])
    given = [*extra, *([path] if extra else [])]
    result = run(listed, "--rate", RATE, "--held-out", claim, *given)
    assert isinstance(result.exception, ConfigError)
    assert f"--held-out {claim}: " in str(result.exception)
    assert "there is recording, component, load;" in str(result.exception)


def test_a_component_is_not_known_where_no_list_tells_it(folder):
    result = run(folder, "--rate", RATE, "--held-out", "bearing")
    assert "--held-out bearing: no recording has a bearing; there is recording;" in str(result.exception)


def test_a_claim_is_held_against_the_rounds_of_a_fit(listed):
    assert run(listed, "--rate", RATE, "--held-out", "component").exit_code == 0
    good_and_worn = run(listed, "--rate", RATE, "--held-out", "Load")
    assert good_and_worn.exit_code == 0, "each round holds out one load"
    text = (listed / "labels.csv").read_text().replace("worn,C,0", "worn,C,1").replace("worn,D,1", "worn,D,0")
    (listed / "labels.csv").write_text(text)
    result = run(listed, "--rate", RATE, "--held-out", "load")
    assert result.exit_code == 1
    assert "load 0 is in the support and in the evaluation" in result.output


def test_a_split_names_files_as_the_list_does(listed):
    path = split(listed, support=["./good/0.npy", "worn/2.npy"], evaluation=["good/1.npy", "worn/3.npy"])
    assert run(listed, "--rate", RATE, "--split", path).exit_code == 0
    path.write_text("file,side,end_s\ngood/0.npy,support,0.55\nworn/2.npy,support,\nworn/3.npy,evaluation,0.52\n")
    assert run(listed, "--rate", RATE, "--split", path).exit_code == 0
    path = split(listed, support=["good/0.npy"], evaluation=["good/0.npy", "worn/3.npy"])
    result = run(listed, "--rate", RATE, "--split", path)
    assert result.exit_code == 1
    assert "good/0.npy [0 s to 0.55 s] is in the support and in the evaluation" in result.output


def test_a_split_with_an_unknown_or_unusable_file_says_why(folder):
    path = split(folder, support=["good/9.npy"])
    said = str(run(folder, "--rate", RATE, "--split", path).exception)
    assert "the split names good/9.npy, but there is no such recording" in said
    assert "write it as in labels.csv, such as good/0.npy" in said
    path = split(folder, support=["worn/broken.npy"])
    assert "worn/broken.npy, which was left out: " in str(run(folder, "--rate", RATE, "--split", path).exception)
    path.write_text("name,side\ngood/0.npy,support\n")
    said = str(run(folder, "--rate", RATE, "--split", path).exception)
    assert "split.csv, line 2: needs the columns file and side" in said
    assert "found: name, side" in said


def test_a_finding_of_several_rounds_is_shown_once_and_no_name_is_broken(tmp_path):
    long = "a recording with blanks in its name, of the second pump in the third hall, winter"
    for label, seeds in (("good", (0, 1, 2)), ("worn", (3, 4, 5))):
        (tmp_path / label).mkdir()
        for seed in seeds:
            np.save(tmp_path / label / f"{long} {seed}.npy", noise(seed))
    np.save(tmp_path / "worn" / f"{long} 9.npy", noise(3))
    result = CliRunner(env={"COLUMNS": "40"}).invoke(cli.app, ["audit", str(tmp_path), "--rate", str(RATE)])
    assert result.exit_code == 1
    assert result.stdout.count("identical-content") == 1
    assert "leak  identical-content  in 2 rounds\n" in result.stdout
    assert f"\n    worn/{long} 3.npy\n" in result.stdout
    assert result.stdout.endswith("\n2 leaks\n"), "the same samples, which are the same file"
    found = json.loads(run(tmp_path, "--rate", RATE, "--json").stdout)
    assert {f["rounds"] for f in found if f["severity"] == "leak"} == {2}

"""What to label next, through the command line."""

import json

import pytest

from dualres.errors import RecordingError
from tests.cli.runner import done, run


@pytest.fixture(scope="module")
def lists(machines, tmp_path_factory):
    """One label of each class, and three of each; the others are there without."""
    folder = tmp_path_factory.mktemp("lists")
    names = [f"{label}{i}.wav" for label in ("good", "worn") for i in range(3)]
    few = [f"{name},{name[:4] if '0' in name else ''},{int('2' in name)}" for name in names]
    (folder / "few.csv").write_text("\n".join(["file,label,load", *few]) + "\n")
    (folder / "all.csv").write_text("\n".join(["file,label", *(f"{name},{name[:4]}" for name in names)]) + "\n")
    return folder


def test_a_load_without_labels_comes_first_and_a_curve_is_refused(machines, lists):
    result = done("advise", machines, "--labels", lists / "few.csv", "-n", 2)
    title, first, second, last = result.stdout.splitlines()
    assert title == "Label next (2 recordings have a label, 4 have none):"
    assert "2.wav  1.0 s  no label yet at load 1; " in first
    assert "no label yet" not in second
    assert last.startswith("What more labels would bring is not known before every class has three: good has 1, worn")
    assert "broken.wav" in result.stderr


def test_json(machines, lists, views):
    given = ["advise", machines, "--labels", lists / "few.csv", "--json", "--model", views[1]]
    found = json.loads(run(*given).stdout)
    assert (found["labelled"], found["unlabelled"], len(found["next"])) == (2, 4, 4)
    assert set(found["next"][0]) == {"file", "seconds", "reason", "new", "like", "doubt", "verdict", "probability"}
    assert found["next"][0]["new"] == ["load 1"]
    assert all(one["verdict"] in one["file"] for one in found["next"])
    assert found["curve"] is None
    assert "three" in found["no_curve_because"]


def test_with_three_of_each_class_a_curve_is_drawn(machines, lists, tmp_path):
    for name in ("good0.wav", "good1.wav", "good2.wav", "worn0.wav", "worn1.wav", "worn2.wav"):
        (tmp_path / name).write_bytes((machines / name).read_bytes())
    (tmp_path / "new.wav").write_bytes((machines / "worn2.wav").read_bytes()[:-2])
    given = ["advise", tmp_path, "--labels", lists / "all.csv"]
    result = done(*given)
    assert "new.wav" in result.stdout
    assert "Macro-F1 on an unseen recording, by how many recordings of each class" in result.stdout
    assert "    6  100.0 % expected" in result.stdout
    found = json.loads(run(*given, "--json").stdout)
    assert [one["per_class"] for one in found["curve"]["expected"]] == [6, 12]
    assert found["no_curve_because"] is None


def test_without_unlabelled_recordings_there_is_nothing_to_say(machines):
    result = run("advise", machines, "--where", "label=good|worn")
    assert isinstance(result.exception, RecordingError)
    assert "every recording has a label" in str(result.exception)

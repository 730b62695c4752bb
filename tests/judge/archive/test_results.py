import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dualres.errors import ConfigError, OutputError
from dualres.judge.archive.results import Results, check_results, run_of
from dualres.judge.files import JudgeSettings
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.recording import Segment
from tests.model.made_views import made_views
from tests.models import model_of

HEAD = "file,verdict,run"
PART = Segment(0.5, None)


def line(name, verdict="good", **more):
    said = {"verdict": verdict, "probability": 0.5, "probabilities": {"good": 0.5}} if verdict else {"error": "bad"}
    return json.dumps({"file": name, **said, **more, "run": "r"})


def missing(results, *entries):
    return [entry for _, entry in results.missing((None, one) for one in entries)]


def opened(path, run="r"):
    return Results(path, HEAD if path.suffix == ".csv" else "", run)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_lines_stand_in_it_at_once_and_are_not_asked_for_again(tmp_path, name):
    results, table = opened(tmp_path / name), name.endswith("csv")
    results.append(["x.wav,good,r", "'=y.wav,,r"] if table else [line("x.wav"), line("=y.wav", None)])
    size = (tmp_path / name).stat().st_size
    results.close()
    again = opened(tmp_path / name)
    assert missing(again, "x.wav", "=y.wav", "z.wav") == ["z.wav"]
    assert (again.failed, again.torn) == (1, False)
    again.close()
    assert (tmp_path / name).stat().st_size == size


def test_channels_and_parts_of_a_file_are_known_apart(tmp_path):
    results = opened(tmp_path / "a.jsonl")
    results.append([line("x.wav", channel="left", start_s=0.5, end_s=None), line("x.wav", channel="right")])
    results.close()
    row = LabelRow(Path("x.wav"), channel="left")
    others = [replace(row, part=PART), replace(row, channel="right"), row, replace(row, part=Segment(0.5, 1.0))]
    again = opened(tmp_path / "a.jsonl")
    assert missing(again, *others) == others[2:]
    again.close()


@pytest.mark.parametrize("cut", [1, 5, 30])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_torn_line_is_taken_away(tmp_path, name, cut):
    path = tmp_path / name
    results = opened(path)
    whole = ["x.wav,good,r", "second-of-a-rather-long-name.wav,good,r"]
    results.append(whole if name.endswith("csv") else [line("x.wav"), line("second-of-a-rather-long-name.wav")])
    results.close()
    path.write_bytes(path.read_bytes()[:-cut])
    again = opened(path)
    assert again.torn
    assert missing(again, "x.wav", "second-of-a-rather-long-name.wav") == ["second-of-a-rather-long-name.wav"]
    again.close()
    assert path.read_bytes().endswith(b"\n")


def test_a_head_that_was_torn_is_written_anew(tmp_path):
    (tmp_path / "a.csv").write_text("file,ver")
    opened(tmp_path / "a.csv").close()
    assert (tmp_path / "a.csv").read_text() == f"{HEAD}\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "file,other\n", "other columns"),
        ("a.csv", f"{HEAD}\nx.wav\n", "line 2: is no verdict"),
        ("a.csv", f"{HEAD}\nx.wav,good,another\n", "another model or other options"),
        ("a.jsonl", "{}\n", "line 1: is no verdict"),
        ("a.jsonl", f"{line('x.wav')}\nno JSON\n", "line 2: is no verdict"),
        ("a.jsonl", '{"file": "x", "verdict": "good", "run": "another"}\n', "another model or other options"),
    ],
)
def test_what_is_not_ours_is_left_as_it_is(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    with pytest.raises(OutputError, match=said):
        opened(tmp_path / name)
    assert (tmp_path / name).read_text() == content


def test_two_do_not_write_to_one_file(tmp_path):
    results = opened(tmp_path / "a.jsonl")
    with pytest.raises(OutputError, match="another process"):
        opened(tmp_path / "a.jsonl")
    results.close()


def test_parquet_is_made_in_the_end(tmp_path):
    path = tmp_path / "a.parquet"
    results = opened(path)
    difference = {"what": "rate", "here": 5.0, "learned": [4.0]}
    results.append([line("x.wav", differences=[difference], speed={"rpm": 900.0}), line("y.wav", None)])
    results.close()
    assert not path.exists()
    with pytest.raises(OutputError, match=r"a\.parquet\.part: is there already; go on with it by --resume"):
        check_results(path, False)
    check_results(path, True)
    again = opened(path)
    assert missing(again, "x.wav", "y.wav", "z.wav") == ["z.wav"]
    again.finish()
    again.close()
    rows = pq.read_table(path).to_pylist()
    assert [row["file"] for row in rows] == ["x.wav", "y.wav"]
    assert rows[0]["probabilities"] == [("good", 0.5)]
    assert (rows[0]["speed_rpm"], rows[1]["speed_rpm"], rows[1]["error"]) == (900.0, None, "bad")
    assert rows[0]["differences"] == ["5 Hz, learned at 4 Hz"]
    assert sorted(tmp_path.iterdir()) == [path]
    with pytest.raises(OutputError, match="complete"):
        check_results(path, True)


def test_names_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"ends in \.csv, \.jsonl, \.parquet"):
        check_results(tmp_path / "a.txt", False)
    with pytest.raises(OutputError, match="no folder"):
        check_results(tmp_path / "nowhere" / "a.csv", False)
    (tmp_path / "a.csv").touch()
    with pytest.raises(OutputError, match="--resume"):
        check_results(tmp_path / "a.csv", False)
    check_results(tmp_path / "a.csv", True)


def test_a_run_is_of_one_model_and_one_set_of_options():
    model, other = (model_of(made_views(3, seed=seed), ("a", "b", "c")) for seed in (0, 1))
    how = JudgeSettings()
    runs = [run_of(model, how), run_of(other, how), run_of(model, replace(how, error=0.2))]
    assert len({*runs, run_of(model, replace(how, channel="x"))}) == 4
    assert run_of(model, JudgeSettings()) == runs[0]

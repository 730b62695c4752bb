"""`dualres bench split` on the rig, which needs no store."""

import json

import pytest
from typer.testing import CliRunner

from dualres.cli import app
from dualres.simulated import rig


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """One recording of three classes to learn from, another of each to judge."""
    chosen = {}
    for recording in rig.recordings():
        chosen.setdefault(recording.label, []).append(recording.id)
    rows = [f"1,{ids[i]},{side}" for ids in list(chosen.values())[:3] for i, side in ((0, "train"), (1, "test"))]
    path = tmp_path_factory.mktemp("split") / "split.csv"
    path.write_text("\n".join(["fold,file,side", *rows]) + "\n")
    return path, list(chosen)[:3]


def run(table, tmp_path, *more):
    options = ["--dataset", "simulated", "--methods", "lda", "--windows", "3", "--dir", str(tmp_path / "bench")]
    return CliRunner().invoke(app, ["bench", "split", str(table), *options, *more], env={"COLUMNS": "80"})


def test_it_scores_methods_fold_by_fold_and_writes_what_it_says(table, tmp_path):
    path, classes = table
    result = run(path, tmp_path, "--leave-out", classes[0], "-o", str(tmp_path / "scores.json"))
    assert result.exit_code == 0, result.output
    assert f"{classes[0]} left out" in result.stdout
    assert not (tmp_path / "bench" / "ledger.sqlite").exists()
    found = json.loads((tmp_path / "scores.json").read_text())
    (score,) = found["scores"]
    assert (score["fold"], score["method"], score["learned_from"], score["judged"]) == ("1", "lda", 3, 3)
    assert found["means"]["lda"]["macro_auroc"] == score["macro_auroc"]
    assert 0 <= score["macro_auroc"] <= 1
    assert f"{score['macro_f1']:.3f}" in result.stdout


def test_what_is_not_there_is_named(table, tmp_path):
    path, _ = table
    result = run(path, tmp_path, "--leave-out", "broken")
    assert result.exit_code == 1
    assert "fold 1 has no class 'broken'" in str(result.exception)

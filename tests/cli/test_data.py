import json

from typer.testing import CliRunner

from dualres import cli
from dualres.datasets import catalog
from dualres.datasets.folds import names


def run(*arguments):
    return CliRunner(env={"COLUMNS": "160"}).invoke(cli.app, ["data", *map(str, arguments)])


def test_list_tells_all_datasets_and_what_is_present(tmp_path):
    store = tmp_path / "cwru"
    store.mkdir()
    index = {"dataset": "cwru", "variant": "excerpts", "rate": "48000", "channel": "DE", "recordings": []}
    (store / "recordings.json").write_text(json.dumps(index))
    output = run("list", "--stores", tmp_path).output
    for name in (*catalog.NAMES, "simulated"):
        assert name in output
    assert "0 recordings" in output
    assert "excerpts" in output


def test_folds_as_json():
    folds = json.loads(run("folds", "--json").stdout)
    assert [f["fold"] for f in folds] == names()
    for fold in folds:
        assert set(fold) == {"fold", "dataset", "support", "evaluation", "held_out", "hash"}
        assert not set(fold["support"]) & set(fold["evaluation"])


def test_folds_as_a_table():
    output = run("folds").output
    assert "motion mode" in output
    assert "120" in output


def test_prepare_and_verify_real_recordings(data, tmp_path):
    store = tmp_path / "phm2009"
    result = run("prepare", "phm2009", "--from", data / "phm2009" / "originals", "--to", store)
    assert result.exit_code == 0, result.output
    assert "6 recordings written, 0 kept" in result.output
    assert (
        "0 recordings written, 6 kept"
        in run("prepare", "phm2009", "--from", data / "phm2009" / "originals", "--to", store).output
    )
    assert run("verify", store).exit_code == 0
    (store / "signals" / "helical1_30hz_high_1.npy").write_bytes(b"x")
    result = run("verify", store)
    assert result.exit_code == 1
    assert "helical1_30hz_high_1.npy" in result.output

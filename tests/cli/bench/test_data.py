import json

from typer.testing import CliRunner

from dualres import cli
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import names

ONE = {"id": "Normal_0", "samples": 1, "label": "healthy"}


def run(*arguments, columns=160):
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(cli.app, ["data", *map(str, arguments)])


def test_list_tells_all_datasets_and_what_is_present(tmp_path):
    store = tmp_path / "cwru"
    store.mkdir()
    index = {"dataset": "cwru", "variant": "excerpts", "rate": "48000", "channel": "DE", "recordings": [ONE]}
    (store / "recordings.json").write_text(json.dumps(index))
    (tmp_path / "hust").mkdir()
    empty = {"dataset": "hust", "rate": "51200", "channel": "data", "recordings": []}
    (tmp_path / "hust" / "recordings.json").write_text(json.dumps(empty))
    output = run("list", "--stores", tmp_path).output
    paper, others = output.split("Not in the paper")
    for name in catalog.NAMES:
        assert f" {name} " in paper
        assert f" {name} " not in others
    for name in ("simulated", "cwru_12k", "uestc", "machines"):
        assert f" {name} " in others
    assert "1 recordings" in output
    assert " 0 recordings" not in output, "an empty store is not prepared"
    assert "excerpts" in output


def test_no_link_is_broken_on_a_narrow_screen(tmp_path):
    output = run("list", "--stores", tmp_path, columns=80).output
    for name in catalog.names():
        assert f"\n  from {catalog.release(name).obtained_from}\n" in output
    assert all(len(line) <= 80 for line in output.splitlines() if not line.startswith("  from "))


def test_folds_as_json_and_those_picked_by_name_and_by_dataset():
    folds = json.loads(run("folds", "--json").stdout)
    assert [f["fold"] for f in folds] == names()
    for fold in folds:
        assert set(fold) >= {"fold", "dataset", "support", "evaluation", "held_out", "hash", "classes", "labels"}
        assert set(fold) >= {"folds_from", "folds_evidence", "support_rule", "window_rule"}
        assert not set(fold["support"]) & set(fold["evaluation"])
        assert list(fold["labels"]) == fold["support"] + fold["evaluation"]
        assert set(fold["labels"].values()) == set(fold["classes"])
    picked = json.loads(run("folds", "U2", "cwru", "--json").stdout)
    assert [f["fold"] for f in picked] == ["C1", "C2", "U2"]
    assert "there is no fold or dataset 'U3'" in str(run("folds", "U3").exception)


def test_folds_as_a_table_that_a_narrow_screen_holds():
    output = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, ["data", "folds"]).output
    assert "\N{HORIZONTAL ELLIPSIS}" not in output
    assert "│ motion mode " in output
    assert "120" in output
    paper, others = output.split("Not in the paper")
    assert "│ U2 " in paper
    assert all(f"│ {fold} " in others and f"│ {fold} " not in paper for fold in ("S1", "D3", "E4"))
    assert output.count("reconstructed:") == 6
    assert output.count("follow from the paper's text") == 2
    assert "the printed 88.57 is impossible" in " ".join(output.split())
    assert "windows from sample 960,000 on, one every 32,768" in " ".join(output.split())


def test_prepare_and_verify_real_recordings(data, tmp_path):
    store = tmp_path / "phm2009"
    whole = ("prepare", "phm2009", "--from", data / "phm2009" / "originals", "--to", store)
    refused = run(*whole)
    assert "274 of the 280 recordings of PHM2009 are missing" in str(refused.exception)
    assert not store.exists()
    prepare = (*whole, "--partial")
    result = run(*prepare)
    assert result.exit_code == 0, result.output
    assert "6 recordings written, 0 kept" in result.output
    assert "274 of the 280 recordings of PHM2009 are not in it" in result.output
    assert "0 recordings written, 6 kept" in run(*prepare).output
    assert run("verify", store).exit_code == 0
    (store / "signals" / "helical1_30hz_high_1.npy").write_bytes(b"x")
    result = run("verify", store)
    assert result.exit_code == 1
    assert "helical1_30hz_high_1.npy" in result.output

"""The command line of measurements; most of what it shows is made up, and nothing needs to be measured."""

import json

import pytest
import typer
from typer.testing import CliRunner

from dualres.bench.profile.measurements import keep, kept
from dualres.bench.profile.plan import Plan
from dualres.cli.bench.profile import profile
from dualres.errors import ConfigError
from tests.bench.profile.synthetic import keep_all, made_up

app = typer.Typer()
app.command()(profile)


@pytest.fixture
def call(tmp_path):
    def call(*arguments, width=200):
        options = ("--dir", tmp_path, "--stores", tmp_path / "stores", "--threads", 1)
        result = CliRunner(env={"COLUMNS": str(width)}).invoke(app, [str(a) for a in (*arguments, *options)])
        if isinstance(result.exception, ConfigError):
            raise result.exception
        return result

    return call


@pytest.fixture
def known(tmp_path):
    """Nine methods on the rig, measured before."""
    return kept(keep_all(tmp_path / "profile", device="cpu", threads=1))


def rows(output, dataset="Rig"):
    """The cells of the table's rows of a dataset."""
    return [line.split() for line in output.splitlines() if line.strip().startswith(f"{dataset} ")]


def test_what_was_measured_is_shown_the_fastest_first(call, known):
    result = call()
    assert result.exit_code == 0, result.output
    shown = rows(result.output)
    latencies = [float(cells[2]) for cells in shown]
    assert len(shown) == 9
    assert latencies == sorted(latencies)
    measurement = known[Plan("simulated", "medformer", threads=1)]
    medians = [f"{measurement.median_ms(name):.1f}" for name in ("prepared", "native")]
    assert next(cells for cells in shown if cells[1] == "Medformer")[4:6] == medians
    assert "simulated dualres cpu: known (the ledger's model; updates: 10)" in result.output
    note = "measured elsewhere, or with other code or libraries; --again renews them: simulated dualres cpu"
    assert note in result.output


def test_all_datasets_are_those_at_hand(call, known, tmp_path):
    """The rig and the machines, which are simulated, always are."""
    keep_all(tmp_path / "profile", datasets=("machines",), device="cpu", threads=1)
    output = call("--dataset", "all").output
    assert len(rows(output)) == len(rows(output, "Simulated")) == 9  # a narrow table breaks "Simulated machines"


def test_the_table_fits_a_narrow_terminal(call, known):
    table = call("--method", "itransformer", width=80).output
    assert "\N{HORIZONTAL ELLIPSIS}" not in table
    assert rows(table)[0][:2] == ["Rig", "iTransformer"]


def test_json_has_every_repetition(call, known):
    result = call("--method", "dualres,mambasl", "--json")
    first, second = json.loads(result.stdout)
    assert first["plan"]["method"] == "dualres"
    assert second == known[Plan("simulated", "mambasl", threads=1)].as_json()
    assert len(first["workloads"]["window"]["seconds"]) == 120


def test_a_long_record_and_a_quick_run_are_named(call, tmp_path):
    keep_all(tmp_path / "profile", methods=["dualres"], device="cpu", threads=1, long=True, quick=True)
    result = call("--method", "dualres", "--long", "--quick")
    assert "QUICK RUN" in result.output
    assert "windows of a long record: Rig 1,024" in result.output
    assert "p95" not in result.output


def test_both_ways_have_a_table_each_and_minirocket_is_in_both(call, known, tmp_path):
    keep_all(tmp_path / "profile", methods=["dualres"], device="cpu", threads=1, way="eager")
    result = call("--method", "dualres,minirocket", "--way", "both")
    assert result.exit_code == 0, result.output
    assert [cells[1] for cells in rows(result.output)].count("MiniRocket") == 2
    assert "ms, eager, cpu" in result.output
    assert "ms, shipped, cpu" in result.output
    assert "simulated dualres cpu eager: known" in result.output
    eager, _ = result.output[result.output.index("ms, eager") :].split("ms, shipped")
    measurement = made_up(Plan("simulated", "dualres", threads=1, way="eager"))
    assert [f"{measurement.median_ms('window'):.2f}"] == [cells[2] for cells in rows(eager) if cells[1] == "DualRes"]


def test_disagreement_is_complained_of(call, tmp_path):
    measurement = made_up(Plan("simulated", "dualres", threads=1))
    measurement.facts["agreement"]["same_label"] = False
    keep(measurement, tmp_path / "profile")
    assert "differs" in call("--method", "dualres").output


def test_a_damaged_measurement_and_a_missing_library_cost_one_method_and_end_with_an_error(
    call, known, tmp_path, monkeypatch
):
    (tmp_path / "profile" / "simulated-minirocket-cpu-1.json").write_text("{")
    (tmp_path / "empty" / "sklearn").mkdir(parents=True)
    (tmp_path / "empty" / "sklearn" / "__init__.py").write_text("raise ImportError('no scikit-learn here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "empty"))
    result = call("--method", "minirocket,dualres")
    assert result.exit_code == 1
    assert "simulated-minirocket-cpu-1.json: not a measurement" in result.output
    reason = "ImportError: no scikit-learn here (bench/methods/minirocket.py, line"
    assert f"skipped  simulated minirocket cpu: {reason}" in result.output
    assert len(rows(result.output)) == 1


def test_wrong_names_are_refused_with_the_right_ones(call):
    with pytest.raises(ConfigError, match="there is no method 'dualrez'; there are dualres"):
        call("--method", "dualrez")
    with pytest.raises(ConfigError, match="there is no dataset 'rig'; there are paderborn"):
        call("--dataset", "rig")
    with pytest.raises(ConfigError, match="dataset cwru is not prepared"):
        call("--dataset", "cwru")

from contextlib import contextmanager

import pytest
import typer
from typer.testing import CliRunner

from dualres.bench.campaign.studies import Quick
from dualres.bench.verify.manifest import manifest_root, write_manifest
from dualres.cli.bench.report import export, report, verify
from dualres.errors import ConfigError
from dualres.utils.checksums import listed, write_sums
from tests.bench.campaign.synthetic import synthetic_ledger
from tests.bench.profile.synthetic import keep_all

app = typer.Typer()
for command in (report, verify, export):
    app.command()(command)


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@contextmanager
def restored(*paths):
    """The files are as they were when it ends."""
    kept = {path: path.read_bytes() for path in paths}
    try:
        yield
    finally:
        for path, content in kept.items():
            path.write_bytes(content)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    synthetic_ledger(folder / "ledger.sqlite", ["pilot"], datasets=["simulated"]).close()
    return folder


@pytest.fixture(scope="module")
def written(bench):
    return run("report", "pilot", "-o", bench / "report", "--dir", bench)


def test_a_report_has_tables_figures_and_a_page(written, bench):
    assert written.exit_code == 0
    assert "figures from 4 jobs" in written.output
    assert "inference costs: not measured; run `dualres profile`" in written.output
    folder = bench / "report"
    for name in ("pilot_simulated", "pilot_differences", "task_inventory"):
        assert (folder / "tables" / f"{name}.md").is_file()
        assert (folder / "tables" / f"{name}.tex").is_file()
    assert list((folder / "figures").glob("*.pdf"))
    assert "<table" in (folder / "index.html").read_text()


def test_a_report_is_verified_and_a_changed_cell_ends_with_an_error(written, bench):
    result = run("verify", "-o", bench / "report", "--no-models", "--dir", bench)
    assert result.exit_code == 0
    assert "the tables agree with the ledger" in result.output
    page = bench / "report" / "index.html"
    with restored(page):
        page.write_text(page.read_text().replace("DualRes", "DualRez"))
        result = run("verify", "-o", bench / "report", "--no-models", "--dir", bench)
    assert result.exit_code == 1
    assert "index.html: was changed since its hash was written to MANIFEST" in result.output
    path = bench / "report" / "tables" / "pilot_simulated.md"
    path.write_text(path.read_text().replace("DualRes", "DualRez"))
    result = run("verify", "-o", bench / "report", "--no-models", "--dir", bench)
    assert result.exit_code == 1
    assert "was changed" in result.output


def test_missing_model_files_are_wrong_unless_they_are_not_asked_for(bench):
    result = run("verify", "--dir", bench)
    assert result.exit_code == 1
    assert result.output.count("its model file") == 4


def test_a_study_that_was_not_run_is_a_sentence(bench, tmp_path):
    with pytest.raises(ConfigError, match="holds no finished job of pilot"):
        run("report", "pilot", "-o", tmp_path, "--quick", "--dir", bench)


def test_a_quick_report_says_so_everywhere(tmp_path, monkeypatch):
    monkeypatch.setattr("dualres.bench.report.build.write_figures", lambda *_: [])  # tested elsewhere
    synthetic_ledger(tmp_path / "ledger.sqlite", ["pilot"], datasets=["simulated"], quick=Quick()).close()
    result = run("report", "pilot", "-o", tmp_path / "report", "--quick", "--dir", tmp_path)
    assert "QUICK RUN" in result.output
    for path in (tmp_path / "report" / "tables").glob("pilot_*"):
        assert "QUICK RUN" in path.read_text()


def test_costs_that_were_measured_are_in_the_report_even_without_a_job(tmp_path):
    keep_all(tmp_path / "profile", ["simulated"], ["dualres", "mambasl"], "cpu")
    damaged = tmp_path / "profile" / "simulated-medformer-cpu-4.json"
    damaged.write_text("{}")
    result = run("report", "pilot", "-o", tmp_path / "report", "--dir", tmp_path)
    assert result.exit_code == 0
    assert "not run: pilot" in result.output
    assert f"{damaged.name}: not a measurement" in result.output
    assert (tmp_path / "report" / "tables" / "costs_window_cpu_4.md").is_file()
    assert (tmp_path / "report" / "figures" / "latency_cpu_4.png").is_file()
    assert "costs_window_cpu_4" in (tmp_path / "report" / "index.html").read_text()
    damaged.unlink()
    assert run("verify", "-o", tmp_path / "report", "--dir", tmp_path).exit_code == 0


def test_a_report_may_do_without_the_page(bench, tmp_path, monkeypatch):
    monkeypatch.setattr("dualres.bench.report.build.write_figures", lambda *_: [])
    (tmp_path / "index.html").write_text("earlier")
    result = run("report", "pilot", "-o", tmp_path, "--no-page", "--dir", bench)
    assert f"jobs: {tmp_path}\n" in result.output
    assert "belongs to an earlier report" in result.output
    assert (tmp_path / "index.html").read_text() == "earlier"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder as it is kept under version control: an export, and the report that is made of it."""
    bench, results = (tmp_path_factory.mktemp(name) for name in ("measured", "results"))
    synthetic_ledger(bench / "ledger.sqlite", ["pilot"], datasets=["simulated"]).close()
    keep_all(bench / "profile", ["simulated"], ["dualres", "mambasl"], "cpu")
    (bench / "profile" / "simulated-medformer-cpu-4.json").write_text("{}")
    exported = run("export", "-o", results, "--dir", bench)
    assert f"4 jobs and 2 measurements: {results}" in exported.output
    assert "simulated-medformer-cpu-4.json: not a measurement" in exported.output
    (results / "pages").mkdir()
    (results / "pages" / "good.md").write_text("A page that somebody wrote.")
    assert run("report", "pilot", "-o", results, "--no-page", "--dir", results).exit_code == 0
    return results


def test_an_export_and_its_report_are_verified_in_one_folder_and_their_root_hash_is_said(results):
    result = run("verify", results)
    assert result.exit_code == 0, result.output
    assert "4 jobs agree with their plans, folds and hashes; models: not part of an export" in result.output
    assert f"{results}: the tables agree with the ledger" in result.output
    assert (results / "tables" / "costs_window_cpu_4.md").is_file()
    assert not (results / "ledger.sqlite").exists()
    (line,) = (line for line in result.output.splitlines() if line.startswith("checked: "))
    assert line.startswith("checked: 4 jobs, ")
    files = sum(path.is_file() for path in results.rglob("*")) - 1  # without the list itself
    assert all(f" {name}" in line for name in ("scores", "losses", "2 measurements", "table cells", f"{files} files"))
    root = manifest_root(results)
    assert f"root hash of {results}: {root}" in result.output
    assert f"root hash of {results}: {root}" in run("export", "-o", results, "--dir", results).output
    assert run("verify", results, "--root", root).exit_code == 0
    result = run("verify", results, "--root", "0" * 64)
    assert result.exit_code == 1
    assert "nothing here has the root hash 0000" in result.output


def test_an_export_may_be_exported_again_and_leaves_the_report_alone(results):
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    run("export", "-o", results, "--dir", results)
    assert {path: path.read_bytes() for path in results.rglob("*") if path.is_file()} == before


FILES = "jobs.jsonl signals.tsv profile/simulated-dualres-cpu-4.json tables/pilot_simulated.md tables/tables.csv"
FIGURES_AND_PAGES = "figures/latency_cpu_4.png pages/good.md figures/SHA256SUMS"


@pytest.mark.parametrize("name", [*FILES.split(), *FIGURES_AND_PAGES.split()])
def test_a_changed_byte_anywhere_ends_with_an_error_and_the_file_s_name(results, name):
    path = results / name
    with restored(path):
        content = path.read_bytes()
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        result = run("verify", results)
    assert result.exit_code == 1
    assert f"{path}: was changed" in result.output


def test_a_figure_removed_together_with_its_hash_is_found(results):
    figure, sums = results / "figures" / "latency_cpu_4.png", results / "figures" / "SHA256SUMS"
    with restored(figure, sums):
        figure.unlink()
        sums.write_text("".join(line for line in sums.read_text().splitlines(keepends=True) if figure.name not in line))
        result = run("verify", results)
    assert result.exit_code == 1
    assert f"{figure}: is missing, though MANIFEST lists it" in result.output


def test_an_added_column_is_found_even_with_every_hash_made_again(results):
    path, sums, manifest = results / "tables" / "tables.csv", results / "tables" / "SHA256SUMS", results / "MANIFEST"
    with restored(path, sums, manifest):
        path.write_text("".join(f"{line},x\n" for line in path.read_text().splitlines()))
        write_sums(results / "tables", listed(results / "tables"))
        write_manifest(results)
        result = run("verify", results)
    assert result.exit_code == 1
    assert "has other columns than a report's" in result.output

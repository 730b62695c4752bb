"""The command line of a campaign; the jobs themselves are made up."""

import io

import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from dualres import cli
from dualres.bench.campaign.coordinator import JobResult, Running, RunState, RunSummary, sole_writer
from dualres.bench.campaign.exchange.export import export
from dualres.bench.campaign.executors import FITS_TOGETHER, JobAdvance, JobFailure, JobSuccess
from dualres.bench.campaign.ledger import Ledger, LedgerError
from dualres.bench.campaign.studies import STUDIES, Quick, jobs, study
from dualres.bench.campaign.times import nominal_s
from dualres.cli.bench import live as bench_live
from dualres.cli.bench import run as bench
from dualres.cli.console import INTERRUPTED
from dualres.errors import ConfigError
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome
from tests.bench.profile.synthetic import keep_all

FAILING = jobs(study("pilot"), ["simulated"], methods=["mambasl"])


class MadeUp:
    """Finishes every job at once, but for MambaSL's."""

    interrupt_at = None
    made = None  # all of them, in a list

    def __init__(self, jobs, stores, folder, together=1):
        self.slots = self.workers = jobs
        self.together = together
        self.waiting, self.answered = [], 0
        self.made.append(self)

    def start(self, job):
        self.waiting.append(job)

    def wait(self, seconds):
        if self.answered == self.interrupt_at:
            raise KeyboardInterrupt
        self.answered += 1
        job = self.waiting.pop()
        if job.method == "mambasl":
            return [JobAdvance(job.key, "fit", 1, 300), JobFailure(job.key, "out of [luck]")]
        return [JobSuccess(job.key, synthetic_outcome(job))]

    def close(self):
        pass


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    monkeypatch.setattr("dualres.bench.campaign.process_executor.LocalExecutor", MadeUp)
    monkeypatch.setattr(MadeUp, "made", [])
    return monkeypatch


@pytest.fixture
def call(tmp_path):
    def call(*arguments):
        options = ["--dir", tmp_path / "bench"]
        if arguments[0] != "import":
            options += ["--stores", tmp_path / "stores"]
        return CliRunner(env={"COLUMNS": "200"}).invoke(bench.app, [str(a) for a in (*arguments, *options)])

    return call


def cells(output, first):
    """The cells of the table row that begins with the given word."""
    (row,) = [line for line in output.splitlines() if line.startswith(f"│ {first} ")]
    return [cell.strip() for cell in row.strip("│").split("│")]


def keys_in(tmp_path):
    with Ledger(tmp_path / "bench" / "ledger.sqlite", create=False) as ledger:
        return ledger.keys()


def test_plan_shows_jobs_and_time_and_makes_no_ledger(call, tmp_path):
    result = call("plan", "pilot", "--methods", "dualres")
    assert result.exit_code == 0, result.output
    assert cells(result.output, "pilot")[:7] == ["pilot", "simulated", "1", "1", "1", "2", "0"]
    time = bench_live.duration(sum(map(nominal_s, jobs(study("pilot"), ["simulated"], methods=["dualres"]))))
    assert cells(result.output, "pilot")[7] == time
    assert f"2 distinct jobs are missing; one after another they take {time}." in result.output
    assert "left out: phm2009" in result.output
    assert not (tmp_path / "bench").exists()


def test_a_single_cell_can_be_asked_for(call):
    asked = "plan published --methods dualres --folds S2 --budgets 3x4 --seeds 42"
    assert "1 distinct jobs are missing" in call(*asked.split()).output


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--budgets", "3", "budget '3' is not recordings x windows"),
        ("--folds", "S9", "there is no fold 'S9'"),
        ("--recipe", "stout", "recipe 'stout' is not known"),
        ("--recipe", "gone.json", "gone.json: is not a recipe"),
        ("--recipe", "views", "--recipe views: views make no updates and are a method; use --methods dualres/views"),
        ("--recipe", "orders", "orders make no updates and are a method; use --methods dualres/orders"),
    ],
)
def test_a_fold_budget_or_recipe_that_is_none_is_answered(call, option, value, words):
    result = call("plan", "published", option, value)
    assert result.exit_code
    assert words in str(result.exception)


@pytest.mark.parametrize("command", [[], ["plan"], ["run"], ["report"]])
def test_help_tells_the_papers_studies_from_ours(command):
    text = " ".join(CliRunner(env={"COLUMNS": "200"}).invoke(cli.app, ["bench", *command, "--help"]).output.split())
    text = text.replace(" │ │ ", " ")
    papers, ours = ([name for name, one in STUDIES.items() if one.of_paper is which] for which in (True, False))
    assert ours == ["broad", "published", "recipes", "adaptation", "rigs"]
    assert f"The paper's: {', '.join(papers)}. Ours, not in the paper: {', '.join(ours)}." in text


def test_a_plan_names_the_studies_that_are_not_in_the_paper(call):
    assert "Not in the paper" not in call("plan", "pilot").output
    assert "Not in the paper: broad, published, recipes, adaptation, rigs." in call("plan", "all", "--quick").output


def test_plan_counts_a_shared_job_once_and_says_that_it_is_quick(call):
    output = call("plan", "gearbox", "replication", "--quick").output
    assert "56 distinct jobs" in output
    assert "quick (reduced size)" in output


def test_plan_says_which_times_are_unknown_and_which_methods_a_study_does_not_have(call):
    assert "no job of patchtst in pilot" in call("plan", "pilot", "--methods", "dualres,patchtst").stderr
    assert cells(call("plan", "pilot", "--device", "cuda").output, "pilot")[-1] == "unknown"


def test_run_does_everything_once_and_names_the_next_command(call, tmp_path):
    result = call("run", "pilot", "allocation", "--methods", "dualres")
    assert result.exit_code == 0, result.output
    assert cells(result.stdout, "allocation") == ["allocation", "6", "0", "6", "0"]
    assert cells(result.stdout, "pilot") == ["pilot", "2", "0", "2", "0"]
    assert f"Next: dualres bench report pilot allocation -o report --dir {tmp_path / 'bench'}" in result.stdout
    assert "6/6  dualres S" in result.stderr
    assert len(keys_in(tmp_path)) == 6
    again = call("run", "pilot", "allocation", "--methods", "dualres")
    assert cells(again.stdout, "allocation") == ["allocation", "6", "6", "0", "0"]
    assert not again.stderr


def test_methods_and_seeds_may_be_separated_by_commas_or_repeated(call, tmp_path):
    one = call("plan", "gearbox", "--methods", "dualres,patchtst", "--seeds", "1,2")
    other = call("plan", "gearbox", "--methods", "dualres", "--methods", "patchtst", "--seeds", "1", "--seeds", "2")
    assert one.output == other.output
    assert "Methods: dualres, patchtst\n" in one.output
    assert "Seeds: 1, 2; folds: S1, S2\n" in one.output


def test_quick_options_threads_and_device_are_part_of_the_jobs(call, tmp_path):
    call("run", "pilot", "--quick", "--threads", 2, "--jobs", 3)
    with Ledger(tmp_path / "bench" / "ledger.sqlite") as ledger:
        found = list(ledger.jobs().values())
    wanted = jobs(study("pilot"), ["simulated"], quick=Quick(), threads=2)
    assert {job.key for job in found} == {job.key for job in wanted}
    assert {type(job.device) for job in wanted} == {str}
    assert MadeUp.made[0].slots == 3


def test_failures_are_told_recorded_and_end_with_status_1(call):
    result = call("run", "pilot")
    assert result.exit_code == 1
    assert cells(result.stdout, "pilot") == ["pilot", "4", "0", "2", "2"]
    assert "failed  mambasl S1 3x4 300 updates seed 41: out of [luck]" in result.stderr
    status = call("status")
    assert cells(status.stdout, "pilot") == ["pilot", "full", "cpu", "4", "2", "2", "0"]
    assert "and 1 more: out of [luck]" in status.stderr


def test_an_interrupt_says_what_is_kept(call, made_up, tmp_path):
    made_up.setattr(MadeUp, "interrupt_at", 1)
    result = call("run", "pilot", "--methods", "dualres", "--jobs", 1)
    assert result.exit_code == INTERRUPTED
    assert "Stopped. 1 finished jobs are kept; run the same command again to continue." in result.stderr
    assert len(keys_in(tmp_path)) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gearbx"], "there is no study 'gearbx'; there are bearing, gearbox"),
        (["pilot", "--methods", "dualres,lstm"], "there is no method 'lstm'; there are dualres"),
        (["pilot", "--seeds", "41,-1"], "seed '-1' is not a whole number"),
        (["pilot", "--datasets", "phm"], "there is no dataset 'phm'; there are"),
        (["pilot", "--datasets", "phm2009"], "dataset phm2009 is not prepared in"),
        (["pilot", "--methods", "patchtst"], "no job of pilot matches these options"),
        (["pilot", "--address", "auto"], "--address auto only applies with --executor ray"),
    ],
)
def test_a_wrong_name_gives_one_clear_sentence(call, tmp_path, arguments, sentence):
    error = call("run", *arguments).exception
    assert isinstance(error, ConfigError)
    assert sentence in str(error)
    assert not (tmp_path / "bench").exists()


def test_a_plan_needs_no_recordings_and_says_what_a_run_would_need(call):
    output = call("plan", "gearbox", "--datasets", "mcc5").output
    assert "126 distinct jobs are missing" in output  # nine methods, seven budgets, two folds, as in the paper
    told = "what is missing: mcc5 (`dualres data list`, `dualres data prepare mcc5 --from DOWNLOAD`)"
    assert told in " ".join(output.split())
    assert "left out" not in output


def test_cuda_without_a_gpu_is_refused(call, made_up):
    made_up.setattr("torch.cuda.is_available", lambda: False)
    assert "PyTorch finds no GPU" in str(call("run", "pilot", "--device", "cuda").exception)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_jobs_of_one_shape_may_be_done_together(call, made_up, device):
    made_up.setattr("torch.cuda.is_available", lambda: True)
    result = call("run", "pilot", "--methods", "dualres", "--device", device)
    assert result.exit_code == 0, result.output
    assert MadeUp.made[0].together == FITS_TOGETHER


def test_status_tells_quick_from_full_and_other_jobs_from_both(call):
    assert isinstance(call("status").exception, LedgerError)
    call("run", "pilot", "--quick")
    call("run", "pilot", "--methods", "dualres", "--seeds", "7")
    output = call("status").stdout
    rows = [line.split("│")[1:-1] for line in output.splitlines() if line.startswith("│ pilot ")]
    assert [[c.strip() for c in row][1:5] for row in rows] == [["full", "cpu", "4", "0"], ["quick", "cpu", "2", "2"]]
    assert "2 more finished jobs have other seeds, threads or datasets" in output


def test_import_takes_new_jobs_and_lists_contradictions(call, tmp_path):
    synthetic_ledger(tmp_path / "other.sqlite", ["pilot"], datasets=["simulated"]).close()
    first = call("import", tmp_path / "other.sqlite")
    assert first.exit_code == 0
    assert "4 jobs imported, 0 already known" in first.output
    assert "0 jobs imported, 4 already known" in call("import", tmp_path / "other.sqlite").output
    job = FAILING[0]
    with Ledger(tmp_path / "wrong.sqlite") as wrong:
        outcome = synthetic_outcome(job)
        scores = tuple(tuple(reversed(row)) for row in outcome.scores)
        wrong.record(job, type(outcome)(**{**vars(outcome), "scores": scores}))
    result = call("import", tmp_path / "wrong.sqlite")
    assert result.exit_code == 1
    assert f"clash  {job.title} ({job.key[:16]})" in result.stderr


def test_import_takes_an_export_and_models_too(call, tmp_path):
    with synthetic_ledger(tmp_path / "there" / "ledger.sqlite", ["pilot"], datasets=["simulated"]) as ledger:
        key = sorted(ledger.keys())[0]
        export(ledger, tmp_path / "there" / "text")
    (tmp_path / "there" / "models").mkdir()
    (tmp_path / "there" / "models" / f"{key}.safetensors").write_bytes(b"model")
    first = call("import", str(tmp_path / "there" / "text"))
    assert first.exit_code == 0, first.output
    assert "4 jobs imported, 0 already known and in agreement; 1 model files copied" in first.output
    assert "0 jobs imported, 4 already known" in call("import", str(tmp_path / "there" / "ledger.sqlite")).output


@pytest.fixture
def export_in_place(tmp_path):
    """An export where the ledger would be."""
    with synthetic_ledger(tmp_path / "there" / "ledger.sqlite", ["pilot"], datasets=["simulated"]) as ledger:
        export(ledger, tmp_path / "bench")
    return tmp_path / "bench"


@pytest.mark.parametrize("arguments", [["run", "pilot"], ["plan", "pilot"], ["import", "other.sqlite"]])
def test_an_export_is_not_written_to(call, export_in_place, arguments):
    error = call(*arguments).exception
    assert isinstance(error, ConfigError)
    assert f"{export_in_place}: is an export" in str(error)
    assert f"`dualres bench import {export_in_place} --dir bench`" in str(error)
    assert not (export_in_place / "ledger.sqlite").exists()


def test_the_status_of_an_export_is_that_of_its_ledger(call, export_in_place):
    result = call("status")
    assert cells(result.stdout, "pilot") == ["pilot", "full", "cpu", "4", "4", "0", "0"]
    assert f"{export_in_place};datasets" in "".join(result.stdout.split()), "a long title is wrapped"


def test_import_tells_what_came_of_measurements(call, tmp_path):
    synthetic_ledger(tmp_path / "there" / "ledger.sqlite", ["pilot"], datasets=["simulated"]).close()
    keep_all(tmp_path / "there" / "profile", methods=["dualres", "mambasl"])
    assert "2 measurements imported, 0 already known" in call("import", tmp_path / "there" / "ledger.sqlite").output
    own = tmp_path / "bench" / "profile" / "simulated-dualres-cuda-4.json"
    own.write_text(own.read_text().replace("a GPU", "our GPU"))
    (tmp_path / "there" / "profile" / "simulated-mambasl-cuda-4.json").write_text("{}")
    result = call("import", tmp_path / "there" / "ledger.sqlite")
    assert result.exit_code == 0
    assert "simulated dualres cuda: was also measured here; ours was kept" in result.stderr
    assert "simulated-mambasl-cuda-4.json: not a measurement" in result.stderr


def test_import_is_refused_while_a_run_is_writing(call, tmp_path):
    synthetic_ledger(tmp_path / "other.sqlite", ["pilot"], datasets=["simulated"]).close()
    (tmp_path / "bench").mkdir()
    with sole_writer(tmp_path / "bench" / "ledger.sqlite"):
        error = call("import", tmp_path / "other.sqlite").exception
    assert "another run is writing" in str(error)
    assert "there is no ledger" in str(call("import", tmp_path / "none.sqlite").exception)


def test_a_terminal_shows_all_jobs_and_those_running(monkeypatch):
    console = Console(force_terminal=True, width=120, file=io.StringIO())
    monkeypatch.setattr(bench_live, "errors", console)
    monkeypatch.setattr("dualres.cli.console.errors", console)
    job, other = FAILING
    with bench_live.live() as report:
        report(RunState(RunSummary(10, 3), (Running(job, 0.0), Running(other, 0.0, "fit", 0.0, 7, 300)), None))
        failed, judging = JobResult(job, 5.0, "no luck"), Running(other, 0.0, "judge", 0.0, 1, 9)
        report(RunState(RunSummary(10, 3, (failed,)), (judging,), 7200.0))
    shown = Text.from_ansi(console.file.getvalue()).plain
    before, _, after = shown.rpartition("All jobs")
    assert "failed  mambasl S1 3x4 300 updates seed 41: no luck" in before
    assert "4/10" in after
    assert "1 failed, about 2 h 00 min left" in after
    assert "1/9" in after
    assert "judge" in after
    assert "mambasl S1" not in after


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, "unknown"), (0.4, "0 s"), (89, "89 s"), (600, "10 min"), (7260, "2 h 01 min")]
)
def test_durations_read_well(seconds, words):
    assert bench_live.duration(seconds) == words

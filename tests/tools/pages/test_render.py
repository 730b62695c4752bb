"""Every number of the pages made from results/pages, and of the README's results, comes from what results/ holds."""

import os
import re
import shutil
import statistics
import subprocess
import sys
from itertools import chain, pairwise
from pathlib import Path

import pytest

from dualres.bench.campaign.exchange.read_export import load_export
from dualres.bench.campaign.studies import study
from dualres.bench.datasets.folds import load_fold
from dualres.bench.report.captions import FOLDS_ARE_OURS
from dualres.bench.report.names import method_name
from dualres.bench.report.results import Results
from dualres.metrics import guessing
from tools.pages.render import PAGES, PARTS, QUESTION

ROOT = Path(__file__).parents[3]
SOURCES = [f"{name}.md" for name in (*PAGES, *chain(*PARTS.values()))]
# What is the same whatever was measured: seconds of a window and of a budget, rates, guessing, the paper's GPU.
# Of the two recipes: learning rates, and by how many percent they fall; where a rig's spectrum ends.
# Of batches with random class shares: the parameter they are drawn with.
# Of the network of views: the range of speeds that it learns at. What others measured on a rig that was kept aside.
SETTINGS = {"0.56", "1.8"} | {"36.8", "46.6", "49.1", "30.6", "35.4", "47.5", "59.8", "55.7", "75.5"}
SETTINGS |= {"0.3"} | {"0.512", "1.024", "6.144", "12.8", "12.5", "1.75"} | {"0.001", "0.0005", "0.4", "6.4"}
# Numbers of seeds, folds, recordings, classes, windows, samples and updates; percents of guessing; the paper's fit.
COUNTS = {0, 1, 2, 3, 4, 7, 8, 14, 24, 41, 42, 43, 45, 50, 72, 96, 120, 140, 233, 300, 100, 256}
COUNTS |= {30, 80, 5, 75, 90}  # a batch: speeds in an example, imagined recordings, percents of its guard
# The rig kept aside; frames, oscillators, parameters, a rate in kHz.
COUNTS |= {130, 14, 25, 16, 4, 420, 72, 48, 12, 416}
COUNTS |= {6203, 6205, 10, 1000, 500, 204, 2115}  # bearings, a band of velocity, shifted combs
COUNTS |= {57, 65, 69}  # of exploratory runs that are said not to be here
COUNTS |= {800, 32, 39, 528, 65, 95, 20}  # updates and f_N of a recipe, parameters, an interval's percent, guesses
COUNTS |= {9, 29, 99}  # units that set a limit
COUNTS |= {86, 64, 6, 11}  # names of processors, steps of a checklist
COUNTS |= {180}  # seconds within which an alarm is wanted
SETTINGS |= {"0.1"}  # a score of healthy blocks
# On one page only. Of alarms: healthy machines, references, segments and standard errors; a chance of one in 200. Of
# the network of orders: parameters, degrees of freedom, machines and shares that were wanted. What others measured, and
# exploratory runs that are said not to be here, by the settings that they tried.
# Of promises: what was measured before, and the bounds of a rate. Of first verdicts: the example, and what slips.
# Of few labels: the seed that something was chosen on.
ON_PAGE = {
    "trust.md": {"35", "78", "92", "400"},
    "check.md": {"11", "20816", "1.2", "13.2", "25.6", "3.596"},
    "zero-labels.md": {"9003"},
    "alarms.md": {"0.15", "0.83", "0.85", "2.5", "17", "280", "200", "32", "35", "400", "720"},
    "reliability.md": {"200"},
    "recipe.md": {"66", "717", "969", "94", "283", "4.5", "27", "15"}
    | {"47.7", "55.6", "64.1"}
    | {"91.6", "92.6", "81.0", "86.5", "46.2", "68.1", "68.3", "52", "93", "1.2"}
    | {"1.15", "1.3", "1.5", "83.2", "82.5", "81.7", "75.7", "75.5", "76.2", "0.5", "83.5", "81.6"},
}
NAMES = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|A4000|H200|AVX-512|[PCS][12]\b|MCC5|PHM2009", re.DOTALL)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    with load_export(ROOT / "results", tmp_path_factory.mktemp("ledger") / "ledger.sqlite") as ledger:
        yield Results(ledger, study("published")).planned_only()


@pytest.mark.subprocess
def test_the_pages_are_what_the_results_give():
    done = checked(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("source", SOURCES)
def test_no_measured_number_is_written_by_hand(source):
    prose = NAMES.sub("", QUESTION.sub("", (ROOT / "results" / "pages" / source).read_text()))
    here = ON_PAGE.get(source, set())
    assert set(re.findall(r"\d+\.\d+", prose)) - here <= SETTINGS
    assert {int(number) for number in set(re.findall(r"(?<![\d.])\d+(?![\d.]*\d)", prose)) - here} <= COUNTS


@pytest.mark.parametrize("source", SOURCES)
def test_no_question_runs_over_the_end_of_a_line(source):
    """It would not be answered; whoever wraps a source must keep it together."""
    prose = re.sub(r"```.*?```", "", (ROOT / "results" / "pages" / source).read_text(), flags=re.DOTALL)
    assert re.findall(r"\{[a-z_0-9]+\s[^{}]*\n[^{}]*\}", prose) == []


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))])
def test_no_column_of_ours_is_headed_paper(page):
    """One that begins with Paper says what is printed there, and for which seeds."""
    lines = (ROOT / page).read_text().splitlines()
    heads = [line for line, rule in pairwise(lines) if re.match(r"\| ?--", rule)]
    titles = [title.strip() for line in heads for title in line.split("|")]
    papers = [title for title in titles if re.match("paper(?!'s recipe)", title, re.IGNORECASE)]
    assert [title for title in papers if "seed" not in title] == []


def test_where_a_page_shows_the_papers_numbers_it_says_whose_the_folds_are():
    text = (ROOT / "docs" / "results.md").read_text()
    for title in ("Paper P1 macro-F1 (seed 41)", "Paper mean macro-F1 (3 seeds)"):
        table = text[text.index(title) :]
        assert table[table.index("\n\n") :].lstrip().startswith(FOLDS_ARE_OURS)


@pytest.mark.subprocess
def test_a_changed_number_is_noticed(tmp_path):
    for folder in ("results", "tools", "experiments"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "docs").mkdir()
    for name in (*PARTS, *(f"docs/{page}.md" for page in PAGES)):
        shutil.copy(ROOT / name, tmp_path / name)
    page = tmp_path / "docs" / "results.md"
    page.write_text(re.sub(r"(\d)\.(\d) ±", lambda m: f"{m[1]}.{(int(m[2]) + 1) % 10} ±", page.read_text(), count=1))
    done = checked(tmp_path)
    assert done.returncode == 1
    assert done.stdout == "docs/results.md: is not what results/ gives\n"  # and no other page


def shown_demo() -> str:
    """What the README says that `make demo` prints."""
    return (ROOT / "README.md").read_text().split("<!-- what `make demo` prints -->\n```\n")[1].split("```")[0]


def test_the_numbers_of_the_demo_in_the_readme_follow_from_each_other():
    rows = {cells[0]: cells[1:] for line in shown_demo().splitlines() if len(cells := _cells(line)) == 4}
    total, accuracy, macro_f1 = rows.pop("accuracy, macro-F1")
    rows = {label: tuple(map(int, cells)) for label, cells in rows.items() if cells[0].isdecimal()}
    assert set(rows) == set(load_fold("S1").classes)
    counts = [count for count, *_ in rows.values()]
    right = [round(count * recall / 100) for count, recall, _ in rows.values()]
    assert (sum(counts), f"{100 * sum(right) / sum(counts):.1f}") == (int(total), accuracy)
    assert statistics.fmean(f1 for *_, f1 in rows.values()) == pytest.approx(float(macro_f1), abs=0.5)
    expected = [f"{100 * share:.1f} %" for share in guessing(counts)]
    assert f"Guessing would score {' and '.join(expected)}:" in shown_demo()


@pytest.mark.slow
def test_the_demo_prints_what_the_readme_shows(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "dualres.cli", "demo", "--out", "demo"],
        cwd=tmp_path, env=os.environ | {"COLUMNS": "80"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown_demo().splitlines()


@pytest.mark.exhaustive
def test_every_planned_job_is_there_or_said_to_be_missing(published):
    page = (ROOT / "docs" / "results.md").read_text()
    done = {entry.key for entry in published.entries}
    for key, job in published.planned.items():
        said = f"{method_name(job.method)} on {job.fold} at {job.budget}" in page
        assert (key in done) != said, job.title


def checked(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.pages.render", "--check"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("│")[1:-1]]

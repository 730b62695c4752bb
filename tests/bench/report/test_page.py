"""The page, in a real browser: what it shows, that it can be used, and that nothing sticks out."""

import json
import math
import re
import statistics
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import Quick, jobs, study
from dualres.bench.report.page import METRICS, page_data, write_page
from dualres.bench.report.plots.picture import PictureFile
from dualres.bench.report.results import Results
from dualres.bench.report.tables import Table, Value, study_tables
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome
from tests.bench.report.browser import Browser

WIDTHS = (1280, 390)
NASTY = '</script><img src="https://example.com/x.png"><b>'


def a_table(results: Results) -> Table:
    keys = tuple(e.key for e in results.where(method="dualres", seed=41))
    number = Value("48.55", bold=True, paper="51.07", jobs={41: keys})
    header = ("Method", *(f"{n} recordings" for n in range(21)))
    row = (Value("DualRes"), number, *[Value("not run")] * 20)
    return Table(
        "a-table", "A table of methods", "Folds S1, S2.", results.study.name, 1, header, (row,), "Best in bold."
    )


def a_figure(folder: Path) -> PictureFile:
    figure, axes = plt.subplots(figsize=(8, 3))
    axes.plot([0, 1])
    figure.savefig(folder / "figure.png", dpi=200)
    plt.close(figure)
    caption = f"Fold S1 {NASTY}"
    return PictureFile("a-figure", "A figure of curves", caption, folder / "none.pdf", folder / "figure.png", "")


@dataclass(frozen=True)
class Written:
    path: Path
    results: dict[str, Results]


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Written:
    """Two studies, on two of their datasets."""
    folder = tmp_path_factory.mktemp("page")
    ledger = synthetic_ledger(folder / "ledger.sqlite", ["bearing", "replication"], datasets=("cwru", "simulated"))
    results = {name: Results(ledger, study(name)) for name in ("bearing", "replication")}
    pages = folder / "page.html"
    write_page(pages, results, [a_table(results["bearing"])], [a_figure(folder)])
    ledger.close()
    return Written(pages, results)


def text(browser: Browser, selector: str) -> str:
    return " ".join(browser.evaluate(f"document.querySelector({json.dumps(selector)}).innerText").split())


def texts(browser: Browser, selector: str) -> list[str]:
    return browser.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.innerText.trim())")


def choose(browser: Browser, name: str, value: str) -> None:
    """Pick from a filter as a person does: the change event follows."""
    element = f"document.getElementById('filter-{name}')"
    browser.evaluate(f"{element}.value = '{value}'; {element}.dispatchEvent(new Event('change'))")


def follow(browser: Browser, action: str) -> None:
    """Do what changes the address, and wait for the page to answer."""
    browser.evaluate(f"new Promise(done => {{ addEventListener('hashchange', done, {{once: true}}); {action}; }})")


def cell(dataset: str, budget: str, method: str) -> str:
    return f'[data-cell="{dataset} {budget} {method}"]'


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("fragment", ["", "#study=all", "#view=tables", "#view=figures", "#job={key}"])
def test_nothing_is_wider_than_the_window(browser, written, width, fragment):
    key = written.results["replication"].entries[0].key
    browser.open(written.path, width, fragment=fragment.format(key=key))
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    if not fragment:
        browser.evaluate("document.querySelector('.cell').click()")
    wide, window = browser.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert window == width
    assert wide <= width
    # A box that scrolls may hold what is wider; nothing else may stick out.
    sticking = """[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, .unseen')
        && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))"""
    assert browser.evaluate(sticking) == []
    assert browser.errors == []


def test_it_asks_the_network_for_nothing_and_text_stays_text(browser, written):
    browser.open(written.path, 1280, fragment="#view=figures")
    assert browser.requests
    assert all(url.startswith(("file:", "data:", "about:")) for url in browser.requests)
    assert NASTY in text(browser, "#figures")
    assert browser.evaluate("document.querySelector('#figures img').naturalWidth") == 1600


def test_a_matrix_cell_shows_mean_and_sd_over_seeds_of_the_mean_over_folds(browser, written):
    entries = written.results["bearing"].where(dataset="cwru", method="mambasl")
    by_seed: dict[int, list[float]] = {}
    for e in entries:
        named = np.argmax(e.outcome.scores, 1)
        labels = range(len(e.outcome.classes))
        score = f1_score(e.outcome.truth, named, labels=labels, average="macro", zero_division=0)
        by_seed.setdefault(e.job.seed, []).append(100 * score)
    means = [statistics.fmean(folds) for folds in by_seed.values()]
    assert [len(folds) for folds in by_seed.values()] == [2, 2, 2]
    browser.open(written.path, 1280, fragment="#study=bearing")
    expected = f"{statistics.fmean(means):.2f} ± {statistics.stdev(means):.2f}"
    assert text(browser, cell("cwru", "1x3", "mambasl")) == expected


def test_hovering_a_cell_tells_what_it_rests_on_and_escape_puts_it_away(browser, written):
    browser.open(written.path, 1280, fragment="#study=bearing")
    browser.hover(cell("cwru", "1x3", "dualres"))
    tip = text(browser, "#tip")
    exposure = "Seeds 41, 42, 43 Folds C1, C2 Held out load Labelled 1.024 s per class Jobs 6 of 6 finished"
    for words in ("Macro-F1", "n = 3", "68.04 ± 4.06 %, Accuracy 64.29 ± 3.57 % (seeds 41, 42, 43)", exposure):
        assert words in tip
    left, right = browser.evaluate("(b => [b.left, b.right])(document.getElementById('tip').getBoundingClientRect())")
    assert 0 <= left < right <= 1280
    browser.press("Escape")
    assert browser.evaluate("document.getElementById('tip').hidden")


def test_the_keyboard_reaches_a_cell_and_opens_its_jobs(browser, written):
    browser.open(written.path, 1280, fragment="#study=bearing")
    browser.evaluate(f"document.querySelector('{cell('cwru', '1x3', 'dualres')}').focus()")
    assert not browser.evaluate("document.getElementById('tip').hidden")
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.dataset.cell") == "simulated 1x3 dualres"
    browser.press("Enter")
    assert len(texts(browser, ".panel tbody tr")) == 6
    assert "DualRes, Rig, 1 \N{MULTIPLICATION SIGN} 3" in text(browser, ".panel")


def test_what_was_not_run_is_said_and_is_no_number(browser, written):
    browser.open(written.path, 1280, fragment="#study=bearing")
    assert "Not run: Paderborn, KAIST, UORED, HUST, Ottawa" in text(browser, "#results section")
    browser.evaluate("document.getElementById('show-missing').click()")
    rows = [row for row in texts(browser, "#jobs tbody tr") if "not run" in row]
    bearing = written.results["bearing"]
    assert len(rows) == len(bearing.planned) - len(bearing.entries) > 0
    assert not any(re.search(r"\d\.\d", row) for row in rows)
    choose(browser, "dataset", "kaist")
    assert texts(browser, ".cell") == []
    assert "No job of this choice was run" in text(browser, "#results section")


def test_a_cell_with_a_fold_missing_counts_its_jobs_and_a_further_seed_can_be_chosen(browser, tmp_path):
    with Ledger(tmp_path / "sparse.sqlite") as ledger:
        for job in jobs(study("pilot"), ("simulated",), methods=["dualres"], seeds=[41, 44]):
            if (job.seed, job.fold) != (41, "S2"):
                ledger.record(job, synthetic_outcome(job))
        results = Results(ledger, study("pilot"))
    write_page(tmp_path / "page.html", {"pilot": results}, [], [])
    further = statistics.fmean(100 * e.outcome.macro_f1 for e in results.where(seed=44))
    dualres, mambasl = (cell("simulated", "3x4", method) for method in ("dualres", "mambasl"))
    browser.open(tmp_path / "page.html", 390)
    for chosen in ("", "41"):
        choose(browser, "seed", chosen)
        assert [text(browser, dualres), text(browser, mambasl)] == ["1 of 2 jobs", "not run"]
    choose(browser, "seed", "44")
    assert text(browser, dualres) == f"{further:.2f}"


@pytest.fixture(scope="module")
def overlapping(tmp_path_factory) -> dict[str, Results]:
    """Studies of which some jobs have further seeds: another study's, and some that were asked for."""
    path = tmp_path_factory.mktemp("overlapping") / "ledger.sqlite"
    names = ("gearbox", "replication", "pilot")
    synthetic_ledger(path, ["gearbox", "replication"], datasets=("mcc5",)).close()
    with synthetic_ledger(path, ["pilot"], seeds=[41, 42, 43, 44, 45], datasets=("phm2009",)) as ledger:
        return {name: Results(ledger, study(name)) for name in names}


def test_with_further_seeds_the_matrix_still_has_the_numbers_of_the_tables(overlapping):
    for told in page_data(overlapping)["studies"]:
        results = overlapping[told["name"]]
        assert {e.job.seed for e in results.entries} >= {41, 42, 43}
        values = {
            (v.dataset, v.budget, v.method, v.metric): v
            for table in study_tables(results)
            for row in table.rows
            for v in row
            if v.method and not v.minus and len(v.folds) == 2 and v.seeds == results.seeds
        }
        own = [c for c in told["cells"] if c["seed"] is None and c["done"]]
        assert len(own) == {"gearbox": 63, "replication": 21, "pilot": 2}[told["name"]]
        for c in own:
            column = told["columns"][c["column"]]
            place = column["dataset"], column["budget"], c["method"]
            assert c["seeds"] == results.seeds
            papers = dict(c["paper"]["values"])
            for name, metric in METRICS.items():
                value = values.get((*place, metric))
                if value is None:  # the replication has a table of macro-F1 only
                    assert (told["name"], name) == ("replication", "accuracy")
                    continue
                assert c[name] == [pytest.approx(each, abs=6e-4) for each in (value.mean, value.sd)]
                assert papers[name] == value.paper


def test_a_cell_s_own_seeds_are_those_planned_for_its_method_and_budget(tmp_path):
    """The published study has five seeds elsewhere, and another study ran all of them here."""
    with synthetic_ledger(tmp_path / "l", ["published", "recipes"], datasets=("simulated",)) as ledger:
        (told,) = page_data({"published": Results(ledger, study("published"))})["studies"]
    place = told["columns"].index({"dataset": "simulated", "budget": "3x4", "training": None})
    cells = {c["seed"]: c for c in told["cells"] if (c["column"], c["method"]) == (place, "dualres")}
    assert cells.keys() == {None, 41, 42, 43, 44, 45}
    assert cells[None]["seeds"] == cells[None]["asked"] == (41, 42, 43)


def test_a_method_without_updates_has_a_column_of_its_own_beside_several_recipes(tmp_path):
    with synthetic_ledger(tmp_path / "l", ["adaptation"], datasets=("simulated",)) as ledger:
        (told,) = page_data({"adaptation": Results(ledger, study("adaptation"))})["studies"]
    own = {c["training"]: i for i, c in enumerate(told["columns"]) if c["dataset"] == "simulated"}
    assert list(own) == ["300 updates", "800 updates, robust", "no updates"]
    without = [c for c in told["cells"] if c["column"] == own["no updates"] and c["seed"] is None]
    assert [(c["method"], c["done"], c["planned"]) for c in without] == [("dualres/views", 2, 2)]


def test_a_job_whose_fit_was_done_with_others_has_no_time_of_its_own(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        for job in jobs(study("allocation"), ["simulated"], methods=("dualres",)):
            outcome = synthetic_outcome(job)
            outcome.facts["fitted_together"] = 3 if job.fold == "S2" else 1
            ledger.record(job, outcome)
        told = page_data({"allocation": Results(ledger, study("allocation"))})["jobs"]
    for job in told:
        shared = job["fold"] == "S2"
        assert (job["fit"] is None, job["wall"] is None, job["together"]) == (shared, shared, 3 if shared else 1)


def test_a_papers_value_stands_only_beside_the_seeds_it_is_of(overlapping):
    studies = {told["name"]: told for told in page_data(overlapping)["studies"]}

    def papers(name: str, dataset: str) -> dict[int | None, tuple[dict[str, str], tuple[int, ...]] | None]:
        """By the chosen seed: the values beside DualRes at 3 x 4, and their seeds."""
        place = studies[name]["columns"].index({"dataset": dataset, "budget": "3x4", "training": None})
        cells = [c for c in studies[name]["cells"] if (c["column"], c["method"]) == (place, "dualres")]
        return {c["seed"]: (dict(c["paper"]["values"]), c["paper"]["seeds"]) if "paper" in c else None for c in cells}

    first = {"f1": "48.55", "accuracy": "50.00"}, (41,)
    assert papers("gearbox", "mcc5") == {None: first, 41: first, 42: None, 43: None}
    replicated = {"f1": "44.26 ± 7.38"}, (41, 42, 43)
    assert papers("replication", "mcc5") == {None: replicated, 41: first, 42: None, 43: None}
    pilot = {"f1": "61.14", "accuracy": "60.36"}, (41,)
    assert papers("pilot", "phm2009") == {None: pilot, 41: pilot, **dict.fromkeys((42, 43, 44, 45))}


def test_the_jobs_behind_a_cell_have_its_seeds_and_the_list_has_the_further_ones_too(browser, overlapping, tmp_path):
    write_page(tmp_path / "page.html", {"pilot": overlapping["pilot"]}, [], [])
    browser.open(tmp_path / "page.html", 1280)
    place = cell("phm2009", "3x4", "dualres")
    browser.evaluate(f"document.querySelector('{place}').click()")
    assert [row.split("\t")[4] for row in texts(browser, ".panel tbody tr")] == ["41", "41"]
    assert "own seed 41, as in its tables; seeds 42, 43, 44, 45 also ran" in text(browser, "#results section")
    assert len(texts(browser, "#jobs tbody tr")) == 2 * 2 * 5
    choose(browser, "seed", "44")
    browser.hover(place)
    tip = text(browser, "#tip")
    assert "Seeds 44" in tip
    assert "In the paper" not in tip


def test_filters_reduce_the_matrix_and_the_jobs_and_stay_in_the_address(browser, written):
    browser.open(written.path, 1280)
    choose(browser, "study", "replication")
    assert len(texts(browser, "#jobs tbody tr")) == 3 * 7 * 3 * 2
    choose(browser, "method", "minirocket")
    choose(browser, "budget", "6x8")
    choose(browser, "seed", "42")
    assert texts(browser, ".matrix tbody th") == ["MiniRocket"]
    assert [row.split("\t")[2:5] for row in texts(browser, "#jobs tbody tr")] == [
        ["S1", "6 \N{MULTIPLICATION SIGN} 8", "42"],
        ["S2", "6 \N{MULTIPLICATION SIGN} 8", "42"],
    ]
    assert "±" not in text(browser, ".cell")
    address = browser.evaluate("location.hash")
    browser.open(written.path, 1280, fragment=address)
    assert len(texts(browser, "#jobs tbody tr")) == 2
    choose(browser, "study", "bearing")  # which has no such budget: that filter is dropped
    assert browser.evaluate("document.getElementById('filter-budget').value") == ""
    assert len(texts(browser, "#jobs tbody tr")) == 2 * 2


def test_pressing_a_heading_sorts_the_jobs(browser, written):
    browser.open(written.path, 1280)
    for order in (True, False):
        browser.evaluate("[...document.querySelectorAll('#jobs .sort')].find(b => b.innerText === 'Macro-F1').click()")
        scores = [float(row.split("\t")[5]) for row in texts(browser, "#jobs tbody tr")]
        assert scores == sorted(scores, reverse=order)


def test_a_click_on_a_job_shows_its_confusion_history_plan_and_provenance(browser, written):
    browser.open(written.path, 390, fragment="#study=bearing")
    entry = written.results["bearing"].where(dataset="simulated", method="dualres", seed=42)[1]
    follow(browser, f"document.querySelector('#jobs a[href*=\"{entry.key}\"]').click()")
    browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    outcome = entry.outcome
    counts = confusion_matrix(outcome.truth, np.argmax(outcome.scores, 1), labels=range(len(outcome.classes)))
    shown = [[int(n) for n in row.split("\t")[1:]] for row in texts(browser, ".confusion tbody tr")]
    assert shown == counts.tolist()
    drawn = browser.evaluate("document.querySelector('path.loss').getAttribute('d').split(/[ML]/).length - 1")
    assert len(outcome.history) == 100
    assert drawn == 60
    assert f"to {outcome.history[-1].loss:.4g} nats over 100 updates" in text(browser, "#job .readout")
    assert f"{100 * counts[0, 0] / counts[0].sum():.1f} %" in text(browser, ".bars li")
    whole = text(browser, "#job")
    hashes = (entry.key, entry.job.fold_hash, outcome.facts["model_sha256"])
    origin = ("torch 2.13.0", "x86_64", "15.0 s (fit", "motion mode", "learning rate 0.0005")
    for words in (*hashes, *origin, "Windows start at 2.000, 2.256, 2.512 s", outcome.facts["support"][0][0]):
        assert words in whole
    assert outcome.facts["inputs"][outcome.recordings[0]] in browser.evaluate("document.body.textContent")
    follow(browser, "history.back()")
    assert browser.evaluate("document.getElementById('job').hidden && !document.getElementById('results').hidden")


def test_a_method_without_updates_and_a_wrong_key_are_said_in_words(browser, written):
    entry = written.results["bearing"].where(method="minirocket")[0]
    browser.open(written.path, 390, fragment=f"#job={entry.key}")
    assert "has no updates" in text(browser, "#job")
    browser.open(written.path, 390, fragment="#job=abcdef")
    assert "hold no job abcdef" in text(browser, "#job")


def test_a_tables_number_leads_to_its_jobs(browser, written):
    browser.open(written.path, 1280, fragment="#view=tables")
    assert "[51.07]" in text(browser, "#tables")
    assert texts(browser, ".printed b") == ["48.55"]
    follow(browser, "document.querySelector('.printed a').click()")
    assert len(texts(browser, "#results tbody tr")) == len(written.results["bearing"].where(method="dualres", seed=41))
    browser.open(written.path, 1280, fragment="#view=tables&study=replication")
    assert "no tables of this study" in text(browser, "#tables")


def test_quick_results_say_so_everywhere(browser, tmp_path):
    with synthetic_ledger(tmp_path / "quick.sqlite", ["pilot"], quick=Quick(), datasets=("simulated",)) as ledger:
        results = Results(ledger, study("pilot"), quick=Quick())
    write_page(tmp_path / "page.html", {"pilot": results}, [], [])
    browser.open(tmp_path / "page.html", 390)
    assert "Quick results. pilot: seed 41, at most 30 updates, at most 24 judged recordings" in text(browser, "#banner")
    assert texts(browser, ".tag.quick") == ["quick"]
    browser.hover(".cell")
    assert "In the paper" not in text(browser, "#tip")  # the paper's value is no match for a quick one
    browser.open(tmp_path / "page.html", 390, fragment=f"#job={results.entries[0].key}")
    assert texts(browser, ".tag.quick") == ["quick"]


def test_an_empty_ledger_makes_a_page_too(browser, tmp_path):
    with Ledger(tmp_path / "empty.sqlite") as ledger:
        results = {"bearing": Results(ledger, study("bearing"))}
    write_page(tmp_path / "page.html", results, [], [])
    browser.open(tmp_path / "page.html", 1280)
    assert "0 finished jobs" in text(browser, "#lead")
    assert "No job of this choice was run." in text(browser, "#results")
    assert browser.errors == []


def test_a_loss_that_overflowed_is_left_out_of_the_curve(browser, tmp_path):
    with Ledger(tmp_path / "diverged.sqlite") as ledger:
        job = jobs(study("pilot"), ("simulated",), methods=["dualres"])[0]
        outcome = synthetic_outcome(job)
        overflown = replace(outcome.history[0], loss=math.inf)
        ledger.record(job, replace(outcome, history=(overflown, *outcome.history[1:4])))
        results = Results(ledger, study("pilot"))
    write_page(tmp_path / "page.html", {"pilot": results}, [], [])
    browser.open(tmp_path / "page.html", 390, fragment=f"#job={job.key}")
    assert f"from {outcome.history[1].loss:.4g} to" in text(browser, ".readout")


def test_words_stand_out_from_their_ground_in_light_and_dark(browser, written):
    """Text colours against the grounds they stand on, at the least 4.5 to 1 (WCAG AA)."""
    for dark in (False, True):
        browser.open(written.path, 1280, dark=dark)
        style = "(n => getComputedStyle(document.documentElement).getPropertyValue(n).trim())"
        colour = {n: browser.evaluate(f"{style}('--{n}')") for n in ("ink", "quiet", "accent", "bad", "paper", "card")}
        for front in ("ink", "quiet", "accent", "bad"):
            for ground in ("paper", "card"):
                assert contrast(colour[front], colour[ground]) >= 4.5, (front, ground, dark)
    assert luminance(colour["ink"]) > luminance(colour["paper"])  # dark is dark


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def test_hundreds_of_jobs_stay_small(written):
    count = len({e.key for found in written.results.values() for e in found.entries})
    data = re.search(r'id="data">(.*?)</script>', written.path.read_text(), re.DOTALL).group(1)
    assert len(json.loads(data)["jobs"]) == count > 150
    assert len(data) / count < 6000  # bytes: 3 MB hold 500 jobs

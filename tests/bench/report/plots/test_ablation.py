import pytest

from dualres.bench.campaign.studies import RIG, jobs, study
from dualres.bench.methods import CONTROL_NAMES
from dualres.bench.report.plots.ablation import ablation_panels, difference
from dualres.bench.report.results import Results, percent_f1
from tests.bench.campaign.synthetic import synthetic_ledger, synthetic_outcome
from tests.bench.report.plots.reading import bars


def test_a_bar_is_the_full_model_minus_the_control(full):
    results = full["ablation"]
    panels = ablation_panels(results).figure.axes
    ((low, high),) = {axes.get_xlim() for axes in panels}  # one scale, which holds zero
    assert low < 0 < high
    for axes, control in zip(panels, CONTROL_NAMES, strict=True):
        expected = [
            results.cell(percent_f1, [41], dataset=d, method="dualres").mean
            - results.cell(percent_f1, [41], dataset=d, method=control).mean
            for d in ("cwru", RIG)
        ]
        assert [value for _, value in bars(axes)] == pytest.approx(expected)


def test_seeds_that_only_the_full_model_has_do_not_count(tmp_path):
    """On the rig the full model was run with three seeds, the controls with one."""
    with synthetic_ledger(tmp_path / "l", ["ablation"], datasets=[RIG]) as ledger:
        for job in jobs(study("ablation"), [RIG], methods=["dualres"], seeds=[42, 43]):
            ledger.record(job, synthetic_outcome(job))
        results = Results(ledger, study("ablation"))
    assert results.cell(percent_f1, dataset=RIG, method="dualres").seeds == (41, 42, 43)
    by_seed, _ = difference(results, RIG, CONTROL_NAMES[0])
    assert list(by_seed) == [41]


def test_what_a_reader_must_know_stands_under_the_bars(full):
    words = ablation_panels(full["ablation"]).figure.get_supxlabel().replace("\n", " ")
    assert words.startswith("n = 1.")
    assert "Not run: Paderborn, KAIST, UORED, HUST, Ottawa and MCC5." in words

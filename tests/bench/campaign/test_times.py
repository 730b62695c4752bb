"""Estimates of a job's time."""

from dataclasses import replace

import pytest

from dualres.bench.campaign.studies import jobs, study
from dualres.bench.campaign.times import Times, nominal_s, times_in
from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import MethodEntry, entry
from tests.bench.campaign.synthetic import synthetic_ledger


@pytest.fixture(scope="module")
def job():
    return jobs(study("pilot"), ["simulated"], methods=["dualres"])[0]


def test_the_constants_count_window_updates_and_judged_windows(job):
    fit_ms, judge_ms = entry("dualres").nominal_ms
    # 8 classes x 3 recordings x 4 windows, 300 updates; 120 recordings of 23 windows
    assert nominal_s(job) == pytest.approx((96 * 300 * fit_ms + 120 * 23 * judge_ms) / 1000)
    assert Times().seconds(job) == nominal_s(job)


def test_every_method_has_constants():
    assert all(entry(name).nominal_ms != MethodEntry.nominal_ms for name in NAMES)


def test_a_control_counts_as_dualres(job):
    assert Times().seconds(replace(job, method="dualres/short")) == nominal_s(job)


def test_finished_jobs_of_the_method_outweigh_the_constants(job):
    times = Times([(job, 2 * nominal_s(job))])
    other = replace(job, seed=99, most_judged=3)
    assert times.seconds(other) == pytest.approx(2 * nominal_s(other))
    patchtst = replace(job, method="patchtst")
    assert times.seconds(patchtst) == nominal_s(patchtst)


def test_what_a_gpu_takes_is_unknown_until_one_was_used(job):
    on_gpu = replace(job, device="cuda")
    assert Times().seconds(on_gpu) is None
    total = Times().total([job, on_gpu])
    assert (total.seconds, total.unknown) == (nominal_s(job), 1)
    times = Times([(on_gpu, 7.0)])
    assert times.seconds(on_gpu) == pytest.approx(7.0)
    assert times.total([job, on_gpu]).unknown == 0


def test_a_ledger_tells_what_its_jobs_took(tmp_path, job):
    with synthetic_ledger(tmp_path / "ledger.sqlite", ["pilot"], datasets=["simulated"]) as ledger:
        assert times_in(ledger).seconds(job) == pytest.approx(15.0)


@pytest.mark.parametrize("dataset", ["paderborn", "mcc5", "phm2009"])
def test_folds_without_a_limit_have_a_nominal_number_of_windows(dataset):
    planned = [j for name in ("bearing", "gearbox", "pilot") for j in jobs(study(name), [dataset])]
    assert planned
    assert all(nominal_s(job) > 0 for job in planned)

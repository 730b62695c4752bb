from dualres.bench.campaign import progress_tables as tables
from dualres.bench.campaign.coordinator import JobResult, RunSummary
from dualres.bench.campaign.studies import STUDIES, Quick, jobs, study
from dualres.bench.campaign.times import Times

PILOT = jobs(study("pilot"), ["simulated"])


def test_a_plan_counts_what_is_done_and_how_long_the_rest_takes():
    done = {PILOT[0].key}
    (row,) = tables.plan_rows({"pilot": PILOT}, done, Times())
    assert (row.study, row.dataset, row.jobs, row.done) == ("pilot", "simulated", len(PILOT), 1)
    assert row.methods == len({job.method for job in PILOT})
    assert row.rest == Times().total(PILOT[1:])


def test_progress_is_told_of_every_study_and_of_quick_sizes_where_there_is_any():
    quick = jobs(study("pilot"), ["simulated"], quick=Quick())
    done = {PILOT[0].key, quick[0].key, "another"}
    rows, others = tables.progress_rows(["simulated"], done, {PILOT[1].key})
    full = {row.study: row for row in rows if not row.quick}
    assert set(full) == set(STUDIES)
    pilot = full["pilot"]
    assert (pilot.planned, pilot.done, pilot.failed, pilot.missing) == (len(PILOT), 1, 1, len(PILOT) - 2)
    assert [(row.study, row.done) for row in rows if row.quick and row.study == "pilot"] == [("pilot", 1)]
    assert others == 1


def test_a_run_is_counted_for_each_study_and_shared_jobs_once():
    summary = RunSummary(len(PILOT), 0, [JobResult(PILOT[0], 1.0), JobResult(PILOT[1], 1.0, "no memory")])
    chosen = {"pilot": PILOT, "same": PILOT[:1]}
    first, second = tables.run_rows(chosen, summary)
    assert (first.jobs, first.before, first.now, first.failed) == (len(PILOT), len(PILOT) - 2, 1, 1)
    assert (second.study, second.now) == ("same", 1)
    assert tables.distinct_jobs(chosen) == PILOT


def test_failures_are_grouped_by_reason_and_datasets_named_once():
    failures = [(PILOT[0], "no memory"), (PILOT[1], "no memory")]
    assert tables.jobs_by_reason(failures) == {"no memory": PILOT[:2]}
    used = tables.datasets_of(["pilot", "pilot"])
    assert len(used) == len(set(used))
    assert "simulated" in used

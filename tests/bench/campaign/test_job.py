import dataclasses
import json

import pytest

from dualres.bench.campaign.job import Job, read_job
from dualres.bench.datasets.folds import load_fold
from dualres.config import Recipe, recipe_named
from dualres.errors import ConfigError
from dualres.learn.fold import Budget

JOB = Job("mcc5", "M1", load_fold("M1").hash, Budget(3, 4), "dualres", Recipe(300), 41)


def test_a_plan_is_plain_json_and_describes_the_job():
    assert read_job(json.loads(json.dumps(JOB.plan()))) == JOB
    for change in ({"method": "minirocket", "recipe": None}, {"recipe": recipe_named("robust")}):
        job = dataclasses.replace(JOB, **change)
        assert read_job(json.loads(json.dumps(job.plan()))) == job


def test_the_key_is_the_plan_s_and_never_changes():
    """A ledger of today must be understood tomorrow: this value may only change together with the plan's format."""
    assert JOB.key == read_job(JOB.plan()).key
    assert JOB.key == "bd8015a0f7711595dd1cd32f7b434bae4045f04b6c59ca227dac964c38fbec2a"


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 42},
        {"budget": Budget(3, 5)},
        {"recipe": Recipe(301)},
        *({"recipe": Recipe(300, **{part: 5})} for part in ("path_sigma", "path_waves")),
        *({"recipe": Recipe(300, **{part: True})} for part in ("mixup", "standardise")),
        {"threads": 2},
        {"device": "cuda"},
        {"most_judged": 24},
        {"judged": "validation"},
        {"support_step": 0.5},
        {"fold_hash": "0"},
        {"method": "mambasl"},
    ],
)
def test_everything_a_result_depends_on_is_in_the_key(change):
    assert dataclasses.replace(JOB, **change).key != JOB.key


def test_a_job_of_a_changed_fold_is_refused():
    with pytest.raises(ConfigError, match="planned for another"):
        dataclasses.replace(JOB, fold_hash="0" * 64).used_fold()


def test_validation_takes_the_last_support_recording_and_no_evaluation():
    frozen, used = load_fold("M1"), dataclasses.replace(JOB, judged="validation").used_fold()
    assert used.evaluation == tuple(members[-1] for members in frozen.support.values())
    assert all("2000" in name and "20" in name for name in used.evaluation)
    assert {len(members) for members in used.support.values()} == {5}
    assert used.held_out == "operating condition of the source"
    assert not (set(used.evaluation) | used.supporting()) & set(frozen.evaluation)


def test_a_limit_spreads_over_all_that_is_judged():
    few = dataclasses.replace(JOB, most_judged=24).used_fold().evaluation
    every = load_fold("M1").evaluation
    assert few == every[::5]
    assert dataclasses.replace(JOB, most_judged=1000).used_fold().evaluation == every


@pytest.mark.parametrize("spoil", [{"format": "dualres-job/9"}, {"surprise": 1}, {"budget": {"windows": 3}}])
def test_a_foreign_plan_is_refused(spoil):
    with pytest.raises(ConfigError, match="plan"):
        read_job(JOB.plan() | spoil)


@pytest.mark.parametrize(
    ("name", "value"),
    [("dataset", ["simulated"]), ("fold", None), ("seed", "4"), ("seed", True), ("threads", 1.0), ("most_judged", "3")],
)
def test_a_plan_that_holds_another_kind_of_thing_is_refused(name, value):
    with pytest.raises(ConfigError, match=rf"its {name} is of another kind"):
        read_job(JOB.plan() | {name: value})

from dataclasses import replace

import pytest

from dualres.campaign.studies import jobs, study
from dualres.exchange.outcome_form import well_formed
from dualres.learn.history import Step
from tests.campaign.synthetic import synthetic_outcome

OUTCOME = synthetic_outcome(jobs(study("pilot"), ["simulated"])[0])
NAN, HUGE = float("nan"), int("9" * 400)


def facts(**changes):
    return {"facts": OUTCOME.facts | changes}


def test_what_a_job_gives_is_well_formed():
    assert well_formed(OUTCOME)


@pytest.mark.parametrize(
    "change",
    [
        {"classes": (1, *OUTCOME.classes[1:])},
        {"recordings": (None, *OUTCOME.recordings[1:])},
        {"truth": (len(OUTCOME.classes), *OUTCOME.truth[1:])},
        {"truth": (True, *OUTCOME.truth[1:])},
        {"windows": ("20", *OUTCOME.windows[1:])},
        {"scores": (OUTCOME.scores[0][1:], *OUTCOME.scores[1:])},
        *({"scores": ((value, *OUTCOME.scores[0][1:]), *OUTCOME.scores[1:])} for value in ("0.5", None, NAN, HUGE)),
        *({"history": (Step(*values),)} for values in (("1", 0.5, 0.1), (1, None, 0.1), (1, 0.5, NAN))),
        {"facts": {}},
        *(facts(support=value) for value in (3, [["a"]], [["a", "b"]], [[1, 2]])),
        *(facts(labelled_s=value) for value in ([], {"a": "1"})),
        *(facts(inputs=value) for value in ([], {"a": 1})),
    ],
)
def test_what_is_of_another_form_is_told(change):
    assert not well_formed(replace(OUTCOME, **change))

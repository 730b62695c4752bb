from dualres.campaign.studies import folds_of
from dualres.methods import CONTROL_NAMES, NAMES
from dualres.paper.protocol import CONTROLLED, FINALISTS, FOLDS, PAIR
from dualres.paper.weights import WEIGHTS


def test_the_paper_s_folds_and_methods_are_those_that_the_package_has():
    assert {dataset: folds_of(dataset) for dataset in FOLDS} == FOLDS
    assert set(FINALISTS) | set(PAIR) <= set(NAMES)
    assert tuple(WEIGHTS) == NAMES
    assert ("dualres", *CONTROL_NAMES) == CONTROLLED

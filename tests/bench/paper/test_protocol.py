from dualres.bench.campaign.studies import folds_of
from dualres.bench.methods import CONTROL_NAMES, NAMES
from dualres.bench.paper.printed import WEIGHTS
from dualres.bench.paper.protocol import CONTROLLED, FINALISTS, FOLDS, PAIR


def test_the_paper_s_folds_and_methods_are_those_that_the_package_has():
    assert {dataset: folds_of(dataset) for dataset in FOLDS} == FOLDS
    assert set(FINALISTS) | set(PAIR) <= set(NAMES)
    assert tuple(WEIGHTS) == NAMES
    assert ("dualres", *CONTROL_NAMES) == CONTROLLED

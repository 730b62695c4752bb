from dataclasses import replace

import pytest

from dualres.bench.campaign.studies import jobs, study
from dualres.bench.methods.catalog import names
from dualres.bench.report.names import device_names, method_name

CWRU, PHM = (jobs(study("published"), [dataset], methods=["dualres"])[0] for dataset in ("cwru", "phm2009"))
ROCKET = jobs(study("published"), ["cwru"], methods=["minirocket"])[0]


def test_a_control_that_the_paper_does_not_have_is_called_ours():
    ours = [method_name(name) for name in names() if method_name(name).endswith(" (ours)")]
    assert ours == ["No memory (ours)", "Views (ours)", "Orders (ours)", "Orders, no speed (ours)"]
    assert method_name("dualres/no-rotation") == "No rotation"


SHORT, MAMBA = (replace(CWRU, method=name) for name in ("dualres/short", "mambasl"))


@pytest.mark.parametrize(
    ("on_cpu", "on_gpu", "said"),
    [
        ([CWRU, PHM, ROCKET], [], "a CPU"),
        ([], [CWRU], "a GPU"),
        ([], [], ""),
        ([CWRU, PHM], [CWRU, PHM], "a CPU and a GPU"),
        ([ROCKET], [CWRU], "a CPU (MiniRocket) and a GPU (DualRes)"),
        ([SHORT, ROCKET, CWRU], [MAMBA], "a CPU (DualRes, MiniRocket, Short only) and a GPU (MambaSL)"),
        ([CWRU, ROCKET], [PHM], "a CPU (DualRes on CWRU, MiniRocket) and a GPU (DualRes on PHM2009)"),
    ],
)
def test_methods_and_datasets_are_named_where_they_differ_in_the_papers_order(on_cpu, on_gpu, said):
    assert device_names([*on_cpu, *(replace(job, device="cuda") for job in on_gpu)]) == said

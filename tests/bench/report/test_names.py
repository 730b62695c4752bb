from dataclasses import replace

from dualres.bench.campaign.studies import jobs, study
from dualres.bench.methods.catalog import names
from dualres.bench.report.names import device_names, method_name

CWRU, PHM = (jobs(study("published"), [dataset], methods=["dualres"])[0] for dataset in ("cwru", "phm2009"))
ROCKET = jobs(study("published"), ["cwru"], methods=["minirocket"])[0]


def on_gpu(job):
    return replace(job, device="cuda")


def test_a_control_that_the_paper_does_not_have_is_called_ours():
    ours = [method_name(name) for name in names() if method_name(name).endswith(" (ours)")]
    assert ours == ["No memory (ours)", "Views (ours)"]
    assert method_name("dualres/no-rotation") == "No rotation"


def test_one_device_needs_no_methods():
    assert device_names([CWRU, PHM, ROCKET]) == "a CPU"
    assert device_names([on_gpu(CWRU)]) == "a GPU"
    assert device_names([]) == ""


def test_methods_are_named_where_they_differ_in_the_papers_order():
    assert device_names([ROCKET, on_gpu(CWRU)]) == "a CPU (MiniRocket) and a GPU (DualRes)"
    short = replace(CWRU, method="dualres/short")
    assert device_names([short, ROCKET, CWRU, on_gpu(replace(CWRU, method="mambasl"))]) == (
        "a CPU (DualRes, MiniRocket, Short only) and a GPU (MambaSL)"
    )


def test_datasets_are_named_where_a_method_differs_among_them():
    assert (
        device_names([CWRU, ROCKET, on_gpu(PHM)])
        == "a CPU (DualRes on CWRU, MiniRocket) and a GPU (DualRes on PHM2009)"
    )


def test_what_ran_on_both_needs_no_methods():
    assert device_names([CWRU, on_gpu(CWRU), PHM, on_gpu(PHM)]) == "a CPU and a GPU"

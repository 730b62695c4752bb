"""What the pages say of inference on a GPU follows from the tables and figures that there are."""

import pytest

from dualres.bench.report.plots.drawn import write_drawn
from dualres.errors import ConfigError
from tests.bench.profile.synthetic import keep_all
from tools.pages.speed import Speed

TABLE = "### Latency\n\n| Method | {} |\n| --- | ---: |\n| DualRes | 0.24 |\n"


@pytest.fixture
def results(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "costs_window_cuda_4.md").write_text(TABLE.format("CWRU"))
    return tmp_path


def test_the_eager_way_is_said_to_be_missing_until_it_was_measured(results):
    told = Speed(results).gpu_windows()
    assert "its eager way was not measured" in told
    assert "| DualRes | 0.24 |" in told
    (results / "tables" / "costs_ways_cuda_4.md").write_text(TABLE.format("CWRU, eager"))
    (results / "tables" / "costs_summary_cuda_4_eager.md").write_text(TABLE.format("Median (range), ms"))
    told = Speed(results).gpu_windows()
    assert "not measured" not in told
    assert "CWRU, eager" in told
    assert "Median (range), ms" in told


def test_of_a_dataset_s_figures_of_efficiency_the_like_way_is_shown(results):
    (results / "figures").mkdir()
    names = ("score_and_latency_cwru_cuda_4", "score_and_latency_cwru_cuda_4_eager", "score_and_latency_phm2009_cuda_4")
    write_drawn(results / "figures", [{"name": name, "title": f"of {name}"} for name in (*names, "latency_cuda_4")])
    assert Speed(results).efficiency_figures().split("\n\n") == [
        f"![of {name}](../results/figures/{name}.png)" for name in names[1:]
    ]


def test_a_measured_latency_is_that_of_the_tables(results):
    keep_all(results / "profile", ["cwru"], ["dualres", "mambasl"])
    assert float(Speed(results).inference("window_ms", "cwru", "dualres", "cuda_4")) > 0
    with pytest.raises(ConfigError, match="window_ms of patchtst on cwru was not measured"):
        Speed(results).inference("window_ms", "cwru", "patchtst", "cuda_4")

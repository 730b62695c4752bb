import pytest

from dualres.campaign import engines


@pytest.fixture
def made(monkeypatch):
    calls = []
    monkeypatch.setattr("dualres.campaign.local.LocalExecutor", lambda *given: calls.append(given))
    monkeypatch.setattr(engines, "_cores", lambda: 16)
    monkeypatch.setattr(engines, "fits_together", lambda config, device: True)
    return calls


def test_cores_decide_how_many_jobs_run_side_by_side(made, tmp_path):
    engines.local_executor(tmp_path, tmp_path, jobs=None, threads=4, device="cpu")
    engines.local_executor(tmp_path, tmp_path, jobs=3, threads=4, device="cpu")
    engines.local_executor(tmp_path, tmp_path, jobs=None, threads=32, device="cpu")
    assert [given[0] for given in made] == [4, 3, 1]


def test_a_gpu_takes_a_few_workers_that_fit_several_jobs_together(made, tmp_path):
    engines.local_executor(tmp_path, tmp_path, jobs=None, threads=1, device="cuda")
    ((workers, *_, together),) = made
    assert (workers, together) == (engines.JOBS_ON_A_GPU, engines.FITS_TOGETHER)

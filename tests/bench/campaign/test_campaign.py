"""A tiny campaign from its plan to a table, and the table's numbers found again from the model files alone."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from dualres.bench.campaign.coordinator import run
from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.process_executor import LocalExecutor
from dualres.bench.campaign.studies import Quick, jobs, study
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods.model_file import load
from dualres.bench.report.results import Results
from dualres.bench.report.tables import study_tables
from dualres.recordings.resample import resample
from dualres.simulated import rig as simulated

TINY = Quick(updates=2, most_judged=8, methods=("dualres",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    with Ledger(folder / "ledger.sqlite") as ledger:
        summary = run(jobs(study("pilot"), ["simulated"], quick=TINY), ledger, LocalExecutor(1, Path("stores"), folder))
    assert len(summary.finished) == 2
    return folder


def judged_again(folder, key, fold):
    """Verdicts by the stored model on windows cut by hand; truth from the recordings themselves."""
    model, recordings = load(folder / "models" / f"{key}.safetensors"), {r.id: r for r in simulated.recordings()}
    names = load_fold(fold).evaluation
    truth, said = [], []
    for name in names[:: len(names) // TINY.most_judged]:
        signal = resample(recordings[name].signal, recordings[name].rate, 64_000)
        windows = np.stack([signal[start : start + 32_768] for start in range(0, 23 * 16_384, 16_384)])
        truth.append(recordings[name].label)
        said.append(load_fold(fold).classes[model.scores(windows).mean(0).argmax()])
    return 100 * f1_score(truth, said, labels=load_fold(fold).classes, average="macro", zero_division=0)


@pytest.mark.exhaustive
def test_the_numbers_of_the_table_are_those_of_the_models(folder):
    with Ledger(folder / "ledger.sqlite") as ledger:
        keys = {job.fold: key for key, job in ledger.jobs().items()}
        table = next(t for t in study_tables(Results(ledger, study("pilot"), quick=TINY)) if t.name.startswith("pilot"))
    by_fold = [judged_again(folder, keys[fold], fold) for fold in ("S1", "S2")]
    row = next(row for row in table.rows if row[0].text == "DualRes")
    assert [value.text for value in row[1:4]] == [f"{score:.2f}" for score in (*by_fold, np.mean(by_fold))]
    assert "QUICK RUN" in table.caption

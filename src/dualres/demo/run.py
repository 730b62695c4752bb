"""The main job in one go, on the embedded rig: simulate, learn, judge; and some of its recordings as files."""

import csv
import io
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dualres.config import DEFAULT_RESAMPLER, ModelConfig
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.learn.fit import fit_support
from dualres.learn.fold import Budget, Fold, parse_fold
from dualres.learn.fold_support import evaluate, gather_support
from dualres.learn.support import Support
from dualres.learn.trained.task import Step
from dualres.metrics import Evaluation, guessing
from dualres.model.kinds import NetworkRecipe
from dualres.model_file.card import Card
from dualres.recordings.labels.table import LABELS
from dualres.simulated import rig as simulated
from dualres.utils.files import write_whole
from dualres.utils.progress import Progress, quiet, renamed

BUDGET = Budget(recordings=3, windows=4)
SECONDS = 4  # of each recording that is written
TO_JUDGE = 2  # recordings of each class that are written without a label


@dataclass(frozen=True)
class Demo:
    """All that a demonstration run found out."""

    fold: Fold
    support: Support
    model: Model
    history: list[Step]
    evaluation: Evaluation
    fit_s: float
    evaluate_s: float

    @property
    def seconds_per_class(self) -> float:
        """Unique labelled seconds of the class that has most."""
        return max(self.support.seconds.values())

    @property
    def guess(self) -> tuple[float, float]:
        """Accuracy and macro-F1 to expect of guessing."""
        return guessing(self.evaluation.confusion.sum(1).tolist())


def run_demo(fold_name: str, chosen: NetworkRecipe, seed: int, progress: Progress = quiet) -> Demo:
    """Learn the rig from the fold's support and judge every recording it holds out."""
    file = simulated.FOLDS / f"{fold_name}.json"
    if not file.is_file():
        raise ConfigError(f"there is no fold {fold_name!r} of the rig; the demonstration knows S1 and S2")
    fold = parse_fold(file.read_text(), fold_name, "install the package again")
    recordings, config = simulated.recordings(), ModelConfig()
    simulating = renamed(progress, "Simulate the labelled windows")
    support = gather_support(fold, recordings, BUDGET, config, progress=simulating, resampler=DEFAULT_RESAMPLER)
    begin = time.perf_counter()
    card = Card(
        fold.classes, config, chosen.recipe, seed, DEFAULT_RESAMPLER, support.seconds, method=chosen.kind.method
    )
    model, history = fit_support(support, card, progress=renamed(progress, "Learn"))
    fitted = time.perf_counter()
    evaluation = evaluate(model, fold, recordings, progress)
    evaluated = time.perf_counter()
    score = {"macro_f1": evaluation.macro_f1, "accuracy": evaluation.accuracy}
    model = replace(model, card=replace(card, held_out=fold.held_out, score=score))
    return Demo(fold, support, model, history, evaluation, fitted - begin, evaluated - fitted)


def write_recordings(demo: Demo, folder: Path) -> Path:
    """What was learned from, with its labels, and a few of what was judged, without; beside a list of all of them."""
    import soundfile

    everything, learned = {one.id: one for one in simulated.recordings()}, dict(demo.support.origins)
    others: dict[str | None, list[str]] = defaultdict(list)
    for name in demo.fold.evaluation:
        others[everything[name].label].append(name)
    judged = [name for names in others.values() for name in names[:TO_JUDGE]]
    conditions = sorted({column for one in everything.values() for column in one.condition} - {"severity"})
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(["file", "label", *conditions])
    for name in (*learned, *judged):
        one = everything[name]
        sound, samples = io.BytesIO(), np.asarray(one.signal[: SECONDS * int(one.rate)])
        soundfile.write(sound, samples, int(one.rate), format="WAV", subtype="FLOAT")  # the samples are not changed
        write_whole(folder / f"{name}.wav", sound.getvalue())
        label = one.label if name in learned else ""
        rows.writerow([f"{name}.wav", label, *(one.condition.get(column, "") for column in conditions)])
    write_whole(folder / LABELS, table.getvalue().encode())
    return folder

"""Two methods learn from the same labelled windows of the simulated rig and judge the same unseen recordings.

This is what a job of the benchmark does, in small: `dualres bench run` does it for all methods, folds and seeds. The
fits are far too short, so that this takes seconds.
"""

import numpy as np
from sklearn.metrics import f1_score

from dualres import ModelConfig, Recipe
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods import method
from dualres.recordings.windows import at_rate, cut, evenly
from dualres.simulated import rig as simulated

METHODS = ("dualres", "patchtst")
LABELLED, JUDGED = 3, 4  # windows of each recording


def main() -> None:
    config, fold = ModelConfig(), load_fold("S1")
    rig = {recording.id: recording for recording in simulated.recordings()}
    start = int(fold.support_start_s * config.rate)

    def windows(name: str, count: int) -> np.ndarray:
        """The first windows of a recording, side by side, at 64 kHz."""
        signal = at_rate(rig[name], config.rate, config.window)
        return cut(signal, evenly(start, count, config.window), config.window, name)

    support = np.concatenate([windows(members[0], LABELLED) for members in fold.support.values()])
    labels = np.repeat(np.arange(len(fold.classes)), LABELLED)
    unseen = fold.evaluation[::12]
    truth = [fold.classes.index(str(rig[name].label)) for name in unseen]
    seconds = LABELLED * config.window_s
    print(f"fold {fold.fold}, held-out {fold.held_out}: {seconds:.3f} labelled s per class, {len(unseen)} judged")

    for name in METHODS:
        fitted = method(name, Recipe(updates=30)).fit(support, labels, len(fold.classes), seed=41)
        verdicts = [int(fitted.scores(windows(recording, JUDGED)).mean(0).argmax()) for recording in unseen]
        score = f1_score(truth, verdicts, average="macro", zero_division=0)
        print(f"{name:<10} macro-F1 {100 * score:4.1f} %  {fitted.cost.registered:,} parameters")


if __name__ == "__main__":
    main()

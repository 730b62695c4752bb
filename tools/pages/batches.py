"""What judging together is worth (`dualres diagnose --together`), from stored scores; nothing is fitted."""

from functools import partial
from itertools import product

from dualres.bench.campaign.studies import NEURAL_PEERS
from dualres.bench.report.adapted_scores import f1_together, unlabelled_s
from dualres.bench.report.names import method_name
from dualres.judge.batch_correction import CHOSEN
from experiments.eval_batch_correction import UNGUARDED, BatchScores, Kind, Setting
from tools.pages.cells import Cells
from tools.pages.measured import table


class Batches:
    """Networks of views are asked for as a recipe, `views`; conditions are `known` or `unknown`."""

    def __init__(self, cells: Cells) -> None:
        self._cell, self._scores = cells.cell, BatchScores()

    def judged_together(self, dataset: str, recipe: str, method: str = "dualres", *, conditions: str = "known") -> str:
        """Macro-F1 in percent, all recordings of a fold being one batch; mean over folds and seeds."""
        metric = partial(f1_together, dataset=dataset if conditions == "known" else "")
        return f"{self._cell(dataset, method, recipe=recipe, metric=metric).mean:.1f}"

    def unlabelled_seconds(self, dataset: str) -> str:
        """Of a fold's recordings; mean over folds."""
        return f"{self._cell(dataset, 'dualres', recipe='robust', metric=unlabelled_s).mean:.0f}"

    def recording_seconds(self, dataset: str) -> str:
        """Of one recording, as it is judged; mean over all."""
        outcomes = [entry.outcome for entry in self._cell(dataset, "dualres", recipe="robust").entries]
        return f"{sum(map(unlabelled_s, outcomes)) / sum(len(one.truth) for one in outcomes):.1f}"

    def mixed_change(self, dataset: str, recipe: str, conditions: str = "known") -> str:
        """Points of accuracy gained in batches with random class shares."""
        return self._change(dataset, recipe, "shares", Setting(conditions == "known", CHOSEN))

    def one_class_change(self, dataset: str, recipe: str, conditions: str = "known") -> str:
        """Points of accuracy gained in batches of one class."""
        return self._change(dataset, recipe, "one", Setting(conditions == "known", CHOSEN))

    def one_class_unguarded(self, dataset: str, recipe: str) -> str:
        """The same of a batch that is divided by its mean, whatever it holds."""
        return self._change(dataset, recipe, "one", Setting(False, UNGUARDED))

    def peers_together(self, dataset: str) -> str:
        """A table of the other methods that the recipes were compared with."""
        seconds, rows = self.unlabelled_seconds(dataset), []
        for method, name in product(NEURAL_PEERS, ("paper", "robust")):
            alone = f"{self._cell(dataset, method, recipe=name).mean:.1f}"
            rows.append([method_name(method), name, alone, self.judged_together(dataset, name, method), seconds])
        return table(("", "recipe", "alone", "together", "unlabelled seconds"), rows, narrow=True)

    def _change(self, dataset: str, recipe: str, kind: Kind, setting: Setting) -> str:
        entries = self._cell(dataset, "dualres", recipe=recipe).entries
        return f"{self._scores.gain(entries, kind, setting):+z.1f}"

"""DualRes and its controls as methods among the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.neural import FittedNeural, Network, NeuralMethod, cost_of
from dualres.bench.methods.resources import measured
from dualres.bench.methods.views import ENTRIES as IN_CLOSED_FORM
from dualres.config import ModelConfig, Recipe
from dualres.judge.backends import Windows, scorer
from dualres.learn.support import MICROBATCH
from dualres.learn.trained.fit import fit_networks
from dualres.learn.trained.task import Task
from dualres.model.network import DualRes
from dualres.utils.arrays import Floats


class DualResNetwork(Network):
    """DualRes, cut where its learned part begins: the two spectra are its views."""

    microbatch = MICROBATCH  # no batch statistics, so that larger is only faster

    def __init__(self, model: DualRes) -> None:
        super().__init__()
        self.model = model
        self.window = model.config.window

    @property
    def own_network(self) -> DualRes:  # type: ignore[override]
        return self.model

    def views(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        return self.model.spectra(windows)

    def forward(self, short: Tensor, long: Tensor) -> Tensor:
        return self.model.classify(short, long)

    def logits(self, windows: Windows, forward: Callable[..., Tensor] | None = None) -> Floats:
        return scorer(self.model)(windows)  # it has recorded passes of its own


@dataclass(frozen=True)
class DualResMethod(NeuralMethod):
    """DualRes with given sizes; on a GPU fits of equal shape can be done all at once."""

    config: ModelConfig = field(default_factory=ModelConfig)

    def learn_together(self, tasks: Sequence[Task]) -> list[list[FittedNeural]]:
        """As of every neural method, of tasks with the same classes, device, progress and stages; on a GPU at once."""
        with measured(tasks[0].device) as spent:
            fitted = fit_networks(tasks, self.config, self.recipe)
        found = []
        for task, one in zip(tasks, fitted, strict=True):
            by_updates = one.stages | {self.recipe.updates: one.network}
            networks = {updates: DualResNetwork(network).eval() for updates, network in by_updates.items()}
            cost = cost_of(spent, networks[self.recipe.updates], len(networks), len(tasks))
            found.append(self._fitted(task, networks, one.history, cost))
        return found


def _entry(name: str, title: str, config: ModelConfig, *, control: bool = True, paper: bool = True) -> MethodEntry:
    def build(classes: int, seed: int | None) -> DualResNetwork:
        return DualResNetwork(DualRes(classes, config, seed))

    def make(entry: MethodEntry, recipe: Recipe | None) -> DualResMethod:
        return DualResMethod(entry.name, entry.family, build, recipe or Recipe(), config)

    look = MethodStyle() if control else MethodStyle("#14566f", "o", "-", "")
    return MethodEntry(
        name, title, "state space", make, look, (1.1, 0.6), fits_together=True, control=control, paper=paper
    )


ENTRY = _entry("dualres", "DualRes", ModelConfig(), control=False)
CONTROLS = (
    _entry("dualres/short", "Short only", ModelConfig(branches="short")),
    _entry("dualres/long", "Long only", ModelConfig(branches="long")),
    _entry("dualres/no-rotation", "No rotation", ModelConfig(rotation=False)),
    _entry("dualres/no-jitter", "No jitter", ModelConfig(jitter=0.0)),
    _entry("dualres/no-memory", "No memory", ModelConfig(memory=False), paper=False),
    *IN_CLOSED_FORM,
)

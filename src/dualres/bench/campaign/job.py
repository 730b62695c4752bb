"""A job: one fit and what it is judged on, described completely by plain JSON whose hash is its key."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

from dualres.bench.datasets.folds import Fold, load_fold
from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.learn.fold import Budget

FORMAT = "dualres-job/1"

JudgedSide = Literal["evaluation", "validation"]


@dataclass(frozen=True)
class Job:
    """Everything a result depends on; two jobs with the same key have the same result.

    A job that is judged on "validation" learns from all support recordings of a class but the last, and is judged on
    that one: it has no use for evaluation recordings and cannot open them.
    """

    dataset: str
    fold: str
    fold_hash: str
    budget: Budget
    method: str
    recipe: Recipe | None  # None for a method that has no updates
    seed: int
    judged: JudgedSide = "evaluation"
    support_step: float | None = None  # in windows, where it is not the fold's
    most_judged: int | None = None  # at most this number of judged recordings, spread over all; None for every one
    threads: int = 1
    device: str = "cpu"  # the kind: "cpu" or "cuda"
    resampler: str = POLYPHASE

    def plan(self) -> dict[str, Any]:
        recipe = None if self.recipe is None else self.recipe.as_data()
        return {"format": FORMAT, **asdict(self), "recipe": recipe}

    @cached_property
    def key(self) -> str:
        """SHA-256 of the plan's canonical JSON."""
        canonical = json.dumps(self.plan(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def title(self) -> str:
        updates = f" {self.recipe.updates} updates" if self.recipe else ""
        how = "" if self.recipe is None or self.recipe.plain else f" {self.recipe.kind}"
        return f"{self.method} {self.fold} {self.budget}{how}{updates} seed {self.seed}"

    def used_fold(self) -> Fold:
        """The frozen fold as this job uses it; an error if it is not the fold the job was planned with."""
        fold = load_fold(self.fold)
        if fold.hash != self.fold_hash:
            raise ConfigError(f"fold {self.fold} has hash {fold.hash[:16]}, the job was planned for another")
        if self.support_step is not None:
            fold = replace(fold, support_step=self.support_step)
        if self.judged == "validation":
            kept = {label: members[:-1] for label, members in fold.support.items()}
            last = tuple(members[-1] for members in fold.support.values())
            fold = replace(fold, support=kept, evaluation=last, held_out="operating condition of the source")
        if self.most_judged is not None:
            names, count = fold.evaluation, min(self.most_judged, len(fold.evaluation))
            fold = replace(fold, evaluation=tuple(names[i * len(names) // count] for i in range(count)))  # evenly
        return fold


_NONE = type(None)
KINDS: dict[str, tuple[type, ...]] = {  # of what a plan may hold
    **dict.fromkeys(("dataset", "fold", "fold_hash", "method", "judged", "device", "resampler"), (str,)),
    **dict.fromkeys(("seed", "threads"), (int,)),
    "support_step": (int, float, _NONE),
    "most_judged": (int, _NONE),
}


def read_job(plan: Mapping[str, Any]) -> Job:
    """The job that `Job.plan` described."""
    fields = dict(plan)
    if fields.pop("format", None) != FORMAT:
        raise ConfigError(f"a plan in format {plan.get('format')!r}; this version reads {FORMAT!r}")
    try:
        recipe = fields.pop("recipe")
        budget = Budget(**fields.pop("budget"))
        job = Job(budget=budget, recipe=None if recipe is None else Recipe(**recipe), **fields)
        if odd := [name for name, kinds in KINDS.items() if type(getattr(job, name)) not in kinds]:
            raise TypeError(f"its {odd[0]} is of another kind")
        return job
    except (KeyError, TypeError) as error:
        raise ConfigError(f"a plan that cannot be understood ({error})") from error

"""The suite of rigs that defaults are chosen across, and what may be chosen: as data, for plans and for tables."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from dualres.bench.datasets.machines import LETTERS, fold_name
from dualres.bench.paper import protocol as paper
from dualres.config import RECIPES, Recipe
from dualres.learn.fold import Budget
from dualres.simulated import machines, rig
from dualres.simulated.machines import Unit


@dataclass(frozen=True)
class Rig:
    """Folds of one dataset that hold out the same kind of thing: they count as one rig, however many they are."""

    title: str
    dataset: str
    folds: tuple[str, ...]
    budget: Budget = paper.PRIMARY_BUDGET
    updates: int = paper.GEARBOX_UPDATES  # of a recipe that is not long
    real: bool = True  # not simulated
    seeds: tuple[int, ...] = (41, 42, 43, 44, 45)


def _machines(unit: Unit) -> Rig:
    folds = tuple(fold_name(machines.machine(number), unit) for number in machines.NUMBERS)
    return Rig(f"Machines, {unit}", machines.NAME, folds, real=False, seeds=(41,))  # another machine tells more


RIGS = (
    Rig("PHM2009", "phm2009", ("P1", "P2")),
    Rig("CWRU", "cwru", ("C1", "C2"), paper.BEARING_BUDGET, paper.BEARING_UPDATES),
    Rig("CWRU 12k, size", "cwru_12k", ("D1", "D2"), updates=paper.BEARING_UPDATES),
    Rig("CWRU 12k, load", "cwru_12k", ("D3",), Budget(4, 4), paper.BEARING_UPDATES),
    Rig("UESTC", "uestc", ("E1", "E2", "E3", "E4"), Budget(1, 4), paper.BEARING_UPDATES),
    Rig("Rig", rig.NAME, ("S1", "S2"), real=False),
    *map(_machines, LETTERS),
)

# Left out where windows are so long, and so many, that it takes a day of a processor.
TOO_SLOW = {"phm2009": ("tsfresh-lightgbm",), machines.NAME: ("tsfresh-lightgbm",)}

NETWORK = "dualres"
LINEAR = "dualres/no-memory"  # nothing but linear maps of the two mean log-spectra: a peer to be ahead of
# Methods that may be chosen and make no updates.
WITHOUT_RECIPE = ("dualres/views", "dualres/orders-no-speed", "dualres/orders")
PEERS = ("minirocket",)  # of which the same is true, but which are never chosen
# What people would pick instead; those that train do so by these recipes, and count by the better one on each rig.
PICKED = (
    "envelope-forest",
    "envelope-forest/orders",
    "lda",
    "lda/orders",
    "quant",
    "hydra-multirocket",
    "tsfresh-lightgbm",
)
PICKED_TRAINED = ("wdcnn",)

# The parts of the robust recipe; every combination of them may be chosen.
_ROBUST = RECIPES["robust"]
PARTS: dict[str, dict[str, Any]] = {
    "paths": {"path_sigma": _ROBUST.path_sigma},
    "mixup": {"mixup": _ROBUST.mixup},
    "standardised": {"standardise": _ROBUST.standardise},
    "long": {name: getattr(_ROBUST, name) for name in ("updates", "learning_rate", "decay")},
}


def recipes(updates: int) -> dict[str, Recipe]:
    """The sixteen recipes, those of few parts first, on a rig where a recipe that is not long has these updates."""
    found = {}
    for parts in (some for count in range(len(PARTS) + 1) for some in combinations(PARTS, count)):
        changes = {key: value for part in parts for key, value in PARTS[part].items()}
        title = {0: "paper", len(PARTS): "robust"}.get(len(parts), " + ".join(parts))
        found[title] = replace(RECIPES["paper"], **{"updates": updates} | changes)
    return found


def picked(one: Rig) -> tuple[str, ...]:
    """What people would pick instead on this rig, without what trains."""
    return tuple(name for name in PICKED if name not in TOO_SLOW.get(one.dataset, ()))

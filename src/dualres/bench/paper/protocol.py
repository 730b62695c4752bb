"""What the paper's experiments are made of: datasets, folds, methods, label budgets, updates and seeds."""

from dualres.learn.fold import Budget

BEARINGS = ("paderborn", "cwru", "kaist", "uored", "hust", "ottawa")
_LETTERS = dict(zip((*BEARINGS, "mcc5", "phm2009"), "BCKUHOMP", strict=True))
FOLDS = {dataset: (f"{letter}1", f"{letter}2") for dataset, letter in _LETTERS.items()}

STUDIES = ("bearing", "gearbox", "replication", "allocation", "pilot", "ablation", "duration", "optimisation")
FINALISTS = ("dualres", "mambasl", "minirocket")
PAIR = ("dualres", "mambasl")
CONTROLLED = ("dualres", "dualres/short", "dualres/long", "dualres/no-rotation", "dualres/no-jitter")

BEARING_BUDGET = Budget(1, 3)
PRIMARY_BUDGET = Budget(3, 4)
GEARBOX_BUDGETS = tuple(Budget(r, w) for r, w in ((1, 4), (2, 4), (3, 4), (4, 4), (6, 4), (6, 8), (6, 12)))
BY_FOLD_BUDGETS = (PRIMARY_BUDGET, Budget(6, 4))  # of the table by fold
ALLOCATIONS = (Budget(1, 12), PRIMARY_BUDGET, Budget(6, 2))
DURATION_BUDGET = Budget(5, 3)
OPTIMISATION_BUDGET = Budget(6, 4)

BEARING_UPDATES, GEARBOX_UPDATES = 100, 300
CHECKPOINTS = (50, 100, 200, 300)  # updates that the duration study chooses from
SEEDS = (41, 42, 43)

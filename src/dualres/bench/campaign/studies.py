"""The studies of the paper and ours, as data: which jobs each of them is made of."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from dualres.bench.campaign.job import Job, JudgedSide
from dualres.bench.campaign.rigs import LINEAR, NETWORK, PEERS, PICKED_TRAINED, RIGS, WITHOUT_RECIPE, picked, recipes
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold
from dualres.bench.methods import CONTROL_NAMES, NAMES
from dualres.bench.methods.catalog import entry
from dualres.bench.paper import protocol as paper
from dualres.config import RECIPES, Recipe
from dualres.learn.fold import Budget
from dualres.simulated import rig
from dualres.utils.registry import Registry

RIG = rig.NAME
DATASETS = (*catalog.NAMES, RIG)

FIVE_SEEDS = (41, 42, 43, 44, 45)
NEURAL = tuple(name for name in NAMES if entry(name).trains)
NEURAL_PEERS = tuple(name for name in NEURAL if name != "dualres")
OTHERS = tuple(name for name in NAMES if name not in paper.FINALISTS)
SMALLER_BUDGETS = (Budget(1, 4), Budget(2, 4), Budget(1, 3), Budget(3, 1))  # the last two label the same seconds
RECIPE_CONTROLS = ("dualres", "dualres/no-rotation", "dualres/no-memory", "dualres/short", "dualres/long")
CONTROLS_ON = "phm2009"  # where the published study has them
VIEWS = ("dualres/views",)
PRIMARY = (paper.PRIMARY_BUDGET,)
HALF = 0.5  # a window; support windows of the bearing protocol overlap by half

_Names = tuple[str, ...]


@dataclass(frozen=True)
class StudyPart:
    """A rectangle of jobs: folds of the datasets x methods x budgets x seeds x numbers of updates."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    budgets: tuple[Budget, ...]
    updates: tuple[int, ...]
    seeds: tuple[int, ...] = (41,)
    judged: JudgedSide = "evaluation"
    support_step: float | None = None
    recipe: Recipe = RECIPES["paper"]  # with other numbers of updates
    folds: tuple[str, ...] = ()  # of the datasets; without any, all


@dataclass(frozen=True)
class Study:
    """Jobs that answer a question, and how the answer is shown.

    Tables and figures are named as the report registers them: those of the whole study, and those that every dataset
    has its own of. The ones of costs take measurements beside the scores.
    """

    name: str
    question: str
    parts: tuple[StudyPart, ...]
    tables: tuple[str, ...] = ()
    dataset_tables: tuple[str, ...] = ()
    every_seed: bool = True  # whether seeds that were run beside the planned ones get a table
    differences: bool = True  # whether tables of differences between methods follow
    figures: tuple[str, ...] = ()
    dataset_figures: tuple[str, ...] = ()
    cost_figures: tuple[str, ...] = ()
    datasets_apart: bool = False  # whether its datasets are campaigns of their own, each run on a device of its own

    @property
    def of_paper(self) -> bool:
        """Whether the paper has it; others are ours."""
        return self.name in paper.STUDIES


@dataclass(frozen=True)
class Quick:
    """What `--quick` reduces a study to; it is part of every plan, so that no table can mistake it for the real one."""

    seeds: tuple[int, ...] = (41,)
    updates: int = 30
    most_judged: int = 24
    most_folds: int = 2  # of a part on a dataset
    methods: tuple[str, ...] = ("dualres", "dualres/views", *CONTROL_NAMES, "patchtst", "itransformer", "crossformer")


def _bearing(datasets: _Names, methods: _Names, seeds: tuple[int, ...] = (41,)) -> StudyPart:
    return StudyPart(datasets, methods, (paper.BEARING_BUDGET,), (paper.BEARING_UPDATES,), seeds)


def _gearbox(
    datasets: _Names, methods: _Names, budgets: tuple[Budget, ...] = PRIMARY, seeds: tuple[int, ...] = (41,)
) -> StudyPart:
    return StudyPart(datasets, methods, budgets, (paper.GEARBOX_UPDATES,), seeds)


def _and_rig(part: StudyPart, support_step: float | None = None) -> tuple[StudyPart, StudyPart]:
    """The part on the paper's datasets, and the same on the rig, so that anybody can run it."""
    return part, replace(part, datasets=(RIG,), support_step=support_step)


def _by(recipe: Recipe, part: StudyPart) -> StudyPart:
    """The part by another recipe, with its own number of updates."""
    return replace(part, recipe=recipe, updates=(recipe.updates,))


def _by_both_recipes(*parts: StudyPart) -> tuple[StudyPart, ...]:
    return tuple(each for part in parts for each in (part, _by(RECIPES["robust"], part)))


def _rigs() -> Iterator[StudyPart]:
    """Every rig by all recipes, the linear model by two of them, and methods without a recipe."""
    for one in RIGS:
        part = StudyPart((one.dataset,), (NETWORK,), (one.budget,), (one.updates,), one.seeds, folds=one.folds)
        for name, recipe in recipes(one.updates).items():
            methods = (NETWORK, LINEAR) if name in RECIPES else (NETWORK,)
            kind = RECIPES.get(name, recipe)  # as other studies have it, whatever the updates
            yield replace(part, methods=methods, updates=(recipe.updates,), recipe=kind)
        alone = replace(part, seeds=one.seeds[:1])
        yield replace(alone, methods=(*WITHOUT_RECIPE, *PEERS, *picked(one)))
        for name in RECIPES:
            recipe = recipes(one.updates)[name]
            yield replace(alone, methods=PICKED_TRAINED, updates=(recipe.updates,), recipe=RECIPES[name])


STUDIES: Registry[Study] = Registry("study")
STUDIES.update(
    (study.name, study)
    for study in (
        Study(
            "bearing",
            "How well do three methods name bearing faults from 1.024 labelled seconds per class?",
            (
                *_and_rig(_bearing(paper.BEARINGS, paper.FINALISTS, paper.SEEDS), HALF),
                _bearing(("hust",), ("itransformer",), paper.SEEDS),
            ),
            tables=("bearing_macro_f1", "bearing_accuracy", "bearing_by_fold", "bearing_hust_itransformer"),
            figures=("bearing_bars", "mean_ranks"),
            dataset_figures=("confusion",),
        ),
        Study(
            "gearbox",
            "How do nine methods compare on a gearbox, from 2 to 37 labelled seconds per class?",
            _and_rig(_gearbox(("mcc5",), NAMES, paper.GEARBOX_BUDGETS)),
            dataset_tables=("gearbox_macro_f1", "gearbox_accuracy", "gearbox_by_fold", "fit_costs"),
            dataset_figures=("snapshot", "gearbox_panels", "confusion"),
            cost_figures=("score_and_latency",),
        ),
        Study(
            "replication",
            "How far do the best three methods' scores move with the seed?",
            _and_rig(_gearbox(("mcc5",), paper.FINALISTS, paper.GEARBOX_BUDGETS, paper.SEEDS)),
            dataset_tables=("replication",),
        ),
        Study(
            "allocation",
            "At 6.144 labelled seconds per class: few recordings for long, or many for a moment?",
            _and_rig(_gearbox(("mcc5",), paper.PAIR, paper.ALLOCATIONS)),
            dataset_tables=("allocation",),
        ),
        Study(
            "pilot",
            "Does the same recipe work on another gearbox?",
            _and_rig(_gearbox(("phm2009",), paper.PAIR)),
            dataset_tables=("pilot", "pilot_recall"),
            dataset_figures=("class_recall", "confusion"),
        ),
        Study(
            "ablation",
            "What is each component of DualRes worth?",
            (_bearing(paper.BEARINGS, paper.CONTROLLED), *_and_rig(_gearbox(("mcc5",), paper.CONTROLLED))),
            tables=("ablation_macro_f1",),
            figures=("ablation_panels",),
        ),
        Study(
            "duration",
            "How many updates, chosen on source recordings alone?",
            (
                StudyPart(
                    ("mcc5", RIG), paper.PAIR, (paper.DURATION_BUDGET,), paper.CHECKPOINTS, (41,), "validation", HALF
                ),
            ),
            dataset_tables=("duration",),
            differences=False,
            dataset_figures=("duration_selection",),
        ),
        Study(
            "optimisation",
            "How fast does the training loss of eight neural methods fall, and does that predict anything?",
            _and_rig(_gearbox(("mcc5",), NEURAL, (paper.OPTIMISATION_BUDGET,))),
            dataset_tables=("optimisation",),
            differences=False,
            dataset_figures=("training_loss",),
        ),
        Study(
            "broad",
            "How do nine methods compare on bearings, from 1.024 labelled seconds per class?",
            _and_rig(_bearing(paper.BEARINGS, NAMES), HALF),
            tables=("broad_macro_f1", "broad_accuracy"),
        ),
        Study(
            "published",
            "What do nine methods score on the recordings that results/ reports on, and how far do the scores spread?",
            (
                _gearbox((CONTROLS_ON,), (*paper.CONTROLLED, "minirocket"), seeds=FIVE_SEEDS),
                _gearbox(("phm2009",), ("mambasl",), seeds=paper.SEEDS),
                _gearbox(("phm2009",), OTHERS),
                _gearbox(("phm2009",), paper.FINALISTS, SMALLER_BUDGETS),
                _bearing(("cwru",), NAMES, FIVE_SEEDS),
                _gearbox((RIG,), NAMES),
                _gearbox((RIG,), ("dualres",), paper.GEARBOX_BUDGETS, paper.SEEDS),
                _gearbox((RIG,), ("minirocket",), paper.GEARBOX_BUDGETS),
            ),
            tables=(
                "published_phm2009",
                "published_phm2009_seeds",
                "published_phm2009_budgets",
                "published_controls",
                "published_cwru",
                "published_cwru_seeds",
                "published_rig",
                "published_rig_budgets",
                "published_collapse",
                "published_devices",
                "published_fit_costs",
            ),
            figures=("phm2009_dots", "cwru_dots", "control_dots", "rig_curve"),
            cost_figures=("score_and_latency",),
            datasets_apart=True,
        ),
        Study(
            "recipes",
            "What is the robust recipe worth, to DualRes, to its controls and to other networks?",
            _by_both_recipes(
                _gearbox(("phm2009", RIG), RECIPE_CONTROLS, seeds=FIVE_SEEDS),
                _bearing(("cwru",), RECIPE_CONTROLS, FIVE_SEEDS),
                _gearbox(("phm2009",), NEURAL_PEERS),
            ),
            dataset_tables=("recipes",),
            every_seed=False,  # it, and differences, take each method to have one recipe
            differences=False,
            figures=("transfer_paths", "recipe_pairs"),
            datasets_apart=True,
        ),
        Study(
            "adaptation",
            "What is judging recordings together worth, without a label?",
            (
                *_by_both_recipes(
                    _gearbox(("phm2009", RIG), (NETWORK,), seeds=FIVE_SEEDS),
                    _bearing(("cwru",), (NETWORK,), FIVE_SEEDS),
                    _gearbox(("phm2009",), NEURAL_PEERS),
                ),
                _bearing(("cwru",), NEURAL_PEERS, FIVE_SEEDS),
                _gearbox((RIG,), NEURAL_PEERS),
                _gearbox(("phm2009", RIG), VIEWS),
                _bearing(("cwru",), VIEWS),
            ),
            dataset_tables=("adaptation",),
            every_seed=False,
            differences=False,
            datasets_apart=True,
        ),
        Study(
            "rigs",
            "Which way of training is best on rigs that it was not chosen on?",
            tuple(_rigs()),
            tables=("rigs_scores", "rigs_left_out", "rigs_shipped", "rigs_peers"),
            every_seed=False,
            differences=False,
            datasets_apart=True,
        ),
    )
)


def register_study(new: Study) -> None:
    """Make a study known by its name, from outside the package, too: an entry in STUDIES is all it takes."""
    STUDIES.register(new.name, new)


def study(name: str) -> Study:
    return STUDIES.find(name)


def folds_of(dataset: str) -> tuple[str, ...]:
    return catalog.release(dataset).folds


def jobs(
    chosen: Study,
    present: Collection[str],
    *,
    methods: Sequence[str] | None = None,
    seeds: Sequence[int] | None = None,
    folds: Sequence[str] | None = None,
    budgets: Sequence[Budget] | None = None,
    recipe: Recipe | None = None,
    quick: Quick | None = None,
    threads: int = 1,
    device: str = "cpu",
) -> list[Job]:
    """The jobs of a study on the datasets at hand, each once, in a fixed order.

    `methods`, `folds` and `budgets` pick from the study's, `seeds` replaces them, and so does `recipe`, if no part of
    the study is by it; `quick` reduces all that costs time.
    """
    if quick:
        methods = [m for m in quick.methods if methods is None or m in methods]
        seeds = seeds or quick.seeds
    found: dict[str, Job] = {}
    for part in _parts(chosen, recipe):
        picked = [m for m in part.methods if methods is None or m in methods]
        wanted = [b for b in part.budgets if budgets is None or b in budgets]
        updates = [quick.updates * count // max(part.updates) for count in part.updates] if quick else part.updates
        spare = 1 if part.judged == "validation" else 0  # of each class, the recording that is judged
        for dataset in (name for name in part.datasets if name in present):
            own = part.folds or folds_of(dataset)
            its = [fold for fold in map(load_fold, own) if folds is None or fold.fold in folds]
            its = its[: quick.most_folds] if quick else its
            for budget, method, seed, count, fold in product(wanted, picked, seeds or part.seeds, updates, its):
                if min(map(len, fold.support.values())) >= budget.recordings + spare:
                    learner = entry(method)
                    fitted = method, learner.recipe(replace(part.recipe, updates=count)), seed
                    judged = part.judged, part.support_step, quick.most_judged if quick else None
                    place = dataset, fold.fold, fold.hash, budget
                    job = Job(*place, *fitted, *judged, threads=threads, device=learner.device(device))
                    found.setdefault(job.key, job)
    return list(found.values())


def _parts(chosen: Study, recipe: Recipe | None) -> Sequence[StudyPart]:
    """The study's parts by that recipe, else all of them by it."""
    own = [part for part in chosen.parts if recipe in (None, part.recipe)]
    return own or [_by(recipe, part) for part in chosen.parts if recipe]

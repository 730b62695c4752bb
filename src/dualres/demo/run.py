"""The main job in one go, on the embedded rig: simulate, fit, evaluate, report."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from dualres.campaign.protocol import evaluate, gather_support
from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.datasets import simulated
from dualres.datasets.budget import Budget
from dualres.datasets.folds import Fold, load_fold
from dualres.demo import figures
from dualres.errors import ConfigError
from dualres.file import Card, Model, save
from dualres.learn.fit import fit_network
from dualres.learn.history import FittedNetwork
from dualres.learn.support import Support
from dualres.machinery.files import write_whole
from dualres.machinery.progress import Progress, renamed
from dualres.metrics import Evaluation, class_f1, class_recall
from dualres.report import html as report

BUDGET = Budget(recordings=3, windows=4)


@dataclass(frozen=True)
class Demo:
    """All that a demonstration run found out."""

    fold: Fold
    support: Support
    fitted: FittedNetwork
    model: Model
    evaluation: Evaluation
    fit_s: float
    evaluate_s: float

    @property
    def seconds_per_class(self) -> float:
        """Unique labelled seconds of the class that has most."""
        return max(self.support.seconds.values())


def run_demo(fold_name: str, recipe: Recipe, seed: int, progress: Progress) -> Demo:
    """Learn the rig from the fold's support and judge every recording it holds out."""
    fold, recordings, config = load_fold(fold_name), simulated.recordings(), ModelConfig()
    if fold.dataset != simulated.NAME:
        raise ConfigError(f"fold {fold.fold} belongs to {fold.dataset}; the demonstration knows S1 and S2")
    support = gather_support(
        fold,
        recordings,
        BUDGET,
        config,
        renamed(progress, "Simulate the labelled windows"),
    )
    begin = time.perf_counter()
    fitted = fit_network(
        support.windows,
        support.labels,
        len(fold.classes),
        config=config,
        recipe=recipe,
        seed=seed,
        progress=lambda step, total: progress("Learn", step.update, total, f"loss {step.loss:.3f}"),
    )
    fit_s = time.perf_counter() - begin
    model = Model((fitted.network,), Card(fold.classes, config, recipe, seed, POLYPHASE, exposure_s=support.seconds))
    begin = time.perf_counter()
    evaluation = evaluate(
        model,
        fold,
        recordings,
        progress,
    )
    evaluate_s = time.perf_counter() - begin
    score = {"macro_f1": evaluation.macro_f1, "accuracy": evaluation.accuracy}
    card = replace(model.card, held_out=fold.held_out, score=score)
    return Demo(fold, support, fitted, replace(model, card=card), evaluation, fit_s, evaluate_s)


def write_demo(demo: Demo, folder: Path) -> tuple[Path, Path]:
    """The page and the model file."""
    page, model = folder / "report.html", folder / "model.safetensors"
    write_whole(page, demo_page(demo).encode())
    save(demo.model, model)
    return page, model


def demo_page(demo: Demo) -> str:
    fold, card, matrix = demo.fold, demo.model.card, demo.evaluation.confusion
    classes = fold.classes
    windows = len(demo.support.labels)
    evaluated = len(demo.evaluation.recordings)
    # A window of the class with an impact in every revolution, where both views have something to show.
    shown = demo.support.labels.tolist().index(classes.index("missing_teeth"))
    name, start = demo.support.origins[shown]
    tiles = [
        report.tile(f"{100 * demo.evaluation.macro_f1:.1f} %", "macro-F1 on recordings it never saw"),
        report.tile(f"{100 * demo.evaluation.accuracy:.1f} %", f"of {evaluated} recordings named right"),
        report.tile(f"{demo.seconds_per_class:.3f} s", "labelled signal per class"),
        report.tile(f"{demo.fit_s:.0f} s", f"to learn; {1000 * demo.evaluate_s / evaluated:.0f} ms per verdict"),
    ]
    sections = [
        report.section(
            "What it learned from",
            f"Fold {fold.fold}, held-out unit: {fold.held_out}. {BUDGET.recordings} recordings per class and "
            f"{BUDGET.windows} disjoint windows of {card.config.window_s:g} s from each; nothing else was labelled.",
            report.table(
                ["Class", "Labelled seconds", "Labelled windows", "Recordings judged"],
                [
                    [
                        label,
                        f"{seconds:.3f}",
                        str(int((demo.support.labels == i).sum())),
                        str(int(matrix[i].sum())),
                    ]
                    for i, (label, seconds) in enumerate(demo.support.seconds.items())
                ],
                numbers=(1, 2, 3),
            ),
        ),
        report.section(
            "One labelled window, as the network sees it",
            f"Recording {name} from {start / card.config.rate:g} s on: the waveform, and the two aligned views of it. "
            "Short frames place an event in time, long frames separate neighbouring frequencies.",
            figures.as_svg(
                figures.window_and_views(demo.support.windows[shown], card.config, highest_hz=simulated.RATE / 2)
            ),
        ),
        report.section(
            "Training",
            f"{len(demo.fitted.history)} updates on {windows} windows. The weights after the last update are the "
            "result: nothing was chosen by looking at the evaluation.",
            figures.as_svg(figures.training_curve(demo.fitted.history, len(classes))),
        ),
        report.section(
            "Verdicts against the truth",
            f"Recordings, not windows: {evaluated} in all, each judged once from the mean of its windows' "
            "probabilities. Right verdicts stand on the diagonal.",
            figures.as_svg(figures.confusion_picture(matrix, classes)),
        ),
        report.section(
            "Class by class",
            f"Guessing one of {len(classes)} classes would give about {100 / len(classes):.1f} % everywhere.",
            figures.as_svg(figures.class_scores(matrix, classes)),
        ),
        report.section(
            "How far to trust this",
            "The rig is a simulation, and this is one fold with one seed; another seed moves the score by ten "
            "points and more. The judged recordings differ from the labelled ones in motion mode and, in six "
            "classes, mostly in severity. Gears and bearings of the labelled severity appear on both sides.",
            report.facts(
                {
                    "Fold": f"{fold.fold}, hash {fold.hash[:16]}",
                    "Seed": str(card.seed),
                    "Recipe": f"{card.recipe}",
                    "Network": f"{sum(p.numel() for p in demo.fitted.network.parameters()):,} parameters",
                    "Resampling": f"{simulated.RATE / 1000:g} to {card.config.rate / 1000:g} kHz, {card.resampler}",
                    "Versions": ", ".join(f"{k} {v}" for k, v in card.versions.items()),
                }
            ),
        ),
    ]
    return report.page(
        "DualRes on a simulated gearbox",
        f"{len(classes)} conditions of a two-stage gearbox, learned from {demo.seconds_per_class:.3f} labelled seconds "
        f"of each and judged on {evaluated} recordings in a motion mode it had not met.",
        tiles,
        sections,
    )


def class_rows(demo: Demo) -> list[tuple[str, int, float, float]]:
    """Per class: label, recordings judged, recall and F1."""
    matrix = demo.evaluation.confusion
    return list(
        zip(
            demo.fold.classes,
            matrix.sum(1).tolist(),
            class_recall(matrix).tolist(),
            class_f1(matrix).tolist(),
            strict=True,
        )
    )

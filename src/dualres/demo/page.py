"""The demonstration's page: what was learned from, how it went, and how far to trust it."""

from pathlib import Path

from dualres.demo import figures
from dualres.demo.run import BUDGET, Demo
from dualres.fit_page.held_out import confusion
from dualres.judge.model import save
from dualres.simulated import rig as simulated
from dualres.utils import html as report
from dualres.utils.files import write_whole


def write_demo(demo: Demo, folder: Path) -> tuple[Path, Path]:
    """The page and the model file."""
    page, model = folder / "report.html", folder / "model.safetensors"
    write_whole(page, demo_page(demo).encode())
    save(demo.model, model)
    return page, model


def demo_page(demo: Demo) -> str:
    fold, card, matrix = demo.fold, demo.model.card, demo.evaluation.confusion
    classes, evaluated = fold.classes, len(demo.evaluation.recordings)
    guess_accuracy, guess_f1 = demo.guess
    # A window of the class with an impact in every revolution, where both views have something to show.
    shown = demo.support.labels.tolist().index(classes.index("missing_teeth"))
    name, start = demo.support.origins[shown]
    f1, accuracy = 100 * demo.evaluation.macro_f1, 100 * demo.evaluation.accuracy
    tiles = [
        report.tile(f"{f1:.1f} %", f"macro-F1 on unseen recordings; guessing: {100 * guess_f1:.1f} %"),
        report.tile(
            f"{accuracy:.1f} %", f"of {evaluated} recordings named right; guessing: {100 * guess_accuracy:.1f} %"
        ),
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
                    [label, f"{seconds:.3f}", str(int((demo.support.labels == i).sum())), str(int(matrix[i].sum()))]
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
        _learning(demo, shown),
        report.section(
            "Verdicts against the truth",
            f"{evaluated} recordings, each judged once from the mean of its windows' probabilities: truth in rows and "
            "verdicts in columns. Recall is the share of a class's recordings that were named right; F1 also counts "
            f"those wrongly named so. Guessing, one of {len(classes)} classes at random for each recording, is "
            f"expected to reach {100 * guess_f1:.1f} % macro-F1.",
            confusion(classes, matrix),
        ),
        report.section(
            "How far to trust this",
            "The rig is a simulation, and this is one of its two folds. The judged recordings differ from the labelled "
            "ones in motion mode and, in six classes, mostly in severity. Gears and bearings of the labelled severity "
            "appear on both sides.",
            report.facts(
                {
                    "Fold": f"{fold.fold}, hash {fold.hash[:16]}",
                    "Seed": str(card.seed),
                    "Recipe": card.learned_by,
                    "Network": f"{sum(p.numel() for p in demo.model.network.parameters()):,} parameters",
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


def _learning(demo: Demo, shown: int) -> str:
    windows, config = len(demo.support.labels), demo.model.card.config
    if demo.history:
        return report.section(
            "Training",
            f"{len(demo.history)} updates on {windows} windows. Every update sees them through other random transfer "
            "paths and blended with each other, so that the loss stays above zero. The weights after the last update "
            "are the result: nothing was chosen by looking at the evaluation.",
            figures.as_svg(figures.training_curve(demo.history, len(demo.fold.classes))),
        )
    return report.section(
        "What it compares",
        f"Nothing was trained: from {windows} windows it knows how each class looks on average, and how windows of one "
        "class differ. It looks at the mean of both spectra, at how fast the sound of each band comes and goes, and at "
        "the lowest lines. Here are the last two of the same window.",
        figures.as_svg(figures.repetition_and_lines(demo.support.windows[shown], config)),
    )

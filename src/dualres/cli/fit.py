"""`dualres fit`, `diagnose` and `show`: an engineer's own files."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

from dualres.cli.screen import Report, complain, console, errors, progress, say
from dualres.errors import ConfigError, RecordingError

if TYPE_CHECKING:
    from dualres.judge import Verdict
    from dualres.learn.estimate import Estimate
    from dualres.learn.fit import Step
    from dualres.recordings.folder import Folder
    from dualres.recordings.recording import Recording

Channel = Annotated[str | None, typer.Option(help="Which signal, where a file holds several.")]
Rate = Annotated[str | None, typer.Option(help="Sampling rate in Hz, where files do not carry it: 12800 or 200000/3.")]
WindowsEach = Annotated[
    int, typer.Option("--windows", min=1, help="At most so many windows of each recording enter a fit.")
]
Resampler = Annotated[
    str, typer.Option(help="How recordings are brought to 64 kHz; soxr needs the extra dualres\\[soxr].")
]


def parsed_rate(text: str | None) -> Fraction | None:
    from dualres.recordings.recording import exact_rate

    return None if text is None else exact_rate(text)


def fit(
    folder: Annotated[Path, typer.Argument(help="One subfolder per class, or files listed in labels.csv.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    channel: Channel = None,
    rate: Rate = None,
    windows: WindowsEach = 12,
    recipe: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="How it is trained: paper, robust, which also shows each window through random transfer paths, "
            "or a file from dualres tune.",
        ),
    ] = "robust",
    updates: Annotated[
        int | None,
        typer.Option(min=1, show_default="the recipe's: robust 800, paper 300", help="Training updates."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the initial weights and the training's chance.")] = 41,
    members: Annotated[
        int,
        typer.Option(
            min=1,
            help="So many networks with seeds that follow each other, their probabilities averaged; "
            "fits and verdicts cost as many times as much.",
        ),
    ] = 1,
    estimate: Annotated[bool, typer.Option(help="Estimate first what to expect, by holding out components.")] = True,
    resampler: Resampler = "scipy.signal.resample_poly",
    strict: Annotated[bool, typer.Option("--strict", help="Refuse to fit if the leak audit finds a leak.")] = False,
) -> None:
    """Learn from your own labelled recordings.

    labels.csv has the columns file and label, and optionally component (the
    machine or bearing recorded), rate, channel and any conditions.

    What was understood is shown first. Then components are held out in turn
    to estimate how well the model will do on one it has not seen, and at last
    it learns from all of them.
    """
    from dualres.file import check_members, save
    from dualres.learn.estimate import estimate as run_estimate
    from dualres.learn.fit import expected_s, fit_recordings
    from dualres.learn.holdout import plan_rounds, refuse_leaks
    from dualres.learn.recipe_file import recipe_from
    from dualres.machinery.files import check_writable
    from dualres.recordings.resample import check_resampler

    check_writable(out)
    check_resampler(resampler)
    check_members(members)
    chosen = recipe_from(recipe, updates)
    found = understood(folder, channel, rate)
    recordings, labels = found.recordings, [str(r.label) for r in found.recordings]
    rounds = plan_rounds(recordings) if estimate or strict else None
    if strict and rounds:
        from dualres.cli.audit import leaks_shown

        with leaks_shown(), progress("Nothing was written.") as report:
            refuse_leaks(recordings, rounds, report)
    with progress("Nothing was written.") as report:
        report("Time one update", 0, 1, "")
        once = expected_s(windows * len(recordings), chosen)
        report("Time one update", 1, 1, "")
        fits = members * (1 + (len(rounds.held_out) if rounds and estimate else 0))
        in_all = f", {fits * once:.0f} s in all for {members} members" if members > 1 else ""
        errors.print(f"{fits} fits, about {once:.0f} s each{in_all}; recipe: {chosen}", highlight=False)
        tell = _updates_of_all(members, report)
        expected: Estimate | None = None
        if rounds and estimate:
            expected = run_estimate(
                recordings,
                rounds,
                found.classes,
                windows_each=windows,
                resampler=resampler,
                recipe=chosen,
                seed=seed,
                members=members,
                progress=report,
            )
        model, _ = fit_recordings(
            recordings,
            labels,
            found.classes,
            windows_each=windows,
            resampler=resampler,
            recipe=chosen,
            seed=seed,
            members=members,
            progress=lambda step, steps: tell("Learn from all", step, steps),
        )
    if expected:
        card = replace(model.card, held_out=expected.unit, score=expected.as_score(), remarks=expected.remarks)
        model = replace(model, card=card)
        _show_estimate(expected, found.classes)
    save(model, out)
    say(f"Model  {out}")
    if members > 1:
        size = out.stat().st_size
        say(f"  {members} members in {size:,} bytes; a verdict takes about {members} times as long as by one")


def diagnose(
    model: Annotated[Path, typer.Argument(help="A model file, from dualres fit.")],
    files: Annotated[list[Path], typer.Argument(help="Recordings, or folders of them.")],
    channel: Channel = None,
    rate: Rate = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values with a header.")] = False,
    executor: Annotated[
        Literal["local", "ray"], typer.Option(help="Who judges: this process, or a Ray cluster (docs/cluster.md).")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="The Ray cluster to join, auto or host:port; default: one on this machine.")
    ] = None,
) -> None:
    """Judge recordings: one line each, with verdict, probability and runner-up.

    A file that cannot be judged is reported and the next one is read; the exit status is then 1.
    """
    from dualres.file import load
    from dualres.judge_files import judge_files, judge_files_by_ray

    if address and executor != "ray":
        raise ConfigError("--address names a Ray cluster; it goes with --executor ray")
    loaded, hz, paths = load(model), parsed_rate(rate), _expanded(files)
    table = csv.writer(sys.stdout) if as_csv else None
    if table:
        table.writerow(["file", "verdict", "probability", "runner_up", "error"])
    failed = 0
    if executor == "ray":
        judged = judge_files_by_ray(loaded, list(paths), channel, hz, address)
    else:
        judged = judge_files(loaded, paths, channel, hz)
    for one in judged:
        path, verdict, problem = one.path, one.verdict, one.problem
        failed += not verdict
        if as_json:
            typer.echo(json.dumps({"file": str(path), **(_fields(verdict) if verdict else {"error": problem})}))
        elif table:
            cells = [verdict.label, f"{verdict.probability:.4f}", verdict.runner_up] if verdict else ["", "", ""]
            table.writerow([path, *cells, problem])
        elif verdict:
            rival = verdict.probabilities[verdict.runner_up]
            typer.echo(f"{path}  {verdict.label} {verdict.probability:.2f}  (then {verdict.runner_up} {rival:.2f})")
        if problem and not as_json:
            complain("not judged", problem)
    if failed:
        raise typer.Exit(1)


def show(
    path: Annotated[Path, typer.Argument(help="A recording or a model file.")],
    channel: Channel = None,
    rate: Rate = None,
) -> None:
    """A recording's facts with a small spectrum, or a model's card."""
    from dualres.file import load
    from dualres.recordings.readers import read

    if path.suffix == ".safetensors":
        card = load(path).card
        for key, value in card.as_data().items():
            named = f"{card.recipe}: " if key == "recipe" else ""
            seeds = f", seeds {', '.join(map(str, card.seeds))}" if key == "members" else ""
            say(f"{key:<12} {named}{json.dumps(value, default=str)}{seeds}")
        return
    for line in _facts(read(path, channel, parsed_rate(rate))):
        say(line)


def _updates_of_all(members: int, report: Report) -> Callable[[str, Step, int], None]:
    """A bar per stage that counts the updates of all its members, which are fitted one after the other."""
    done: Counter[str] = Counter()

    def tell(stage: str, step: Step, updates: int) -> None:
        done[stage] += 1
        report(stage, done[stage], members * updates, f"loss {step.loss:.3f}")

    return tell


def _expanded(files: list[Path]) -> Iterator[Path]:
    """Files as given; a folder as the recordings below it."""
    from dualres.recordings.folder import files_below

    for path in files:
        if not path.is_dir():
            yield path
            continue
        below = files_below(path)
        if not below:
            raise RecordingError(f"{path}: there are no recordings in this folder")
        yield from below


def _fields(verdict: Verdict) -> dict[str, object]:
    return {
        "verdict": verdict.label,
        "probability": verdict.probability,
        "runner_up": verdict.runner_up,
        "probabilities": verdict.probabilities,
        "windows": verdict.windows,
    }


def understood(folder: Path, channel: str | None, rate: str | None) -> Folder:
    """A folder's recordings of two classes or more, shown."""
    from dualres.recordings.folder import read_folder

    with progress("Nothing was written.") as report:
        found = read_folder(folder, channel, parsed_rate(rate), lambda i, n, name: report("Read", i, n, name))
    _show_folder(found)
    if len(found.classes) < 2:
        raise RecordingError(f"{folder}: holds one class only, {found.classes[0]}; two are needed to tell apart")
    return found


def _show_folder(found: Folder) -> None:
    table = Table(title="What was understood", title_justify="left")
    for column in ("Class", "Recordings", "Seconds", "Components", "Rates in Hz"):
        table.add_column(column, justify="left" if column == "Class" else "right")
    for label in found.classes:
        members = [r for r in found.recordings if r.label == label]
        components = {r.component for r in members if r.component}
        rates = sorted({r.rate for r in members})
        seconds = sum(found.seconds[r.id] for r in members)
        known = str(len(components) or "not known")
        table.add_row(escape(label), str(len(members)), f"{seconds:.1f}", known, ", ".join(map(str, rates)))
    console.print(table)
    show_left_out(found)


def show_left_out(found: Folder) -> None:
    """What of a folder could not be used, and what stands in it twice; an error if nothing is left."""
    for file, reason in found.left_out:
        complain("left out", f"{file}: {reason}", "yellow")
    for names in found.same:
        complain("same content", ", ".join(names), "yellow")
    if not found.recordings:
        raise RecordingError(f"none of the {len(found.left_out)} files could be used; the reasons are above")


def _show_estimate(expected: Estimate, classes: tuple[str, ...]) -> None:
    judged = int((expected.confusion.sum(1) > 0).sum())
    over = "" if judged == len(classes) else f", {judged} of {len(classes)} classes"
    say(
        f"To expect on an unseen {expected.unit}: macro-F1 {100 * expected.macro_f1:.1f} % "
        f"(\N{PLUS-MINUS SIGN} {100 * expected.spread:.1f} over {expected.rounds} rounds{over})"
    )
    for remark in expected.remarks:
        say(f"  note: {remark}")
    table = Table(title="Held-out recordings: truth in rows, verdicts in columns", title_justify="left")
    table.add_column("")
    for label in classes:
        table.add_column(escape(label), justify="right")
    for label, row in zip(classes, expected.confusion, strict=True):
        table.add_row(escape(label), *(str(n) if n else "." for n in row))
    console.print(table)


def _facts(recording: Recording) -> Iterator[str]:
    import numpy as np

    signal = recording.signal.astype(float)
    centred = signal - signal.mean()
    rms = centred.std()
    yield f"file       {recording.origin.path}"
    yield f"channel    {recording.origin.channel}"
    yield f"rate       {recording.rate} Hz"
    yield f"length     {len(signal)} samples, {float(len(signal) / recording.rate):.3f} s"
    yield f"mean, rms  {signal.mean():.4g}, {rms:.4g}"
    yield f"crest      {np.abs(centred).max() / rms:.2f}"
    power = np.abs(np.fft.rfft(centred * np.hanning(len(centred)))) ** 2
    bands = np.array_split(power[1:], 60)
    level = np.log10([b.mean() for b in bands])
    scaled = (level - level.min()) / max(float(np.ptp(level)), 1e-12)
    yield f"spectrum   {''.join(' ▁▂▃▄▅▆▇█'[round(8 * x)] for x in scaled)}  0 to {float(recording.rate / 2):g} Hz, log"

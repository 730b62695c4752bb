"""`dualres advise`: what to label next, and what more labels would bring."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dualres.cli.console import progress, say
from dualres.cli.folder import FolderOptions, loaded, show_left_out, with_options
from dualres.utils.json_text import json_text
from dualres.utils.optional_imports import TRAINING, need

if TYPE_CHECKING:
    from dualres.advise.advice import Advice
    from dualres.judge.verdict import Verdict

DOUBLINGS = (2, 4)  # times the labels there are, for which a score is foreseen


@with_options
def advise(
    folder: Annotated[Path, typer.Argument(help="Recordings, some of them labelled or none; see docs/advise.md.")],
    count: Annotated[int, typer.Option("-n", min=1, help="Recordings to name.")] = 5,
    *,
    model: Annotated[Path | None, typer.Option(help="A model file: say what it takes each of them to be.")] = None,
    reading: FolderOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print the advice as JSON.")] = False,
) -> None:
    """Say which recordings to label next and why, and what more labels would bring.

    Unlabelled are files that labels.csv does not name, and rows with an empty label, whose component and conditions
    are used. Without a labels.csv, they are the files that lie in no subfolder.
    """
    need("dualres advise", *TRAINING)
    from dualres.advise.advice import advise as advice_on
    from dualres.judge.verdict import diagnose_recording

    judge = loaded(model) if model else None
    found = reading.read(folder, unlabelled=True)
    show_left_out(found)
    with progress("Nothing was written.") as report:
        advice = advice_on(found.recordings, count, report)
        verdicts = {r.id: diagnose_recording(judge, r) for r, _ in advice.picks} if judge else {}
    if as_json:
        typer.echo(json_text(_object(advice, found.seconds, verdicts), indent=1))
    else:
        say(f"Label next ({advice.labelled} recordings have a label, {advice.unlabelled} have none):")
        for place, (recording, pick) in enumerate(advice.picks, start=1):  # not wrapped, so that no name is broken
            said = verdicts.get(recording.id)
            judged = f"; the model says {said.label} {said.probability:.2f}" if said else ""
            say(f"{place:3d}  {recording.id}  {found.seconds[recording.id]:.1f} s  {pick.reason}{judged}")
        _show_curve(advice)


def _show_curve(advice: "Advice") -> None:
    if advice.curve is None:
        say(f"{advice.refusal[:1].upper()}{advice.refusal[1:]}")
        return
    curve = advice.curve
    say(f"Macro-F1 on an unseen {curve.unit}, by how many recordings of each class are learned from:")
    for size, score in zip(curve.per_class, curve.score, strict=True):
        say(f"{size:5d}  {score:5.1f} %, from {curve.judged} held-out recordings")
    for times in DOUBLINGS:
        one = curve.expected(times * curve.labelled)
        say(f"{one.per_class:5d}  {one.score:5.1f} % expected, {one.low:.0f} to {one.high:.0f} % four times in five")
    say("A little of many recordings teaches more than much of one.")


def _object(advice: "Advice", seconds: Mapping[str, float], verdicts: "Mapping[str, Verdict]") -> dict[str, object]:
    picks: list[dict[str, object]] = []
    for recording, pick in advice.picks:
        one: dict[str, object] = {"file": recording.id, "seconds": seconds[recording.id], "reason": pick.reason}
        one |= {"new": list(pick.new), "like": pick.like, "doubt": pick.doubt}
        if said := verdicts.get(recording.id):
            one |= {"verdict": said.label, "probability": said.probability}
        picks.append(one)
    curve = advice.curve
    expected = [asdict(curve.expected(times * curve.labelled)) for times in DOUBLINGS] if curve else []
    drawn = curve and {**asdict(curve), "expected": expected}
    counts = {"labelled": advice.labelled, "unlabelled": advice.unlabelled}
    return {**counts, "next": picks, "curve": drawn, "no_curve_because": advice.refusal or None}

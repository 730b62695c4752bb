"""Verdicts of `dualres diagnose` on the output: as text, as JSON or as a table."""

from __future__ import annotations

import csv
import json
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from dualres.cli.console import complain, echo
from dualres.utils.printable import printable

if TYPE_CHECKING:
    from dualres.judge.files import FileVerdict, JointVerdicts
    from dualres.judge.healthy_baseline import Baseline
    from dualres.judge.verdict import Verdict

BEFORE = ("verdict", "probability", "runner_up", "probabilities")  # in JSON, of the verdict of an earlier model


@dataclass(frozen=True)
class VerdictContext:
    """What all verdicts of one command share."""

    over_time: bool = False  # whether they are of segments
    batch: JointVerdicts | None = None  # where files were judged together
    baseline: Baseline | None = None
    learned_from: bool = False  # whether the model states how its labelled recordings looked
    calibrated: bool = False
    compared: bool = False  # whether they stand beside those of an earlier model


class VerdictWriter(ABC):
    """One output format."""

    def __init__(self, context: VerdictContext) -> None:
        self.context = context

    @abstractmethod
    def write(self, one: FileVerdict) -> None:
        """A file's verdict, or why there is none."""

    @abstractmethod
    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        """Two verdicts on a file, by an earlier model and by this one."""


class TextWriter(VerdictWriter):
    """A line for each verdict; why there is none stands on the error channel."""

    def write(self, one: FileVerdict) -> None:
        verdict = one.verdict
        if verdict:
            rival = f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}"
            alone = f"; alone {one.alone.label} {one.alone.probability:.2f}" if one.alone else ""
            differing = [str(each) for each in verdict.differences if each.here is not None]
            remark = f"  ! {'; '.join(differing)}" if differing else ""
            answer = f"  {verdict.answer}" if verdict.answer and self.context.calibrated else ""
            echo(f"{_name(one)}  {verdict.label} {verdict.probability:.2f}  ({rival}{alone}){answer}{remark}")
        if one.problem:
            complain("not judged", one.problem)

    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        old, new = _verdicts(before, one)
        typer.echo(f"{_name(one)}  {new.label} {new.probability:.2f}  (before {old.label} {old.probability:.2f})")


class JsonWriter(VerdictWriter):
    """An object per line."""

    def write(self, one: FileVerdict) -> None:
        said, batch, baseline = self._object(one), self.context.batch, self.context.baseline
        if batch and one.alone:
            said["condition"] = dict(one.condition)
            said["alone"] = {name: value for name, value in one.alone.as_data().items() if name != "windows"}
            said["together"] = {"recordings": batch.verdicts, "unlabelled_seconds": batch.unlabelled_s}
        if baseline and one.verdict:
            known = {"class": baseline.label, "recordings": baseline.recordings, "seconds": baseline.seconds}
            said["healthy"] = known
        typer.echo(json.dumps(said))

    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        earlier = self._object(before)
        typer.echo(json.dumps({**self._object(one), "before": {key: earlier[key] for key in BEFORE}}))

    @staticmethod
    def _object(one: FileVerdict) -> dict[str, object]:
        from dualres.judge.files import as_object

        return as_object(one)


class TableWriter(VerdictWriter):
    """Comma-separated values below a header."""

    def __init__(self, context: VerdictContext) -> None:
        super().__init__(context)
        self._table = csv.writer(sys.stdout)
        changes = ["verdict", "probability", "before", "probability_before"]
        self._table.writerow(["file", *(changes if context.compared else self._heads())])

    def _heads(self) -> list[str]:
        when = ["start_s", "end_s"] if self.context.over_time else []
        alone = ["alone"] if self.context.batch else []
        remarks = ["differences"] if self.context.learned_from else []
        return [*when, "verdict", "probability", "runner_up", *alone, "error", *remarks, "answer", "set", "reason"]

    def write(self, one: FileVerdict) -> None:
        context, verdict = self.context, one.verdict
        named = _name_and_time(one) if context.over_time else [_name(one)]
        said = [verdict.label, f"{verdict.probability:.4f}", verdict.runner_up] if verdict else ["", "", ""]
        alone = [one.alone.label if one.alone else ""] if context.batch else []
        differing = ["; ".join(map(str, verdict.differences)) if verdict else ""] if context.learned_from else []
        answer = verdict.answer if verdict else None
        answered = [answer.kind, " ".join(answer.classes), answer.reason] if answer else ["", "", ""]
        row = [*named, *said, *alone, one.problem, *differing, *answered]
        self._table.writerow([printable(cell) if isinstance(cell, str) else cell for cell in row])
        if one.problem:
            complain("not judged", one.problem)

    def write_change(self, before: FileVerdict, one: FileVerdict) -> None:
        old, new = _verdicts(before, one)
        self._table.writerow([_name(one), new.label, f"{new.probability:.4f}", old.label, f"{old.probability:.4f}"])


def _verdicts(before: FileVerdict, one: FileVerdict) -> tuple[Verdict, Verdict]:
    assert before.verdict
    assert one.verdict
    return before.verdict, one.verdict


def _name(one: FileVerdict) -> str:
    """A file as it was given, with the channel and the segment that a list names."""
    return f"{one.path}{''.join(f' [{which}]' for which in (one.channel, one.part) if which)}"


def _name_and_time(one: FileVerdict) -> list[str | float | None]:
    """Of a segment, as three cells."""
    name = f"{one.path} [{one.channel}]" if one.channel else f"{one.path}"
    return [name, one.part.start_s, one.part.end_s] if one.part else [name, None, None]

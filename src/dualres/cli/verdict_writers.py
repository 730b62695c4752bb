"""How verdicts are written: a line of text, of JSON or of a table for each. Writers are sent to other processes."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from dualres.utils.json_text import json_text
from dualres.utils.printable import printable, table_cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dualres.judge.archive.line import VerdictLine
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
    speeds: bool = False  # whether the model learned from speeds
    geometry: bool = False  # whether it knows the geometry of bearings
    compared: bool = False  # whether they stand beside those of an earlier model
    run: str = ""  # the same for verdicts by one model with one set of options, where results say so


class VerdictWriter(ABC):
    """One output format. What it gives are lines without their ends."""

    ends = "\n"  # its lines
    tells_problems = True  # whether what could not be judged is told beside the output

    def __init__(self, context: VerdictContext) -> None:
        self.context = context

    def __call__(self, one: FileVerdict) -> VerdictLine:
        """A file's verdict, or why there is none."""
        from dualres.judge.archive.line import VerdictLine

        return VerdictLine.of(one, self.text(one), one.problem if self.tells_problems else "")

    @property
    def head(self) -> str:
        """The first line; empty where there is none."""
        return ""

    @abstractmethod
    def text(self, one: FileVerdict) -> str:
        """A file's verdict; empty where there is none to be written."""

    @abstractmethod
    def change(self, before: FileVerdict, one: FileVerdict) -> str:
        """Two verdicts on a file, by an earlier model and by this one."""


class TextWriter(VerdictWriter):
    """A line for each verdict; why there is none stands on the error channel."""

    def text(self, one: FileVerdict) -> str:
        verdict = one.verdict
        if not verdict:
            return ""
        rival = f"then {verdict.runner_up} {verdict.probabilities[verdict.runner_up]:.2f}"
        alone = f"; alone {one.alone.label} {one.alone.probability:.2f}" if one.alone else ""
        differing = [str(each) for each in verdict.differences if each.here is not None]
        remark = f"  ! {'; '.join(differing)}" if differing else ""
        answer = f"  {verdict.answer}" if verdict.answer and self.context.calibrated else ""
        how = "".join(f"  {each}" for each in (verdict.speed_words, verdict.source_words) if each)
        said = f"{verdict.label} {verdict.probability:.2f}  ({rival}{alone}){answer}{how}{remark}"
        return printable(f"{_name(one)}  {said}")

    def change(self, before: FileVerdict, one: FileVerdict) -> str:
        old, new = _verdicts(before, one)
        return printable(f"{_name(one)}  {new.label} {new.probability:.2f}  (before {old.label} {old.probability:.2f})")


class JsonWriter(VerdictWriter):
    """An object per line."""

    tells_problems = False  # the object does

    def text(self, one: FileVerdict) -> str:
        from dualres.judge.files import as_object

        said, batch, baseline = as_object(one), self.context.batch, self.context.baseline
        if batch and one.alone:
            said["condition"] = dict(one.condition)
            said["alone"] = {name: value for name, value in one.alone.as_data().items() if name != "windows"}
            said["together"] = {"recordings": batch.verdicts, "unlabelled_seconds": batch.unlabelled_s}
        if baseline and one.verdict:
            known = {"class": baseline.label, "recordings": baseline.recordings, "seconds": baseline.seconds}
            said["healthy"] = known
        if self.context.run:
            said["run"] = self.context.run
        return json_text(said)

    def change(self, before: FileVerdict, one: FileVerdict) -> str:
        from dualres.judge.files import as_object

        earlier = as_object(before)
        return json_text({**as_object(one), "before": {key: earlier[key] for key in BEFORE}})


class TableWriter(VerdictWriter):
    """Comma-separated values below a header."""

    ends = "\r\n"

    @property
    def head(self) -> str:
        context = self.context
        when = ["start_s", "end_s"] if context.over_time else []
        alone = ["alone"] if context.batch else []
        remarks = ["differences"] if context.learned_from else []
        heads = [*when, "verdict", "probability", "runner_up", *alone, "error", *remarks, "answer", "set", "reason"]
        heads += ["speed_rpm"] * context.speeds + ["geometry"] * context.geometry
        changes = ["verdict", "probability", "before", "probability_before"]
        heads += ["run"] * bool(context.run)
        return _row(["file", *(changes if context.compared else heads)])

    def text(self, one: FileVerdict) -> str:
        context, verdict = self.context, one.verdict
        times = (one.part.start_s, one.part.end_s) if one.part else (None, None)
        whole = f"{one.path} [{one.channel}]" if one.channel else f"{one.path}"
        named = [whole, *times] if context.over_time else [_name(one)]
        said = [verdict.label, f"{verdict.probability:.4f}", verdict.runner_up] if verdict else ["", "", ""]
        alone = [one.alone.label if one.alone else ""] if context.batch else []
        differing = ["; ".join(map(str, verdict.differences)) if verdict else ""] if context.learned_from else []
        answer = verdict.answer if verdict else None
        answered = [answer.kind, " ".join(answer.classes), answer.reason] if answer else ["", "", ""]
        speed = verdict.speed if verdict else None
        turning = [f"{speed.rpm:.1f}" if speed else ""] if context.speeds else []
        geometry = [verdict.source_words if verdict else ""] if context.geometry else []
        row = [*named, *said, *alone, one.problem, *differing, *answered, *turning, *geometry]
        row += [context.run] * bool(context.run)
        return _row([table_cell(cell) if isinstance(cell, str) else cell for cell in row])

    def change(self, before: FileVerdict, one: FileVerdict) -> str:
        old, new = _verdicts(before, one)
        row = [_name(one), new.label, f"{new.probability:.4f}", old.label, f"{old.probability:.4f}"]
        return _row(map(table_cell, row))


def _row(cells: Iterable[object]) -> str:
    table = StringIO()
    csv.writer(table, lineterminator="").writerow(cells)
    return table.getvalue()


def _verdicts(before: FileVerdict, one: FileVerdict) -> tuple[Verdict, Verdict]:
    assert before.verdict
    assert one.verdict
    return before.verdict, one.verdict


def _name(one: FileVerdict) -> str:
    """A file as it was given, with the channel and the segment that a list names."""
    return f"{one.path}{''.join(f' [{which}]' for which in (one.channel, one.part) if which)}"


WRITERS: dict[str, type[TextWriter | JsonWriter | TableWriter]] = {  # by the end of a file's name; none for a person
    "": TextWriter,
    ".jsonl": JsonWriter,
    ".csv": TableWriter,
    ".parquet": JsonWriter,
}

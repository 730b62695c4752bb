"""Files to lines: judged here, by several processes or on a cluster, and printed or added to a file of results."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import typer

from dualres.cli.console import complain, counted
from dualres.cli.diagnose_notes import VerdictNotes
from dualres.errors import ConfigError
from dualres.plugins import load_plugins

if TYPE_CHECKING:
    from pathlib import Path

    from dualres.cli.verdict_writers import VerdictWriter
    from dualres.judge.archive.line import VerdictLine
    from dualres.judge.archive.results import Results
    from dualres.judge.files import FileVerdict, JudgeSettings
    from dualres.judge.model import Model
    from dualres.recordings.labels.rows_to_judge import Entry, RowsToJudge

    Entries = Iterable[tuple[Path | None, Entry]]

MANY = 200  # files: for fewer, the start of other processes takes longer than they save


def check_options(output: Path | None, resume: bool, *, printed: bool, whole: bool) -> None:
    """An error for a file of results that could not be written; `whole` are verdicts that do not come one by one."""
    if output is None:
        if resume:
            raise ConfigError("--resume goes on with a file of results; name it by -o")
        return
    from dualres.judge.archive.results import check_results

    if printed or whole:
        raise ConfigError(
            "-o writes a verdict for each file as its name ends; leave out --json, --csv, --together, --over-time and "
            "--compare"
        )
    check_results(output, resume)


@contextmanager
def results_in(output: Path | None, writer: VerdictWriter) -> Iterator[Results | None]:
    """The file of results, complete after that; None where verdicts are printed."""
    if output is None:
        yield None
        return
    from dualres.judge.archive.results import Results

    results = Results(output, writer.head, writer.context.run)
    if results.torn:
        complain("mended", f"{results.written}: its last line was torn; that file is judged again", "cyan")
    try:
        yield results
        results.finish()
    finally:
        results.close()


@dataclass(frozen=True)
class Archive:
    """What is to be judged, and where."""

    model: Model
    how: JudgeSettings
    rows: RowsToJudge
    on_cluster: bool
    address: str | None

    @property
    def run(self) -> str:
        """The same for verdicts by one model with one set of options."""
        from dualres.judge.archive.results import run_of

        return run_of(self.model, self.how)

    def verdicts(self, entries: Entries | None = None) -> Generator[FileVerdict]:
        """Of the files in their order."""
        from dualres.judge import files as judging
        from dualres.recordings.labels.rows_to_judge import row_of_entry

        how, chosen = self.how, self.rows.entries() if entries is None else entries
        rows = (row_of_entry(*each) for each in chosen)
        judge = partial(judging.judge_files_by_ray, address=self.address) if self.on_cluster else judging.judge_files
        yield from judge(self.model, rows, how.channel, how.rate, error=how.error, sure=how.sure, speed=how.speed)

    def lines(self, writer: VerdictWriter, results: Results | None) -> Iterator[list[VerdictLine]]:
        """Of the files that stand in no results yet, as many at a time as are done; and how many are."""
        if results is None:
            yield from self._shown(writer, self.rows.entries(), len(self.rows), "What was printed so far is complete.")
            return
        count = sum(1 for _ in results.missing(self.rows.entries()))
        if results.known:
            complain(
                "resumed", f"{results.written}: {len(self.rows) - count} files stand in it, {count} are left", "cyan"
            )
        kept = f"{results.written} is complete so far; the same command with --resume goes on."
        yield from self._shown(writer, results.missing(self.rows.entries()), count, kept, shown=True)

    def _shown(
        self, writer: VerdictWriter, entries: Entries, count: int, after_interrupt: str, *, shown: bool = False
    ) -> Iterator[list[VerdictLine]]:
        if self.on_cluster or count < MANY or sys.platform == "win32":  # where nobody waits for what several say
            some = counted(self.verdicts(entries), count, "Judge", after_interrupt, shown=shown)
            yield from ([writer(one)] for one in some)
            return
        from dualres.judge.archive.worker import ArchiveTask
        from dualres.judge.archive.workers import Workers
        from dualres.kernel.threads import thread_count

        task = ArchiveTask(self.model, self.how, writer, load_plugins)
        with Workers(task, thread_count()) as workers:
            judged = workers.judged(entries)
            yield from counted(judged, count, "Judge", after_interrupt, shown=shown, each=len)


def write_lines(lines: Iterable[list[VerdictLine]], writer: VerdictWriter, results: Results | None) -> int:
    """Write every verdict; how many files could not be judged, those that stood in the results included."""
    notes, failed = VerdictNotes(), results.failed if results else 0
    if results is None and writer.head:
        typer.echo(f"{writer.head}{writer.ends}", nl=False)
    for some in lines:
        texts = [one.text for one in some if one.text]
        if results:
            results.append(texts)
        else:
            for text in texts:
                typer.echo(f"{text}{writer.ends}", nl=False)
        for one in some:
            failed += not one.judged
            notes.add(one)
            if one.problem:
                complain("not judged", one.problem)
    for said in notes.sentences():
        complain("note", said, "yellow")
    return failed

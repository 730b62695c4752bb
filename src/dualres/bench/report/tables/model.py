"""A table as data: what it says, and of every number what is behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

NOT_RUN = "not run"
NOT_PLANNED = "\N{EN DASH}"

# When a cell is in bold print: never; as the highest or lowest of its rivals; if its interval leaves zero out; if it
# says yes.
Emphasis = Literal["", "highest", "lowest", "interval", "yes"]


@dataclass(frozen=True)
class Value:
    """One cell: words, or a number with the jobs it was made of.

    A number is, per seed, the mean over that seed's jobs, and then the mean over the seeds that have all of theirs.
    """

    text: str  # "48.55", "44.26 ± 7.38 (n=3)", "not run", "1 of 2 jobs", or words
    bold: bool = False
    emphasis: Emphasis = ""  # why it would be bold; verification decides anew whether it should be
    rivals: str = ""  # those it competes with in its table, by a name for all of them
    paper: str | None = None  # the paper's own value, to stand beside ours
    quoted: bool = False  # whether the text is the paper's own value
    metric: str = ""  # see metrics.py; empty for words
    mean: float | None = None
    sd: float | None = None  # sample SD over seeds
    n: int = 0  # seeds; of a difference, pairs
    low: float | None = None  # of a bootstrap interval
    high: float | None = None
    labelled_s: float | None = None  # unique labelled seconds per class
    dataset: str = ""
    method: str = ""  # empty where it is over several
    budget: str = ""  # recordings x windows
    folds: tuple[str, ...] = ()
    jobs: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # seed -> keys of the jobs planned for it
    minus: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # of a difference: what is subtracted

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(self.jobs)

    @property
    def of_paper(self) -> bool:
        """Whether the cell shows a number, or a word, of the paper."""
        return self.quoted or self.paper is not None

    @property
    def complete(self) -> bool:
        """Whether all planned jobs are behind it."""
        return self.mean is not None and (self.n == len(self.jobs) or bool(self.minus))

    @property
    def shown(self) -> str:
        """Our value, and the paper's in brackets beside it."""
        return self.text if self.paper is None else f"{self.text} [{self.paper}]"


@dataclass(frozen=True)
class Table:
    name: str  # fit for a file name
    title: str
    caption: str  # folds, held-out unit, seeds, exposure, updates, and whether it is a quick run
    study: str  # empty for a reference table
    labels: int  # the number of leading columns that name the row
    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""  # what bold print and brackets mean
    measured: str = ""  # the group of measurements its numbers are of, as "cuda_4"; empty where they are of jobs
    rule: tuple[str, ...] = ()  # by which its words follow from numbers, and what that needs; see bench/verify/rules.py

    def with_columns(self, columns: Mapping[str, Sequence[Value]]) -> Table:
        """The table with further columns by their titles, a value per row each."""
        more = zip(*columns.values(), strict=True)
        rows = tuple((*row, *values) for row, values in zip(self.rows, more, strict=True))
        return replace(self, header=(*self.header, *columns), rows=rows)


def mark_best(values: Iterable[Value], rivals: str, digits: int, *, lowest: bool = False) -> list[Value]:
    """The same values as rivals of that name, the best in bold.

    Only complete values count; all that look equal are the best, and none is where there is no other.
    """
    emphasis: Emphasis = "lowest" if lowest else "highest"
    values = [replace(v, emphasis=emphasis, rivals=rivals) for v in values]
    shown = [round(v.mean, digits) for v in values if v.complete and v.mean is not None]
    if len(shown) < 2:
        return values
    best = min(shown) if lowest else max(shown)
    return [replace(v, bold=v.complete and v.mean is not None and round(v.mean, digits) == best) for v in values]

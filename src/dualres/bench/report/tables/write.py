"""Tables as files: one CSV for machines with every digit and what is behind it, Markdown and LaTeX for people."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import STUDIES, Quick, study
from dualres.bench.report.results import Results
from dualres.bench.report.tables.fill import Table, Value
from dualres.errors import ConfigError
from dualres.utils.checksums import replace_sums
from dualres.utils.files import write_whole
from dualres.utils.printable import printable

SETTINGS_NAME = "settings.json"


@dataclass(frozen=True)
class Settings:
    studies: tuple[str, ...]  # asked for, whether anything of them was run or not
    quick: bool = False
    device: str | None = None  # "cpu" or "cuda"; None: per method the kind with more finished jobs
    threads: int = 1

    def results(self, ledger: Ledger, name: str) -> Results:
        quick = Quick() if self.quick else None
        return Results(ledger, study(name), quick=quick, device=self.device, threads=self.threads)

    def all_results(self, ledger: Ledger) -> dict[str, Results]:
        """Of every study asked for, by name."""
        return {name: self.results(ledger, name) for name in self.studies}

    def as_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"


def read_settings(directory: Path) -> Settings:
    """The settings that lie beside a report's tables."""
    path = directory / SETTINGS_NAME
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        settings = Settings(**{**stored, "studies": tuple(stored["studies"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); `dualres bench report` writes it") from error
    known = (
        all(name in list(STUDIES) for name in settings.studies)
        and isinstance(settings.quick, bool)
        and settings.device in (None, "cpu", "cuda")
        and isinstance(settings.threads, int)
    )
    if not known:
        raise ConfigError(f"{path}: holds values that no report has; write it again with `dualres bench report`")
    return settings


CSV_NAME = "tables.csv"
COLUMNS = (
    *("study", "table", "row", "column", "text", "paper", "best", "metric", "mean", "sd", "n", "low", "high"),
    *("labelled_s", "dataset", "method", "budget", "folds", "seeds", "jobs", "minus"),
)
LONG = 45  # letters; a column with more is broken into lines
_STARTS = "+-0123456789"
KEY_DIGITS = 16  # of a job's key; enough to tell jobs apart

_LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "→": r"$\to$",
    "\N{EN DASH}": "--",
}


def write_tables(tables: Sequence[Table], directory: Path, settings: Settings) -> list[Path]:
    """Write all tables and the hashes of what was written; gives the files. An earlier report's others go."""
    files = contents(tables, settings)
    for name, content in files.items():
        write_whole(directory / name, content.encode())
    replace_sums(directory, files)
    return [directory / name for name in files]


def contents(tables: Sequence[Table], settings: Settings) -> dict[str, str]:
    files = {CSV_NAME: as_csv(tables), SETTINGS_NAME: settings.as_json()}
    for table in tables:
        files |= {f"{table.name}.md": as_markdown(table), f"{table.name}.tex": as_latex(table)}
    return files


def as_csv(tables: Sequence[Table]) -> str:
    """One row per cell. `jobs` lists per seed the keys of the jobs planned for a number: "41:KEY KEY;42:KEY KEY"."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for table in tables:
        for row, column, value in cells(table):
            place = {"study": table.study, "table": table.name, "row": row, "column": column}
            writer.writerow(place | _record(value))
    return buffer.getvalue()


def cells(table: Table) -> Iterator[tuple[str, str, Value]]:
    """Every cell that does not name its row, with the names of its row and column."""
    for row in table.rows:
        name = " / ".join(value.text for value in row[: table.labels])
        for title, value in zip(table.header[table.labels :], row[table.labels :], strict=True):
            yield name, title, value


def as_markdown(table: Table) -> str:
    header = list(map(markdown, table.header))
    rule = ["---:" if numbers else "---" for numbers in _numeric(table)]
    lines = [f"| {' | '.join(cells)} |" for cells in (header, rule, *(map(_markdown_cell, row) for row in table.rows))]
    below = "\n\n".join(filter(None, (table.caption, table.note)))
    return "\n".join([f"### {table.title}", "", *lines, "", *below.splitlines(), ""])


def as_latex(table: Table) -> str:
    """A float for a document that uses the package booktabs."""
    return "\n".join(
        [
            r"\begin{table}[htbp]\centering\footnotesize",
            rf"\caption{{{latex(table.title)}. {latex(table.caption)}}}",
            rf"\label{{tab:{table.name.replace('_', '-')}}}",
            r"\setlength{\tabcolsep}{3.5pt}",
            rf"\begin{{tabular}}{{{_columns(table)}}}",
            r"\toprule",
            " & ".join(map(latex, table.header)) + r" \\",
            r"\midrule",
            *(" & ".join(map(_latex_cell, row)) + r" \\" for row in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {latex(table.note)}}}"] if table.note else []),
            r"\end{table}",
            "",
        ]
    )


def latex(text: str) -> str:
    """Text that LaTeX prints as it is, but for products, which get their proper sign."""
    return "".join(_LATEX.get(letter, letter) for letter in printable(text)).replace(" x ", r" $\times$ ")


def markdown(text: str) -> str:
    """Text in a cell, which it neither leaves nor turns into a page's own markup."""
    return printable(text).replace("|", "\\|").replace("<", "&lt;")


def _numeric(table: Table) -> list[bool]:
    """Which columns are of numbers, and so stand flush right: none that names the row."""
    texts = [[row[k].text for row in table.rows] for k in range(len(table.header))]
    return [k >= table.labels and any(text[:1] in _STARTS for text in column) for k, column in enumerate(texts)]


def _columns(table: Table) -> str:
    """The columns for LaTeX; a column of long words is broken into lines."""
    width = 0.75 if len(table.header) == 2 else 0.25  # of the line
    long = [max((len(row[k].text) for row in table.rows), default=0) > LONG for k in range(len(table.header))]
    words = [rf"p{{{width:.2f}\linewidth}}" if much else "l" for much in long]
    return "".join("r" if numbers else word for numbers, word in zip(_numeric(table), words, strict=True))


def _record(value: Value) -> dict[str, object]:
    numbers = {name: getattr(value, name) for name in ("mean", "sd", "low", "high", "labelled_s")}
    return {
        "text": value.text,
        "paper": value.paper or "",
        "best": int(value.bold),
        "metric": value.metric,
        **{name: "" if number is None else repr(number) for name, number in numbers.items()},
        "n": value.n if value.metric else "",
        "dataset": value.dataset,
        "method": value.method,
        "budget": value.budget,
        "folds": " ".join(value.folds),
        "seeds": " ".join(map(str, value.seeds)),
        "jobs": _keys(value.jobs),
        "minus": _keys(value.minus),
    }


def _keys(jobs: Mapping[int, Sequence[str]]) -> str:
    return ";".join(f"{seed}:{' '.join(key[:KEY_DIGITS] for key in keys)}" for seed, keys in jobs.items())


def _markdown_cell(value: Value) -> str:
    text = markdown(value.text)
    return (f"**{text}**" if value.bold else text) + ("" if value.paper is None else f" [{value.paper}]")


def _latex_cell(value: Value) -> str:
    text = rf"\textbf{{{latex(value.text)}}}" if value.bold else latex(value.text)
    return text if value.paper is None else rf"{text} {{\scriptsize [{latex(value.paper)}]}}"

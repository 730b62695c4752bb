"""The paper's tables as they lie in tables/: a remark, a line of column names, and a line per row."""

from importlib import resources

PrintedRow = dict[str, float]  # by column


def printed_table(name: str) -> dict[str, PrintedRow]:
    """The numbers of a table by the names of their row and column; where a dash stands, there is none."""
    text = resources.files(__package__).joinpath("tables", f"{name}.txt").read_text(encoding="utf-8")
    (_, *columns), *rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {
        row: {column: float(cell) for column, cell in zip(columns, cells, strict=True) if cell != "-"}
        for row, *cells in rows
    }

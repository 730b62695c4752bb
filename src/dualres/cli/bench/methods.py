"""`dualres methods`: the nine methods and the controls of DualRes, and what each of them weighs."""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from dualres.cli.console import console, progress, say

MIB = 2**20


def methods(
    classes: Annotated[int, typer.Option(min=2, help="Number of classes; the paper's figures are for 8.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """List the methods: parameters and file size as counted here, beside the paper's figures."""
    from dualres.bench.methods.rocket import FEATURES
    from dualres.bench.methods.sizes import summarise_all

    with progress("Nothing was written.") as report:
        rows = summarise_all(classes, report)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=1))
        return
    table = Table(box=SIMPLE_HEAD, title=f"Counted here, for {classes} classes", title_justify="left")
    table.add_column("Method", no_wrap=True)
    table.add_column("Family", no_wrap=True)
    for column in ("Registered", "Active", "File MiB"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(row.name, row.family, f"{row.registered:,}", f"{row.active:,}", f"{row.file_bytes / MIB:.3f}")
        if paper := row.paper:
            counts = ("n/a" if count is None else f"{count:,}" for count in (paper.registered, paper.active))
            table.add_row("  the paper prints", "", *counts, f"{paper.file_mib:.3f}", style="dim")
        elif not row.of_paper:
            table.add_row("  not in the paper", style="dim")
    console.print(table)
    say("Active parameters receive a gradient in training. MiniRocket has none, and the paper prints n/a. Counted")
    say(f"here are the coefficients of its ridge classifier on {FEATURES:,} fixed features, and all that")
    say("dualres/orders, the default of dualres fit, finds in closed form. Files hold tensors, buffers and a card, the")
    say("paper's PyTorch's archive. Other names with a slash are DualRes with a part taken out.")

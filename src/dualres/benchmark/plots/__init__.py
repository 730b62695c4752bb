"""Every figure and diagram of the paper, drawn from a ledger's results."""

from dualres.benchmark.plots.picture import Drawn
from dualres.benchmark.plots.write import write_figures

__all__ = ["Drawn", "write_figures"]

"""Every figure and diagram of the paper, drawn from a ledger's results."""

from dualres.report.plots.picture import Drawn
from dualres.report.plots.write import write_figures

__all__ = ["Drawn", "write_figures"]

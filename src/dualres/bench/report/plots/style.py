"""One look per method, the same in every figure."""

from matplotlib.patches import Patch

from dualres.bench.methods import NAMES
from dualres.bench.methods.catalog import MethodStyle, entry
from dualres.bench.report.names import method_name


class _MethodStyles(dict[str, MethodStyle]):
    """The paper's methods' looks; any other method's is looked up when it is drawn."""

    def __missing__(self, method: str) -> MethodStyle:
        return entry(method).look


LOOKS = _MethodStyles({name: entry(name).look for name in NAMES})


def swatch(method: str) -> Patch:
    """The method's entry in a legend of bars; there also where none of its bars is."""
    look = LOOKS[method]
    return Patch(facecolor=look.colour, hatch=look.hatch, edgecolor="white", linewidth=0, label=method_name(method))

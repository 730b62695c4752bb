"""The methods there are: one entry for each, with everything that other rooms want to know of it.

A method of this package holds its ENTRY in its own file, and is named in `MODULES`. Reading entries loads no library of
a single method, and nothing that draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

from dualres.bench.methods.method import Method
from dualres.config import Recipe
from dualres.utils.registry import Registry

MODULES = (  # in the paper's order
    "dualres",
    "mambasl",
    "minirocket",
    "tscmamba",
    "medformer",
    "moderntcn",
    "patchtst",
    "itransformer",
    "crossformer",
)
# Methods that people would pick instead; none of them is the paper's.
PEER_MODULES = ("envelope_forest", "shrunk_lda", "quant", "hydra_rocket", "wdcnn", "tsfresh_lightgbm")


@dataclass(frozen=True)
class MethodStyle:
    """What stands for a method in every figure: any one of the four is enough to tell it from the paper's others."""

    colour: str = "#404040"
    marker: str = "*"
    line: str | tuple[float, tuple[float, ...]] = (0, (3, 3))  # as matplotlib takes it: a name, or (offset, on and off)
    hatch: str = "//.."


@dataclass(frozen=True)
class MethodEntry:
    """One method, as tables, figures, plans and estimates know it."""

    name: str
    title: str  # in tables and figures
    family: str
    make: Callable[[MethodEntry, Recipe | None], Method] = field(repr=False)  # without a recipe: its default
    look: MethodStyle = MethodStyle()
    # Milliseconds on one thread of a 2.8 GHz core (Xeon, AVX-512), rounded: of a support window at each update, or in
    # the one fit of a method without updates, and of a judged window. The default is a guess.
    nominal_ms: tuple[float, float] = (10.0, 10.0)
    trains: bool = True  # in updates by a recipe, on a GPU if there is one; otherwise it has no recipe and needs a CPU
    on_gpu: bool = False  # uses a GPU if there is one, though it does not train
    needs: tuple[str, ...] = ()  # libraries, as they are imported, that only an extra of its own brings
    most_windows: int | None = None  # of a judged recording, the first ones: more would take too long
    fits_together: bool = False  # on a GPU, several fits of one shape at once
    control: bool = False  # another method with a part taken out, or put in its place
    paper: bool = False  # the paper has it
    settings: str = ""  # of a peer, in words: everything that its authors leave open, or that is not theirs

    def recipe(self, wanted: Recipe) -> Recipe | None:
        """What a job of this method says of its recipe."""
        return wanted if self.trains else None

    def device(self, wanted: str) -> str:
        """What a job of this method runs on where others run on `wanted`."""
        return wanted if self.trains or self.on_gpu else "cpu"


def _own() -> dict[str, MethodEntry]:
    """This package's entries; a module holds ENTRY, and CONTROLS if it has any, or as a peer ENTRIES."""
    modules = [import_module(f"dualres.bench.methods.{name}") for name in MODULES]
    entries = [module.ENTRY for module in modules]
    entries += [control for module in modules for control in getattr(module, "CONTROLS", ())]
    entries += [peer for name in PEER_MODULES for peer in import_module(f"dualres.bench.methods.{name}").ENTRIES]
    return {entry.name: entry for entry in entries}


METHODS: Registry[MethodEntry] = Registry(
    "method",
    _own,
    taken="there is a {kind} {name!r} already; give yours another name",
    unknown="{kind} {name!r} is not known; there are {known}",
)


def register(entry: MethodEntry) -> None:
    """Add a method from outside of this package; its name must be new."""
    METHODS.register(entry.name, entry)


def entry(name: str) -> MethodEntry:
    """The entry of that name."""
    return METHODS.find(name)


def names() -> tuple[str, ...]:
    """All methods: the paper's and its controls in the paper's order, further controls, peers, registered ones."""
    return METHODS.names()

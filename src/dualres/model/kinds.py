"""Kinds of networks: what each consists of, and by which names it is chosen.

The rooms above ask a kind for the part they need, and never which kind it is. Most parts lie in those rooms, which this
one does not know. So a part may be named, "module:name", and is then imported where it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from dualres.config import RECIPES, ModelConfig, Recipe
from dualres.errors import ConfigError
from dualres.utils.arrays import Complex, Exact, Floats

if TYPE_CHECKING:
    from dualres.model.torch_network import TorchNetwork
    from dualres.model.weights import NetworkWeights

T = TypeVar("T")
Part: TypeAlias = str | T  # the part itself, or "module:name"
Shapes = dict[str, tuple[int, ...]]  # of the tensors in a file, by their names

OF_UPDATES = "robust"  # the recipe of a fit of which nothing is said but how many updates, or how, it is to make


class FastScorer(Protocol):
    """Scores windows by compiled code, or on a GPU, as the network is when this is made."""

    def __init__(self, network: Any) -> None: ...

    @classmethod
    def serves(cls, config: ModelConfig) -> bool:
        """Whether it can be used here, for a network of these sizes."""

    def logits(self, windows: Floats) -> Floats:
        """Of raw windows (n, window), which may be read-only views into one signal: (n, classes)."""


class MovableViews(NamedTuple):
    """What it takes to tell a network how a machine sounds when it runs well."""

    # Of weights, what was seen of windows, and speeds in Hz (n,) of a kind that knows orders, else None: the views that
    # its heads take, by their names, (n, features) each, or fewer where they take those of some windows only.
    views: Callable[[Any, Any, Exact | None], Mapping[str, Floats | Exact]]
    # From mean views of windows of one class, its number, and a share: the network as it is that share of the way on.
    moved: Callable[[Any, Mapping[str, Exact], int, float], NetworkWeights]


class MemoryParts(NamedTuple):
    """What it takes to judge windows of a stream by a memory that does not end with a window."""

    # Of a network's sizes, the state before a stream's first token; a ConfigError where its memory cannot be carried.
    empty: Callable[[ModelConfig], Complex]
    # Of weights, a raw window (window,) and the state before its first token: logits (classes,), and the state before
    # the first token of the window that begins half a window later.
    logits: Callable[[Any, Floats, Complex], tuple[Exact, Complex]]


class OrderParts(NamedTuple):
    """What it takes to look at windows once, and to judge what was seen at one speed or another."""

    of: Callable[..., Any]  # looks, a named tuple of arrays (n, ...), of its fields; `of` gives those of some windows
    looks: Callable[[ModelConfig, Floats], Any]  # at raw windows (n, window)
    logits: Callable[[Any, Any, Exact | None], Floats]  # of weights, looks and speeds in Hz (n,): (n, classes)
    # Of weights, looks at windows of one recording, and speeds (tries, n): how badly they fit, (tries,), in nats.
    misfit: Callable[[Any, Any, Exact], Exact]


@dataclass(frozen=True, eq=False, repr=False)
class NetworkKind:
    """One kind of network. Whatever has a default may be missing, and the package then does without it."""

    method: str  # what a card calls it
    title: str  # in a text
    # By the names that `dualres fit --recipe` takes; None for what is fitted without updates, and draws nothing.
    recipes: Mapping[str, Recipe | None]
    weights: Part[Callable[[ModelConfig, Mapping[str, Floats]], NetworkWeights]]
    shapes: Part[Callable[[ModelConfig, int], Shapes]]  # for a number of classes
    logits: Part[Callable[..., Exact]]  # by NumPy, of raw windows (n, window)
    # A `Task` of `dualres.learn.trained.task` for each network, sizes and recipe: a `FittedNetwork` for each.
    fit: Part[Callable[[Sequence[Any], ModelConfig, Recipe | None], Sequence[Any]]]
    config_fields: tuple[str, ...] = ()  # what a card holds of `ModelConfig`; all if there are none
    network: Part[Callable[[int, ModelConfig], TorchNetwork]] | None = None
    kernel: Part[type[FastScorer]] | None = None  # of weights, on a CPU
    gpu: Part[type[FastScorer]] | None = None  # of a PyTorch network, on a GPU
    # The seconds that a fit will take: of so many windows, by a recipe, of a network of some sizes, on a device.
    expected_s: Part[Callable[[int, Any, ModelConfig, str], float]] | None = None
    explanation: Part[Any] | None = None  # a `dualres.explain.contributions.Explanation`
    device: Part[Any] | None = None  # a `dualres.export.device_network.DeviceNetwork`, for C
    graph: Part[Any] | None = None  # a `dualres.export.device_network.GraphNetwork`, for ONNX
    # How near windows are to each class, by each head: a `dualres.judge.trust.novelty.Told`, by weights, what was seen
    # of the windows and the speeds of their shafts.
    novelty: Part[Callable[..., Any]] | None = None
    # What an export needs for that: how classes lie around their middle, (heads, classes, classes), of weights.
    between: Part[Callable[[Any], Floats]] | None = None
    # Of a kind that knows orders. All that judges windows by it takes their speeds, too, (n,) in Hz, NaN if not known.
    orders: Part[OrderParts] | None = None
    carried: Part[MemoryParts] | None = None  # of a kind whose memory may go on from window to window
    baseline: Part[MovableViews] | None = None  # of a machine that runs well

    def __repr__(self) -> str:
        return f"NetworkKind({self.method!r})"

    @property
    def knows_orders(self) -> bool:
        """Whether it judges windows by the speed of the shaft as well."""
        return self.orders is not None

    @property
    def trains(self) -> bool:
        """Whether it is trained by updates, and draws: members then differ."""
        return any(self.recipes.values())


class NetworkRecipe(NamedTuple):
    """What is to be fitted, and how."""

    kind: NetworkKind
    recipe: Recipe | None = None  # of a kind that is trained by updates

    def __str__(self) -> str:
        """In a line of text."""
        return str(self.recipe) if self.recipe else next(iter(self.kind.recipes))

    def changed(self, **changes: Any) -> NetworkRecipe:
        """The same with the changes that are not None; an error where there is nothing to change."""
        given = {key: value for key, value in changes.items() if value is not None}
        if given and self.recipe is None:
            raise ConfigError(f"{next(iter(given))}: recipe {self} makes no updates; choose {' or '.join(RECIPES)}")
        return NetworkRecipe(self.kind, self.recipe and replace(self.recipe, **given))


RecipeChoice: TypeAlias = NetworkRecipe | Recipe | str | None  # as `network_recipe` takes it
_kinds: dict[str, NetworkKind] = {}


def register_kind(kind: NetworkKind) -> NetworkKind:
    """Add a kind of network; its names must be new."""
    if kind.method in _kinds or any(kind.recipes.keys() & other.recipes.keys() for other in _kinds.values()):
        names = ", ".join((kind.method, *kind.recipes))
        raise ConfigError(f"there is a kind of network by one of the names {names} already; give yours others")
    _kinds[kind.method] = kind
    return kind


def find_kind(method: str) -> NetworkKind | None:
    """The kind that cards call so; None for a comparator."""
    return _kinds.get(method)


def kind_of(network: NetworkWeights | TorchNetwork) -> NetworkKind:
    """The kind of a network, with or without PyTorch."""
    return _kinds[network.kind]


def resolved(part: Part[T]) -> T:
    """A part of a kind, which is imported if it is named; None stays None."""
    found: T = _named(part) if isinstance(part, str) else part
    return found


@cache
def _named(entry: str) -> Any:
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)


def named_recipes() -> dict[str, NetworkRecipe]:
    """All that can be asked for by a name."""
    return {name: NetworkRecipe(kind, one) for kind in _kinds.values() for name, one in kind.recipes.items()}


def chosen_recipe(name: str | None = None, **changes: Any) -> NetworkRecipe:
    """What a user asks for by the name of a recipe, with the changes that are not None; `DEFAULT` without a name.

    Whoever changes something and names no recipe asks for `OF_UPDATES`.
    """
    known, changing = named_recipes(), any(value is not None for value in changes.values())
    name = name or (OF_UPDATES if changing else next(iter(DEFAULT.recipes)))
    if name not in known:
        raise ConfigError(f"recipe {name!r} is not known; there are {', '.join(known)}")
    return known[name].changed(**changes)


def network_recipe(given: RecipeChoice) -> NetworkRecipe:
    """What the caller of a function asks for; None is `DEFAULT`, and a `Recipe` the paper's network."""
    if isinstance(given, Recipe):
        return NetworkRecipe(PAPER, given)
    return given if isinstance(given, NetworkRecipe) else chosen_recipe(given)


ORDERS = register_kind(
    NetworkKind(
        method="dualres/orders",
        title="network of orders",
        recipes={"orders": None},
        config_fields=("rate", "window", "hop", "short", "long"),
        weights="dualres.model.views.order_weights:OrdersWeights",
        shapes="dualres.model.views.order_weights:orders_shapes",
        logits="dualres.model.reference.orders:log_probabilities",
        network="dualres.model.views.order_network:OrdersNetwork",
        kernel="dualres.kernel.orders:OrdersKernel",
        fit="dualres.learn.closed_form:fit_order_tasks",
        expected_s="dualres.learn.closed_form:expected_orders_s",
        explanation="dualres.explain.orders:EXPLANATION",
        device="dualres.export.device_network:ORDERS_DEVICE",
        graph="dualres.export.device_network:ORDERS_GRAPH",
        orders="dualres.kernel.orders:PARTS",
        novelty="dualres.judge.trust.novelty:of_orders",
        between="dualres.export.novelty:lying_of_orders",
        baseline="dualres.kernel.orders:MOVABLE",
    )
)
VIEWS = register_kind(
    NetworkKind(
        method="dualres/views",
        title="network of views",
        recipes={"views": None},
        config_fields=("rate", "window", "hop", "short", "long"),  # it shares the paper's frames
        weights="dualres.model.views.weights:ViewsWeights",
        shapes="dualres.model.views.weights:views_shapes",
        logits="dualres.model.reference.views:log_probabilities",
        network="dualres.model.views.network:ViewsNetwork",
        kernel="dualres.kernel.views:ViewsKernel",
        fit="dualres.learn.closed_form:fit_tasks",
        expected_s="dualres.learn.closed_form:expected_views_s",
        explanation="dualres.explain.views:EXPLANATION",
        device="dualres.export.device_network:VIEWS_DEVICE",
        graph="dualres.export.device_network:VIEWS_GRAPH",
        novelty="dualres.judge.trust.novelty:of_views",
        between="dualres.export.novelty:lying_of",
        baseline="dualres.kernel.views:MOVABLE",
    )
)
PAPER = register_kind(
    NetworkKind(
        method="dualres",
        title="the paper's network",
        recipes=RECIPES,
        weights="dualres.model.weights:Weights",
        shapes="dualres.model.weights:shapes",
        logits="dualres.model.reference.network:logits",
        network="dualres.model.network:DualRes",
        kernel="dualres.kernel.inference:Kernel",
        gpu="dualres.kernel.gpu.available:WindowScorer",
        fit="dualres.learn.trained.fit:fit_networks",
        expected_s="dualres.learn.trained.fit:expected_training_s",
        explanation="dualres.explain.paper_network:EXPLANATION",
        device="dualres.export.device_network:PAPER_DEVICE",
        graph="dualres.export.device_network:PAPER_GRAPH",
        carried="dualres.model.reference.carried:CARRIED",
    )
)
DEFAULT = ORDERS  # what `dualres fit` fits

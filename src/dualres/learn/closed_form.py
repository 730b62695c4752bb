"""Fits networks of views and of orders: every head in closed form, from class means and from how windows of one class
differ.

Nothing is drawn or iterated: the same windows give the same network, in about the time that it takes to look at them.
"""

import time
from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dualres.config import ORDER_SIZES, VIEW_SIZES, ModelConfig
from dualres.kernel.orders import looks_of
from dualres.learn.support import MICROBATCH, Labels, check_support, noise_support, views_of
from dualres.learn.trained.task import FittedNetwork, Task
from dualres.model.discriminant import Discriminant
from dualres.model.views import modulation
from dualres.model.views.network import ViewsNetwork, low_lines, mean_spectra
from dualres.model.views.order_network import Looks, OrdersNetwork
from dualres.recordings.recording import Samples
from dualres.utils.arrays import Exact
from dualres.utils.progress import Progress, quiet

VIEWS = "Views"  # the stage that progress is told of
Tell = Callable[[], None]  # called after each batch of windows that was looked at, and after each head that was set
FEW_WINDOWS = 32  # by which the time of a fit is judged
SHRINKAGE = 0.3  # how far the covariance within classes is taken to be the identity
LEAST_SPREAD = 0.1  # of the mean spread over features, added to each: what hardly changes must not decide
LEAST_OF_ALL = 1e-3  # of the mean spread over all windows, where those of one class do not differ at all
SPEEDS = range(-9, 10, 3)  # bins by which repetition rates are moved: speeds from 0.56 to 1.8 times the labelled
PATH_SPREAD = 0.3  # nats; smooth gains over frequency by which recordings of one class may differ
PATH_WAVES = 2  # cosines and sines of such a gain, beside its level
SHARPNESS = 3.0  # of every head, the same: one that its support fits better is not to be believed more elsewhere
ORDER_SHARPNESS = 4.5  # likewise of the network of orders, whose heads' probabilities are averaged
MOVED_SHARPNESS = 5.5  # of those that learned at other speeds, too, where windows of one class differ more
MOVED = np.exp(np.linspace(-0.58, 0.58, 7))  # these speeds, as shares of the labelled: 0.56 to 1.8


class Statistics(NamedTuple):
    """What a view of the support says, standardised."""

    centre: Exact  # (features,)
    scale: Exact  # (features,)
    means: Exact  # of the classes, (classes, features)
    residual: Exact  # of each window from its class, (n, features)

    @property
    def within(self) -> Exact:
        """The covariance within classes, (features, features)."""
        return np.asarray(self.residual.T @ self.residual / len(self.residual))


class ViewFeatures(NamedTuple):
    """What the views see of windows, on the CPU; `of_views` is what the heads take of it."""

    spectra: Tensor  # (n, features)
    wide: Tensor  # modulation on an axis that allows for other speeds, (n, bands, oscillators + margins)
    lines: Tensor  # (n, features)

    def of_views(self) -> tuple[Tensor, ...]:
        """In the order of the heads, (n, features) each."""
        repeating = modulation.at_other_speed(self.wide, 0).flatten(1)
        return self.spectra, repeating, repeating, self.lines


def fit_views(
    windows: Samples,
    labels: Labels,
    classes: int,
    *,
    config: ModelConfig | None = None,
    device: str = "cpu",
    progress: Progress = quiet,
) -> ViewsNetwork:
    """Learn from raw windows (n, window) at `config.rate` with labels 0 .. classes - 1.

    A step of the progress is a batch of windows that was looked at, or a head that was set.
    """
    config = config or ModelConfig()
    check_support(windows, labels, classes, config.window)
    done, steps = count(1), -(-len(windows) // MICROBATCH) + len(VIEW_SIZES.features(config))

    def tell() -> None:
        progress(VIEWS, next(done), steps, "")

    return fit_seen(seen_in(windows, config, device, tell), labels, classes, config, tell=tell).to(device)


def fit_tasks(tasks: Sequence[Task], config: ModelConfig, recipe: None) -> list[FittedNetwork[ViewsNetwork]]:
    """A network for each task, whatever its seed."""
    networks = (
        fit_views(one.windows, one.labels, one.classes, config=config, device=one.device, progress=one.progress)
        for one in tasks
    )
    return [FittedNetwork(network) for network in networks]


def expected_views_s(windows: int, recipe: None, config: ModelConfig, device: str) -> float:
    """How long a fit will take on this machine, in seconds, judged by views of a few windows."""
    return _expected_s(fit_views, windows, config, device)


def _expected_s(fit: Callable[..., object], windows: int, config: ModelConfig, device: str) -> float:
    told = [time.perf_counter()]

    def look(stage: str, done: int, total: int, remark: str) -> None:
        told.append(time.perf_counter())

    noise, labels = noise_support(FEW_WINDOWS, config)
    fit(noise, labels, 2, config=config, device=device, progress=look)
    return (told[1] - told[0]) * windows / FEW_WINDOWS + told[-1] - told[1]  # heads take the same for all


def fit_orders(
    windows: Samples,
    labels: Labels,
    classes: int,
    *,
    hz: Exact | None = None,
    config: ModelConfig | None = None,
    device: str = "cpu",
    progress: Progress = quiet,
) -> OrdersNetwork:
    """As `fit_views`, from windows of shafts that turn at `hz` (n,), NaN where that is not known.

    The heads on an axis of orders learn from windows of known speed, if there are some of every class.
    """
    config = config or ModelConfig()
    check_support(windows, labels, classes, config.window)
    heads = len(ORDER_SIZES.features(config))
    done, steps = count(1), -(-len(windows) // MICROBATCH) + heads

    def tell() -> None:
        progress(VIEWS, next(done), steps, "")

    network = OrdersNetwork(classes, config)

    spectra, swings, lines = _looks(network, windows, device, tell)
    return fit_looks((spectra, swings, lines), labels, network, hz=hz, tell=tell).to(device)


def _looks(network: OrdersNetwork, windows: Samples, device: str, tell: Tell) -> list[Tensor]:
    """Of raw windows (n, window), on the CPU: by the compiled kernel, or by PyTorch on a GPU."""
    if device == "cpu":
        parts = []
        for start in range(0, len(windows), MICROBATCH):
            seen = looks_of(network.config, windows[start : start + MICROBATCH])
            parts.append([torch.from_numpy(np.asarray(look, np.float32)) for look in seen])
            tell()
        return [torch.cat(each) for each in zip(*parts, strict=True)]

    def look(some: Tensor) -> tuple[Tensor, ...]:
        seen = network.looks(some)
        tell()
        return seen

    return [one.cpu() for one in views_of(look, windows, device)]


def fit_looks(
    looks: Looks,
    labels: Labels,
    network: OrdersNetwork,
    *,
    hz: Exact | None = None,
    tell: Tell = lambda: None,
    only: Collection[str] = (),
    fast: bool = False,
) -> OrdersNetwork:
    """As `fit_orders`, from what a network that has not learned yet saw; `tell` is called after each head.

    With `only`, the others are left as they are; for `fast`, see `strongest_of_few`.
    """
    hz = np.full(len(labels), np.nan) if hz is None else hz
    known, gains = hz > 0, smooth_gains(network.config)
    by_order = set(labels[known].tolist()) == set(range(network.classes))
    usual = np.full(len(labels), ORDER_SIZES.usual_hz)
    as_is = _views(network, looks, np.where(known, hz, usual))
    chosen = {name: head for name, head in network.heads.items() if not only or name in only}
    shares = MOVED if any(name.endswith("_moved") for name in chosen) else ()
    moved = [_views(network, looks, usual * share) for share in shares]
    for name, head in chosen.items():
        view, of_views, sharpness = as_is[name], labels, ORDER_SHARPNESS
        if name.startswith("order_"):
            view, of_views = view[known], labels[known]
        elif name.endswith("_moved"):
            view = np.concatenate([views[f"order_{name.removesuffix('_moved')}"] for views in moved])
            of_views, sharpness = np.tile(labels, len(moved)), MOVED_SHARPNESS
        if by_order or not name.startswith("order_"):
            curves = gains if name == "spectra" else None
            found: Discriminant = head  # type: ignore[assignment]
            fit_head(found, view, of_views, network.classes, nuisance=curves, fast=fast, sharpness=sharpness)
        tell()
    if by_order:
        with torch.no_grad():
            network.speeds.copy_(torch.tensor([hz[known].min(), hz[known].max()]))
    return network.eval()


def _views(network: OrdersNetwork, looks: Looks, hz: Exact) -> dict[str, Exact]:
    """What each head takes of looks at shafts that turn at `hz` (n,), (n, features) each."""
    return {name: view.double().numpy() for name, view in network.views(looks, torch.from_numpy(hz)).items()}


def fit_order_tasks(tasks: Sequence[Task], config: ModelConfig, recipe: None) -> list[FittedNetwork[OrdersNetwork]]:
    """A network for each task, whatever its seed."""
    return [
        FittedNetwork(
            fit_orders(
                one.windows, one.labels, one.classes, hz=one.hz, config=config, device=one.device, progress=one.progress
            )
        )
        for one in tasks
    ]


def expected_orders_s(windows: int, recipe: None, config: ModelConfig, device: str) -> float:
    """As `expected_views_s`, of a network of orders."""
    return _expected_s(fit_orders, windows, config, device)


def seen_in(windows: Samples, config: ModelConfig, device: str = "cpu", tell: Tell = lambda: None) -> ViewFeatures:
    """What the views see of raw windows (n, window) at `config.rate`; `tell` is called after each batch of them."""

    def looks(some: Tensor) -> tuple[Tensor, ...]:
        seen = mean_spectra(some, config), modulation.wide_modulation(some, config), low_lines(some, config)
        tell()
        return seen

    return ViewFeatures(*(view.cpu() for view in views_of(looks, windows, device)))


def fit_seen(
    seen: ViewFeatures,
    labels: Labels,
    classes: int,
    config: ModelConfig,
    *,
    tell: Tell = lambda: None,
    fast: bool = False,
) -> ViewsNetwork:
    """As `fit_views`, from what the views saw; `tell` is called after each head; for `fast`, see `strongest_of_few`."""
    network = ViewsNetwork(classes, config)
    spectra, repeating, _, lines = seen.of_views()
    learned: dict[str, tuple[list[Tensor], Exact | None]] = {
        "spectra": ([spectra], smooth_gains(config)),
        "repetition": ([repeating], None),
        "rhythm": ([modulation.at_other_speed(seen.wide, shift).flatten(1) for shift in SPEEDS], None),
        "lines": ([lines], None),
    }
    for name, (copies, nuisance) in learned.items():
        shown = np.concatenate([copy.double().numpy() for copy in copies])
        head: Discriminant = network.heads[name]  # type: ignore[assignment]
        fit_head(head, shown, np.tile(labels, len(copies)), classes, nuisance=nuisance, fast=fast)
        tell()
    return network.eval()


def smooth_gains(config: ModelConfig) -> Exact:
    """Curves over the frequencies of both spectra, (curves, features): a level, then waves of half the band and of all.

    A transfer path adds some sum of them to log-magnitudes. It differs from machine to machine, and tells no fault.
    """
    frequency = np.concatenate([np.linspace(0, 1, bins) for bins in (config.short_bins, config.long_bins)])
    waves = [wave(np.pi * j * frequency) for j in range(1, PATH_WAVES + 1) for wave in (np.cos, np.sin)]
    return PATH_SPREAD * np.stack([np.ones_like(frequency), *waves])


def fit_head(
    head: Discriminant,
    view: Exact,
    labels: Labels,
    classes: int,
    *,
    nuisance: Exact | None = None,
    fast: bool = False,
    sharpness: float = SHARPNESS,
) -> None:
    """Set a head by a view of the support, (n, features). Directions of `nuisance` (m, features) count for little."""
    found = statistics(view, labels, classes)
    curves = None if nuisance is None else nuisance * found.scale
    few = fast and len(view) < view.shape[1]
    strengths, directions = (strongest_of_few if few else strongest)(found, curves)
    variance = (1 - SHRINKAGE) * np.maximum(strengths, 0) + SHRINKAGE
    # In units in which all other directions have variance one, a distance along these counts for less.
    scale, means = found.scale / np.sqrt(SHRINKAGE), found.means / np.sqrt(SHRINKAGE)
    less = np.sqrt(1 - SHRINKAGE / variance)[:, None] * directions
    slopes = means - means @ less.T @ less
    offsets = (slopes * means).sum(1)
    set_to = {"centre": found.centre, "scale": scale, "directions": less, "slopes": slopes, "offsets": offsets}
    with torch.no_grad():
        for name, value in set_to.items():
            getattr(head, name)[: len(value)] = torch.from_numpy(value)
        head.sharpness.fill_(sharpness)


def strongest(found: Statistics, curves: Exact | None) -> tuple[Exact, Exact]:
    """The directions in which windows of one class differ most, (rank, features), and their variances, (rank,)."""
    within = found.within if curves is None else found.within + curves.T @ curves
    strengths, directions = np.linalg.eigh(within)
    order = np.argsort(strengths)[::-1][: VIEW_SIZES.rank]
    return strengths[order], directions[:, order].T


def strongest_of_few(found: Statistics, curves: Exact | None) -> tuple[Exact, Exact]:
    """The same up to rounding, faster for fewer windows than features; directions of no difference are left out."""
    rows = found.residual / np.sqrt(len(found.residual))
    if curves is not None:
        rows = np.concatenate([rows, curves])
    strengths, shares = np.linalg.eigh(rows @ rows.T)
    order = np.argsort(strengths)[::-1][: VIEW_SIZES.rank]
    order = order[strengths[order] > np.finfo(np.float32).eps * max(strengths.max(), 1.0)]
    return strengths[order], (rows.T @ shares[:, order] / np.sqrt(strengths[order])).T


def statistics(view: Exact, labels: Labels, classes: int) -> Statistics:
    """Of a view (n, features): features are centred, and divided by how far windows of one class differ in them."""
    means = np.stack([view[labels == c].mean(0) for c in range(classes)])
    centre, residual = view.mean(0), view - means[labels]
    spread = np.sqrt((residual**2).mean(0))
    floor = LEAST_SPREAD * spread.mean() + LEAST_OF_ALL * view.std(0).mean() + np.finfo(np.float32).eps
    scale = 1 / np.sqrt(spread**2 + floor**2)
    residual *= scale
    return Statistics(centre, scale, (means - centre) * scale, residual)

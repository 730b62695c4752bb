"""Raw windows to scores by the fastest way there is: the compiled kernel, a GPU's recorded passes, NumPy, or PyTorch.

On a CPU the kernel does it, and NumPy where the kernel was not built or is made for other sizes. PyTorch is left with
networks on a GPU and those of other numbers than float32; nothing else imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from dualres.config import VIEW_SIZES
from dualres.errors import ConfigError
from dualres.kernel.compiled import variant
from dualres.kernel.inference import Kernel, serves
from dualres.kernel.views import ViewsKernel, serves_views, views_in
from dualres.kernel.views import features as view_features
from dualres.model.reference import network as papers_reference
from dualres.model.reference import views as views_reference
from dualres.model.reference.probabilities import softmax
from dualres.model.views.weights import ViewsWeights
from dualres.model.weights import Weights
from dualres.utils.arrays import Exact, Floats

if TYPE_CHECKING:
    from dualres.model.network import DualRes
    from dualres.model.views.network import ViewsNetwork

TORCH_BATCH = {"cpu": 16, "cuda": 256}  # windows; by PyTorch their activations fit into a CPU's caches

Windows = npt.NDArray[np.float32]  # (n, window), raw, at the model's rate
Scores = npt.NDArray[np.float64]  # (n, classes): probabilities, or the decision values of a method that has none
ScoreFunction = Callable[[Windows], Floats]  # windows to logits (n, classes)
# One network of a model: `Weights` or `ViewsWeights`, one of PyTorch's, or a comparator, which has `scores` itself.
Member = Any


def scores(member: Member, windows: Windows) -> Scores:
    """Of windows that may be read-only views into one signal: a network's probabilities, or a comparator's scores."""
    if hasattr(member, "scores"):
        scored: Scores = member.scores(windows)
        return scored
    return softmax(scorer(member)(windows).astype(np.float64))


def scorer(network: DualRes | ViewsNetwork | Weights | ViewsWeights) -> ScoreFunction:
    """The network as it is now, ready to give logits, without jitter and dropout. Windows may be read-only views."""
    return partial(_score, _way(network), network.config.window)


def weights_of(network: DualRes | ViewsNetwork | Weights | ViewsWeights) -> Weights | ViewsWeights:
    """A network without PyTorch, as it is now."""
    if isinstance(network, Weights | ViewsWeights):
        return network
    from dualres.model.network import DualRes

    arrays = {name: tensor.detach().cpu().float().numpy().copy() for name, tensor in network.state_dict().items()}
    return (Weights if isinstance(network, DualRes) else ViewsWeights)(network.config, arrays)


def in_torch(weights: Weights | ViewsWeights) -> DualRes | ViewsNetwork:
    """A network for PyTorch, on the CPU; RuntimeError where the arrays are not those of such a network."""
    import torch

    from dualres.model.network import DualRes
    from dualres.model.views.network import ViewsNetwork

    build = DualRes if isinstance(weights, Weights) else ViewsNetwork
    with torch.device("meta"):  # it costs nothing until its shapes have been compared
        network = build(weights.classes, weights.config)
    # Copied to where PyTorch aligns them: a product may round otherwise where its weights lie otherwise.
    network.load_state_dict({name: torch.tensor(a) for name, a in weights.arrays.items()}, assign=True)
    return network.eval()


def views_of(weights: ViewsWeights, windows: Windows) -> dict[str, Floats]:
    """What the heads of a network of views see of raw windows (n, window), by their names, (n, features) each."""
    if serves_views(weights.config):
        seen = views_in(view_features(windows))
        return {name: seen.get(name, seen["repetition"]) for name in VIEW_SIZES.features(weights.config)}
    return {name: view.astype(np.float32) for name, view in views_reference.views(weights.config, windows).items()}


def _score(way: ScoreFunction, window: int, windows: Windows) -> Floats:
    if windows.ndim != 2 or windows.shape[1] != window:
        raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {window})")
    return way(windows.astype(np.float32, copy=False))


def _way(network: DualRes | ViewsNetwork | Weights | ViewsWeights) -> ScoreFunction:
    if isinstance(network, Weights | ViewsWeights) or _is_plain(network, "cpu"):
        return _kernel(network).logits if _served(network) else partial(by_numpy, weights_of(network))
    from dualres.kernel.gpu.available import available
    from dualres.model.network import DualRes

    if isinstance(network, DualRes) and _is_plain(network, "cuda") and available(network.config, "cuda"):
        return partial(_by_graphs, network)
    return partial(by_torch, network)


def _served(network: DualRes | ViewsNetwork | Weights | ViewsWeights) -> bool:
    """Whether the compiled kernel is in use, and made for such a network."""
    return (serves if _is_papers(network) else serves_views)(network.config)


def _is_papers(network: DualRes | ViewsNetwork | Weights | ViewsWeights) -> bool:
    """Whether it is the paper's network, not one of views."""
    if isinstance(network, Weights | ViewsWeights):
        return isinstance(network, Weights)
    from dualres.model.network import DualRes

    return isinstance(network, DualRes)


def _is_plain(network: DualRes | ViewsNetwork, device: str) -> bool:
    """Whether its parameters are float32 on such a device."""
    weight = next(network.parameters())
    return weight.device.type == device and weight.dtype.itemsize == 4 and weight.dtype.is_floating_point


def _kernel(network: DualRes | ViewsNetwork | Weights | ViewsWeights) -> Kernel | ViewsKernel:
    """The network's kernel, made at the first call and again when its parameters have changed since."""
    stamp = (variant(), () if isinstance(network, Weights | ViewsWeights) else network.stamp())
    known = _kernels.get(network)
    if known is None or known[0] != stamp:
        weights = weights_of(network)
        made = Kernel(weights) if isinstance(weights, Weights) else ViewsKernel(weights)
        known = _kernels[network] = (stamp, made)
    return known[1]


_kernels: WeakKeyDictionary[DualRes | ViewsNetwork | Weights | ViewsWeights, tuple[object, Kernel | ViewsKernel]] = (
    WeakKeyDictionary()
)


def by_numpy(weights: Weights | ViewsWeights, windows: Windows) -> Floats:
    """Logits by the readable way, computed in float64; those too large for float32 are infinite."""
    with np.errstate(over="ignore"):
        return exact_logits(weights, windows).astype(np.float32)


def exact_logits(weights: Weights | ViewsWeights, windows: Windows) -> Exact:
    """The same in float64, (n, classes)."""
    if isinstance(weights, Weights):
        return papers_reference.logits(weights, windows)
    return views_reference.log_probabilities(weights, windows)


def by_torch(network: DualRes | ViewsNetwork, windows: Windows) -> Floats:
    """Logits by PyTorch, on the network's device and without jitter and dropout."""
    import torch

    weight, training = next(network.parameters()), network.training
    network.eval()
    parts = [np.empty((0, network.classes), np.float32)]
    size = TORCH_BATCH.get(weight.device.type, TORCH_BATCH["cpu"])
    with torch.inference_mode():
        for i in range(0, len(windows), size):
            some = torch.from_numpy(np.array(windows[i : i + size])).to(weight)
            parts.append(network(some).float().cpu().numpy())
    network.train(training)
    return np.concatenate(parts)


def _by_graphs(network: DualRes, windows: Windows) -> Floats:
    from dualres.kernel.gpu import graphs
    from dualres.kernel.gpu.cuda_graphs import full_precision

    count, length = windows.shape
    if not count:
        return np.empty((0, network.head.out_features), np.float32)
    with full_precision():
        recorded = graphs.scorer(network)
        if count == 1:
            return np.asarray(recorded.window(windows[0]))[None]
        step = windows.strides[0] // windows.itemsize
        if windows.strides[1] == windows.itemsize and 0 < step < length:  # views into one signal: it is sent once
            signal = np.lib.stride_tricks.as_strided(windows, ((count - 1) * step + length,), windows.strides[1:])
        else:
            signal, step = windows.reshape(-1), length
        sent = signal if signal.flags.writeable else signal.copy()  # PyTorch takes nothing that is read-only
        return np.asarray(recorded.logits(sent, range(0, count * step, step)).cpu().numpy())

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

from dualres.errors import ConfigError
from dualres.kernel.compiled import variant
from dualres.model.kinds import FastScorer, kind_of, resolved
from dualres.model.reference.probabilities import softmax
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Exact, Floats

if TYPE_CHECKING:
    from dualres.model.torch_network import TorchNetwork

TORCH_BATCH = {"cpu": 16, "cuda": 256}  # windows; by PyTorch their activations fit into a CPU's caches

Windows = npt.NDArray[np.float32]  # (n, window), raw, at the model's rate
Scores = npt.NDArray[np.float64]  # (n, classes): probabilities, or the decision values of a method that has none
ScoreFunction = Callable[[Windows], Floats]  # windows to logits (n, classes)
# One network of a model: its weights, one of PyTorch's, or a comparator, which has `scores` itself.
Member = Any


def scores(member: Member, windows: Windows) -> Scores:
    """Of windows that may be read-only views into one signal: a network's probabilities, or a comparator's scores."""
    if hasattr(member, "scores"):
        return np.asarray(member.scores(windows))
    return softmax(scorer(member)(windows).astype(np.float64))


def scorer(network: TorchNetwork | NetworkWeights) -> ScoreFunction:
    """The network as it is now, ready to give logits, without jitter and dropout. Windows may be read-only views."""
    return partial(_score, _way(network), network.config.window)


def weights_of(network: TorchNetwork | NetworkWeights) -> NetworkWeights:
    """A network without PyTorch, as it is now."""
    if isinstance(network, NetworkWeights):
        return network
    arrays = {name: tensor.detach().cpu().float().numpy().copy() for name, tensor in network.state_dict().items()}
    return resolved(kind_of(network).weights)(network.config, arrays)


def in_torch(weights: NetworkWeights) -> TorchNetwork:
    """A network for PyTorch, on the CPU; RuntimeError where the arrays are not those of such a network."""
    kind = kind_of(weights)
    if kind.network is None:
        raise ConfigError(f"this needs PyTorch, in which there is no {kind.title}")
    import torch

    with torch.device("meta"):  # it costs nothing until its shapes have been compared
        network = resolved(kind.network)(weights.classes, weights.config)
    # Copied to where PyTorch aligns them: a product may round otherwise where its weights lie otherwise.
    network.load_state_dict({name: torch.tensor(a) for name, a in weights.arrays.items()}, assign=True)
    return network.eval()


def _score(way: ScoreFunction, window: int, windows: Windows) -> Floats:
    if windows.ndim != 2 or windows.shape[1] != window:
        raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {window})")
    return way(windows.astype(np.float32, copy=False))


def _way(network: TorchNetwork | NetworkWeights) -> ScoreFunction:
    kind = kind_of(network)
    if isinstance(network, NetworkWeights) or _is_plain(network, "cpu"):
        fast = resolved(kind.kernel)
        if fast and fast.serves(network.config):
            return _kernel(network, fast).logits
        return partial(by_numpy, weights_of(network))
    recorded = resolved(kind.gpu)
    if recorded and _is_plain(network, "cuda") and recorded.serves(network.config):
        return recorded(network).logits
    return partial(by_torch, network)


def _is_plain(network: TorchNetwork, device: str) -> bool:
    weight = next(network.parameters())
    return weight.device.type == device and weight.dtype.itemsize == 4 and weight.dtype.is_floating_point


def _kernel(network: TorchNetwork | NetworkWeights, kernel: type[FastScorer]) -> FastScorer:
    """The network's kernel, made at the first call and again when its parameters have changed since."""
    stamp = (variant(), () if isinstance(network, NetworkWeights) else network.stamp())
    known = _kernels.get(network)
    if known is None or known[0] != stamp:
        known = _kernels[network] = (stamp, kernel(weights_of(network)))
    return known[1]


_kernels: WeakKeyDictionary[TorchNetwork | NetworkWeights, tuple[object, FastScorer]] = WeakKeyDictionary()


def by_numpy(weights: NetworkWeights, windows: Windows) -> Floats:
    """Logits by the readable way, computed in float64; those too large for float32 are infinite."""
    with np.errstate(over="ignore"):
        return exact_logits(weights, windows).astype(np.float32)


def exact_logits(weights: NetworkWeights, windows: Windows) -> Exact:
    """The same in float64, (n, classes)."""
    return resolved(kind_of(weights).logits)(weights, windows)


def by_torch(network: TorchNetwork, windows: Windows) -> Floats:
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

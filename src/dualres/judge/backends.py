"""Raw windows to scores by the fastest way there is: the compiled kernel, a GPU's recorded passes, NumPy, or PyTorch.

On a CPU the kernel does it, and NumPy where the kernel was not built or is made for other sizes. PyTorch is left with
networks on a GPU and those of other numbers than float32; nothing else imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError
from dualres.kernel.compiled import variant
from dualres.model.kinds import FastScorer, NetworkKind, kind_of, resolved
from dualres.model.reference.probabilities import softmax
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Exact, Floats

if TYPE_CHECKING:
    from dualres.model.torch_network import TorchNetwork

TORCH_BATCH = {"cpu": 16, "cuda": 256}  # windows; by PyTorch their activations fit into a CPU's caches

Windows = npt.NDArray[np.float32]  # (n, window), raw, at the model's rate
Scores = npt.NDArray[np.float64]  # (n, classes): probabilities, or the decision values of a method that has none
# Windows to logits (n, classes); of a kind that knows orders, with the shafts' revolutions per second (n,), too.
ScoreFunction = Callable[..., Floats]
Seen = Any  # what a network sees of windows, whatever the speed: a tuple of arrays (n, ...), or the windows themselves
# One network of a model: its weights, one of PyTorch's, or a comparator, which has `scores` itself.
Member = Any


def scores(member: Member, windows: Seen, hz: Exact | None = None) -> Scores:
    """Of windows that may be read-only views into one signal: a network's probabilities, or a comparator's scores.

    `hz` (n,), of the shafts, matters to kinds that know orders; NaN where it is not known. To those what was `seen` of
    the windows may be given in their place.
    """
    if hasattr(member, "scores"):
        return np.asarray(member.scores(windows, hz) if asks_for_speed(member) else member.scores(windows))
    if isinstance(windows, np.ndarray):
        return softmax(scorer(member)(windows, hz).astype(np.float64))
    orders = resolved(kind_of(member).orders)
    assert orders is not None
    return softmax(orders.logits(weights_of(member), windows, hz).astype(np.float64))


def asks_for_speed(member: Member) -> bool:
    """Whether a comparator is told the speeds that recordings state, as they are stated."""
    return bool(getattr(member, "asks_for_speed", False))


def seen(member: Member, windows: Windows) -> Seen:
    """What a network sees of windows whatever the speed, for `scores`; for kinds that know no orders, the windows."""
    orders = None if hasattr(member, "scores") else resolved(kind_of(member).orders)
    if orders is None:
        return windows
    if not isinstance(member, NetworkWeights) and not _is_plain(member, "cpu"):
        return seen_by_torch(member, windows)
    return orders.looks(member.config, windows)


def seen_by_torch(network: Any, windows: Windows) -> Seen:
    """The same by PyTorch, on the network's device."""
    import torch

    orders = resolved(kind_of(network).orders)
    assert orders is not None
    weight, size = next(network.parameters()), _torch_batch(network)
    parts = []
    with torch.inference_mode():
        for i in range(0, len(windows), size):
            looks = network.looks(torch.from_numpy(np.array(windows[i : i + size])).to(weight))
            parts.append(orders.of(*(look.float().cpu().numpy() for look in looks)))
    return joined(parts)


def seen_again(member: Member, arrays: Sequence[npt.NDArray[Any]]) -> Seen:
    """What was seen of windows, (n, ...) each, by a network that knows orders, from the arrays that it is made of."""
    orders = resolved(kind_of(member).orders)
    assert orders is not None
    return orders.of(*arrays)


def sliced(seen: Seen, chosen: slice | npt.NDArray[np.int_]) -> Seen:
    """What was seen of some of the windows."""
    return seen[chosen] if isinstance(seen, np.ndarray) else seen.of(chosen)


def joined(parts: Sequence[Seen]) -> Seen:
    """What was seen of all of these windows."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return type(parts[0])(*map(np.concatenate, zip(*parts, strict=True)))


def scorer(network: TorchNetwork | NetworkWeights) -> ScoreFunction:
    """The network as it is now, ready to give logits, without jitter and dropout. Windows may be read-only views.

    It takes windows (n, window) and, for kinds that know orders, revolutions per second (n,).
    """
    return partial(_score, _way(network), network.config.window)


def weights_of(network: TorchNetwork | NetworkWeights) -> NetworkWeights:
    """A network without PyTorch, as it is now."""
    if isinstance(network, NetworkWeights):
        return network
    stamp, known = network.stamp(), _weights.get(network)
    if known is None or known[0] != stamp:
        arrays = {name: tensor.detach().cpu().float().numpy().copy() for name, tensor in network.state_dict().items()}
        known = _weights[network] = (stamp, resolved(kind_of(network).weights)(network.config, arrays))
    return known[1]


_weights: WeakKeyDictionary[TorchNetwork, tuple[object, NetworkWeights]] = WeakKeyDictionary()


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


def _score(way: ScoreFunction, window: int, windows: Windows, hz: Exact | None = None) -> Floats:
    if windows.ndim != 2 or windows.shape[1] != window:
        raise ConfigError(f"windows of shape {windows.shape} were given; the network takes (n, {window})")
    return way(windows.astype(np.float32, copy=False), hz)


def _way(network: TorchNetwork | NetworkWeights) -> ScoreFunction:
    kind = kind_of(network)
    way = _way_of(kind, network)
    return way if kind.knows_orders else lambda windows, hz: way(windows)


def _way_of(kind: NetworkKind, network: TorchNetwork | NetworkWeights) -> ScoreFunction:
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


def by_numpy(weights: NetworkWeights, windows: Windows, hz: Exact | None = None) -> Floats:
    """Logits by the readable way, computed in float64; those too large for float32 are infinite."""
    with np.errstate(over="ignore"):
        return exact_logits(weights, windows, hz).astype(np.float32)


def exact_logits(weights: NetworkWeights, windows: Windows, hz: Exact | None = None) -> Exact:
    """The same in float64, (n, classes)."""
    kind = kind_of(weights)
    return resolved(kind.logits)(weights, windows, *([hz] if kind.knows_orders else []))


def by_torch(network: TorchNetwork, windows: Windows, hz: Exact | None = None) -> Floats:
    """Logits by PyTorch, on the network's device and without jitter and dropout."""
    import torch

    weight, training = next(network.parameters()), network.training
    network.eval()
    parts = [np.empty((0, network.classes), np.float32)]
    size = _torch_batch(network)
    with torch.inference_mode():
        for i in range(0, len(windows), size):
            some = torch.from_numpy(np.array(windows[i : i + size])).to(weight)
            turning = [torch.from_numpy(hz[i : i + size]).to(weight.device)] if hz is not None else []
            parts.append(network(some, *turning).float().cpu().numpy())
    network.train(training)
    return np.concatenate(parts)


def _torch_batch(network: TorchNetwork) -> int:
    return TORCH_BATCH.get(next(network.parameters()).device.type, TORCH_BATCH["cpu"])

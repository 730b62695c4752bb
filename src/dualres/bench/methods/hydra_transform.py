"""The transforms of Hydra and MultiRocket: what responses to dilated kernels say of a window (Dempster, Schmidt and
Webb, 2023; Tan, Dempster, Bergmeir and Webb, 2022).

Both are aeon 1.6's, to which tests hold them. A processor computes them by the compiled library, in a tenth of a second
for a window of half a second; a GPU, and a processor without the library, by PyTorch.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import conv1d, pad

from dualres.bench.methods.rocket import CHOSEN, KERNELS, TAPS, dilations, levels_of
from dualres.kernel import dilated
from dualres.utils.arrays import Floats

GROUPS, IN_GROUP = 64, 8  # of Hydra's kernels, at every dilation; half of the groups see the differences
REQUESTED = 6_250  # features of MultiRocket, of each kind, for a window and for its differences each
PER_KERNEL = REQUESTED // KERNELS
ROCKET_FEATURES = PER_KERNEL * KERNELS
KINDS = dilated.KINDS  # what MultiRocket says of responses above a level


def hydra_kernels(window: int, seed: int) -> Tensor:
    """Random kernels, (dilations, 2, GROUPS / 2 * IN_GROUP, 1, TAPS), as aeon draws them."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(len(hydra_dilations(window)), 2, GROUPS // 2 * IN_GROUP, 1, TAPS, generator=generator)
    drawn = drawn - drawn.mean(-1, keepdim=True)
    return drawn / drawn.abs().sum(-1, keepdim=True)


def hydra_dilations(window: int) -> list[int]:
    return [2**i for i in range(int(math.log2((window - 1) / (TAPS - 1))) + 1)]


def hydra_features(windows: Tensor, kernels: Tensor) -> Tensor:
    """Of normalised windows (n, window): for each kernel the sum of its responses where it is its group's largest, and
    how often it is its smallest, (n, features)."""
    if not _compiled(windows):
        return hydra_features_ref(windows, kernels)
    both = zip((windows, windows.diff()), kernels.squeeze(3).unbind(1), strict=True)
    spread = hydra_dilations(windows.shape[1])
    found = [dilated.hydra(signals.numpy(), spread, weights.numpy()) for signals, weights in both]
    return torch.from_numpy(np.stack(found, axis=2)).flatten(1)


def hydra_features_ref(windows: Tensor, kernels: Tensor) -> Tensor:
    """The same by PyTorch."""
    found = []
    for dilation, of_dilation in zip(hydra_dilations(windows.shape[1]), kernels, strict=True):
        for signal, weights in zip((windows, windows.diff()), of_dilation, strict=True):
            padding = (TAPS - 1) * dilation // 2
            grouped = conv1d(signal[:, None], weights, dilation=dilation, padding=padding)
            grouped = grouped.unflatten(1, (GROUPS // 2, IN_GROUP))
            largest, which = grouped.max(2)
            zeros = torch.zeros(grouped.shape[:3], device=windows.device)
            found.append(zeros.scatter_add(-1, which, largest))
            found.append(zeros.scatter_add(-1, which := grouped.argmin(2), torch.ones_like(which, dtype=zeros.dtype)))
    return torch.cat(found, dim=1).flatten(1)


def rocket_levels(signals: Tensor, seed: int) -> Floats:
    """Quantiles of the responses of one signal (n, window), drawn for each kernel and dilation: (ROCKET_FEATURES,)."""
    return levels_of(signals.cpu().numpy(), seed, PER_KERNEL)


def rocket_features(signals: Tensor, levels: Tensor, *, differences: bool) -> Tensor:
    """Of signals (n, window), (n, KINDS * ROCKET_FEATURES), kind after kind: the share of the responses above a level,
    the longest stretch between two below it, the mean of those above it, to which the level is added, and their mean
    place."""
    if not _compiled(signals):
        return rocket_features_ref(signals, levels, differences=differences)
    spread = dilations(signals.shape[1], PER_KERNEL)
    found = dilated.multirocket(signals.numpy(), *spread, levels.numpy(), late=differences)
    return torch.from_numpy(found).flatten(1)


def rocket_features_ref(signals: Tensor, levels: Tensor, *, differences: bool) -> Tensor:
    """The same by PyTorch."""
    found, begin = torch.empty(len(signals), KINDS, ROCKET_FEATURES, device=signals.device), 0
    spread = (each.tolist() for each in dilations(signals.shape[1], PER_KERNEL))
    for number, (dilation, count) in enumerate(zip(*spread, strict=True)):
        mine = slice(begin, begin := begin + KERNELS * count)
        of_dilation = levels[mine].view(KERNELS, count)
        cut = (TAPS - 1) * dilation // 2
        responses = _responses(signals, dilation, differences=differences)
        for whole in (True, False):
            kernels = [k for k in range(KERNELS) if ((number + k) % 2 == 0) == whole]
            some = responses[:, kernels] if whole else responses[:, kernels, cut:-cut]
            places = torch.arange(KERNELS * count, device=signals.device).view(KERNELS, count)[kernels]
            found[:, :, mine][:, :, places] = _above(some, of_dilation[kernels])
    return found.flatten(1)


def _compiled(signals: Tensor) -> bool:
    return signals.device.type == "cpu" and signals.shape[1] <= dilated.MOST_SAMPLES and dilated.available()


def _responses(signals: Tensor, dilation: int, *, differences: bool) -> Tensor:
    """Those to all kernels: (n, KERNELS, window).

    To differences, taps before the middle are a sample late, in aeon as in the authors' own code, but not where levels
    are found.
    """
    weights = torch.full((KERNELS, 1, TAPS), -1.0, device=signals.device)
    for kernel, taps in enumerate(CHOSEN):
        weights[kernel, 0, list(taps)] = 2.0
    reach = TAPS // 2 * dilation
    if not differences:
        return conv1d(pad(signals[:, None], (reach, reach)), weights, dilation=dilation)
    before = weights.clone()
    before[:, :, TAPS // 2 :] = 0
    late = conv1d(pad(signals[:, None], (reach - 1, reach + 1)), before, dilation=dilation)
    return late + conv1d(pad(signals[:, None], (reach, reach)), weights - before, dilation=dilation)


def _above(responses: Tensor, levels: Tensor) -> Tensor:
    """Responses (n, kernels, places) and levels (kernels, count) to (n, KINDS, kernels, count)."""
    size = responses.shape[2]
    place = torch.arange(size, device=responses.device, dtype=torch.int32)
    each = []
    for level in levels.T:  # of every kernel one
        above, below = responses > level[:, None], responses < level[:, None]
        count = above.sum(2)
        some = count.clamp(min=1)
        mean = torch.where(above, responses + level[:, None], 0).sum(2) / some
        middle = torch.where(above, place, 0).sum(2) / some
        last = torch.where(below, place, 0).cummax(2).values  # the last one below, up to each place
        gaps = torch.diff(last, dim=2, prepend=torch.zeros_like(last[:, :, :1]))
        stretch = torch.maximum(gaps.amax(2), size - 1 - last[:, :, -1])
        each.append(torch.stack([count / size, stretch, mean, torch.where(count > 0, middle, -1.0)], dim=1))
    return torch.stack(each, dim=3)

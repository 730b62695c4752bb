"""What several of the comparators are built from: patches, a table of positions, norms, attention."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, gelu, scaled_dot_product_attention

SLOWEST = 10_000  # the wavelength that the columns approach, in units of the first one's


def sinusoids(positions: int, width: int) -> Tensor:
    """Sines in the even and cosines in the odd columns, ever slower to the right: (1, positions, width), float32."""
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(SLOWEST) / width))
    angles = torch.arange(positions)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(1, positions, width)


def cut_patches(windows: Tensor, length: int, stride: int, extra: int) -> Tensor:
    """Patches of windows that are lengthened by `extra` copies of their last sample.

    (batch, samples) to (batch, patches, length).
    """
    lengthened = torch.cat([windows, windows[:, -1:].expand(-1, extra)], dim=1)
    return lengthened.unfold(1, length, stride)


class MicrobatchNorm(nn.BatchNorm1d):
    """Batch normalisation of (batch, channels, length) where several microbatches pass at once.

    In training every `size` windows are normalised by their own statistics, and the running ones follow as if they had
    passed one after the other.
    """

    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(self, channels: int, size: int) -> None:
        super().__init__(channels)
        self.size = size

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or len(x) <= self.size:
            alone: Tensor = super().forward(x)
            return alone
        whole = len(x) // self.size * self.size
        parts = [self._microbatches(x[:whole])]
        if whole < len(x):
            parts.append(super().forward(x[whole:]))
        return torch.cat(parts)

    def _microbatches(self, x: Tensor) -> Tensor:
        """Whole ones: the channels of each are channels of their own."""
        count, channels = len(x) // self.size, self.num_features
        apart = x.unflatten(0, (count, self.size)).transpose(0, 1).flatten(1, 2)
        mean, variance = x.new_zeros(2, count * channels)
        # With a momentum of one, what follows the statistics is them.
        given = mean, variance, self.weight.repeat(count), self.bias.repeat(count), True, 1.0, self.eps
        normed: Tensor = batch_norm(apart, *given).unflatten(1, (count, channels)).transpose(0, 1).flatten(0, 1)
        self._follow(mean.view(count, channels), variance.view(count, channels))
        return normed

    @torch.no_grad()
    def _follow(self, means: Tensor, variances: Tensor) -> None:
        """Statistics of microbatches, in their order, (microbatches, channels) each."""
        assert self.momentum, "the running statistics are not a mean of all"
        count, kept = len(means), 1 - self.momentum
        shares = self.momentum * kept ** torch.arange(count - 1, -1, -1, device=means.device)
        for running, own in ((self.running_mean, means), (self.running_var, variances)):
            running.mul_(kept**count).add_(shares @ own)
        self.num_batches_tracked.add_(count)


class Attention(nn.Module):
    """Every row of `asking`, (..., n, width), gathers from the rows of `asked`, (..., m, width), to (..., n, width).

    The dimensions in front broadcast: rows that ask the same of every window are given, and mapped, once.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, asking: Tensor, asked: Tensor) -> Tensor:
        query, key, value = (
            rows.unflatten(-1, (self.heads, -1)).transpose(-3, -2)  # (..., heads, rows, width / heads)
            for rows in (self.query(asking), self.key(asked), self.value(asked))
        )
        if self.training or torch.is_grad_enabled():
            shares = torch.softmax(query / math.sqrt(query.shape[-1]) @ key.mT, dim=-1)
            gathered = self.dropout(shares) @ value
        else:
            # Faster, but its gradients are not exact: those of query and key must be 0 where there is only one key.
            gathered = scaled_dot_product_attention(query, key, value)
        out: Tensor = self.out(gathered.transpose(-3, -2).flatten(-2))
        return out


class PostNorm(nn.Module):
    """What follows the attention: its result is added, then that of a two-layer map, and both sums are normalised."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.widen, self.narrow = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.inner_norm, self.outer_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attended: Tensor) -> Tensor:
        x = self.inner_norm(x + self.dropout(attended))
        mapped = self.dropout(self.narrow(self.dropout(gelu(self.widen(x)))))
        out: Tensor = self.outer_norm(x + mapped)
        return out


class EncoderLayer(nn.Module):
    """Attention among the tokens of a sequence, (batch, tokens, width) to the same."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(width, heads, dropout)
        self.post_norm = PostNorm(width, hidden, dropout)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.post_norm(x, self.attention(x, x))
        return out

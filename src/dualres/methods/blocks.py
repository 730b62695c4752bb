"""What several of the comparators are built from: patches, a table of positions, attention."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

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


class Attention(nn.Module):
    """Every row of `asking`, (..., n, width), gathers from the rows of `asked`, (..., m, width), to (..., n, width).

    The dimensions in front broadcast: rows that ask the same of every window are given, and mapped, once.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
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
        self.widen = nn.Linear(width, hidden)
        self.narrow = nn.Linear(hidden, width)
        self.inner_norm = nn.LayerNorm(width)
        self.outer_norm = nn.LayerNorm(width)
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

"""The oscillatory memory: what it learns, and the coefficients it makes for the recurrence."""

import math

import torch
from torch import Tensor, nn

from dualres.config import ModelConfig
from dualres.model.scan import Coefficients, Scan, scan


class OscillatoryMemory(nn.Module):
    """Selective damping, fixed rotation: (batch, tokens, width) to the same."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, states = config.width, config.states
        self.config = config
        self.scan: Scan = scan
        self.write_in = nn.Linear(width, width)
        self.damping = nn.Linear(width, width)
        self.write = nn.Linear(width, 2 * states)
        self.read = nn.Linear(width, 2 * states)
        nn.init.zeros_(self.damping.weight)
        nn.init.zeros_(self.damping.bias)
        half_lives = log_spaced(*config.half_life_s, width)
        self.log_rate = nn.Parameter(torch.log(math.log(2) / half_lives).float())
        share = log_spaced(*config.frequency_hz, states) / (config.token_rate / 2)
        self.pitch = nn.Parameter(torch.logit(share).float(), requires_grad=config.rotation)

    def theta(self) -> Tensor:
        """Rotation per token in radians, (states,); zero without rotation."""
        if not self.config.rotation:
            return torch.zeros_like(self.pitch)
        return math.pi * torch.sigmoid(self.pitch)

    def coefficients(self, v: Tensor) -> Coefficients:
        """From normalised features (batch, tokens, width); in training the damping is jittered."""
        delta = torch.exp(self.log_damping(len(v)) + torch.tanh(self.damping(v)))
        b = torch.complex(*torch.tanh(self.write(v)).chunk(2, dim=-1))
        c = torch.complex(*torch.tanh(self.read(v)).chunk(2, dim=-1)) / math.sqrt(self.config.states)
        return Coefficients(delta, self.write_in(v), b, c)

    def log_damping(self, batch: int) -> Tensor:
        """The logarithm of delta before the input modulates it, (batch or 1, 1, width); in training it is jittered."""
        log_damping = self.log_rate - math.log(self.config.token_rate)
        return log_damping + self._log_jitter(batch) if self.training else log_damping[None, None]

    def _log_jitter(self, batch: int) -> Tensor:
        """The logarithm of a factor of mean one per window and channel, the same at every token: (batch, 1, width).

        It draws even where sigma is zero, so that the control without jitter gets the same dropout.
        """
        sigma = self.config.jitter
        noise = torch.randn(batch, 1, self.config.width, dtype=self.log_rate.dtype, device=self.log_rate.device)
        return sigma * noise - sigma**2 / 2

    def silence(self, v: Tensor) -> Tensor:
        """Zeros in place of a readout. The jitter is still drawn, so that the control gets the same dropout."""
        self.log_damping(len(v))
        return torch.zeros_like(v)

    def forward(self, v: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Readout y, (batch, tokens, width), and the state after the last token."""
        return self.scan(self.coefficients(v), self.theta(), state)


def log_spaced(first: float, last: float, count: int) -> Tensor:
    """`count` numbers in geometric progression, float64."""
    return torch.exp(torch.linspace(math.log(first), math.log(last), count, dtype=torch.float64))

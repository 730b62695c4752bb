"""The oscillatory memory at the start of training: its step, its poles and its impulse responses."""

import math

import numpy as np
import numpy.typing as npt
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from dualres.bench.report.plots.picture import Picture
from dualres.config import ModelConfig
from dualres.model.memory import OscillatoryMemory
from dualres.utils.arrays import Complex
from dualres.utils.figures import ACCENT, DOUBLE, INK, MUTED, RULE, canvas, printed


def poles(config: ModelConfig) -> Complex:
    """alpha exp(-i theta) of every channel and oscillator before training, (width, states)."""
    with torch.no_grad():
        memory = OscillatoryMemory(config).double()
        alpha = torch.exp(-torch.exp(memory.log_rate) / config.token_rate)
        turned = alpha[:, None] * torch.polar(torch.ones_like(memory.theta()), -memory.theta())
    found: Complex = turned.numpy()
    return found


def response(pole: complex, tokens: int) -> npt.NDArray[np.float64]:
    """What remains of one unit write after 0, 1, 2 ... tokens: the real part that a constant read sees."""
    return np.asarray(((1 - abs(pole)) * pole ** np.arange(tokens)).real, dtype=np.float64)


@printed()
def memory_picture() -> Picture:
    """Poles on the left, impulse responses on the right."""
    config = ModelConfig()
    found = poles(config)
    figure, grid = canvas(DOUBLE, 2.75, 1, 2, width_ratios=(1, 1.6))
    _plane(grid[0, 0], found)
    _responses(grid[0, 1], found, config)
    low, high = (1000 * s for s in config.half_life_s)
    first, last = config.frequency_hz
    return Picture(
        "memory",
        "Oscillatory memory",
        "The memory turns and damps its state and adds a normalised write, "
        "q_t = alpha_t exp(-i theta) q_(t-1) + (1 - alpha_t) b_t u_t, and reads its real projection. "
        f"Left: the poles of all {config.width} channels \N{MULTIPLICATION SIGN} {config.states} oscillators as "
        f"training starts; half-lives run from {low:g} to {high:g} ms over the channels, frequencies from {first:g} to "
        f"{last:g} Hz over the oscillators. Right: responses to one write at time zero, each scaled to its largest "
        "value, for the first, a middle and the last channel, and of each the first, a middle and the last oscillator.",
        "",
        figure,
    )


def _plane(axes: Axes, found: Complex) -> None:
    axes.add_patch(Circle((0, 0), 1, fill=False, edgecolor=INK, linewidth=0.7))
    for line in (axes.axhline, axes.axvline):
        line(0, color=RULE, linewidth=0.6, zorder=0)
    axes.plot(found.real, found.imag, "x", color=ACCENT, markersize=2.6, markeredgewidth=0.6)
    axes.set(aspect="equal", xlim=(-1.08, 1.08), ylim=(-1.08, 1.08), xlabel="real part", ylabel="imaginary part")
    axes.set_xticks([-1, 0, 1])
    axes.set_yticks([-1, 0, 1])
    axes.set_title("poles: turn and decay per token")


def _responses(axes: Axes, found: Complex, config: ModelConfig) -> None:
    """Nine stacked traces: three half-lives, each at three frequencies."""
    tokens = 41
    time_ms = 1000 * np.arange(tokens) / config.token_rate
    channels, states = ([0, n // 2, n - 1] for n in found.shape)
    for row, channel in enumerate(channels):
        for column, state in enumerate(states):
            pole = complex(found[channel, state])
            trace = response(pole, tokens)
            base = -(3.4 * row + column)
            axes.axhline(base, color=RULE, linewidth=0.5, zorder=0)
            axes.plot(
                time_ms, base + 0.45 * trace / abs(trace).max(), color=ACCENT, linewidth=1, marker=".", markersize=2.5
            )
            hertz = -np.angle(pole) / (2 * math.pi) * config.token_rate
            axes.annotate(
                f"{hertz:.0f} Hz", (time_ms[-1], base), (4, 0), textcoords="offset points", va="center", color=MUTED
            )
        half_life = math.log(2) / -math.log(abs(found[channel, 0])) / config.token_rate
        axes.annotate(
            f"half-life\n{1000 * half_life:.3g} ms",
            (0, -(3.4 * row + 1)),
            (-6, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            linespacing=1.3,
        )
    axes.set(xlim=(-1, time_ms[-1]), xlabel="milliseconds after the write")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_title("impulse responses")

"""How the memory works: one state of it on a window of the rig, as a complex spiral and as two real scans."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.axes import Axes

from dualres.bench.report.plots.boxes import ARROW, SHARED, box, circled, note, path
from dualres.bench.report.plots.paths import rig_window
from dualres.bench.report.plots.picture import Picture
from dualres.config import ModelConfig
from dualres.model.network import DualRes
from dualres.model.scan import Coefficients, renewed, scan, scan_step
from dualres.utils.arrays import Complex, Exact
from dualres.utils.figures import ACCENT, DOUBLE, INK, MUTED, PALE, RULE, canvas, printed

CHANNEL, OSCILLATOR = 56, 2  # whose state is drawn: a few turns, and a half-life that lets one see them
SHOWN = 48  # tokens
STEP = 5  # the token whose step is taken apart
SEED, CLASSES = 41, 8
WRITTEN = "#d55e00"
REAL, IMAGINARY = ACCENT, "#e69f00"
MIDDLE = 1.02  # of a diagram, where its arrow runs


@dataclass(frozen=True)
class Run:
    """The memory on one window, by the recurrence and by real scans, in float64; token t is at place t - 1."""

    alpha: Exact  # (tokens, width)
    write: Complex  # (1 - alpha) b u, (tokens, width, states)
    theta: Exact  # (states,)
    states: Complex  # q by the recurrence, (tokens, width, states)
    rotating: Exact  # r by real scans, (tokens, width, states, 2): real and imaginary parts
    read: Exact  # y by the recurrence, (tokens, width)
    read_real: Exact  # y by the real scans
    read_fast: Exact  # y as the network computes it: `scan`, float32

    @property
    def turned(self) -> Complex:
        """exp(i t theta) q_t: what `rotating` has to be."""
        t = np.arange(1, len(self.states) + 1)[:, None, None]
        return np.asarray(np.exp(1j * t * self.theta) * self.states)

    @property
    def apart(self) -> float:
        """The largest difference between the two ways, over all states and readouts."""
        states = abs(self.turned - (self.rotating[..., 0] + 1j * self.rotating[..., 1])).max()
        return float(max(states, abs(self.read - self.read_real).max()))


@torch.no_grad()
def run(config: ModelConfig) -> Run:
    """The memory of a network as training starts, on the rig's window."""
    network = DualRes(CLASSES, config, SEED).double().eval()
    encoder, memory = network.encoder, network.encoder.memory
    found = memory.coefficients(encoder.norm(encoder.features(*network.spectra(rig_window(config)))))
    theta = memory.theta()
    reads, states, state = [], [], None
    for t in range(config.tokens):
        now = Coefficients(*(each[:, t : t + 1] for each in found))
        y, state = scan_step(now, theta, state)
        reads.append(y[0, 0].numpy())
        states.append(state[0].numpy())
    rotating, read_real = real_scans(found, theta.numpy())
    single = Coefficients(*(each.to(_single(each.dtype)) for each in found))
    fast, _ = scan(single, theta.float())
    write = (renewed(found.delta) * found.u)[0, :, :, None] * found.b[0, :, None]
    return Run(
        alpha=torch.exp(-found.delta[0]).numpy(),
        write=write.numpy(),
        theta=theta.numpy(),
        states=np.array(states),
        rotating=rotating,
        read=np.array(reads),
        read_real=read_real,
        read_fast=fast[0].double().numpy(),
    )


def real_scans(found: Coefficients, theta: Exact) -> tuple[Exact, Exact]:
    """r_t = alpha_t r_(t-1) + (1 - alpha_t) u_t b'_t with b'_t = exp(i t theta) b_t, and y_t = c'_t r_t.

    Complex numbers are pairs here, and no step multiplies two of them: every pair's members are scans of their own.
    """
    delta, u, b, c = (each[0].numpy() for each in found)
    turn = np.arange(1, len(u) + 1)[:, None] * theta
    cos, sin = np.cos(turn), np.sin(turn)
    b_turned, c_turned = (
        np.stack([cos * z.real - sin * z.imag, sin * z.real + cos * z.imag], axis=-1) for z in (b, c)
    )  # (tokens, states, 2)
    r = np.zeros((u.shape[1], len(theta), 2))
    all_r, y = [], []
    for decay, share, own_u, own_b, own_c in zip(np.exp(-delta), -np.expm1(-delta), u, b_turned, c_turned, strict=True):
        r = decay[:, None, None] * r + (share * own_u)[:, None, None] * own_b
        all_r.append(r)
        y.append((own_c * r).sum((-2, -1)))
    return np.array(all_r), np.array(y)


@printed()
def mechanism() -> Picture:
    """Above, rotate, damp, write and read; below, the same in coordinates that rotate along."""
    config = ModelConfig()
    found = run(config)
    figure, grid = canvas(DOUBLE, 4.1, 2, 3, width_ratios=(1.12, 1, 1))
    _complex_diagram(grid[0, 0])
    _spiral(grid[0, 1], found)
    _step(grid[0, 2], found)
    _real_diagram(grid[1, 0])
    _scans(grid[1, 1], found, config)
    _readout(grid[1, 2], found, config)
    hertz = found.theta[OSCILLATOR] / (2 * math.pi) * config.token_rate
    half_life = math.log(2) / -math.log(found.alpha[0, CHANNEL]) / config.token_rate
    return Picture(
        "memory_scan",
        "The memory's recurrence, and the same as real scans",
        "Above: the memory turns its previous state, damps it, adds a write whose weight is one minus the damping "
        f"factor, and reads the real part. The state drawn is that of channel {CHANNEL + 1} (half-life "
        f"{1000 * half_life:.0f} ms) and oscillator {OSCILLATOR + 1} ({hertz:.1f} Hz), on the first {SHOWN} tokens of "
        "a window of the simulated rig; it starts at zero and spirals about the point where a steady write would hold "
        "it. Below: in coordinates that rotate along, r = exp(i t theta) q, damping is all that is left between two "
        "tokens, so the real and the imaginary part are real scans of their own. Everything is computed, by a network "
        f"of seed {SEED} as training starts, in float64. Lines below are the real scans, dots the recurrence. Over all "
        f"{config.tokens} tokens, {config.width} channels and {config.states} oscillators the two differ by less than "
        f"{_above(found.apart)}, in states of up to {abs(found.states).max():.2g}; the network's own scan, which is "
        f"chunked and in float32, is within {_above(abs(found.read_fast - found.read).max())} of both.",
        "",
        figure,
    )


def _single(dtype: torch.dtype) -> torch.dtype:
    return torch.complex64 if dtype.is_complex else torch.float32


def _above(value: float) -> str:
    """The next power of ten: what is left of rounding differs between processors, its order does not."""
    return f"1e{math.ceil(math.log10(value)):d}" if value else "any rounding"


def _complex_diagram(axes: Axes) -> None:
    _flow(axes, "recurrence of complex states", "q", back_at=0.31, write=r"$(1-\alpha_t)\,b_{t,k}\,u_t$")
    box(axes, (0.31, MIDDLE), (0.58, 0.5), ("rotate", r"$e^{-i\theta_k}$"), colour=SHARED)
    path(axes, (0.6, MIDDLE), (0.73, MIDDLE))
    axes.text(0.02, 0.02, r"read:  $y_t=\sum_k\,\mathrm{Re}\,(\overline{c_{t,k}}\,q_{t,k})$", va="center")


def _real_diagram(axes: Axes) -> None:
    _flow(axes, "the same as real scans", "r", back_at=0.98, write=r"$(1-\alpha_t)\,b'_{t,k}\,u_t$")
    turned = r"$b'_{t,k}=e^{it\theta_k}b_{t,k}$,  $c'_{t,k}=e^{it\theta_k}c_{t,k}$"
    note(axes, 0.02, -0.22, turned, ha="left")
    read = r"$y_t=\sum_k(\mathrm{Re}\,c'_{t,k}\,\mathrm{Re}\,r_{t,k}+\mathrm{Im}\,c'_{t,k}\,\mathrm{Im}\,r_{t,k})$"
    axes.text(0.02, 0.02, read, va="center")


def _flow(axes: Axes, title: str, state: str, *, back_at: float, write: str) -> None:
    """What both have: the state of the previous token comes back, is damped and written to, and is read."""
    axes.axis("off")
    axes.set(xlim=(0, 2.25), ylim=(-0.3, 1.7))
    axes.set_title(title)
    box(axes, (0.98, MIDDLE), (0.5, 0.5), ("damp", r"$\alpha_t$"), colour=SHARED)
    path(axes, (1.23, MIDDLE), (1.395, MIDDLE))
    box(axes, (0.98, 0.4), (1.2, 0.38), ("normalised write", write), colour=PALE)
    path(axes, (1.47, 0.59), (1.47, MIDDLE - 0.085))
    circled(axes, 1.47, MIDDLE, "+")
    path(axes, (1.545, MIDDLE), (1.7, MIDDLE))
    axes.text(1.73, MIDDLE, f"${state}_{{t,k}}$", va="center", fontsize=8.5)
    path(axes, (1.83, MIDDLE + 0.13), (1.83, 1.46), (back_at, 1.46), (back_at, MIDDLE + 0.25))
    note(axes, 1.8, 1.5, f"previous token's ${state}_{{t-1,k}}$", ha="right", va="bottom")
    path(axes, (1.83, MIDDLE - 0.13), (1.83, 0.52))
    axes.text(1.83, 0.42, "$y_t$", ha="center", va="center", fontsize=8.5)
    note(axes, 1.87, 0.71, "read", ha="left")


def _spiral(axes: Axes, found: Run) -> None:
    q = np.concatenate([[0], found.states[:SHOWN, CHANNEL, OSCILLATOR]])
    for line in (axes.axhline, axes.axvline):
        line(0, color=RULE, linewidth=0.6, zorder=0)
    axes.plot(q.real, q.imag, color=ACCENT, linewidth=0.9, marker=".", markersize=3)
    axes.plot(q.real[STEP - 1 : STEP + 1], q.imag[STEP - 1 : STEP + 1], color=WRITTEN, linewidth=2)
    axes.plot(0, 0, "o", markerfacecolor="white", markeredgecolor=INK, markersize=4)
    axes.set(aspect="equal", adjustable="datalim", xlabel="real part", ylabel="imaginary part")
    axes.set_title(f"one state, {SHOWN} tokens from zero")


def _step(axes: Axes, found: Run) -> None:
    """Where a token takes the state: along an arc, towards the origin, and wherever the write points."""
    before = found.states[STEP - 2, CHANNEL, OSCILLATOR]
    turned = np.exp(-1j * found.theta[OSCILLATOR]) * before
    damped = found.alpha[STEP - 1, CHANNEL] * turned
    after = damped + found.write[STEP - 1, CHANNEL, OSCILLATOR]
    arc = before * np.exp(-1j * np.linspace(0, found.theta[OSCILLATOR], 40))
    axes.plot(arc.real, arc.imag, color=MUTED, linewidth=1.2)
    middle = np.mean([before, turned, damped, after])
    for start, end, name in ((arc[-2], turned, "rotate"), (turned, damped, "damp"), (damped, after, "write")):
        colour = MUTED if name == "rotate" else WRITTEN if name == "write" else INK
        look = ARROW | {"color": colour, "linewidth": 1.2}
        axes.annotate("", (end.real, end.imag), (start.real, start.imag), arrowprops=look)
        half = arc[20] if name == "rotate" else (start + end) / 2
        away = 9 * (half - middle) / abs(half - middle)
        ha = "left" if away.real > 0 else "right"
        place = (half.real, half.imag)
        axes.annotate(name, place, (away.real, away.imag), textcoords="offset points", ha=ha, va="center", color=colour)
    for place, name in ((before, f"$q_{{{STEP - 1}}}$"), (after, f"$q_{{{STEP}}}$")):
        axes.plot(place.real, place.imag, "o", color=ACCENT, markersize=4)
        away = 9 * (place - middle) / abs(place - middle)
        at = (place.real, place.imag)
        axes.annotate(name, at, (away.real, away.imag), textcoords="offset points", ha="center", va="center")
    axes.margins(0.3)
    axes.locator_params(nbins=4)
    axes.set(aspect="equal", adjustable="datalim", xlabel="real part")
    axes.set_title(f"token {STEP} of it, taken apart")


def _scans(axes: Axes, found: Run, config: ModelConfig) -> None:
    ms = 1000 * np.arange(1, SHOWN + 1) / config.token_rate
    axes.axhline(0, color=RULE, linewidth=0.6, zorder=0)
    own = found.rotating[:SHOWN, CHANNEL, OSCILLATOR]
    turned = found.turned[:SHOWN, CHANNEL, OSCILLATOR]
    for side, (colour, name, dots) in enumerate(
        ((REAL, "real part", turned.real), (IMAGINARY, "imaginary part", turned.imag))
    ):
        axes.plot(ms, own[:, side], color=colour, linewidth=1, label=name)
        axes.plot(ms, dots, ".", color=colour, markersize=3.5)
    axes.set(xlabel="ms", ylabel=r"$r_t=e^{it\theta}q_t$")
    axes.set_title("the same state, turned along")
    axes.legend(loc="upper right", ncols=2, borderaxespad=0, handlelength=1.4)
    axes.margins(y=0.2)


def _readout(axes: Axes, found: Run, config: ModelConfig) -> None:
    ms = 1000 * np.arange(1, SHOWN + 1) / config.token_rate
    axes.axhline(0, color=RULE, linewidth=0.6, zorder=0)
    axes.plot(ms, found.read_real[:SHOWN, CHANNEL], color=INK, linewidth=1, label="real scans")
    axes.plot(ms, found.read[:SHOWN, CHANNEL], "o", color=INK, markersize=3, markerfacecolor="none", label="recurrence")
    axes.set(xlabel="ms", ylabel=r"$y_t$")
    axes.set_title("readout of the channel")
    axes.legend(loc="upper right", ncols=2, borderaxespad=0, handlelength=1.4)
    axes.margins(y=0.2)

"""What each method is, in a sentence. All numbers are those that its code computes with."""

from collections.abc import Callable, Mapping

from dualres.bench.methods import (
    crossformer,
    itransformer,
    mambasl,
    medformer,
    minirocket,
    moderntcn,
    patchtst,
    rocket,
    tscmamba,
)
from dualres.bench.methods.neural import WINDOW
from dualres.bench.methods.wavelet import SCALE, SIDE
from dualres.config import ModelConfig


def _dualres() -> str:
    c = ModelConfig()
    from_hz, to_hz = c.frequency_hz
    from_ms, to_ms = (1000 * s for s in c.half_life_s)
    return (
        f"Log-magnitude spectra of frames of {c.short} and {c.long:,} samples every {c.hop}, projected to "
        f"{c.width // 2} channels each; on {c.tokens} tokens a selective memory of width {c.width} with {c.states} "
        f"complex states per channel, which start at {from_hz:g} to {to_hz:g} Hz and half-lives of {from_ms:g} to "
        f"{to_ms:g} ms; gate, mean over tokens, linear head; dropout {c.dropout}, damping jitter {c.jitter}."
    )


def _mambasl() -> str:
    m = mambasl
    return (
        f"One Mamba block over all {WINDOW:,} samples: width {m.WIDTH}, expansion 1, states {m.STATES}, convolution "
        f"{m.TAPS}; step and input are selective, the output is fixed, and nothing skips the memory. Input kernels "
        f"cover {m.KERNEL} samples; a gate of {m.HEADS} heads pools over time; dropout {m.DROPOUT}."
    )


def _minirocket() -> str:
    m, r = minirocket, rocket
    lowest, highest = m.ALPHAS[[0, -1]]
    return (
        f"Shares of samples above levels, by {r.KERNELS} fixed kernels of {r.TAPS} taps, dilated: "
        f"{r.FEATURES_REQUESTED:,} features requested, {r.FEATURES:,} made. They are centred and scaled by the "
        f"support; a ridge classifier chooses its penalty among {len(m.ALPHAS)} from {lowest:g} to {highest:g}."
    )


def _tscmamba() -> str:
    m = tscmamba
    return (
        f"The window and a {SIDE} x {SIDE} image of its Morlet transform at scale {SCALE}, in patches of {m.PATCH} "
        f"pixels, each projected to {m.WIDTH} and added up; one Mamba block over channels and one over features, with "
        f"states {m.STATES}, expansion {m.EXPANSION} and convolution {m.TAPS}; maximum over the channels, of which "
        f"there is one; dropout {m.DROPOUT}; without ROCKET features."
    )


def _medformer() -> str:
    m = medformer
    return (
        f"Encoder of {m.LAYERS} layers, width {m.WIDTH}, feed-forward {m.HIDDEN}, {m.HEADS} heads, on patches of "
        f"{_each(m.PATCHES)} samples, with attention within a patch length and among lengths; in training each length "
        f"is left as it is or loses a share {m.DROPPED_TOKENS} of its embedded values, by chance; dropout {m.DROPOUT}."
    )


def _moderntcn() -> str:
    m = moderntcn
    return (
        f"Convolutions in {len(m.WIDTHS)} stages of widths {_each(m.WIDTHS)}, one block each, with depthwise kernels "
        f"of {m.LARGE_KERNEL} and {m.SMALL_KERNEL}; patches of {m.PATCH} samples every {m.STRIDE}; dropout "
        f"{m.DROPOUT}, before the classifier {m.HEAD_DROPOUT}."
    )


def _patchtst() -> str:
    m = patchtst
    return (
        f"Encoder of {m.LAYERS} layers, width {m.WIDTH}, feed-forward {m.HIDDEN}, {m.HEADS} heads, on patches of "
        f"{m.PATCH:,} samples every {m.STRIDE:,}; all {m.TOKENS} tokens go into the classifier; dropout {m.DROPOUT}."
    )


def _itransformer() -> str:
    m = itransformer
    return (
        f"Encoder of {m.LAYERS} layers, width {m.WIDTH}, feed-forward {m.HIDDEN}, {m.HEADS} heads; the window, of one "
        f"channel, is one token; dropout {m.DROPOUT}."
    )


def _crossformer() -> str:
    m = crossformer
    return (
        f"Encoder of 1 layer, width {m.WIDTH}, feed-forward {m.HIDDEN}, {m.HEADS} heads: attention among segments of "
        f"{m.SEGMENT:,} samples, then across channels by {m.ROUTERS} routers (the factor); a decoder of "
        f"{m.DECODER_LAYERS} layers, which a classification never uses; dropout {m.DROPOUT}."
    )


def _each(numbers: tuple[int, ...]) -> str:
    return "/".join(map(str, numbers))


SETTINGS: Mapping[str, Callable[[], str]] = {
    "dualres": _dualres,
    "mambasl": _mambasl,
    "minirocket": _minirocket,
    "tscmamba": _tscmamba,
    "medformer": _medformer,
    "moderntcn": _moderntcn,
    "patchtst": _patchtst,
    "itransformer": _itransformer,
    "crossformer": _crossformer,
}

"""What each method is, in a sentence. All numbers are those that its code computes with."""

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


def settings() -> dict[str, str]:
    """A sentence for each method, by its name."""
    c = ModelConfig()
    from_hz, to_hz = c.frequency_hz
    from_ms, to_ms = (1000 * s for s in c.half_life_s)
    lowest, highest = minirocket.ALPHAS[[0, -1]]
    return {
        "dualres": (
            f"Log-magnitude spectra of frames of {c.short} and {c.long:,} samples every {c.hop}, projected to "
            f"{c.width // 2} channels each; on {c.tokens} tokens a selective memory of width {c.width} with {c.states} "
            f"complex states per channel, which start at {from_hz:g} to {to_hz:g} Hz and half-lives of {from_ms:g} to "
            f"{to_ms:g} ms; gate, mean over tokens, linear head; dropout {c.dropout}, damping jitter {c.jitter}."
        ),
        "mambasl": (
            f"One Mamba block over all {WINDOW:,} samples: width {mambasl.WIDTH}, expansion 1, states "
            f"{mambasl.STATES}, convolution {mambasl.TAPS}; step and input are selective, the output is fixed, and "
            f"nothing skips the memory. Input kernels cover {mambasl.KERNEL} samples; a gate of {mambasl.HEADS} heads "
            f"pools over time; dropout {mambasl.DROPOUT}."
        ),
        "minirocket": (
            f"Shares of samples above levels, by {rocket.KERNELS} fixed kernels of {rocket.TAPS} taps, dilated: "
            f"{rocket.FEATURES_REQUESTED:,} features requested, {rocket.FEATURES:,} made. They are centred and scaled "
            f"by the support; a ridge classifier chooses its penalty among {len(minirocket.ALPHAS)} from {lowest:g} to "
            f"{highest:g}."
        ),
        "tscmamba": (
            f"The window and a {SIDE} x {SIDE} image of its Morlet transform at scale {SCALE}, in patches of "
            f"{tscmamba.PATCH} pixels, each projected to {tscmamba.WIDTH} and added up; one Mamba block over channels "
            f"and one over features, with states {tscmamba.STATES}, expansion {tscmamba.EXPANSION} and convolution "
            f"{tscmamba.TAPS}; maximum over the channels, of which there is one; dropout {tscmamba.DROPOUT}; without "
            "ROCKET features."
        ),
        "medformer": (
            f"Encoder of {medformer.LAYERS} layers, width {medformer.WIDTH}, feed-forward {medformer.HIDDEN}, "
            f"{medformer.HEADS} heads, on patches of {_each(medformer.PATCHES)} samples, with attention within a patch "
            "length and among lengths; in training each length is left as it is or loses a share "
            f"{medformer.DROPPED_TOKENS} of its embedded values, by chance; dropout {medformer.DROPOUT}."
        ),
        "moderntcn": (
            f"Convolutions in {len(moderntcn.WIDTHS)} stages of widths {_each(moderntcn.WIDTHS)}, one block each, with "
            f"depthwise kernels of {moderntcn.LARGE_KERNEL} and {moderntcn.SMALL_KERNEL}; patches of {moderntcn.PATCH} "
            f"samples every {moderntcn.STRIDE}; dropout {moderntcn.DROPOUT}, before the classifier "
            f"{moderntcn.HEAD_DROPOUT}."
        ),
        "patchtst": (
            f"Encoder of {patchtst.LAYERS} layers, width {patchtst.WIDTH}, feed-forward {patchtst.HIDDEN}, "
            f"{patchtst.HEADS} heads, on patches of {patchtst.PATCH:,} samples every {patchtst.STRIDE:,}; all "
            f"{patchtst.TOKENS} tokens go into the classifier; dropout {patchtst.DROPOUT}."
        ),
        "itransformer": (
            f"Encoder of {itransformer.LAYERS} layers, width {itransformer.WIDTH}, feed-forward {itransformer.HIDDEN}, "
            f"{itransformer.HEADS} heads; the window, of one channel, is one token; dropout {itransformer.DROPOUT}."
        ),
        "crossformer": (
            f"Encoder of 1 layer, width {crossformer.WIDTH}, feed-forward {crossformer.HIDDEN}, {crossformer.HEADS} "
            f"heads: attention among segments of {crossformer.SEGMENT:,} samples, then across channels by "
            f"{crossformer.ROUTERS} routers (the factor); a decoder of {crossformer.DECODER_LAYERS} layers, which a "
            f"classification never uses; dropout {crossformer.DROPOUT}."
        ),
    }


def _each(numbers: tuple[int, ...]) -> str:
    return "/".join(map(str, numbers))

"""The C files that are written anew for every model."""

from __future__ import annotations

from fractions import Fraction

from dualres.export.expected import COUNTS, LOGIT_TOLERANCE, OFFSET, SHARE_TOLERANCE, Expected
from dualres.export.literals import doubles, floats, text
from dualres.file import Model
from dualres.kernel.low_pass import taps_for
from dualres.kernel.pack import packed


def sizes(model: Model, rate: Fraction, ratio: Fraction, int16: bool) -> str:
    """dualres_model.h: what other files need to know at compile time."""
    counts = "\n/* Samples are int16_t counts. */\n#ifndef DUALRES_INT16\n#define DUALRES_INT16\n#endif\n"
    return (
        f"/* This model's sizes; it takes samples at {rate} Hz. */\n\n"
        "#ifndef DUALRES_MODEL_H\n#define DUALRES_MODEL_H\n\n"
        f"#define DUALRES_CLASSES {len(model.classes)}\n\n"
        "/* From the native rate to 64 kHz, in lowest terms. */\n"
        f"#define DUALRES_UP {ratio.numerator}\n#define DUALRES_DOWN {ratio.denominator}\n"
        f"{counts if int16 else ''}\n#endif\n"
    )


def constants(model: Model, ratio: Fraction) -> str:
    """dualres_model.c: names, weights and tables, and the resampler's filter."""
    run, head = packed(model.weights)
    names = ",\n    ".join(text(name) for name in model.classes)
    parts = [
        '/* This model\'s constants. */\n\n#include "dualres.h"\n',
        f"const char *const dualres_names[DUALRES_CLASSES] = {{\n    {names}}};\n",
        f"static const float head[] = {{\n    {floats(head)}}};\n",
        f"static const union {{\n    float run[{len(run)}];\n    dualres_constants named;\n}} constants = {{{{\n"
        f"    {floats(run)}}}}};\n",
        "typedef char constants_fit[sizeof constants.run == sizeof constants.named ? 1 : -1];\n",
        "extern const dualres_model dualres_this_model;\n"
        "const dualres_model dualres_this_model = {&constants.named, head, DUALRES_CLASSES};\n",
    ]
    if ratio != 1:
        taps = taps_for(ratio)
        parts.append(
            "extern const float dualres_taps[DUALRES_REACH + 1];\n"
            f"const float dualres_taps[DUALRES_REACH + 1] = {{\n    {floats(taps)}}};\n"
        )
    return "\n".join(parts)


def check_values(by_floats: Expected, by_counts: Expected) -> str:
    """check_values.h: for builds with floats and with counts."""
    return (
        "/* What the model says of the check's signals. */\n\n"
        "#ifndef DUALRES_CHECK_VALUES_H\n#define DUALRES_CHECK_VALUES_H\n\n"
        f"#define LOGIT_TOLERANCE {LOGIT_TOLERANCE}\n#define SHARE_TOLERANCE {SHARE_TOLERANCE}\n"
        f"#define COUNTS {float(COUNTS)}\n#define STREAM_OFFSET {OFFSET}\n\n"
        f"enum {{ CHECK_WINDOWS = {len(by_floats.logits)}, STREAM_SAMPLES = {by_floats.samples} }};\n\n"
        f'#include "dualres_model.h"\n\n#ifdef DUALRES_INT16\n{_values(by_counts)}'
        f"#else\n{_values(by_floats)}#endif\n"
        "\n#endif\n"
    )


def _values(values: Expected) -> str:
    rows = ",\n    ".join(f"{{{doubles(row)}}}" for row in values.logits)
    return (
        f"enum {{ STREAM_WINDOWS = {values.windows}, STREAM_BEST = {int(values.shares.argmax())} }};\n"
        f"static const double expected_logits[CHECK_WINDOWS][DUALRES_CLASSES] = {{\n    {rows}}};\n"
        f"static const double expected_shares[DUALRES_CLASSES] = {{\n    {doubles(values.shares)}}};\n"
    )

"""The files of a C99 export: copied from this package, and written anew for every model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from importlib.resources import files as resources
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt

from dualres.export.alarm import DeviceAlarm
from dualres.export.alarm import check_values as alarm_values
from dualres.export.alarm import constants as alarm_constants
from dualres.export.alarm import sizes as alarm_sizes
from dualres.export.c_literals import declared, doubles, floats, text
from dualres.export.device_network import DeviceNetwork, axes_in, device_of, packed_for_c
from dualres.export.device_speed import device_search
from dualres.export.novelty import between_classes, familiar_of, standings_of
from dualres.export.sets import names_of, sets_of
from dualres.export.test_vectors import COUNTS, LOOK_TOLERANCE, OFFSET, TestVectors, expected
from dualres.judge.model import Model
from dualres.judge.speed_search import STAYS
from dualres.judge.turning import labelled_speeds
from dualres.kernel.resample import taps_for
from dualres.utils.arrays import Floats
from dualres.utils.json_text import json_text

README, FILES = "README.md", "files.txt"
MADE = ("dualres_model.h", "dualres_model.c", "check_values.h", "card.json", README, FILES)
PLAIN = (
    *("dualres.h", "dualres.c", "convert.h", "likeness.h", "alarm.h", "bets.h"),
    *("check.c", "example.c", "Makefile"),
)
MOST_NATS = 700.0  # of a limit: what is further apart is no number as a ratio, and nothing is as far apart
LEAST_NATS = 1e-9  # by which a class must lie beyond the limit to be named, so that rounding names none
CORTEX_M = ("startup.c", "memory.ld", "count.c", "Makefile")


def copied(network: DeviceNetwork) -> dict[str, bytes]:
    """What is the same for every model of a kind of network, by name below the folder."""
    device, kernel = resources("dualres.export") / "device", resources("dualres.kernel")
    found = {name: (device / name).read_bytes() for name in PLAIN}
    found["network.h"] = (device / "network" / network.header).read_bytes()
    found |= {name: (device / name).read_bytes() for name in network.beside}
    found |= {f"cortex-m/{name}": (device / "cortex-m" / name).read_bytes() for name in CORTEX_M}
    return found | {f"kernel/{name}": (kernel / name).read_bytes() for name in _included(network.kernel)}


def made(
    model: Model, rate: Fraction, ratio: Fraction, int16: bool, *, tries: int = 0, alarm: DeviceAlarm | None = None
) -> dict[str, bytes]:
    """What is this model's, but for the README and the list of files. It searches among `tries` speeds of the shaft."""
    by_floats, by_counts = (expected(model, rate, counts, tries) for counts in (False, True))
    promised = alarm_sizes(alarm, model, rate) if alarm else ""
    texts = {
        "dualres_model.h": _sizes(model, rate, ratio, int16) + _speeds(model, tries) + promised + "\n#endif\n",
        "dualres_model.c": _constants(model, ratio, tries) + (f"\n{alarm_constants(alarm)}" if alarm else ""),
        "check_values.h": _check_values(device_of(model), by_floats, by_counts, alarm_values(alarm) if alarm else ""),
        "card.json": json_text(model.card.as_data(), indent=1) + "\n",
    }
    return {name: content.encode() for name, content in texts.items()}


def listing(names: Iterable[str]) -> bytes:
    """FILES: all names, a line each, for the next export into the same folder."""
    return "".join(f"{name}\n" for name in sorted(names)).encode()


def no_longer(folder: Path, names: Iterable[str]) -> set[str]:
    """Files that an earlier export listed, and that are not among the names; never one outside the folder."""
    path = folder / FILES
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    within = {line for line in lines if line and not {"..", "/"} & set(PurePosixPath(line).parts)}
    return {name for name in within - set(names) if (folder / name).is_file()}


def _included(name: str) -> list[str]:
    """A source of the kernel and the headers that it includes, directly or not."""
    found = [name]
    for one in found:
        content = (resources("dualres.kernel") / one).read_text()
        found += [h for h in re.findall(r'^#include "(.+)"$', content, re.MULTILINE) if h not in found]
    return found


def _sizes(model: Model, rate: Fraction, ratio: Fraction, int16: bool) -> str:
    sets = sets_of(model.card)
    unit = text(sets.unit)[1:-1].replace("/", " ") if sets else ""
    promised = f"another {unit} of the kind that was held out" if sets else "nothing is promised"
    likeness = "/* What is unlike all that was labelled is not noticed: DUALRES_LIKENESS is not defined. */\n"
    if familiar_of(model):
        likeness = "/* What is unlike all that was labelled is noticed. */\n#define DUALRES_LIKENESS\n"
    counts = "\n/* Samples are int16_t counts. */\n#ifndef DUALRES_INT16\n#define DUALRES_INT16\n#endif\n"
    return (
        f"/* This model's sizes; it takes samples at {rate} Hz. */\n\n"
        "#ifndef DUALRES_MODEL_H\n#define DUALRES_MODEL_H\n\n"
        f"#define DUALRES_CLASSES {len(model.classes)}\n{_several(model)}\n"
        f"/* How often sets lack the truth: {promised}. */\n#define DUALRES_ERROR {sets.error if sets else 0.0}\n\n"
        f"{likeness}\n"
        "/* Bytes of working memory for a window that the export counted on, with one lane. */\n"
        f"#define DUALRES_COUNTED_BYTES {device_of(model).scratch}\n\n"
        "/* From the native rate to 64 kHz, in lowest terms. */\n"
        f"#define DUALRES_UP {ratio.numerator}\n#define DUALRES_DOWN {ratio.denominator}\n"
        f"{counts if int16 else ''}"
    )


def _speeds(model: Model, tries: int) -> str:
    """What the model knows of speeds of the shaft; nothing in most kinds."""
    if (labelled := labelled_speeds(model)) is None:
        return ""
    low, high = doubles(labelled).split(", ")
    searching = f"\n/* Speeds around the told one at which windows are judged. */\n#define DUALRES_TRIES {tries}\n"
    return (
        "\n/* Revolutions per second of the slowest and the fastest shaft that was labelled. */\n"
        f"#define DUALRES_SLOWEST {low} /* {labelled[0]:.4g} */\n"
        f"#define DUALRES_FASTEST {high} /* {labelled[1]:.4g} */\n"
        f"{searching if tries else ''}"
    )


def _familiar(model: Model) -> Iterator[str]:
    if familiar := familiar_of(model):
        limits = doubles([familiar.distance, familiar.spectrum, *familiar.level])
        classes = "[DUALRES_NETWORKS][DUALRES_HEADS][DUALRES_CLASSES][DUALRES_CLASSES]"
        yield f"const double dualres_familiar[4] = {{\n    {limits}}};\n"
        yield declared(f"const float dualres_between_classes{classes}", _nested(between_classes(model)))
        standings = standings_of(model)
        weights = ", ".join(f"{{{doubles(one.weights)}}}" for one in standings)
        usual = ", ".join(f"{{{doubles(one.usual or [0.0] * len(model.classes))}}}" for one in standings)
        yield declared("const double dualres_weights[2][DUALRES_COMPARED]", f"{{{weights}}}")
        yield declared("const double dualres_usual[2][DUALRES_CLASSES]", f"{{{usual}}}")


def _search(tries: int) -> Iterator[str]:
    """The speeds that are tried, as search.h knows them."""
    if tries:
        search = device_search(tries)
        for name, values in (("factors", search.factors), ("costs", search.costs)):
            yield declared(f"const double dualres_{name}[DUALRES_TRIES]", f"{{\n    {doubles(values)}}}")
        yield declared("const double dualres_stays", doubles([STAYS]))


def _nested(values: Floats) -> str:
    if values.ndim == 1:
        return f"{{{floats(values)}}}"
    return "{" + ",\n    ".join(map(_nested, values)) + "}"


def _several(model: Model) -> str:
    """How many axes and networks there are; dualres.h takes one of each for granted."""
    defined = {
        "AXES": (axes_in(model), "samples in a frame"),
        "MEMBERS": (model.card.members, "networks that judge a window of an axis"),
        "NETWORKS": (model.card.networks, "in all"),
    }
    return "".join(f"#define DUALRES_{name} {n} /* {said} */\n" for name, (n, said) in defined.items() if n > 1)


def _constants(model: Model, ratio: Fraction, tries: int) -> str:
    sets, names = sets_of(model.card), names_of(model.card)
    never = np.full(len(model.classes), -1.0)
    times = np.exp(np.minimum(sets.limits, MOST_NATS)) if sets else never  # as ratios
    ahead = (
        np.exp([min(MOST_NATS if by is None else by, MOST_NATS) + LEAST_NATS for by in names.margins])
        if names
        else never
    )
    parts = [
        '/* This model\'s constants. */\n\n#include "dualres.h"\n',
        _names("names[DUALRES_CLASSES]", model.classes),
        f"const double dualres_times[DUALRES_CLASSES] = {{\n    {doubles(times)}}};\n",
        f"const double dualres_ahead[DUALRES_CLASSES] = {{\n    {doubles(ahead)}}};\n",
        *_familiar(model),
        *_search(tries),
        *([_names("axes[DUALRES_AXES]", model.card.channels)] if axes_in(model) > 1 else ()),
        *_networks(packed_for_c(model)),
    ]
    if ratio != 1:
        taps = floats(taps_for(ratio, even=True))
        parts.append(declared("const float dualres_taps[DUALRES_REACH + 1]", f"{{\n    {taps}}}"))
    return "\n".join(parts)


def _names(array: str, names: Sequence[str]) -> str:
    listed = ",\n    ".join(map(text, names))
    return f"const char *const dualres_{array} = {{\n    {listed}}};\n"


def _networks(packed: Sequence[tuple[Floats, Floats]]) -> Iterator[str]:
    """The arrays of each network, and `dualres_this_model`, which lists them. Equal constants are written once."""
    written: dict[bytes, str] = {}
    entries = []
    for number, (run, head) in enumerate(packed):
        of = f"_{number}" if len(packed) > 1 else ""
        yield f"static const float head{of}[] = {{\n    {floats(head)}}};\n"
        if run.tobytes() not in written:
            constants = written[run.tobytes()] = f"constants{of}"
            yield (
                f"static const union {{\n    float run[{len(run)}];\n    dualres_network_constants named;\n"
                f"}} {constants} = {{{{\n    {floats(run)}}}}};\n"
            )
            yield f"typedef char {constants}_fit[sizeof {constants}.run == sizeof {constants}.named ? 1 : -1];\n"
        entries.append(f"{{&{written[run.tobytes()]}.named, head{of}, DUALRES_CLASSES}}")
    listed = ",\n    ".join(entries)
    yield (
        "extern const dualres_network dualres_this_model[DUALRES_NETWORKS];\n"
        f"const dualres_network dualres_this_model[DUALRES_NETWORKS] = {{\n    {listed}}};\n"
    )


def _check_values(network: DeviceNetwork, by_floats: TestVectors, by_counts: TestVectors, alarm: str) -> str:
    return (
        "/* What the model says of the check's signals. */\n\n"
        "#ifndef DUALRES_CHECK_VALUES_H\n#define DUALRES_CHECK_VALUES_H\n\n"
        f"#define LOGIT_TOLERANCE {network.logit_tolerance}\n#define SHARE_TOLERANCE {network.share_tolerance}\n"
        f"#define LOOK_TOLERANCE {LOOK_TOLERANCE}\n"
        f"#define COUNTS {float(COUNTS)}\n#define STREAM_OFFSET {OFFSET}\n\n"
        f"enum {{ CHECK_WINDOWS = {by_floats.logits.shape[2]}, STREAM_SAMPLES = {by_floats.samples} }};\n"
        f"enum {{ CHECK_SPEEDS = {len(by_floats.speeds)} }};\n"
        f"static const double check_speeds[] = {{{doubles(by_floats.speeds)}}}; /* Hz; 0: not known */\n\n"
        f'#include "dualres_model.h"\n\n#ifdef DUALRES_INT16\n{_values(by_counts)}'
        f"#else\n{_values(by_floats)}#endif\n"
        f"{alarm}\n#endif\n"
    )


def _values(values: TestVectors) -> str:
    verdicts = values.verdicts
    looks = [one.look for one in verdicts if one.look]
    said = f"static const double expected_look[STREAMS][3] = {{{_rows(looks)}}};\n" if looks else ""
    return (
        f"enum {{ STREAM_WINDOWS = {values.windows}, STREAMS = {len(verdicts)} }};\n"
        "static const double expected_logits[][DUALRES_CLASSES] = { /* network after network, speed after speed */\n"
        f"    {_rows(values.logits.reshape(-1, values.logits.shape[-1]))}}};\n"
        "/* Verdicts at told speeds, and the factors of these that are found. */\n"
        f"static const double stream_speeds[STREAMS] = {{{doubles([one.hz for one in verdicts])}}};\n"
        f"static const double stream_factors[STREAMS] = {{{doubles([one.factor for one in verdicts])}}};\n"
        f"static const double expected_shares[STREAMS][DUALRES_CLASSES] = {{\n"
        f"    {_rows([one.shares for one in verdicts])}}};\n{said}"
    )


def _rows(values: Iterable[npt.ArrayLike]) -> str:
    return ",\n    ".join(f"{{{doubles(row)}}}" for row in values)

"""A model as an ONNX file: raw windows at 64 kHz to logits, for ONNX Runtime."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dualres.errors import ExportError
from dualres.export.destination import check_file
from dualres.export.device_network import axes_in, exported_kind, graph_of
from dualres.export.novelty import Familiar, between_classes, familiar_of, likeness_of, standings_of
from dualres.export.sets import names_of, sets_of
from dualres.export.test_vectors import LOOK_TOLERANCE, logits_of
from dualres.judge.geometry import refuse_geometry
from dualres.judge.model import CHECK_HZ, CHECK_WINDOWS, Model
from dualres.judge.turning import labelled_speeds
from dualres.model.check import check_windows
from dualres.utils.files import write_whole
from dualres.utils.json_text import json_text
from dualres.utils.optional_imports import need

# The metadata's keys.
CARD, SETS, NAMES = "dualres", "dualres_sets", "dualres_names"
UNLIKE, SPEEDS = "dualres_unlike", "dualres_speeds_hz"


def write_onnx(model: Model, path: Path | str, *, overwrite: bool = False) -> float:
    """Write a model as an ONNX file; the largest difference of its logits from PyTorch's on the check windows.

    The input `windows` is (batch, window) float32 at 64 kHz, the output `logits` (batch, classes); the batch is as
    large as one likes. A model of several axes takes (batch, axes, window), in the order of its channels. Softmax of
    the logits gives probabilities. Of several networks or axes, the logits are the log of the mean probability. The
    card stands in the metadata, as JSON, and under `dualres_sets` the limits of sets with a stated error rate, or null
    (`docs/trust.md`). Likewise, `dualres_names` has the nats beyond which a class that is ahead, and alone in
    its set, is named at that rate, or null, and `dualres_unlike` has the limits of what is like the labelled
    recordings, or null. Where it has some, there is a second output: `likeness` (batch, 2), the distance and the
    spectrum that they are about. A network of orders has a second input: `speed` (batch,) float32, revolutions of the
    shaft per second, 0 or NaN where it is not known. Its `dualres_speeds_hz` are the slowest and the fastest shaft that
    was labelled, or null, and then speeds change nothing. A file whose logits, verdicts or likeness differ is not
    written.
    """
    path = Path(path)
    graph_of(model)  # an error where there is none
    refuse_geometry(model.card, "an export to ONNX", ExportError)
    check_file(path, overwrite)
    need("an export to ONNX", "onnx", "onnxruntime", "torch")
    import onnxruntime

    from dualres.export.model_graph import model_graph

    standing, _ = standings_of(model)
    between = [(one, standing) for one in between_classes(model)] if _familiar(model) else None
    made = model_graph(model.networks, axes_in(model), model.card.apart > 1, between)
    for key, value in _metadata(model).items():
        entry = made.metadata_props.add()
        entry.key, entry.value = key, json_text(value)
    content = made.SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    off = _checked(session, model, path)
    write_whole(path, content, precious=True)
    return off


def _familiar(model: Model) -> Familiar | None:
    """The limits of what is like the labelled recordings, where the graph tells how like them windows are."""
    return familiar_of(model) if graph_of(model).tells_likeness else None


def _metadata(model: Model) -> dict[str, Any]:
    found = {SETS: sets_of(model.card), NAMES: names_of(model.card), UNLIKE: _familiar(model)}
    told = {CARD: model.card.as_data(), **{name: asdict(one) if one else None for name, one in found.items()}}
    return told | ({SPEEDS: labelled_speeds(model)} if exported_kind(model).knows_orders else {})


def _checked(session: Any, model: Model, path: Path) -> float:
    """By how much logits of an ONNX Runtime are off on the check windows; an error where that is too much."""
    axes = [check_windows(CHECK_WINDOWS, model.card.config.window, axis) for axis in range(axes_in(model))]
    windows, turning = axes[0] if len(axes) == 1 else np.stack(axes, axis=1), []
    if exported_kind(model).knows_orders:  # once at a speed and once at none
        windows, turning = np.concatenate([windows, windows]), [np.repeat([CHECK_HZ, np.nan], CHECK_WINDOWS)]
    names = [taken.name for taken in session.get_inputs()]
    inputs = (windows, *(hz.astype(np.float32) for hz in turning))
    logits, *likeness = session.run(None, dict(zip(names, inputs, strict=True)))
    wanted = logits_of(model, windows, *turning)
    off = float(np.abs(logits - wanted).max())
    tolerance = graph_of(model).logit_tolerance * max(1.0, np.abs(wanted).max())
    chosen = np.take_along_axis(wanted, logits.argmax(1)[:, None], axis=1)[:, 0]
    if not off <= tolerance or (chosen < wanted.max(1) - 2 * tolerance).any():  # nearer than that, either may be
        raise ExportError(f"{path}: not written, for ONNX Runtime gives other logits than the model (off by {off:.2g})")
    if likeness and not (other := float(np.abs(likeness[0] - likeness_of(model, windows)).max())) <= LOOK_TOLERANCE:
        raise ExportError(
            f"{path}: not written, for ONNX Runtime finds another likeness than Python (off by {other:.2g})"
        )
    return off

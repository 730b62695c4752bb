"""Tables that need no results: what the network, the methods, the folds and the budgets are. All of it is counted."""

from collections.abc import Iterable

import torch
from torch import nn

from dualres.bench.campaign.studies import DATASETS, RIG, folds_of
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import load_fold
from dualres.bench.paper.protocol import GEARBOX_BUDGETS
from dualres.bench.report.captions import span
from dualres.bench.report.names import dataset_name, method_name
from dualres.bench.report.results import exposure_s
from dualres.bench.report.tables.comparators import settings
from dualres.bench.report.tables.fill import Table, Value
from dualres.config import ModelConfig
from dualres.model.network import DualRes

# By dataset, what tells judged recordings from those that were learned from; `held_out` of a fold has the unit alone.
DISTINCTIONS = {
    "paderborn": "bearings that were not learned from",
    "cwru": "another load of the same bearings",
    "kaist": "other loads of the same machine",
    "uored": "bearings that were not learned from; all stages of a bearing are on one side",
    "hust": "another type of bearing, and with it another specimen",
    "ottawa": "other speed profiles on the same apparatus",
    "mcc5": "what circulates, speed or torque; severities change with it",
    "phm2009": "the other run of each set-up; speeds and loads change with it",
    RIG: "what circulates, speed or torque; severities change with it",
}


def reference_tables() -> list[Table]:
    return [tensor_shapes(), task_inventory(), exposure("mcc5"), exposure(RIG), comparator_settings()]


def tensor_shapes() -> Table:
    """Shapes per window and parameters, read off a real network."""
    classes = 2
    model = DualRes(classes)
    config, encoder, memory = model.config, model.encoder, model.encoder.memory
    short, long = model.spectra(torch.zeros(1, config.window))
    tokens, width = config.tokens, config.width
    projections = f"{tokens} x ({encoder.short.out_features} + {encoder.long.out_features})"
    rates, pitches = memory.log_rate.numel(), memory.pitch.numel()
    stages = [
        ("Raw window", f"{config.window}", 0),
        ("Aligned magnitudes", f"{_shape(short)}, {_shape(long)}", 0),
        ("Affine spectral projections", projections, _count(encoder.short, encoder.long)),
        ("LayerNorm", f"{tokens} x {width}", _count(encoder.norm)),
        ("Input and damping projections", _maps(memory.write_in), _count(memory.write_in, memory.damping)),
        ("Complex write and read projections", _maps(memory.write), _count(memory.write, memory.read)),
        ("Damping rates and frequencies", f"{rates} + {pitches}", rates + pitches),
        ("Output mixing and gate", _maps(encoder.mix), _count(encoder.mix, encoder.gate)),
        ("Temporal mean", f"{width}", 0),
        ("Encoder, total", "", _count(encoder)),
    ]
    rows = [(stage, shape, f"{count:,}") for stage, shape, count in stages]
    rows.append(("Classifier of C classes", f"{width} → C", f"{_count(model.head) // classes} C"))
    return _words(
        "tensor_shapes",
        "DualRes: tensor shapes and parameters",
        "Per window; the batch axis is left out.",
        *("Stage", "Shape", "Parameters"),
        rows=rows,
    )


def task_inventory() -> Table:
    rows = []
    for name in DATASETS:
        folds = [load_fold(fold) for fold in folds_of(name)]
        cells = {
            "Dataset": dataset_name(name),
            "Classes": str(len(folds[0].classes)),
            "kHz": f"{float(catalog.release(name).rate) / 1000:.4g}",
            "Labels": ", ".join(folds[0].classes),
            "What is new when it is judged": DISTINCTIONS[name],
            "Folds": ", ".join(fold.fold for fold in folds),
            "Support recordings/class": span(len(members) for fold in folds for members in fold.support.values()),
            "Evaluated": ", ".join(str(len(fold.evaluation)) for fold in folds),
        }
        rows.append(tuple(cells.values()))
    return _words(
        "task_inventory",
        "Datasets and tasks",
        "Rates are native, before resampling to 64 kHz. Evaluated: recordings of each fold.",
        *cells,
        rows=rows,
    )


def exposure(dataset: str) -> Table:
    """Labelled seconds of the gearbox budgets, from the union of the support windows."""
    fold = load_fold(folds_of(dataset)[0])
    rows = []
    for budget in GEARBOX_BUDGETS:
        seconds = exposure_s(fold.fold, budget)
        counts = (budget.recordings, budget.windows, budget.recordings * budget.windows)
        rows.append((*map(str, counts), f"{seconds:.3f}", f"{seconds * len(fold.classes):.3f}"))
    return _words(
        f"exposure_{dataset}",
        f"{dataset_name(dataset)}: labelled exposure",
        f"Folds {', '.join(folds_of(dataset))}, {len(fold.classes)} classes, windows of {ModelConfig().window_s:g} s; "
        "seconds are those covered by at least one window.",
        *("Recordings/class", "Windows/recording", "Windows/class", "s/class", "Total s"),
        rows=rows,
        labels=2,
    )


def comparator_settings() -> Table:
    return _words(
        "comparator_settings",
        "Settings of the methods",
        "The same for every dataset, as the code has them; lengths in samples at 64 kHz. Feed-forward: the width "
        "between the two layers of a map that follows attention.",
        *("Method", "Settings"),
        rows=[(method_name(name), text) for name, text in settings().items()],
    )


def _words(
    name: str, title: str, caption: str, *header: str, rows: Iterable[tuple[str, ...]], labels: int = 1
) -> Table:
    """A table of which every cell is words."""
    return Table(name, title, caption, "", labels, header, tuple(tuple(map(Value, row)) for row in rows))


def _count(*modules: nn.Module) -> int:
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


def _shape(view: torch.Tensor) -> str:
    return " x ".join(map(str, view.shape[1:]))


def _maps(layer: nn.Linear) -> str:
    return f"two {layer.in_features} → {layer.out_features} maps"

"""How methods and datasets are called in tables, figures and pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dualres.campaign.job import Job

_METHODS = {
    "dualres": "DualRes",
    "mambasl": "MambaSL",
    "minirocket": "MiniRocket",
    "tscmamba": "TSCMamba",
    "medformer": "Medformer",
    "moderntcn": "ModernTCN",
    "patchtst": "PatchTST",
    "itransformer": "iTransformer",
    "crossformer": "Crossformer",
    "dualres/short": "Short only",
    "dualres/long": "Long only",
    "dualres/no-rotation": "No rotation",
    "dualres/no-jitter": "No jitter",
    "dualres/no-memory": "No memory",
}
DEVICES = {"cpu": "CPU", "cuda": "GPU"}
_DATASETS = {
    "paderborn": "Paderborn",
    "cwru": "CWRU",
    "kaist": "KAIST",
    "uored": "UORED",
    "hust": "HUST",
    "ottawa": "Ottawa",
    "mcc5": "MCC5",
    "phm2009": "PHM2009",
    "simulated": "Rig",
}


def method_name(name: str) -> str:
    return _METHODS.get(name, name)


def dataset_name(name: str) -> str:
    return _DATASETS.get(name, name)


def class_name(label: str) -> str:
    return label.replace("_", " ")


def device_names(jobs: Iterable[Job]) -> str:
    """What jobs run on: "a CPU", or "a CPU (DualRes on CWRU) and a GPU (MambaSL)" where they differ."""
    places = {(job.device, job.method, job.dataset) for job in jobs}
    found = {}
    for device, name in DEVICES.items():
        methods = {method for kind, method, _ in places if kind == device}
        if methods:
            found[f"a {name}"] = ", ".join(_share(method, device, places) for method in sorted(methods, key=_place))
    if len(set(found.values())) == 1:
        return " and ".join(found)
    return " and ".join(f"{name} ({methods})" for name, methods in found.items())


def _place(method: str) -> int:
    return list(_METHODS).index(method)


def _share(method: str, device: str, places: Collection[tuple[str, str, str]]) -> str:
    """The method's name, and the datasets if it ran on the device with some of its datasets only."""
    own = {dataset for kind, name, dataset in places if (kind, name) == (device, method)}
    every = {dataset for _, name, dataset in places if name == method}
    names = [name for dataset, name in _DATASETS.items() if dataset in own]
    return method_name(method) + ("" if own == every else f" on {' and '.join(names)}")

"""How methods and datasets are called in tables, figures and pages."""

from __future__ import annotations

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
}
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

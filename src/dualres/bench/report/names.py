"""How methods and datasets are called in tables, figures and pages."""

from collections.abc import Collection, Iterable

from dualres.bench.campaign.job import Job
from dualres.bench.datasets import catalog
from dualres.bench.methods.catalog import entry, names

DEVICES = {"cpu": "CPU", "cuda": "GPU"}


def method_name(name: str) -> str:
    """As printed; a control that the paper does not have says so."""
    if name not in names():
        return name
    found = entry(name)
    return f"{found.title} (ours)" if found.control and not found.paper else found.title


def dataset_name(name: str) -> str:
    return catalog.release(name).short if name in catalog.names() else name


def dataset_title(name: str) -> str:
    """For a heading or a caption, where nobody may take a simulation for the dataset that it is shaped like."""
    likeness = catalog.release(name).shaped_like if name in catalog.names() else ""
    return f"{dataset_name(name)}, shaped like {dataset_name(likeness)}" if likeness else dataset_name(name)


def class_name(label: str) -> str:
    return label.replace("_", " ")


def device_names(jobs: Iterable[Job]) -> str:
    """What jobs run on: "a CPU", or "a CPU (DualRes on CWRU) and a GPU (MambaSL)" where they differ."""
    places = {(job.device, job.method, job.dataset) for job in jobs}
    found = {}
    for device, name in DEVICES.items():
        if methods := sorted({method for kind, method, _ in places if kind == device}, key=names().index):
            found[f"a {name}"] = ", ".join(_share(method, device, places) for method in methods)
    if len(set(found.values())) == 1:
        return " and ".join(found)
    return " and ".join(f"{name} ({methods})" for name, methods in found.items())


def _share(method: str, device: str, places: Collection[tuple[str, str, str]]) -> str:
    """The method's name, and the datasets if it ran on the device with some of its datasets only."""
    own = {dataset for kind, name, dataset in places if (kind, name) == (device, method)}
    every = {dataset for _, name, dataset in places if name == method}
    shown = [dataset_name(dataset) for dataset in catalog.names() if dataset in own]
    return method_name(method) + ("" if own == every else f" on {' and '.join(shown)}")

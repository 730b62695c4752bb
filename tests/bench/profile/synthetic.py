"""Made-up measurements: right in form, the same every time."""

from hashlib import sha256

import numpy as np

from dualres.bench.campaign.studies import RIG
from dualres.bench.methods import NAMES
from dualres.bench.profile.checkpoints import UPDATES, wanted_job
from dualres.bench.profile.measurements import Measurement, keep
from dualres.bench.profile.plan import EAGER, plan

WINDOWS = 23
SLOW_MS = {"minirocket": 55.0, "tscmamba": 22.0, "medformer": 11.0}  # others about 2


def made_up(one, *, variant="full", verdict=True):
    """A plan's measurement; `verdict` says whether its model is a ledger's."""
    rng = np.random.default_rng(int(sha256(one.name.encode()).hexdigest()[:8], 16))
    window_s = SLOW_MS.get(one.method, 1.2 + rng.random()) / 1000
    each_s = {"window": window_s, "prepared": WINDOWS * window_s / 2, "native": WINDOWS * window_s / 2 + 0.02}
    on_gpu = one.device == "cuda"
    memory = {
        "rss_peak": int(850 * 2**20 * (1 + rng.random() / 10)),
        "rss_rise": 4096,
        "cuda_allocated": int(2**20 * (10 + 20 * rng.random())) if on_gpu else None,
        "cuda_reserved": 22 * 2**20 if on_gpu else None,
        "cuda_rise": 5 * 2**20 if on_gpu else None,
    }
    job = wanted_job(one, UPDATES)
    facts = {
        "workloads": {
            each.name: {
                "warmups": each.warmups,
                "repeats": each.repeats,
                "seconds": (each_s[each.name] * (1 + 0.2 * rng.random(each.repeats))).tolist(),
                "memory": memory,
            }
            for each in one.workloads
        },
        "input": {
            "recording": "first",
            "rate": "12800",
            "native_s": 270.0 if one.long else 12.0,
            "windows": 1024 if one.long else WINDOWS,
            "window_s": 0.512,
            "cycles": 22.5 if one.long else 1.0,
            "sha256": "a" * 64,
            "variant": variant,
        },
        "model": {
            "from_ledger": verdict,
            "key": job.key,
            "plan": job.plan(),
            "sha256": "c" * 64,
            "file_bytes": 162_832,
            "bytes": {"encoder": 158_112, "head": 2_080, "buffers": 0},
        },
        "agreement": {
            "window_to_prepared": 1e-7,
            "native_to_prepared": 0.0,
            "label": "break",
            "same_label": True,
            "ledger": {"recording": "other", "difference": 2e-7, "same_label": True} if verdict else None,
            **({"shipped": {"difference": 3e-7, "same_label": True}} if one.way == EAGER else {}),
        },
        "batch": 4,
        "precision": {"dtype": "float32", "matmul": "highest", "tf32": False},
        "versions": {"dualres": "0.1.0", "source": "d" * 64},
        "machine": {
            "device": "a GPU" if on_gpu else "a CPU",
            "system": "Linux",
            "threads": one.threads,
            "cpu": "a CPU",
            "cores": 16,
            "kernel": None,
            "load_before": [0.0, 0.0, 0.0],
        },
    }
    return Measurement(one, facts)


def keep_all(folder, datasets=(RIG,), methods=NAMES, device="cuda", threads=4, **size):
    """A folder with a made-up measurement of every dataset and method."""
    for dataset in datasets:
        for method in methods:
            keep(made_up(plan(dataset, method, device, threads, **size)), folder)
    return folder

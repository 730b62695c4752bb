"""Measurements as files: plain JSON, one for each, whole or not there at all."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dualres.benchmark.profile.plan import Plan, read_plan
from dualres.errors import DualResError
from dualres.files import write_whole

FORMAT = "dualres-profile/1"
FOLDER = "profile"  # beside the ledger
MIB = 2**20
FACTS = ("workloads", "input", "model", "agreement", "batch", "precision", "versions", "machine")


class MeasurementError(DualResError):
    """A file of a measurement that cannot be used."""


@dataclass(frozen=True)
class Measurement:
    """What a plan gave; see measure.py for its facts."""

    plan: Plan
    facts: dict[str, Any]

    def median_ms(self, workload: str) -> float:
        return 1000 * statistics.median(self.seconds(workload))

    def p95_ms(self, workload: str) -> float:
        """The 95th percentile, interpolated between repetitions."""
        return 1000 * float(np.percentile(self.seconds(workload), 95))

    def seconds(self, workload: str) -> list[float]:
        """Of every timed repetition."""
        return list(self.facts["workloads"][workload]["seconds"])

    def memory_mib(self, workload: str, kind: str) -> float | None:
        """See memory.py for the kinds; None where it could not be measured."""
        found = self.facts["workloads"][workload]["memory"][kind]
        return None if found is None else found / MIB

    @property
    def agrees(self) -> bool:
        """Whether all workloads, and the ledger if it was asked, name the same class."""
        agreement = self.facts["agreement"]
        return bool(agreement["same_label"] and (agreement["ledger"] or {"same_label": True})["same_label"])

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "plan": self.plan.as_json(), **self.facts}


def keep(measurement: Measurement, folder: Path) -> Path:
    """Write a measurement in place of an earlier one of the same plan; gives the file."""
    path = place(measurement.plan, folder)
    write_whole(path, (json.dumps(measurement.as_json(), indent=1) + "\n").encode())
    return path


def place(plan: Plan, folder: Path) -> Path:
    return folder / f"{plan.name}.json"


def kept(folder: Path) -> dict[Plan, Measurement]:
    """All measurements in a folder by plan, in the order of their files' names."""
    found = (read(path) for path in sorted(folder.glob("*.json")))
    return {measurement.plan: measurement for measurement in found}


def read(path: Path) -> Measurement:
    """One measurement from its file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']!r}; this version reads {FORMAT!r}")
        measurement = Measurement(read_plan(content["plan"]), {name: content[name] for name in FACTS})
        for workload in measurement.plan.workloads:
            measurement.median_ms(workload.name)
    except (OSError, ValueError, KeyError, TypeError, statistics.StatisticsError) as error:
        raise MeasurementError(f"{path}: not a measurement ({error}); remove it and measure again") from error
    return measurement

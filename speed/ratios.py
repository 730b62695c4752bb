"""Which ratios of what the scripts in speed/ print are kept over time, and which way each of them is better.

A time says more of the machine than of the code, so none is kept: every ratio has its floor or its rival from the same
run. To keep another one, add it to RATIOS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

WORSE = 0.10  # a change beyond this share of the run before is pointed out


@dataclass(frozen=True)
class Ratio:
    """`script` is the stem of a file in results/measured, `value` takes the ratio from what is in it."""

    name: str
    script: str
    title: str
    lower_is_better: bool
    value: Callable[[Mapping[str, Any]], float]

    @property
    def better(self) -> str:
        return "lower" if self.lower_is_better else "higher"

    def worse(self, before: float, now: float) -> bool:
        """Whether it changed for the worse by more than WORSE."""
        change = now / before - 1
        return change > WORSE if self.lower_is_better else change < -WORSE


Value = Callable[[Mapping[str, Any]], float]


def lower(name: str, script: str, title: str, value: Value) -> Ratio:
    """A ratio that is the better, the lower it is."""
    return Ratio(name, script, title, True, value)


def higher(name: str, script: str, title: str, value: Value) -> Ratio:
    """A ratio that is the better, the higher it is."""
    return Ratio(name, script, title, False, value)


def _over(numerator: str, denominator: str) -> Value:
    return lambda found: found[numerator] / found[denominator]


def _nearest(key: str) -> Value:
    """The time of the fastest other method over that of DualRes."""

    def value(found: Mapping[str, Any]) -> float:
        times = {name: row[key] for name, row in found["methods"].items() if row[key] is not None}
        return min(time for name, time in times.items() if name != "dualres") / times["dualres"]

    return value


def _hour_over_minute(found: Mapping[str, Any]) -> float:
    """What a second costs in a recording of an hour, over what it costs in one of a minute."""
    per_second = {row["seconds"]: row["s"] / row["seconds"] for row in found["recordings"]}
    return per_second[3600] / per_second[60]


RATIOS = (
    lower(
        "window_over_floor",
        "window",
        "A window, over its FFTs and matrix products alone",
        _over("kernel_ms", "floor_ms"),
    ),
    lower(
        "default_over_floor",
        "window",
        "A window of the default, over its transforms, products and bytes",
        lambda found: found["default"][f"{found['variant']}_over_floor"],
    ),
    higher(
        "token_loop_over_window",
        "window",
        "The token loop, over a window by the kernel",
        _over("scan_ref_ms", "kernel_ms"),
    ),
    higher("torch_over_verdict", "record", "A minute's verdict by PyTorch, over ours", _over("torch_ms", "verdict_ms")),
    lower(
        "default_minute_over_windows",
        "record",
        "A minute's verdict by the default, over its windows",
        lambda found: found["orders"]["verdict_ms"] / found["orders"]["kernel_ms"],
    ),
    lower("fit_over_floor", "fit", "A fit, over its matrix products alone", _over("fit_s", "floor_s")),
    higher("plain_over_fit", "fit", "A fit by plain PyTorch, over ours", _over("plain_s", "fit_s")),
    lower(
        "augmented_over_update", "augment", "An augmented update, over a plain one", _over("augmented_ms", "update_ms")
    ),
    higher("torch_over_views", "augment", "Augmented views by PyTorch, over ours", _over("views_torch_ms", "views_ms")),
    higher("nearest_window", "methods", "A window of the fastest other method, over ours", _nearest("window_ms")),
    higher("nearest_step", "methods", "A training step of the fastest other method, over ours", _nearest("step_ms")),
    lower("hour_over_minute", "scaling", "A second of an hour's recording, over one of a minute's", _hour_over_minute),
    lower(
        "gpu_fit_over_floor", "fit_cuda", "A fit on a GPU, over its matrix products alone", _over("fit_s", "floor_s")
    ),
    higher("gpu_plain_over_fit", "fit_cuda", "A fit on a GPU by plain PyTorch, over ours", _over("plain_s", "fit_s")),
    lower(
        "gpu_augmented_over_update",
        "augment_cuda",
        "An augmented update on a GPU, over a plain one",
        _over("augmented_ms", "update_ms"),
    ),
)

"""What lies beside the ledger answers: the JSON of the scripts in speed/, and the generated tables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from textwrap import fill
from typing import Any

from dualres.bench.campaign.rigs import RIGS
from dualres.bench.report.captions import FOLDS_ARE_OURS
from dualres.bench.report.names import method_name
from dualres.bench.report.plots.scaling import curves

LINE = 115  # letters of prose


def _possible(alarms: Mapping[str, Any], case: Mapping[str, Any]) -> bool:
    """Whether a test that knows more than an alarm would notice a fault within three minutes."""
    usual, blocks = str(case["usual"]), str(case["reference"])
    best = alarms["at_best"][str(case["correlation"])][usual]
    if not case["correlation"]:
        best = alarms["mean_learned"][blocks][usual]
    return best is not None and best <= 180


class Measured:
    def __init__(self, results: Path) -> None:
        self._results = results

    def speed(self, script: str, key: str, digits: str = "2") -> str:
        return f"{self._json(script)[key]:.{digits}f}"

    def ratio(self, script: str, key: str, other: str, digits: str = "1") -> str:
        found = self._json(script)
        return f"{found[key] / found[other]:.{digits}f}"

    def advice(self, key: str, digits: str = "1") -> str:
        """A number of tools/advice.py, by the names on the way to it: curves.doubled.held."""
        found = self._json("advice")
        for name in key.split("."):
            found = found[name]
        return f"{found:.{digits}f}"

    def advice_table(self) -> str:
        """Labels at random and as advised on every rig, by tools/advice.py."""
        choice, before = (self._json("advice")[key] for key in ("choice", "choice_before"))
        lines = ["| rig | at random | as advised | gain | gain before |", "|---|---|---|---|---|"]
        for rig, row in choice["rigs"].items():
            gains = f"{row['gain']:+.1f} | {before['rigs'][rig]['gain']:+.1f}"
            lines.append(f"| {rig} | {row['random']:.1f} | {row['advised']:.1f} | {gains} |")
        real = [fmean(one["rigs"][rig.title]["gain"] for rig in RIGS if rig.real) for one in (choice, before)]
        lines.append(f"| mean of the real rigs | | | {real[0]:+.1f} | {real[1]:+.1f} |")
        return "\n".join([*lines, f"| mean of all | | | {choice['gain']:+.1f} | {before['gain']:+.1f} |"])

    def advice_outcome(self) -> str:
        """Whether advice is as much better than chance as was aimed at."""
        choice = self._json("advice")["choice"]
        gain, least = f"{choice['gain']:+.1f} points on average", f"{choice['least']:+.1f} at worst"
        missed = choice["gain"] < 5 or choice["least"] < -1
        return f"{gain} and {least}, which {'misses' if missed else 'meets'} the aim:"

    def memorised(self, method: str, way: str) -> str:
        """Percent of windows named right, by tools/memorised.py."""
        return f"{100 * self._json('memorised')['methods'][method][way]:.0f}"

    def slope(self, varied: str) -> str:
        """How cost grows with what speed/scaling.py varied; 1 is linear."""
        return f"{curves(self._json('scaling'))[varied].slope:.2f}"

    def rise_mb(self, seconds: str) -> str:
        """What a recording of so many seconds adds to the memory in use, by speed/scaling.py."""
        return next(
            f"{one['rise_mb']:.0f}" for one in self._json("scaling")["recordings"] if one["seconds"] == int(seconds)
        )

    def methods_table(self) -> str:
        """Window and training step of the nine methods, by speed/methods.py."""
        lines = ["| | window | step |", "|---|---|---|"]
        for name, row in self._json("methods")["methods"].items():
            step = "-" if row["step_ms"] is None else _figures(row["step_ms"])
            lines.append(f"| {method_name(name)} | {_figures(row['window_ms'])} | {step} |")
        return "\n".join(lines)

    def trust(self, *path: str) -> str:
        """A number of tools/trust.py by its keys; a digit at the end says how many digits it has, else one."""
        *keys, last = path
        digits = int(last) if last.isdecimal() else 1
        value = self._json("trust")
        for key in keys if last.isdecimal() else path:
            value = value[key]
        return f"{value:.{digits}f}"

    def trust_coverage(self) -> str:
        titles = ("unit", "units", "covered, machine by machine", "covered, all machines")
        titles += ("splits that cover 90 %", "the same with `--sure 0.9`")
        found = self._json("trust")["coverage"]
        keys = ("units", "within", "across", "across_kept", "sure_kept")
        return _rows(titles, [[unit, *(found[unit][key] for key in keys)] for unit in ("component", "recording")])

    def trust_folds(self) -> str:
        titles = ("rig", "", "recordings", "verdict right", "set holds the truth", "classes in a set")
        titles += ("named", "of these right", "none of these")
        rows = [
            [rig, kind.replace("_", " "), *_worth(worth)]
            for rig, kinds in self._json("trust")["rigs"]["folds"].items()
            for kind, worth in kinds.items()
            if worth
        ]
        return _rows(titles, rows)

    def trust_halves(self) -> str:
        titles = ("dataset", "recordings", "verdict right", "set holds the truth", "classes in a set")
        titles += ("named", "of these right", "none of these", "no promise")
        found = self._json("trust")["rigs"]["halves"]
        return _rows(titles, [[name, *_worth(worth), worth["no_promise"]] for name, worth in found.items()])

    def trust_left_out(self) -> str:
        titles = ("rig", "AUROC, mean", "worst class", "unknown flagged", "familiar flagged")
        keys = ("mean", "worst", "new_flagged", "familiar_flagged")
        found = self._json("trust")["unknown"]["left_out"]
        return _rows(titles, [[rig, *(one[key] for key in keys)] for rig, one in found.items()])

    def trust_odd(self) -> str:
        """Rigs in columns."""
        found = self._json("trust")["unknown"]["odd"]
        kinds = next(iter(found.values()))
        return _rows(("flagged", *found), [[kind, *(one[kind] for one in found.values())] for kind in kinds])

    def alarm_years(self) -> str:
        """False alarms of simulated machines, by stress/alarm_years.py."""
        titles = ("correlation", "noise", "load", "reference", "one bet", "machine-years")
        titles += ("false alarms a year, with interval",)
        rows = []
        for one in self._json("alarm_years"):
            low, high = one["interval"]
            rate = f"{one['per_year']:.3f} ({low:.3f} to {high:.3f})" if high < 1 else f"at least {low:.0f}"
            case = [one[key] for key in ("correlation", "noise", "load", "reference")]
            rows.append([*case, f"{one['joined_s']:.0f} s", one["machine_years"], rate])
        return _rows(titles, rows)

    def alarm_soonest(self) -> str:
        found = self._json("alarms")["soonest"]
        return _rows(("healthy blocks", *found), [["blocks until an alarm", *found.values()]])

    def alarm_delays(self) -> str:
        """Median and slowest tenth in seconds, by what a healthy machine is usually given, which is in columns."""
        rows: dict[tuple[object, ...], list[object]] = {}
        found = self._json("alarms")
        for one in found["delay"]:
            row = rows.setdefault((one["correlation"], one["reference"]), [])
            row.append(f"{one['delay_s']:.0f} ({one['late_s']:.0f})")
        for correlation, best in found["at_best"].items():
            rows[float(correlation), "all is known"] = [f"{seconds:.0f}" for seconds in best.values()]
        for blocks, learned in found["mean_learned"].items():
            seconds = ["never" if one is None else f"{one:.0f}" for one in learned.values()]
            rows[0.0, f"all but the mean of {blocks}"] = list(seconds)
        columns = [f"usually {usual}" for usual in next(iter(found["at_best"].values()))]
        ordered = sorted(rows.items(), key=lambda case: float(str(case[0][0])))
        return _rows(("correlation", "healthy blocks", *columns), [[*case, *row] for case, row in ordered])

    def alarm_in_time(self) -> str:
        """Of how many cases the median is within three minutes, and of how many that is possible at all."""
        found = self._json("alarms")
        possible = [one["delay_s"] for one in found["delay"] if _possible(found, one)]
        return f"{sum(delay <= 180 for delay in possible)} of {len(possible)}"

    def alarm_cleared(self, correlation: str) -> str:
        """Minutes until an alarm is cleared after a repair, the median of the slowest case."""
        found = [one["cleared_s"] for one in self._json("alarms")["delay"] if str(one["correlation"]) == correlation]
        return f"{max(found) / 60:.0f}"

    def alarm_recordings(self) -> str:
        """Blocks in random orders, and in their own."""
        titles = ("rig", "healthy blocks", "orders", "with a promise", "blocks watched", "false alarms")
        titles += ("faults noticed, %", "in order: blocks watched", "false alarms")
        keys = ("blocks", "orders", "promised", "watched", "false_alarms", "noticed")
        rows = [
            [rig, *(one[key] for key in keys), one["in_order"]["watched"], one["in_order"]["false_alarms"]]
            for rig, one in self._json("alarms")["recordings"].items()
        ]
        return _rows(titles, rows)

    def wheels_table(self) -> str:
        """Every run of `make wheels`; times in an emulator are nobody's."""
        titles = (
            "platform",
            "Python",
            "kernel",
            "error of logits",
            "cold start, s",
            "warm, s",
            "of processors, s",
            "MB",
        )
        rows: list[list[object]] = []
        for one in self._json("wheels")["tried"]:
            for run in one["runs"]:
                figures = (run.get(key) for key in ("cold_s", "warm_s", "cpu_s", "installed_mb"))
                kernels = ", ".join("NumPy" if name == "off" else name for name in run["errors"])
                python = f"{run['python']}{', emulated' if one.get('emulated') else ''}"
                error = f"{max(run['errors'].values()):.0e}"
                rows.append([one["platform"], python, kernels, error, *figures])
        return _rows(titles, rows)

    def wheels_busy(self) -> str:
        """How busy the machine was, which the times depend on."""
        found = self._json("wheels")
        return fill(
            f"The machine has {found['processors']} processors; its load was {found['load']:.0f}. "
            "What a processor spends on a verdict, both processes of it together, hardly depends on that.",
            LINE,
        )

    def table(self, name: str) -> str:
        """The rows of a generated table, and of its caption what it says of folds where the paper's values stand."""
        text = (self._results / "tables" / f"{name}.md").read_text()
        rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
        notice = re.search(rf"{FOLDS_ARE_OURS}[^.]*\.", text)
        return f"{rows}\n\n{fill(notice[0], LINE)}" if notice else rows

    def _json(self, script: str) -> Any:
        return json.loads((self._results / "measured" / f"{script}.json").read_text())


def _rows(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; what is not known is a dash."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join('-' if cell is None else str(cell) for cell in line)} |" for line in lines)


def _worth(found: Mapping[str, Any]) -> list[object]:
    keys = ("recordings", "right", "covered", "mean_set", "named", "named_right", "none_of_these")
    return [found[key] for key in keys]


def _figures(value: float) -> str:
    """Two of them, and all digits before the point."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"

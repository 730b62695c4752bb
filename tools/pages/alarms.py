"""How soon alarms come and how rarely falsely, by experiments/eval_alarms.py and stress/alarm_years.py."""

from collections.abc import Mapping
from typing import Any

from tools.pages.measured import Measured, table


class Alarms(Measured):
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
        return table(titles, rows)

    def alarm_soonest(self) -> str:
        found = self._json("alarms")["soonest"]
        return table(("healthy blocks", *found), [["blocks until an alarm", *found.values()]])

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
        return table(("correlation", "healthy blocks", *columns), [[*case, *row] for case, row in ordered])

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
        return table(titles, rows)


def _possible(alarms: Mapping[str, Any], case: Mapping[str, Any]) -> bool:
    """Whether a test that knows more than an alarm would notice a fault within three minutes."""
    usual, blocks = str(case["usual"]), str(case["reference"])
    best = alarms["at_best"][str(case["correlation"])][usual]
    if not case["correlation"]:
        best = alarms["mean_learned"][blocks][usual]
    return best is not None and best <= 180

"""How soon alarms come and how rarely falsely.

By experiments/eval_alarms.py, stress/alarm_years.py and stress/alarm_healthy.py; of exported ones by
stress/exported_alarms.py and stress/alarm_costs.py.
"""

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

    def alarm_kinds(self) -> str:
        """False alarms of healthy machines of many kinds, and what they are promised, by stress/alarm_healthy.py."""
        titles = ("healthy machines", "reference, blocks", "asked for: one in", "promised: one in", "machines")
        titles += ("blocks watched", "false alarms promised at most", "false alarms", "by fair bets alone", "promise")
        return table(titles, [_kind(one) for one in self._json("alarm_healthy")["healthy"]])

    def alarm_tries(self) -> str:
        """One row for the page of reliability: kinds of machines that are promised a rate, and broken promises."""
        found = self._json("alarm_healthy")
        promised = [one for one in found["healthy"] if one["promised"]]
        runs = [one["run"] for one in promised]
        titles = ("attack", "tries", "failures", "blocks watched", "false alarms promised at most", "false alarms")
        titles += ("machine", "date", "repeated by")
        row = [
            "healthy machines of a kind, promised a rate of false alarms",
            len(promised),
            sum(one["broken"] for one in promised),
            f"{sum(one['blocks'] for one in promised):,}",
            f"{sum(one['expected'] for one in promised):,.0f}",
            f"{sum(one['false_alarms'] for one in promised):,}",
            "; ".join(dict.fromkeys(f"{run['machine']}, {run['cores']} cores" for run in runs)),
            "; ".join(dict.fromkeys(run["date"] for run in runs)),
            ", ".join(dict.fromkeys(f"`{run['command']}`" for run in runs)),
        ]
        return table(titles, [row])

    def alarm_slower(self) -> str:
        """By how much more delays grow with the threshold that the reference sets than by fair bets, in percent."""
        found = self._json("alarms")["delay"]
        grown = [100 * (one["delay_s"] / one["by_bets_s"] - 1) for one in found]
        late = [100 * (one["late_s"] / one["by_bets_late_s"] - 1) for one in found]
        same = sum(growth <= 0 for growth in grown)
        most = f"others grow by {max(grown):.0f} % at most, and those of the slowest tenth by {max(late):.0f} %"
        return f"{same} of {len(grown)} medians are the same, {most}"

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
            row = rows.setdefault((one["correlation"], f"{one['reference']}, fair bets alone"), [])
            row.append(f"{one['by_bets_s']:.0f} ({one['by_bets_late_s']:.0f})")
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

    def exported_alarms(self) -> str:
        """How far alarms in exported C were from those of Python, a row for each device."""
        titles = ("alarms on", "streams", "blocks", "raised", "cleared", "streams that differ", "evidence off by, nats")
        titles += ("nearest to a threshold, nats",)
        keys = ("streams", "blocks", "raised", "cleared")
        rows = [
            [one["device"], *(f"{one[key]:,}" for key in keys), len(one["differing"])]
            + [f"{one[key]:.0e}" for key in ("evidence_off", "nearest")]
            for one in self._json("exported_alarms").values()
        ]
        return table(titles, rows)

    def alarm_costs(self) -> str:
        """Bytes that an alarm adds to a device."""
        titles = ("healthy blocks of 5 s", "flash for them", "flash in all", "RAM")
        keys = ("healthy", "flash", "ram")
        rows = [[one["reference"], *(f"{one[key]:,}" for key in keys)] for one in self._json("alarm_costs")["costs"]]
        return table(titles, rows)

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


def _kind(one: Mapping[str, Any]) -> list[object]:
    watched = [f"{one['expected']:.0f}", f"{one['false_alarms']:,}", f"{one['by_bets']:,}"]
    kept = "is not made" if one["promised"] is None else "is broken" if one["broken"] else "is kept"
    rates = [None if rate is None else f"{rate:,}" for rate in (one["between"], one["promised"])]
    machines = one["machines"] - one["no_promise"]
    if one["promised"] is None:
        watched[0] = "-"
    return [one["healthy"], f"{one['reference']:,}", *rates, machines, f"{one['blocks']:,}", *watched, kept]


def _possible(alarms: Mapping[str, Any], case: Mapping[str, Any]) -> bool:
    """Whether a test that knows more than an alarm would notice a fault within three minutes."""
    usual, blocks = str(case["usual"]), str(case["reference"])
    best = alarms["at_best"][str(case["correlation"])][usual]
    if not case["correlation"]:
        best = alarms["mean_learned"][blocks][usual]
    return best is not None and best <= 180

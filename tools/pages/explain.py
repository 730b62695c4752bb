"""What experiments/eval_explain.py, eval_trend.py and eval_advice.py measured, and the table of bearings."""

from statistics import fmean

from dualres.bench.campaign.rigs import RIGS
from dualres.faultlines.bearing import DIMENSIONS, bearing_of
from tools.pages.measured import Measured, table


class Explain(Measured):
    def bearings_table(self) -> str:
        """Every bearing that `--bearing` knows by its name: dimensions and rates per revolution."""
        rows = []
        for name, (elements, *dimensions) in DIMENSIONS.items():
            known = bearing_of(name)
            rates = (known.outer, known.inner, 2 * known.spin, known.cage)
            rows.append([name, elements, *(f"{each:g}" for each in dimensions), *(f"{rate:.4f}" for rate in rates)])
        titles = ("bearing", "elements", "diameter", "pitch", "angle", "BPFO", "BPFI", "2xBSF", "FTF")
        return table(titles, rows, narrow=True)

    def printed_off(self) -> str:
        """The printed values that the dimensions do not give to the last digit."""
        off = self._json("explanation")["printed"]["off"]
        rows = [[name, *values] for name, values in off.items()]
        return table(("", "printed", "by the dimensions"), rows, narrow=True)

    def checked_balls(self) -> str:
        """What `dualres check` says of every recording of CWRU with a damaged ball."""
        sets = {"12 kHz": "cwru_12k", "48 kHz": "cwru"}
        rows = [
            [f"{name}, {rate}", one["answer"], f"{one['p']:.3f}"]
            for rate, section in sets.items()
            for name, one in sorted(self._json("check")[section]["files"].items())
            if one["label"] == "ball"
        ]
        return table(("a damaged ball of CWRU", "answer", "p"), rows, narrow=True)

    def trend_kinds(self) -> str:
        """False alarms of `dualres trend`, and what it finds in time, by how a healthy machine behaves."""
        found = self._json("trend")["levels"]
        rows = [
            [
                kind,
                one["healthy"]["of"],
                one["healthy"]["alarms"],
                f"{100 * one['healthy']['to']:.1f} %",
                one["cannot_tell"],
                f"{100 * one['found']['share']:.0f} %",
            ]
            for kind, one in {**found["kinds"], "all": found["all"]}.items()
        ]
        titles = ("healthy level", "series", "false alarms", "with 95 % up to", "cannot tell", "found in time")
        return table(titles, rows, narrow=True)

    def advice_table(self) -> str:
        """Labels at random and as advised on every rig."""
        choice, before = (self._json("advice")[key] for key in ("choice", "choice_before"))
        pairs = {rig: (row["gain"], before["rigs"][rig]["gain"]) for rig, row in choice["rigs"].items()}
        scores = {rig: (f"{row['random']:.1f}", f"{row['advised']:.1f}") for rig, row in choice["rigs"].items()}
        real = tuple(fmean(one["rigs"][rig.title]["gain"] for rig in RIGS if rig.real) for one in (choice, before))
        pairs |= {"mean of the real rigs": real, "mean of all": (choice["gain"], before["gain"])}
        rows = [[rig, *scores.get(rig, ("", "")), *(f"{gain:+.1f}" for gain in gains)] for rig, gains in pairs.items()]
        return table(("rig", "at random", "as advised", "gain", "gain before"), rows, narrow=True)

    def advice_outcome(self) -> str:
        """Whether advice is as much better than chance as was aimed at."""
        choice = self._json("advice")["choice"]
        gain, least = f"{choice['gain']:+.1f} points on average", f"{choice['least']:+.1f} at worst"
        missed = choice["gain"] < 5 or choice["least"] < -1
        return f"{gain} and {least}, which {'misses' if missed else 'meets'} the aim:"

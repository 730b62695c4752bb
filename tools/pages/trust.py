"""What stated error rates are worth, as experiments/eval_trust.py and its siblings found; shares are in percent."""

from collections.abc import Mapping
from typing import Any

from tools.pages.measured import Measured, table

WORTH = ("recordings", "right", "covered", "mean_set", "named", "named_right", "none_of_these")
TITLES = ("recordings", "verdict right", "set holds the truth", "classes in a set", "named", "of these right")

NAMES = ("`--error`", "answers", "named before", "wrong", "named", "wrong", "at most")


class Trust(Measured):
    def trust_coverage(self) -> str:
        titles = ("unit", "units", "covered, machine by machine", "covered, all machines")
        titles += ("splits that cover 90 %", "the same with `--sure 0.9`")
        keys = ("units", "within", "across", "across_kept", "sure_kept")
        found = self._json("trust")["coverage"]
        return table(titles, [[unit, *_picked(found[unit], keys)] for unit in ("component", "recording")])

    def trust_made_apart(self) -> str:
        """Sets by the unit that they were promised for, on data that has nothing in common with the simulators."""
        found = self._json("trust")["made_apart"]
        keys = ("answers", "covered", "low", "high", "most", "mean_set")
        titles = ("data", "promised for", "sets", "held the truth", "from", "to", "at most")
        rows = [
            [name, "nothing" if unit == "none" else unit, *("-" if one[key] is None else one[key] for key in keys)]
            for name, units in found["laws"].items()
            for unit, one in units.items()
        ]
        return table((*titles, "classes in a set"), rows)

    def trust_names(self) -> str:
        """Shares named and wrong, before and now, on data made apart."""
        rows = []
        for error, found in self._json("trust")["made_apart"]["names"].items():
            for size, many in (("few", ""), ("many", ", many")):
                rows += [
                    [f"{name}{many}", unit, *_of_names(error, one)]
                    for name, units in found[size].items()
                    for unit, one in units.items()
                ]
            rows += [
                [name, "both", *_of_names(error, found[key])] for name, key in (("all, many", "ten"), ("all", "all"))
            ]
        return table(("data", "promised for", *NAMES), rows)

    def trust_rig_names(self) -> str:
        rows = [
            ["ten and more" if name == "ten" else name, *_of_names(error, one)]
            for error, found in self._json("trust")["names"].items()
            for name, one in found.items()
            if one["answers"]
        ]
        return table(("of", *NAMES), rows)

    def names_lucky(self) -> str:
        """Where hardly anything can be named."""
        now = self._json("trust")["made_apart"]["names"]["0.1"]["few"]["heavy tails"]["component"]["now"]
        return f"{now['wrong']} % of the {now['named']} % that are named"

    def made_worlds(self) -> str:
        return str(self._json("trust")["made_apart"]["worlds"])

    def trust_folds(self) -> str:
        rows = [
            [rig, kind.replace("_", " "), *_picked(worth, WORTH)]
            for rig, kinds in self._json("trust")["rigs"]["folds"].items()
            for kind, worth in kinds.items()
            if worth
        ]
        return table(("rig", "", *TITLES, "none of these"), rows)

    def trust_halves(self) -> str:
        found = self._json("trust")["rigs"]["halves"]
        rows = [[name, *_picked(worth, (*WORTH, "no_promise"))] for name, worth in found.items()]
        return table(("dataset", *TITLES, "none of these", "no promise"), rows)

    def trust_left_out(self) -> str:
        titles = ("rig", "AUROC, mean", "worst class", "unknown flagged", "familiar flagged", "views: mean", "worst")
        keys = ("mean", "worst", "new_flagged", "familiar_flagged")
        measured = self._json("trust")
        found, views = measured["unknown"]["left_out"], measured["views"]
        rows = [[rig, *_picked(one, keys), *_picked(views[rig], ("mean", "worst"))] for rig, one in found.items()]
        return table(titles, rows)

    def trust_standing(self) -> str:
        """By what an unseen fault is told best."""
        found = self._json("trust")["standing"]
        rows = [[name, *_picked(one, ("mean", "worst"))] for name, one in found.items()]
        return table(("compared by", "AUROC, mean", "worst class"), rows)

    def trust_odd(self) -> str:
        """Rigs in columns."""
        found = self._json("trust")["unknown"]["odd"]
        kinds = next(iter(found.values()))
        return table(("flagged", *found), [[kind, *(one[kind] for one in found.values())] for kind in kinds])


def _picked(found: Mapping[str, Any], keys: tuple[str, ...]) -> list[object]:
    return [found[key] for key in keys]


def _of_names(error: str, one: Mapping[str, Any]) -> list[object]:
    before, now = one["before"], one["now"]
    bounds = [bound for name, bound in now.items() if name.startswith("most_by_") and bound is not None]
    most = max(bounds, default=None)
    return [error, one["answers"], before["named"], before["wrong"], now["named"], now["wrong"], most]

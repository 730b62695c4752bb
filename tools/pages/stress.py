"""What the scripts in stress/ stored, as the page of reliability asks for it."""

from typing import Any

from tools.pages.measured import Measured, table

TITLES = ("attack", "tries", "failures", "longest, s", "most memory, MB", "machine", "date", "repeated by")
MOST = ("logits", "probabilities")  # what is measured of an exported stream


class Stress(Measured):
    def stress_table(self) -> str:
        """A row for each attack in results/measured/stress_*.json."""
        rows = [
            _cells(name, one, state["script"])
            for state in (self._json(path.stem) for path in sorted(self._results.glob("measured/stress_*.json")))
            for name, one in state["attacks"].items()
            if one["tries"]
        ]
        return table(TITLES, rows)

    def exported_streams(self) -> str:
        """How far exports on devices were from the monitor, a row for each attack of stress/exported_streams.py."""
        state = self._json("stress_exported_streams")
        titles = ("what was compared", "streams", "beyond the limits", "a logit, at most", "a probability, at most")
        rows = [
            [one["title"], f"{one['tries']:,}", str(len(one["failures"])), *(_most(one, of) for of in MOST)]
            for one in state["attacks"].values()
        ]
        return table(titles, rows)


def _most(one: dict[str, Any], of: str) -> str:
    """Of what was not compared, a dash: a device that searches for the speed tells no logits."""
    return f"{one['most'][of]:.1e}" if of in one["most"] else "-"


def _cells(name: str, one: dict[str, Any], script: str) -> list[str]:
    failed, runs = one["failures"], one["runs"]
    seeds = f"{len(failed)} (seeds {', '.join(list(failed)[:5])}{' and others' if len(failed) > 5 else ''})"
    machines = dict.fromkeys(f"{run['machine']}, {run['cores']} cores" for run in runs)
    dates = sorted({run["date"] for run in runs})
    return [
        one["title"],
        f"{one['tries']:,}",
        seeds if failed else "0",
        f"{one['slowest_s']:.1f}",
        f"{one['peak_mb']:,}",
        "; ".join(machines),
        dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}",
        ", ".join(f"`{_command(script, name, *stretch)}`" for stretch in one["seeds"]),
    ]


def _command(script: str, name: str, first: int, last: int) -> str:
    """What does the seeds of one stretch again."""
    return f"python {script} {last - first + 1} --only {name}" + (f" --seed {first}" if first else "")

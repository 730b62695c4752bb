"""What it is worth to carry the memory of the paper's network on over a stream (experiments/eval_carried_memory.py)."""

from tools.pages.measured import Measured, table

COLUMNS = ("rig", "recordings last", "windows", "blocks", "recordings", "other names", "a probability moves", "memory")


class Carried(Measured):
    def carried_table(self) -> str:
        """Macro-F1 with the memory reset and carried, and how far anything moves, by rig."""
        found = self._json("carried_memory")
        rows = [
            [
                rig,
                f"{one['seconds']:.0f} s",
                *(_both(one[kind]) for kind in ("window", "block", "recording")),
                f"{100 * one['changed']:.2f} %",
                f"{one['moved']['mean']:.4f}, at most {one['moved']['most']:.2f}",
                f"{one['half_life_ms']['median']:.0f} ms, at most {one['half_life_ms']['longest']:.0f} ms",
            ]
            for rig, one in found["rigs"].items()
        ]
        means = [_both(found["mean"][kind]) for kind in ("window", "block", "recording")]
        rows.append(["**mean**", "", *(f"**{mean}**" for mean in means), "", "", ""])
        return table(COLUMNS, rows)

    def carried_longest(self) -> str:
        """The longest half-life of any channel, in s."""
        lives = (one["half_life_ms"]["longest"] for one in self._json("carried_memory")["rigs"].values())
        return f"{max(lives) / 1000:.2f}"

    def carried_left(self) -> str:
        """The largest share of a carried state that is left where a window ends, in percent."""
        return f"{100 * max(one['left'] for one in self._json('carried_memory')['rigs'].values()):.0f}"

    def carried_windows(self) -> str:
        """How many windows were judged both ways, behind the first one of a recording."""
        return f"{sum(one['windows'] for one in self._json('carried_memory')['rigs'].values()):,}"

    def carried_seeds(self) -> str:
        return ", ".join(map(str, self._json("carried_memory")["seeds"]))


def _both(scores: dict[str, float]) -> str:
    return f"{scores['reset']:.1f} → {scores['carried']:.1f}"

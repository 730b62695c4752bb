"""How fast it is: what the scripts in speed/ and `make wheels` measured, and the generated tables."""

import re
from textwrap import fill

from dualres.bench.profile.measurements import FOLDER, all_costs
from dualres.bench.report.captions import FOLDS_ARE_OURS
from dualres.bench.report.names import method_name
from dualres.bench.report.plots.drawn import read_drawn
from dualres.bench.report.plots.scaling import curves
from dualres.errors import ConfigError
from tools.pages.measured import LINE, Measured, table

_ROOF = ("us", "bytes_us", "products_us", "operations_us")


class Speed(Measured):
    def ratio(self, script: str, key: str, other: str, digits: str = "1") -> str:
        found = self._json(script)
        return f"{found[key] / found[other]:.{digits}f}"

    def slope(self, varied: str) -> str:
        """How cost grows with what speed/scaling.py varied; 1 is linear."""
        return f"{curves(self._json('scaling'))[varied].slope:.2f}"

    def rise_mb(self, seconds: str) -> str:
        """What a recording of so many seconds adds to the memory in use, by speed/scaling.py."""
        found = {one["seconds"]: one["rise_mb"] for one in self._json("scaling")["recordings"]}
        return f"{found[int(seconds)]:.0f}"

    def inference(self, quantity: str, dataset: str, method: str, group: str, digits: str = "2") -> str:
        """What `dualres profile` measured, as the tables of costs have it: `window_ms phm2009 dualres cuda_4`."""
        costs = {each.name: each for each in all_costs(self._results / FOLDER)}[group]
        value = costs.value(quantity, dataset, method)
        if value is None:
            raise ConfigError(f"{quantity} of {method} on {dataset} was not measured ({group})")
        return f"{value:,.{digits}f}"

    def gpu_windows(self) -> str:
        """The latency of a window on a GPU by the ways that were measured there, and over datasets where it was."""
        told = "Then the GPU, {} (MiniRocket on four CPU threads){}:"
        if self._there("costs_ways_cuda_4"):
            parts = [told.format("both ways", ""), self.table("costs_ways_cuda_4")]
        else:
            without = "; its eager way was not measured"
            parts = [told.format("shipped", without), self.table("costs_window_cuda_4")]
        if self._there("costs_summary_cuda_4_eager"):
            parts += ["Over these datasets, eager, with the most memory:", self.table("costs_summary_cuda_4_eager")]
        return "\n\n".join(parts)

    def efficiency_figures(self) -> str:
        """Scores against parameters and latency, of every dataset with both, by the most like way that was measured."""
        lines = read_drawn(self._results / "figures")
        found = {name: line for name, line in lines.items() if name.startswith("score_and_latency_")}
        shown = [name for name in found if name.endswith("_eager") or f"{name}_eager" not in found]
        return "\n\n".join(f"![{found[name]['title']}](../results/figures/{name}.png)" for name in shown)

    def _there(self, table: str) -> bool:
        return (self._results / "tables" / f"{table}.md").exists()

    def methods_table(self) -> str:
        """Window and training step of the nine methods, by speed/methods.py."""
        found = self._json("methods")["methods"]
        rows = [
            [method_name(name), _figures(row["window_ms"]), _figures(row["step_ms"])] for name, row in found.items()
        ]
        return table(("", "window", "step"), rows, narrow=True)

    def roofline_table(self, of: str) -> str:
        """The kernels of one pass by speed/roofline_cuda.py, each once, the longest first."""
        kernels = {one["kernel"]: one for one in self._json("roofline_cuda")["passes"][of]["kernels"]}
        rows = [
            [f"`{name.removesuffix('_kernel')}`", one["mb"], *(one.get(part) for part in _ROOF), one["of_roof"]]
            for name, one in sorted(kernels.items(), key=lambda each: -each[1]["us"])
        ]
        return table(("kernel", "MB", "took, \u00b5s", "copy", "products", "operations", "share of roof"), rows)

    def roofline_gain(self, of: str) -> str:
        """Microseconds that the kernels of a pass would gain if none took longer than its roof."""
        kernels = self._json("roofline_cuda")["passes"][of]["kernels"]
        return f"{sum(max(0, one['us'] - one['roof_us']) for one in kernels):.0f}"

    def wheels_table(self) -> str:
        """Every run of `make wheels`; times in an emulator are nobody's."""
        titles = ("platform", "Python", "kernel", "error of logits")
        titles += ("cold start, s", "warm, s", "of processors, s", "MB")
        rows: list[list[object]] = []
        for one in self._json("wheels")["tried"]:
            for run in one["runs"]:
                figures = (run.get(key) for key in ("cold_s", "warm_s", "cpu_s", "installed_mb"))
                kernels = ", ".join("NumPy" if name == "off" else name for name in run["errors"])
                python = f"{run['python']}{', emulated' if one.get('emulated') else ''}"
                rows.append([one["platform"], python, kernels, f"{max(run['errors'].values()):.0e}", *figures])
        return table(titles, rows)

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


def _figures(value: float | None) -> str | None:
    """Two of them, and all digits before the point."""
    return None if value is None else f"{value:.0f}" if value >= 10 else f"{value:.2g}"

"""What tools/explanation.py measured, and the table of bearings, as pages ask for them."""

from __future__ import annotations

import json
from pathlib import Path

from dualres.faultlines.bearing import DIMENSIONS, bearing_of


class Explained:
    def __init__(self, results: Path) -> None:
        self._path = results / "measured" / "explanation.json"

    def explained(self, where: str, digits: str = "0", unit: str = "plain") -> str:
        """A number by its place in the JSON, dots between keys; `percent` of a share."""
        found = json.loads(self._path.read_text())
        for key in where.split("."):
            found = found[key]
        return f"{found:.1e}" if digits == "e" else f"{found * (100 if unit == 'percent' else 1):.{digits}f}"

    def bearings_table(self) -> str:
        """Every bearing that `--bearing` knows by its name: dimensions and rates per revolution."""
        lines = ["| bearing | elements | diameter | pitch | angle | BPFO | BPFI | 2xBSF | FTF |", "|---" * 9 + "|"]
        for name, (elements, diameter, pitch, angle) in DIMENSIONS.items():
            known = bearing_of(name)
            rates = [known.outer, known.inner, 2 * known.spin, known.cage]
            cells = [
                name,
                str(elements),
                f"{diameter:g}",
                f"{pitch:g}",
                f"{angle:g}",
                *(f"{rate:.4f}" for rate in rates),
            ]
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)

    def printed_off(self) -> str:
        """The printed values that the dimensions do not give to the last digit."""
        off = json.loads(self._path.read_text())["printed"]["off"]
        lines = ["| | printed | by the dimensions |", "|---|---|---|"]
        return "\n".join(lines + [f"| {name} | {text} | {computed} |" for name, (text, computed) in off.items()])

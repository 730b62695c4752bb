"""What the scripts in speed/, stress/ and experiments/ left in results/measured, and the tables made of it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LINE = 115  # letters of prose


class Measured:
    """A number by its place in a script's JSON; what needs more is asked of the kinds of this."""

    def __init__(self, results: Path) -> None:
        self._results = results

    def measured(self, script: str, place: str, digits: str = "0", unit: str = "plain") -> str:
        """Dots are between the keys of `place`; `e` digits are a power of ten, and a share may be in `percent`."""
        found = self._json(script)
        for key in place.split("."):
            found = found[key]
        return f"{found:.1e}" if digits == "e" else f"{found * (100 if unit == 'percent' else 1):.{digits}f}"

    def _json(self, script: str) -> Any:
        return json.loads((self._results / "measured" / f"{script}.json").read_text())


def table(titles: Sequence[object], rows: Sequence[Sequence[object]], *, narrow: bool = False) -> str:
    """In Markdown; what is not known is a dash. A `narrow` one has fewer spaces."""
    lines = [titles, ["---"] * len(titles), *rows]
    text = "\n".join(f"| {' | '.join('-' if cell is None else str(cell) for cell in line)} |" for line in lines)
    return text.replace(" --- ", "---").replace("|  ", "| ") if narrow else text

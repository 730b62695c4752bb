"""Answers to the questions in the pages' sources: `score phm2009 dualres fold=P1`."""

from collections.abc import Callable
from pathlib import Path

from dualres.bench.campaign.ledger import Ledger
from dualres.errors import ConfigError
from tools.pages.alarms import Alarms
from tools.pages.batches import Batches
from tools.pages.carried import Carried
from tools.pages.cells import Cells
from tools.pages.explain import Explain
from tools.pages.live import Live
from tools.pages.orders import Orders
from tools.pages.recipes import Recipes
from tools.pages.scores import Scores
from tools.pages.speed import Speed
from tools.pages.stress import Stress
from tools.pages.trust import Trust

MEASURED = (Speed, Explain, Trust, Alarms, Stress, Live, Orders, Carried)


class Answers:
    """All that the pages may ask: the public methods of these."""

    def __init__(self, results: Path, ledger: Ledger, repeated: Ledger) -> None:
        cells = Cells(ledger)
        asked = (
            Scores(cells, ledger, repeated),
            Recipes(results, ledger, cells),
            Batches(cells),
            *(kind(results) for kind in MEASURED),
        )
        self._ways: dict[str, Callable[..., str]] = {
            name: getattr(one, name) for one in asked for name in dir(one) if not name.startswith("_")
        }

    def ask(self, question: str) -> str:
        """A name and its arguments; those with `=` are named ones."""
        name, *words = question.split()
        if name not in self._ways:
            raise ConfigError(f"{{{question}}}: there is no {name!r}; there are {', '.join(self._ways)}")
        plain = [word for word in words if "=" not in word]
        return self._ways[name](*plain, **dict(word.split("=", 1) for word in words if "=" in word))

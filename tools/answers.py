"""Answers to the questions in the pages' sources: `score phm2009 dualres fold=P1`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from adaptation import Adaptation
from carried import Carried
from dualres.bench.campaign.ledger import Ledger
from dualres.errors import ConfigError
from explained import Explained
from measured import Measured
from recipes import Recipes
from scores import Scores
from stressed import Stressed


class Answers:
    """All that the pages may ask: the public methods of these."""

    def __init__(self, results: Path, ledger: Ledger, repeated: Ledger) -> None:
        self._ways: dict[str, Callable[..., str]] = {
            name: getattr(one, name)
            for one in (
                Scores(ledger, repeated),
                Recipes(results, ledger),
                Adaptation(ledger),
                Measured(results),
                Explained(results),
                Stressed(results),
                Carried(results),
            )
            for name in dir(one)
            if not name.startswith("_")
        }

    def ask(self, question: str) -> str:
        """A name and its arguments; those with `=` are named ones."""
        name, *words = question.split()
        if name not in self._ways:
            raise ConfigError(f"{{{question}}}: there is no {name!r}; there are {', '.join(self._ways)}")
        plain = [word for word in words if "=" not in word]
        return self._ways[name](*plain, **dict(word.split("=", 1) for word in words if "=" in word))

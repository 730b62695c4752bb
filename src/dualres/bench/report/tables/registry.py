"""Tables by name. A study's `tables` are made of its results, its `dataset_tables` of those and each dataset's name."""

from collections.abc import Callable
from typing import TypeVar

from dualres.bench.report.registry import Registry
from dualres.bench.report.tables.model import Table

Maker = TypeVar("Maker", bound=Callable[..., Table | None])

TABLES: Registry[Table] = Registry("table", __package__)
register_table = TABLES.register  # of a name and its maker, which gives a Table or None


def makes_table(name: str) -> Callable[[Maker], Maker]:
    """Decorates the maker of the table of that name."""

    def register(maker: Maker) -> Maker:
        register_table(name, maker)
        return maker

    return register

"""Makers of tables and figures by name: a study says by name how it is shown.

A study's `tables` and `figures` are made of its results, its `dataset_tables` and `dataset_figures` of those and each
dataset's name, its `cost_figures` of those and measured costs. A maker gives None where the ledger has nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from dualres.utils.registry import Registry

if TYPE_CHECKING:
    from dualres.bench.report.plots.picture import Picture  # which loads matplotlib
    from dualres.bench.report.tables.fill import Table

About = ParamSpec("About")
Product = TypeVar("Product")
TableMaker = TypeVar("TableMaker", bound="Callable[..., Table | None]")

TABLES: Registry[Callable[..., Table | None]] = Registry("table", package="dualres.bench.report.tables")
FIGURES: Registry[Callable[..., Picture | None]] = Registry("figure", package="dualres.bench.report.plots")
register_table, register_figure = TABLES.register, FIGURES.register


def made(makers: Registry[Callable[..., Product | None]], names: Iterable[str], *about: object) -> Iterator[Product]:
    """What the named makers make of `about`, one at a time."""
    yield from (one for maker in map(makers.find, names) if (one := maker(*about)) is not None)


def makes_table(name: str) -> Callable[[TableMaker], TableMaker]:
    """Decorates the maker of the table of that name."""

    def register(maker: TableMaker) -> TableMaker:
        register_table(name, maker)
        return maker

    return register


def draws_figure(name: str) -> Callable[[Callable[About, Picture | None]], Callable[About, Picture | None]]:
    """Decorates the maker of the figure of that name, which is then drawn for print."""
    from dualres.utils.figures import printed  # which loads matplotlib

    def register(maker: Callable[About, Picture | None]) -> Callable[About, Picture | None]:
        drawn = printed()(maker)
        register_figure(name, drawn)
        return drawn

    return register

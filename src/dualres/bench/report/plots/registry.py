"""Figures by name. A study's `figures` are made of its results, its `dataset_figures` of those and a dataset's name.

Its `cost_figures` are made of results, a dataset's name and measured costs.
"""

from collections.abc import Callable
from typing import ParamSpec

from dualres.bench.report.plots.picture import Picture
from dualres.bench.report.registry import Registry
from dualres.utils.figures import printed

About = ParamSpec("About")

FIGURES: Registry[Picture] = Registry("figure", __package__)
register_figure = FIGURES.register  # of a name and its maker, which gives a Picture or None


def draws_figure(name: str) -> Callable[[Callable[About, Picture | None]], Callable[About, Picture | None]]:
    """Decorates the maker of the figure of that name, which is then drawn for print."""

    def register(maker: Callable[About, Picture | None]) -> Callable[About, Picture | None]:
        drawn = printed()(maker)
        register_figure(name, drawn)
        return drawn

    return register

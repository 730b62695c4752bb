"""Options that others add to `dualres fit`. Imports nothing heavy, so that help comes at once."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dualres.errors import ConfigError
from dualres.utils.registry import Registry

if TYPE_CHECKING:
    from dualres.learn.workflow import FitSettings


@dataclass(frozen=True)
class FitOption:
    """An option of `dualres fit`: what it is called, and how its value changes the settings of a fit."""

    name: str  # "--trim"
    type: type  # of the value: float, int, str, bool, Path ...
    default: Any  # the value that changes nothing
    help: str
    apply: "Callable[[FitSettings, Any], FitSettings]"

    @property
    def parameter(self) -> str:
        """Its name in Python."""
        return self.name.removeprefix("--").replace("-", "_")


_OPTIONS: Registry[FitOption] = Registry("option", taken="there are two options {name} of dualres fit; rename one")


def register_option(option: FitOption) -> FitOption:
    """Add an option to `dualres fit`."""
    if not re.fullmatch(r"--[a-z][a-z0-9]*(-[a-z0-9]+)*", option.name):
        raise ConfigError(f"option {option.name!r}: a name such as --trim or --trim-end is needed")
    if _OPTIONS.get(option.name) is not option:
        _OPTIONS.register(option.name, option)
    return option


def registered_options() -> tuple[FitOption, ...]:
    return tuple(_OPTIONS.values())


def with_options(settings: "FitSettings", values: Mapping[str, Any]) -> "FitSettings":
    """The settings as the registered options change them, in the order of registration; `values` by parameter."""
    for option in _OPTIONS.values():
        if option.parameter in values and values[option.parameter] != option.default:
            settings = option.apply(settings, values[option.parameter])
    return settings

"""Things by name: those of this package, and those that others add from outside."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from dualres.errors import ConfigError

Thing = TypeVar("Thing")


class Registry(dict[str, Thing]):
    """Things of one kind by name, in the order in which they came; each name is given once.

    `own` gives the package's own things and is called at the first question. Modules of `package` register theirs when
    they are imported, at the latest when a name is asked for that is not known yet. `taken` and `unknown` are what is
    said of a `name` that is given already, and of one that nobody gave; `known` are those that there are.
    """

    def __init__(
        self,
        kind: str,
        own: Callable[[], Mapping[str, Thing]] | None = None,
        *,
        package: str = "",
        taken: str = "there is a {kind} {name!r} already; choose another name",
        unknown: str = "there is no {kind} {name!r}; there are {known}",
    ) -> None:
        super().__init__()
        self._kind, self._own, self._package = kind, own, package
        self._taken, self._unknown = taken, unknown

    def register(self, name: str, thing: Thing) -> None:
        """Make a new name known."""
        if name in self.names():
            raise ConfigError(self._taken.format(kind=self._kind, name=name))
        self[name] = thing

    def find(self, name: str) -> Thing:
        """The thing of that name; an error that lists the names if there is none."""
        if name not in self.names() and self._package:
            for module in iter_modules(import_module(self._package).__path__):
                import_module(f"{self._package}.{module.name}")
        if name not in self:
            known = ", ".join(self) or "none"
            raise ConfigError(self._unknown.format(kind=self._kind, name=name, known=known))
        return self[name]

    def names(self) -> tuple[str, ...]:
        """All that are known, the package's own first."""
        if self._own:
            own, self._own = self._own, None
            self.update(own())
        return tuple(self)

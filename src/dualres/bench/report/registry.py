"""Makers of tables and figures by name: a study says by name how it is shown."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Generic, TypeVar

from dualres.errors import ConfigError

Product = TypeVar("Product")


class Registry(Generic[Product]):
    """What `register` was told. Modules of `package` register theirs when they are loaded, at the latest when asked."""

    def __init__(self, thing: str, package: str) -> None:
        self._thing, self._package = thing, package
        self._makers: dict[str, Callable[..., Product | None]] = {}

    def register(self, name: str, maker: Callable[..., Product | None]) -> None:
        """Make a name known, from outside the package, too. The maker says None where the ledger has nothing for it."""
        if name in self._makers:
            raise ConfigError(f"there is a {self._thing} {name!r} already; choose another name")
        self._makers[name] = maker

    def maker(self, name: str) -> Callable[..., Product | None]:
        if name not in self._makers:
            for module in iter_modules(import_module(self._package).__path__):
                import_module(f"{self._package}.{module.name}")
        if name not in self._makers:
            raise ConfigError(f"there is no {self._thing} {name!r}; there are {', '.join(sorted(self._makers))}")
        return self._makers[name]

    def made(self, names: Iterable[str], *about: object) -> Iterator[Product]:
        """What the named makers make of `about`, one at a time."""
        yield from (one for maker in map(self.maker, names) if (one := maker(*about)) is not None)

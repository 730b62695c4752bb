"""The files of a C99 export, moved to where a build system looks for them, with what else it wants to find there."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files as resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from string import Template

from dualres.export.compiler import SOURCES

SOURCE, EXTRAS = "src/dualres", "extras"
CHECK, CARD, README = "check.c", "card.json", "README.md"
OPTIMISED = ("-std=c99", "-O3", "-ffp-contract=fast")
INCLUDED = re.compile(rb'^([ \t]*#[ \t]*(?:include|define[ \t]+\w+)[ \t]+")([^"\n]+\.[ch])(?=")', re.MULTILINE)


class FilledIn(Template):
    """A template whose places begin with @: build files and C leave that alone, and not $."""

    delimiter = "@"


@dataclass(frozen=True)
class Layout:
    """Where an export's files lie. Without a title they lie as `--to c99` writes them."""

    name: str  # as --to has it, and of its folder in templates
    title: str = ""  # whom its README says that it is for
    example: str = ""  # the folder of the example's headers
    source: str = ""  # a line of the build file about a source; {} is the source's path
    shared: Mapping[str, str] = field(default_factory=dict)  # more of the templates in common, and where they go
    use: str = ""  # how a project takes it, for the README

    @property
    def library(self) -> str:
        """The folder of the C that is compiled for a device."""
        return SOURCE if self.title else "."

    @property
    def extras(self) -> str:
        """The folder of what is compiled beside it, to check it."""
        return EXTRAS if self.title else "."

    @property
    def checking(self) -> str:
        """What somebody is to do who wants it checked."""
        return f"compile and run `{EXTRAS}/{CHECK}` as {README} says" if self.title else "run `make check`"

    def arranged(self, files: Mapping[str, bytes], facts: Mapping[str, str]) -> dict[str, bytes]:
        """Files of a C99 export by where they lie here, with those of this layout; `facts` fill its templates. README
        and the list of files are the caller's to make anew."""
        if not self.title:
            return dict(files)
        library = _needed(SOURCES, files)
        found = {f"{SOURCE}/{_uncompiled(name)}": _renamed(name, files) for name in library}
        found |= {f"{EXTRAS}/{name}": files[name] for name in _needed([CHECK], files) if name not in library}
        listed = "\n".join(self.source.format(f"{SOURCE}/{name}") for name in SOURCES)
        templates = dict(_below(_templates() / self.name))
        for name, place in self._shared.items():
            templates[place] = (_templates() / "common" / name).read_text(encoding="utf-8")
        known = {**facts, "sources": listed}
        found |= {name: FilledIn(text).substitute(known).encode() for name, text in templates.items()}
        return {**found, CARD: files[CARD]}

    def readme(self) -> str:
        """The template of its README."""
        if not self.title:
            return (resources("dualres.export") / "device" / README).read_text(encoding="utf-8")
        known = {"title": self.title, "use": self.use.strip(), "host": shlex.join(self.host_command())}
        check = self._command(f"{EXTRAS}/{CHECK}", "check", [SOURCE])
        text = (_templates() / README).read_text(encoding="utf-8")
        return Template(text).safe_substitute(known, check=shlex.join(check), example=self.example)

    def host_command(self) -> list[str]:
        """What compiles the library and the example for a computer, in the export's folder."""
        return self._command(f"{EXTRAS}/host.c", "listen", ["src", self.example])

    def _command(self, source: str, program: str, includes: Iterable[str]) -> list[str]:
        sources = [f"{SOURCE}/{name}" for name in SOURCES]
        return ["cc", *OPTIMISED, *(f"-I{one}" for one in includes), *sources, source, "-lm", "-o", program]

    @property
    def _shared(self) -> dict[str, str]:
        headers = {name: f"{self.example}/{name}" for name in ("listen.h", "ring.h")}
        return {"dualres.h": "src/dualres.h", "host.c": f"{EXTRAS}/host.c", **headers, **self.shared}


def _templates() -> Traversable:
    return resources("dualres.export") / "layouts" / "templates"


def _below(folder: Traversable, within: str = "") -> Iterator[tuple[str, str]]:
    """All files of a folder and those in it, by name."""
    for one in sorted(folder.iterdir(), key=lambda each: each.name):
        if one.is_dir():
            yield from _below(one, f"{within}{one.name}/")
        else:
            yield f"{within}{one.name}", one.read_text(encoding="utf-8")


def _needed(names: Iterable[str], files: Mapping[str, bytes]) -> list[str]:
    """These, and those of the files that they include, directly or not."""
    found = list(names)
    for name in found:
        included = (_meant(text.decode(), name, files) for _, text in INCLUDED.findall(files[name]))
        found += [one for one in dict.fromkeys(included) if one and one not in found]
    return found


def _meant(text: str, within: str, files: Mapping[str, bytes]) -> str:
    """The file that is named in another; empty if it is none of these."""
    beside = (PurePosixPath(within).parent / text).as_posix()
    return next((name for name in (beside, text) if name in files), "")


def _uncompiled(name: str) -> str:
    """A name that no build system compiles on its own, of a source that another one includes."""
    return name if name in SOURCES or not name.endswith(".c") else f"{name[:-2]}.inc"


def _renamed(name: str, files: Mapping[str, bytes]) -> bytes:
    """A file with the names of those that it includes as they are here."""

    def new(found: re.Match[bytes]) -> bytes:
        text = found[2].decode()
        return found[1] + (_uncompiled(text) if _meant(text, name, files) else text).encode()

    return INCLUDED.sub(new, files[name])

"""Old import paths of public names: what was documented under another name is found under it still."""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # as `typing` has it, which takes long to import: every command waits for this module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
else:
    ModuleType = type(sys)

# Old module -> where its names are now, and names that are others now.
MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "dualres.campaign": ("dualres.bench.campaign", {}),
    "dualres.campaign.studies": ("dualres.bench.campaign.studies", {"Part": "StudyPart"}),
    "dualres.datasets": ("dualres.bench.datasets", {}),
    "dualres.datasets.catalog": ("dualres.bench.datasets.catalog", {}),
    "dualres.datasets.folds": ("dualres.bench.datasets.folds", {}),
    "dualres.datasets.machines": ("dualres.simulated.machines", {}),
    "dualres.datasets.release": ("dualres.bench.datasets.release", {"Entry": "ReleaseEntry"}),
    "dualres.datasets.simulated": ("dualres.simulated.rig", {}),
    "dualres.datasets.triaxial": ("dualres.simulated.triaxial", {}),
    "dualres.exchange": ("dualres.bench.campaign.exchange", {}),
    "dualres.exchange.read_export": ("dualres.bench.campaign.exchange.read_export", {}),
    "dualres.learn.augment": ("dualres.learn.trained.augment", {}),
    "dualres.methods": ("dualres.bench.methods", {}),
    "dualres.methods.catalogue": ("dualres.bench.methods.catalog", {"Entry": "MethodEntry", "Look": "MethodStyle"}),
    "dualres.methods.method": ("dualres.bench.methods.method", {"Fitted": "FittedMethod"}),
    "dualres.methods.neural": ("dualres.bench.methods.neural", {}),
    "dualres.recordings.folder": ("dualres.recordings.labels.folder", {}),
    "dualres.recordings.listing": ("dualres.recordings.formats.contents", {"Listed": "Vector"}),
    "dualres.report": ("dualres.bench.report", {}),
    "dualres.report.names": ("dualres.bench.report.names", {}),
    "dualres.report.results": ("dualres.bench.report.results", {}),
    "dualres.report.tables": ("dualres.bench.report.tables", {}),
    "dualres.report.tables.sheet": ("dualres.bench.report.tables.fill", {"Line": "TableLine"}),
    "dualres.stream.alarm_rate": ("dualres.stream.alarm.alarm_rate", {}),
}


class _OldModule(ModuleType):
    """An old module: its names are looked up where they are now."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        home, renamed = MOVED[self.__name__]
        return getattr(import_module(home), renamed.get(name, name))

    def __setattr__(self, name: str, value: object) -> None:
        """Submodules are not set: a name of the same spelling, such as `dualres.methods.method`, is the new home's."""
        if not isinstance(value, ModuleType):
            super().__setattr__(name, value)


class _Finder:
    """Finds and loads old modules; a base class of `importlib.abc` would say no more, and takes long to import."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in MOVED:
            return None
        package = any(one.startswith(f"{name}.") for one in MOVED)
        return ModuleSpec(name, self, is_package=package)  # type: ignore[arg-type]  # it is a loader by its methods

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _OldModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is its own."""

    def get_code(self, name: str) -> "CodeType | None":
        """For `python -m` and the old name."""
        from importlib.util import find_spec

        found = find_spec(MOVED[name][0])
        assert found is not None
        assert found.loader is not None
        code: CodeType | None = found.loader.get_code(found.name)  # type: ignore[attr-defined]
        return code


def keep_old_paths() -> None:
    """Let old import paths be found; those that exist are asked first."""
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.append(_Finder())

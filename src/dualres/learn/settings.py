"""What a fit depends on: from which recordings a model learns, and how. All of it is checked when it is made."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field

from dualres.config import DEFAULT_RESAMPLER, ModelConfig
from dualres.errors import ConfigError
from dualres.learn.geometry import StatedGeometry
from dualres.model.kinds import NetworkRecipe, RecipeChoice, network_recipe
from dualres.model_file.card import check_members
from dualres.recordings.axes import common_channels
from dualres.recordings.labels.spelling import refuse_contradictions, refuse_spellings
from dualres.recordings.recording import Recording
from dualres.recordings.resample import check_resampler


@dataclass(frozen=True)
class FitSettings:
    """All that a model learned from labelled recordings depends on; without recordings, how it will learn."""

    recordings: tuple[Recording, ...] = ()
    _: KW_ONLY
    recipe: RecipeChoice = None  # as it was asked for; `chosen` is what that means
    windows_each: int = 12  # at most, of each recording
    seed: int = 41
    members: int = 1  # networks, with seeds that follow each other
    resampler: str = DEFAULT_RESAMPLER
    config: ModelConfig = field(default_factory=ModelConfig)  # sizes of the networks
    device: str = "cpu"
    estimate: bool = True  # whether to hold out units and say what to expect
    strict: bool = False  # whether to refuse recordings that would leak where they are held out
    geometry: StatedGeometry = field(default_factory=StatedGeometry)  # of the bearings
    held_out: tuple[str, ...] = ()  # units, each with an estimate of its own; none for the hardest that labels allow

    def __post_init__(self) -> None:
        check_members(self.members)
        check_resampler(self.resampler)
        for recording in self.recordings:
            if recording.label is None:
                raise ConfigError(f"{recording.id}: has no label; a fit needs labelled recordings")
        if self.recordings:
            self.check(self.recordings, self.classes)
            refuse_contradictions(self.recordings)
        if self.strict:
            refuse_spellings(self.recordings)

    def check(self, recordings: Sequence[Recording], classes: Sequence[str]) -> None:
        """An error where these settings make no model of such recordings."""
        if len(classes) < 2:
            raise ConfigError("there is one class only: a fit needs two classes or more, to tell them apart")
        check_members(self.members, max(len(common_channels(recordings)), 1))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(str(r.label) for r in self.recordings)

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.labels)))

    @property
    def chosen(self) -> NetworkRecipe:
        """The kind of network, and the recipe by which it is trained, if it is."""
        return network_recipe(self.recipe)

    @property
    def networks(self) -> int:
        """The members that a model keeps of each axis: of a kind that draws nothing, all would be the same."""
        return int(self.members) if self.chosen.kind.trains else 1

"""What a report was asked for, kept beside its tables so that they can be made again."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from dualres.bench.campaign.ledger import Ledger
from dualres.bench.campaign.studies import STUDIES, Quick, study
from dualres.bench.report.results import Results
from dualres.errors import ConfigError

SETTINGS_NAME = "settings.json"


@dataclass(frozen=True)
class Settings:
    studies: tuple[str, ...]  # asked for, whether anything of them was run or not
    quick: bool = False
    device: str | None = None  # "cpu" or "cuda"; None: per method the kind with more finished jobs
    threads: int = 1

    def results(self, ledger: Ledger, name: str) -> Results:
        """Of one of the studies."""
        quick = Quick() if self.quick else None
        return Results(ledger, study(name), quick=quick, device=self.device, threads=self.threads)

    def as_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"


def read_settings(directory: Path) -> Settings:
    """The settings that lie beside a report's tables."""
    path = directory / SETTINGS_NAME
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        settings = Settings(**{**stored, "studies": tuple(stored["studies"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); `dualres bench report` writes it") from error
    known = (
        all(name in list(STUDIES) for name in settings.studies)
        and isinstance(settings.quick, bool)
        and settings.device in (None, "cpu", "cuda")
        and isinstance(settings.threads, int)
    )
    if not known:
        raise ConfigError(f"{path}: holds values that no report has; write it again with `dualres bench report`")
    return settings

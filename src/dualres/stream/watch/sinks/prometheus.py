"""A text file of the latest verdicts, for the textfile collector of Prometheus' node_exporter."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dualres.errors import OutputError
from dualres.stream.watch.records import VerdictRecord
from dualres.stream.watch.sinks.sink import NotDeliveredError, Sink
from dualres.utils.files import write_whole
from dualres.utils.printable import printable

_HELP = {
    "dualres_probability": ("gauge", "Probability of a class in the latest verdict of this kind."),
    "dualres_verdicts_total": ("counter", "Verdicts of this kind since the stream began."),
    "dualres_missing_samples_total": ("counter", "Samples that never came, since this process began."),
    "dualres_verdict_time_seconds": ("gauge", "When the samples of the latest verdict came, since 1970."),
    "dualres_speed_rpm": ("gauge", "Speed of the shaft at which the latest block was judged."),
    "dualres_alarm": ("gauge", "1 while an alarm is raised."),
}


class Prometheus(Sink):
    """The file always holds a whole state; a scrape sees the latest verdict, not each of them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._latest: dict[tuple[str, str], dict[str, Any]] = {}
        self._missing: dict[tuple[str, str], int] = {}
        self._counted = 0  # up to which verdict; those that were not delivered come again

    def send(self, records: Sequence[VerdictRecord]) -> None:
        for record in records:
            data = record.data
            which = _escaped(data["stream"]), data["kind"]  # two that look alike would make the file invalid
            self._latest[which] = data
            self._missing[which] = self._missing.get(which, 0) + (data["missing"] if record.id > self._counted else 0)
            self._counted = max(self._counted, record.id)
        try:
            write_whole(Path(self.name), "".join(self._lines()).encode())
        except OutputError as error:
            raise NotDeliveredError(str(error)) from error

    def _lines(self) -> Iterator[str]:
        samples: dict[str, list[str]] = {name: [] for name in _HELP}
        for (stream, kind), data in sorted(self._latest.items()):
            of = f'stream="{stream}",kind="{kind}"'
            for label, probability in {_escaped(name): one for name, one in data["probabilities"].items()}.items():
                samples["dualres_probability"].append(f'{{{of},class="{label}"}} {probability:.6g}')
            samples["dualres_verdicts_total"].append(f"{{{of}}} {data['number'] + 1}")
            samples["dualres_verdict_time_seconds"].append(f"{{{of}}} {data['received']:.3f}")
            if speed := data.get("speed"):
                samples["dualres_speed_rpm"].append(f'{{stream="{stream}"}} {speed["rpm"]:.6g}')
            if alarm := data.get("alarm"):
                samples["dualres_alarm"].append(f'{{stream="{stream}"}} {int(bool(alarm.get("raised")))}')
        missing_of: dict[str, int] = {}
        for (stream, _), missing in self._missing.items():  # windows and blocks tell the same samples, blocks later
            missing_of[stream] = max(missing, missing_of.get(stream, 0))
        for stream, missing in sorted(missing_of.items()):
            samples["dualres_missing_samples_total"].append(f'{{stream="{stream}"}} {missing}')
        for name, lines in samples.items():
            if lines:
                kind, meaning = _HELP[name]
                yield f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n"
                yield from (f"{name}{line}\n" for line in lines)


def _escaped(text: str) -> str:
    shown = printable(text, keep="\n\\")
    return shown.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

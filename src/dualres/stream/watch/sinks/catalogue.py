"""The kinds of sinks: `-`, a file by its ending, or a URL by its scheme."""

from collections.abc import Callable
from pathlib import Path

from dualres.errors import ConfigError
from dualres.stream.watch.sinks.csv_table import CsvTable
from dualres.stream.watch.sinks.json_lines import JsonLines, StandardOutput
from dualres.stream.watch.sinks.line_protocol import Influx, LineFile
from dualres.stream.watch.sinks.mqtt import MqttSink
from dualres.stream.watch.sinks.prometheus import Prometheus
from dualres.stream.watch.sinks.sink import Sink
from dualres.stream.watch.sinks.webhook import Webhook
from dualres.utils.files import check_writable

SinkMaker = Callable[[str], Sink]
OUTPUT = "-"
SCHEMES: dict[str, SinkMaker] = {"mqtt": MqttSink, "mqtts": MqttSink, "http": Webhook, "https": Webhook}
SCHEMES |= {"influx+http": Influx, "influx+https": Influx}
ENDINGS: dict[str, SinkMaker] = {".jsonl": JsonLines, ".csv": CsvTable, ".prom": Prometheus, ".lp": LineFile}


def sink_of(text: str) -> Sink:
    if text == OUTPUT:
        return StandardOutput(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"--to {text}: is not UTF-8, by which a sink is remembered; choose another name") from None
    scheme, separator, _ = text.partition("://")
    ending = Path(text).suffix.lower()
    if separator and scheme in SCHEMES:
        return SCHEMES[scheme](text)
    if separator or ending not in ENDINGS:
        raise ConfigError(
            f"--to {text}: a sink is -, a file that ends in {', '.join(ENDINGS)}, or {', '.join(SCHEMES)}://"
        )
    check_writable(Path(text))
    return ENDINGS[ending](text)

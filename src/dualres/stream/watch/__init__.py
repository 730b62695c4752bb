"""The service: sources, a spool, sinks, and the agent between them.

from pathlib import Path

from dualres.stream.watch import WatchSettings, start_watch

settings = WatchSettings(model=Path("pump.safetensors"), sources=["inbox"], sinks=["verdicts.jsonl"])
with start_watch(settings) as watch:
    watch.run()  # until `watch.stop()` in a signal's handler or another thread
"""

from dualres.stream.watch.start import Watch as Watch
from dualres.stream.watch.start import WatchSettings as WatchSettings
from dualres.stream.watch.start import start_watch as start_watch
